package main

import (
	"fmt"

	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/project"
)

// usagef returns an error that the user corrects in the arguments.
func usagef(format string, args ...any) error {
	return project.UsageError(fmt.Errorf(format, args...))
}

// unknown returns the error for a name that nothing of a kind has.
func unknown(kind, name string, known []string, hint string) error {
	return project.WithHint(usagef("unknown %s %q", kind, name), nearest.Hint(name, known, hint))
}
