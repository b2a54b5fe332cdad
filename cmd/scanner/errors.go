package main

import (
	"fmt"

	"github.com/codescan-dev/scanner/project"
)

// usagef returns an error that the user corrects in the arguments.
func usagef(format string, args ...any) error {
	return project.UsageError(fmt.Errorf(format, args...))
}
