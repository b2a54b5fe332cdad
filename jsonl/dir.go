package jsonl

import (
	"fmt"
	"os"

	"github.com/codescan-dev/scanner/internal/dotdir"
)

const (
	logsName = "logs"
	logsPath = dotdir.Name + "/" + logsName
)

// Dir is the directory of a repository that holds the logs of all runs,
// ".scanner/logs". Its methods are safe for concurrent use, also by several
// processes. Errors name the file by its path from the repository's root and
// wrap the cause.
type Dir struct {
	root *os.Root // the directory itself
}

// OpenDir opens the log directory of the repository that root is opened on, and
// creates what is missing: also ".scanner", with a .gitignore that keeps logs out
// of commits. A symbolic link in the place of one of them is an error. It does not
// close root.
func OpenDir(root *os.Root) (*Dir, error) {
	logs, err := dotdir.Open(root, logsName)
	if err != nil {
		return nil, fmt.Errorf("log directory: %w", err)
	}
	return &Dir{root: logs}, nil
}

// Close closes the directory. Files that were created stay open.
func (d *Dir) Close() error { return d.root.Close() }
