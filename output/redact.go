package output

import (
	"io/fs"

	"github.com/codescan-dev/scanner"
)

// redactFix replaces the secrets in the fix of a finding. One that had any is left to be
// read: applied, it would put the placeholders into the code.
func redactFix(f *scanner.Finding, redact func(string) (string, int)) {
	if f.SuggestedFix == nil {
		return
	}
	if diff, n := redact(f.SuggestedFix.Diff); n > 0 {
		f.SuggestedFix = &scanner.SuggestedFix{Description: f.SuggestedFix.Description, Diff: diff}
	}
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
