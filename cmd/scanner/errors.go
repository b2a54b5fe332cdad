package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
)

// usagef returns an error that the user corrects in the arguments.
func usagef(format string, args ...any) error {
	return project.UsageError(fmt.Errorf(format, args...))
}

// formatError formats an error for people: the message, and on its own line what
// can be done about it.
func formatError(err error) string {
	var b strings.Builder
	b.WriteString("scanner: " + text.Clean(err.Error()) + "\n")
	if hint := project.Hint(err); hint != "" {
		b.WriteString("hint: " + text.Clean(hint) + "\n")
	}
	return b.String()
}

// bareError leaves out the call and the path of an error that names them.
func bareError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
