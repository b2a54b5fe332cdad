package diff

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Notable is a change that a person should look at, since it is not in the lines
// that are analyzed.
type Notable struct {
	Path string `json:"path"`
	// What describes the change, for instance "symbolic link".
	What string `json:"what"`
}

// FindNotable returns the notable ones among files: links and submodules that are
// new or lead elsewhere, files that became executable, and files that were renamed
// to a place where tools may run them, or to or from one where they are skipped by
// default. Where plans has the plan of a file, the file is also notable if it is too
// large, or binary although it is new and mostly text, source code by its name or where
// tools may run it, or if it has a line that is shortened; plans is nil or has an element for each file.
// There are none in a scan of whole files.
func FindNotable(files []File, plans []*Plan) []Notable {
	if slices.ContainsFunc(files, func(f File) bool { return f.Load != nil }) {
		return nil
	}
	var list []Notable
	for i := range files {
		what := files[i].notable()
		if plans != nil && plans[i] != nil {
			what = append(what, plans[i].unread()...)
		}
		if len(what) > 0 {
			list = append(list, Notable{Path: files[i].Path, What: strings.Join(what, ", ")})
		}
	}
	return list
}

func (f *File) notable() (what []string) {
	if f.Status == Deleted {
		return nil
	}
	switch kind := cmp.Or(skipMode(f.Mode), f.Skip); {
	case kind == ReasonLink:
		what = append(what, "symbolic link")
	case kind == ReasonSubmodule:
		what = append(what, "submodule")
	case f.Mode&0o111 != 0 && f.OldMode&0o111 == 0:
		what = append(what, "executable")
	}
	if f.Status == Renamed || f.Status == Copied {
		if toolsLookAt(f.Path) || isBuildFile(f.Path) && !isBuildFile(f.OldPath) {
			what = append(what, "renamed to where tools may run it")
		}
		switch was, is := skippedByName(f.OldPath), skippedByName(f.Path); {
		case is && !was:
			what = append(what, "renamed to where it is skipped")
		case was && !is: // its lines were not read there, and are not new here
			what = append(what, "renamed from where it was skipped")
		}
	}
	return what
}

// MaxLine is the length in bytes to which a changed line is shortened for the model.
const MaxLine = 64 << 10

// unread describes what is not read because of the contents of a file.
func (p *Plan) unread() []string {
	f := &p.File
	switch {
	case p.Skip == nil:
		for i := range f.Hunks {
			n := f.Hunks[i].NewStart
			for l := range strings.Lines(f.Hunks[i].Body) {
				if l[0] == byte(Add) && len(strings.TrimRight(l[1:], "\r\n")) > MaxLine {
					return []string{fmt.Sprintf("line %d over 64 KiB, of which the model sees the beginning", n)}
				}
				if l[0] == byte(Add) || l[0] == byte(Context) {
					n++
				}
			}
		}
	case p.Skip.Reason == ReasonTooLarge:
		return []string{"too large to be read"}
	case p.Skip.Reason == ReasonBinary && (toolsLookAt(f.Path) || isSource(f.Path) || f.Status == Added && f.isMostlyText()):
		return []string{"binary, not read"}
	}
	return nil
}

// isMostlyText reports whether most of the bytes of the hunks that are not NUL are
// ASCII text.
func (f *File) isMostlyText() bool {
	ascii, others := 0, 0
	for i := range f.Hunks {
		for _, b := range []byte(f.Hunks[i].Body) {
			switch {
			case b == '\t', b == '\r', b == '\n', b >= ' ' && b <= '~':
				ascii++
			case b != 0:
				others++
			}
		}
	}
	return ascii > 4*others
}

// toolsLookAt reports whether a path is hidden, as the configuration and the scripts
// of most tools are (.github/workflows, .husky), or could be a hook of git: these
// have no extension.
func toolsLookAt(p string) bool {
	dir, name := path.Split(p)
	return strings.HasPrefix(p, ".") || strings.Contains(p, "/.") ||
		strings.HasSuffix(dir, "hooks/") && !strings.Contains(name, ".")
}

// skippedByName reports whether a file is skipped by default for its name alone.
func skippedByName(p string) bool {
	_, skip := new(Chunking).checkPath(&File{Path: p}, nil)
	return skip != nil
}
