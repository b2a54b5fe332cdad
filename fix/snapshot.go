package fix

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Snapshot remembers what the files of a repository contained when they were
// analyzed, so that a fix is not applied to anything else. It is not safe for
// concurrent use.
type Snapshot struct {
	root  *os.Root
	paths []string
	sums  map[string][sha256.Size]byte
	errs  map[string]error // why there is no sum
}

// NewSnapshot returns an empty snapshot of the repository that root is opened on.
func NewSnapshot(root *os.Root) *Snapshot {
	return &Snapshot{root: root, sums: make(map[string][sha256.Size]byte), errs: make(map[string]error)}
}

// Add remembers the contents of a file. analyzed reports whether these are the
// contents that are analyzed: those may come from a diff, or from the index.
func (s *Snapshot) Add(path string, analyzed func(contents []byte) bool) {
	s.paths = append(s.paths, path)
	data, _, err := readFile(s.root, path)
	switch {
	case err != nil:
		s.errs[path] = err
	case !analyzed(data):
		s.errs[path] = stale(path)
	default:
		s.sums[path] = sha256.Sum256(data)
	}
}

// Files returns the paths of the files that were added.
func (s *Snapshot) Files() []string { return s.paths }

// Read returns the contents of a file that was added. Its error wraps
// [ErrStale] if they are not those that were analyzed.
func (s *Snapshot) Read(path string) ([]byte, error) {
	if err := s.errs[path]; err != nil {
		return nil, err
	}
	data, _, err := readFile(s.root, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, stale(path)
	}
	if err != nil {
		return nil, err
	}
	if sum, ok := s.sums[path]; !ok || sum != sha256.Sum256(data) {
		return nil, stale(path)
	}
	return data, nil
}

func stale(path string) error { return fmt.Errorf("%s: %w", quote(path), ErrStale) }
