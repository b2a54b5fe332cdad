package prompt

import (
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

// Path returns a path in the form in which the model gets it: as it is, unless it
// holds something invisible or misleading, in which case it is quoted as
// [diff.QuotePath] does. An answer may name either form.
func Path(path string) string {
	if text.Visible(path) != path || strings.ContainsAny(path, "\t\"\\") || strings.TrimSpace(path) != path {
		return diff.QuotePath(path)
	}
	return path
}
