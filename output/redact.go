package output

import (
	"io/fs"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
)

// quotable sets the fix of a finding to one that can be quoted: without secrets. A fix
// that differs from the code then, or that JSON cannot hold, is left to be read: applied,
// it would damage the code.
func (r *report) quotable(f *scanner.Finding) {
	if f.SuggestedFix == nil {
		return
	}
	fix := *f.SuggestedFix
	if r.Redact != nil {
		fix.Description, _ = r.Redact(fix.Description)
		fix.Diff, _ = r.Redact(fix.Diff)
	}
	if fix.Diff != f.SuggestedFix.Diff || !utf8.ValidString(fix.Diff) {
		fix.Edits = nil
	}
	f.SuggestedFix = &fix
}

// redactedFS is a tree without the secrets in its files.
type redactedFS struct {
	fs.FS
	redact func(string) (string, int)
	read   map[string][]byte
}

var _ fs.ReadFileFS = (*redactedFS)(nil)

func (r *redactedFS) ReadFile(name string) ([]byte, error) {
	data, ok := r.read[name]
	if !ok {
		var err error
		if data, err = fs.ReadFile(r.FS, name); err != nil {
			return nil, err
		}
		text, _ := r.redact(string(data))
		data = []byte(text)
		r.read[name] = data
	}
	return data, nil
}
