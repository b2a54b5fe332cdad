//go:build unix

package cache_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/codescan-dev/scanner/cache"
)

func TestOpenForeign(t *testing.T) {
	for _, mode := range []os.FileMode{0o702, 0o720, 0o777} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := cache.Open(dir, ""); err == nil || !strings.HasSuffix(err.Error(), "other users can write to it") {
			t.Errorf("mode %v: got %v, want an error", mode, err)
		}
	}
	// A directory of another user: the root of the system, or one that was given
	// away.
	dir := "/"
	if os.Getuid() == 0 {
		dir = t.TempDir()
		if err := os.Chown(dir, 12345, -1); err != nil {
			t.Skip(err)
		}
	}
	if info, err := os.Stat(dir); err != nil || int(info.Sys().(*syscall.Stat_t).Uid) == os.Getuid() {
		t.Skip("no directory of another user here")
	}
	if _, err := cache.Open(dir, ""); err == nil || !strings.HasSuffix(err.Error(), "belongs to another user") {
		t.Errorf("got %v, want an error", err)
	}
}
