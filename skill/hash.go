package skill

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/text"
)

const (
	maxFiles = 500     // of a skill with a hash
	maxSize  = 8 << 20 // of all of them, in bytes
)

// reserved are the names of devices on Windows, with any extension.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)`)

// Files reads the files of the skill in a directory of fsys, by their paths from there. Only
// text files that every system can have belong to a skill: leftOut receives any other, and
// why. Without leftOut, the first of them is an error, but what is the user's own is not
// read: tests, and hidden files, which file managers make. Too many files, or bytes in all,
// are an error.
func Files(fsys fs.FS, dir string, leftOut func(name string, reason error)) (map[string][]byte, error) {
	files, size, spelling := make(map[string][]byte), 0, make(map[string]string)
	err := fs.WalkDir(fsys, dir, func(full string, e fs.DirEntry, err error) error {
		name := strings.TrimPrefix(full, dir+"/")
		if err != nil || full == dir {
			return err
		}
		if own := e.IsDir() && name == "tests" || !e.IsDir() && e.Name()[0] == '.'; own && leftOut == nil {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		var data []byte
		lower := strings.ToLower(name)
		switch {
		case e.Name()[0] == '.':
			err = errors.New("hidden")
		case strings.ContainsFunc(name, text.Hidden) || strings.ContainsAny(name, "\\:*?\"<>|\uFFFD") || strings.TrimRight(e.Name(), ". ") != e.Name() || reserved.MatchString(e.Name()):
			err = errors.New("a name that not every system can have")
		case spelling[lower] != "": // which of them is used would depend on the system
			return fmt.Errorf("%q and %q differ only in case", spelling[lower], name)
		case e.IsDir():
		case !e.Type().IsRegular():
			err = errors.New("not a regular file")
		default:
			data, err = dotdir.ReadRegular(fsys, full, maxFileSize)
			if err == nil && bytes.IndexByte(data, 0) >= 0 {
				err = errors.New("binary")
			}
		}
		spelling[lower] = name
		switch {
		case err != nil && leftOut == nil:
			return fmt.Errorf("%q: %w", name, err)
		case err != nil:
			leftOut(name, err)
			if e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir():
			files[name], size = data, size+len(data)
		}
		if len(files) > maxFiles || size > maxSize {
			return fmt.Errorf("more than %d files, or %d bytes in all", maxFiles, maxSize)
		}
		return nil
	})
	return files, err
}

// Hash returns the hash of the skill in a directory of fsys: that of its [Files].
func Hash(fsys fs.FS, dir string) (string, error) {
	files, err := Files(fsys, dir, nil)
	if err != nil {
		return "", err
	}
	return HashFiles(files), nil
}

// HashFiles returns a hash of the paths and contents of files, other than those in tests,
// as 64 hexadecimal digits. LF and CRLF are the same: git can check out a file with either.
func HashFiles(files map[string][]byte) string {
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(name, "tests/") {
			fmt.Fprintf(all, "%x %q\n", sha256.Sum256(bytes.ReplaceAll(files[name], []byte("\r\n"), []byte("\n"))), name)
		}
	}
	return fmt.Sprintf("%x", all.Sum(nil))
}
