package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/codescan-dev/scanner/project"
)

// usagef returns an error that the user corrects in the arguments.
func usagef(format string, args ...any) error {
	return project.UsageError(fmt.Errorf(format, args...))
}

// bareError leaves out the call and the path of an error that names them.
func bareError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
