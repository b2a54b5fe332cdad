package complete

import (
	"os"
	"path/filepath"
	"strings"
)

// maxFiles is the most entries of a directory that are read.
const maxFiles = 5000

// Files returns the files and directories in the directory that a path leads to, which
// need not be whole; a relative one begins at wd.
func Files(wd, begin string) (list []Candidate) {
	dir, base := filepath.Split(begin)
	path := filepath.FromSlash(dir)
	if !filepath.IsAbs(path) {
		path = filepath.Join(wd, path)
	}
	d, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(maxFiles)
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") && base == "" {
			continue
		}
		if info, err := os.Stat(filepath.Join(path, name)); err == nil && info.IsDir() {
			name += "/"
		}
		list = append(list, Candidate{Word: dir + name})
	}
	return list
}
