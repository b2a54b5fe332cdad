package complete

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// maxFiles is the most entries of a directory that are read.
const maxFiles = 5000

// Files returns the files and directories in the directory that the beginning of a path
// leads to.
func Files(begin string) (list []Candidate) {
	dir, base := filepath.Split(begin)
	path := cmp.Or(dir, ".")
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
