// Package private makes sure that other users of the machine cannot write to
// directories whose files a run trusts.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/codescan-dev/scanner/internal/dotdir"
)

// Check returns an error if a directory belongs to another user, or other users can
// write to it. On Windows it does nothing.
func Check(info fs.FileInfo) error { return check(info, false) }

// Dir makes the directory at path private, with mode 0700, and creates it if it is
// missing. It returns its absolute path without symbolic links.
//
// The directory must belong to the user and not be a symbolic link. Programs look
// for their configuration also in the directories above the one they run in, so each
// of those must belong to the user or to root, and other users must not be able to
// write to it. That excludes directories below /tmp.
func Dir(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", err
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	for dir := parent; ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err == nil {
			err = check(info, true)
		}
		if err != nil {
			return "", fmt.Errorf("%q: %w", dir, dotdir.Cause(err))
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	// Only the user can replace it from here on.
	path = filepath.Join(parent, filepath.Base(path))
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("is a symbolic link")
	}
	if err == nil {
		err = Check(info)
	}
	if err == nil {
		err = os.Chmod(path, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, dotdir.Cause(err))
	}
	return path, nil
}
