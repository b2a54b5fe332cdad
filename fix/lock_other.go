//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package fix

import "os"

// tryLock does nothing: on this system, two runs at a time are told apart only
// by the comparison of each file right before it is replaced.
func tryLock(*os.File) error { return nil }
