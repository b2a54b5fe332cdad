package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/fix"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/proc"
)

// checker tries fixes: it runs commands in a copy of the working tree. Each try
// has a fresh copy, in the same place, so that what one leaves behind does not
// count for the next.
type checker struct {
	commands []string
	environ  []string
	tree     *os.Root // of the project
	paths    []string // of the files to copy
	dir      string   // an empty directory for the copies
	name     string   // of the copy
	// failed receives a command that does not pass, and the end of its output.
	failed func(command string, err error, output string)
}

var _ fix.Check = (*checker)(nil).try

// checkGrace is the time that a command has to end when the run is interrupted.
const checkGrace = 2 * time.Second

// try is a [fix.Check].
func (k *checker) try(ctx context.Context, files map[string][]byte) error {
	dir := filepath.Join(k.dir, k.name)
	if err := removeAll(dir); err != nil {
		return fmt.Errorf("copy of the files: %w", err)
	}
	if err := k.copy(ctx, dir, files); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("copy of the files: %w", err)
	}
	for _, command := range k.commands {
		output, err := k.command(ctx, dir, command)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			k.failed(command, exit, output)
			return fmt.Errorf("%w: %q: %v", fix.ErrCheckFailed, command, exit)
		}
		if err != nil {
			return fmt.Errorf("run %q: %w", command, err)
		}
	}
	return nil
}

// copy makes a copy of the tree, with the given contents instead of those that
// some files have.
func (k *checker) copy(ctx context.Context, dir string, files map[string][]byte) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	to, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer to.Close()
	for _, path := range k.paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, changed := files[path]
		if err := k.copyFile(to, path, data, changed); err != nil {
			return fmt.Errorf("%q: %w", path, dotdir.Cause(err))
		}
	}
	return nil
}

// copyFile copies a file or a link. What is gone, or anything else by now, is
// left out. A file keeps its time and mode, which builds look at.
func (k *checker) copyFile(to *os.Root, path string, data []byte, changed bool) error {
	info, err := fix.Lstat(k.tree, path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fix.ErrForeign):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return nil
	}
	path = filepath.FromSlash(path)
	if err := to.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := k.tree.Readlink(path)
		if err != nil {
			return err
		}
		return to.Symlink(target, path)
	}
	var from io.Reader = bytes.NewReader(data)
	if !changed {
		f, err := k.tree.OpenFile(path, os.O_RDONLY|proc.NonBlock, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		from = f
	}
	w, err := to.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, from)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err == nil && !changed {
		err = to.Chtimes(path, info.ModTime(), info.ModTime())
	}
	return err
}

// command runs a command with a shell and returns the end of its output.
func (k *checker) command(ctx context.Context, dir, command string) (output string, err error) {
	cmd := proc.Shell(ctx, command)
	proc.Group(cmd)
	cmd.Dir = dir
	cmd.Env = append(checkEnviron(k.environ), "PWD="+dir, "GIT_CEILING_DIRECTORIES="+k.dir)
	var tail proc.Tail
	cmd.Stdout, cmd.Stderr = &tail, &tail
	cmd.Cancel = func() error { return proc.Terminate(cmd) }
	cmd.WaitDelay = checkGrace
	if err := cmd.Start(); err != nil {
		return "", err
	}
	err = cmd.Wait()
	_ = proc.Kill(cmd) // what it left running, in a directory that is removed
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has passed, and left something running
	}
	return tail.String(), err
}

// checkEnviron returns the environment for a command: without our own keys,
// since it runs code that a model wrote, and without those of git, by which it
// would find the repository itself instead of the copy.
func checkEnviron(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "SCANNER_") || strings.HasPrefix(name, "GIT_")
	})
}

// removeAll removes a directory, also if a command left directories in it that
// cannot be written to.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
