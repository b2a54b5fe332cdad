package fix

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// Matches reports whether contents are those that a change was analyzed in: the
// lines of the new side of each hunk stand where the hunk says, line endings
// aside. Otherwise its error wraps [ErrStale]. Of a file that is scanned whole
// there is nothing to compare; see [Snapshot].
func Matches(f *diff.File, data []byte) error {
	var lines []string
	for l := range strings.Lines(string(data)) {
		lines = append(lines, trimEnding(l))
	}
	for i := range f.Hunks {
		h := &f.Hunks[i]
		at := h.NewStart - 1
		for l := range strings.Lines(h.Body) {
			if l[0] != ' ' && l[0] != '+' {
				continue
			}
			if at < 0 || at >= len(lines) || lines[at] != trimEnding(l[1:]) {
				return fmt.Errorf("%s, line %d: %w", quote(f.Path), at+1, ErrStale)
			}
			at++
		}
	}
	return nil
}

func trimEnding(l string) string {
	return strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
}

// Snapshot remembers what files were at a time, by a sum of their contents. The
// zero value remembers nothing. It is not safe for concurrent use.
type Snapshot struct {
	sums map[string][sha256.Size]byte
}

// Add remembers the contents of a file.
func (s *Snapshot) Add(path string, data []byte) {
	if s.sums == nil {
		s.sums = make(map[string][sha256.Size]byte)
	}
	s.sums[path] = sha256.Sum256(data)
}

// Check reports whether contents are those that were remembered. Otherwise its
// error wraps [ErrStale]; so it does for a file that is not known.
func (s *Snapshot) Check(path string, data []byte) error {
	if was, ok := s.sums[path]; !ok || was != sha256.Sum256(data) {
		return fmt.Errorf("%s: %w", quote(path), ErrStale)
	}
	return nil
}
