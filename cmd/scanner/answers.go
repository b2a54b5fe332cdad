package main

import (
	"path/filepath"
	"strings"

	"github.com/codescan-dev/scanner/cache"
	"github.com/codescan-dev/scanner/internal/term"
)

// openCache opens the cache of the answers in a space; nil if there is to be
// none. A cache in
// the tree that is scanned is not used: whoever wrote the change could have
// written the answers too.
func (p *process) openCache(pr *project, space string, o *scanOptions, warn func(term.Verbosity, string)) *cache.Dir {
	dir := p.cacheDir()
	if o.noCache || dir == "" {
		return nil
	}
	dir = filepath.Join(dir, "answers")
	if within(pr.root, dir) {
		warn(term.Verbose, "answers are not cached: the folder is inside of the repository")
		return nil
	}
	answers, err := cache.Open(dir, space)
	if err != nil {
		warn(term.Verbose, "answers are not cached: "+err.Error())
		return nil
	}
	return answers
}

// within reports whether path, of which the end need not exist, lies in root.
func within(root, path string) bool {
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = filepath.Join(real, rest)
			break
		}
		parent := filepath.Dir(path)
		if parent == path {
			break
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
