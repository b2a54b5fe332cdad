//go:build unix

package fix

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestEscapesSpecial(t *testing.T) {
	for _, tt := range []escape{
		{name: "file becomes a named pipe", diff: both("main.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
			must(t, os.Remove(filepath.Join(repo, "main.go")))
			must(t, syscall.Mkfifo(filepath.Join(repo, "main.go"), 0o644))
		}},
		{name: "file becomes a link to a device", diff: both("main.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
			must(t, os.Remove(filepath.Join(repo, "main.go")))
			must(t, os.Symlink("/dev/zero", filepath.Join(repo, "main.go")))
		}},
		{name: "file becomes a device", diff: both("main.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
			must(t, os.Remove(filepath.Join(repo, "main.go")))
			if err := syscall.Mknod(filepath.Join(repo, "main.go"), syscall.S_IFCHR|0o644, 1<<8|5); err != nil {
				t.Skipf("a device cannot be made: %v", err)
			}
		}},
		{name: "file becomes a socket", diff: both("main.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
			must(t, os.Remove(filepath.Join(repo, "main.go")))
			if err := syscall.Mknod(filepath.Join(repo, "main.go"), syscall.S_IFSOCK|0o644, 0); err != nil {
				t.Skipf("a socket cannot be made: %v", err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t) })
	}
}
