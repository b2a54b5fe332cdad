package skill

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/nearest"
)

const (
	// maxDirs is the most directories that are searched in one source.
	maxDirs = 500
	// maxDepth is how many levels of a source have directories of skills.
	maxDepth = 3
	// maxWarnings is the most warnings about one file or source.
	maxWarnings = 50
	// maxListed is the most skills that an error lists.
	maxListed = 30
)

// Source is a place to look for skills: a directory whose subdirectories are
// skills, or groups of skills.
type Source struct {
	// FS is the file system; a source without one is empty.
	FS fs.FS
	// Dir is the directory of skills in FS, with slashes; "." is its root. It
	// need not exist.
	Dir string
	// Label names the directory in messages and in the Source of its skills.
	// Empty means Dir.
	Label string

	// builtin makes the label the source of all skills.
	builtin bool
}

// ProjectSources returns the places for the skills of a project, in the order in
// which they are searched: .scanner/skills, .agents/skills, .claude/skills and
// .github/skills in fsys, the root of the repository.
func ProjectSources(fsys fs.FS) []Source {
	return []Source{
		{FS: fsys, Dir: ".scanner/skills"},
		{FS: fsys, Dir: ".agents/skills"},
		{FS: fsys, Dir: ".claude/skills"},
		{FS: fsys, Dir: ".github/skills"},
	}
}

// Catalog holds the skills that were found. Its zero value has none.
type Catalog struct {
	entries  []entry
	shadowed []entry // those that others of their name take precedence of
	warnings []Warning
	searched []string
	noSkill  []string // directories without a SKILL.md
}

// entry is a skill that was found; it is not loaded yet.
type entry struct {
	name   string // that of its directory if err is set
	source string // where it was found: its directory, or "built-in"
	err    error  // why its SKILL.md cannot be used; usually nil
	fsys   fs.FS
	dir    string
	// shadowedBy is the source of the skill of the same name that takes precedence.
	shadowedBy string
}

// Found is a skill that [Discover] found, and whether it can be used.
type Found struct {
	// Skill has only its Name and Source if it cannot be used.
	Skill    scanner.Skill
	Warnings []Warning
	// Err is why it cannot be used; usually nil.
	Err error
	// ShadowedBy is the Source of the skill of the same name that [Catalog.Find] returns
	// instead; empty if it returns this one.
	ShadowedBy string
}

// Discover looks for skills in the sources. Of two with the same name, the first
// one wins; within a source they are in the order of their directories' names, those
// in groups last.
//
// A broken skill does not keep others from being used: there is a
// warning, and [Catalog.Find] returns the error. It also takes
// precedence over skills of its name in later sources. The files of rules are
// read by Find only.
func Discover(sources ...Source) *Catalog {
	c := new(Catalog)
	byName := make(map[string]string) // sources
	for _, src := range sources {
		if src.FS == nil {
			continue
		}
		src.Label = cmp.Or(src.Label, src.Dir)
		c.searched = append(c.searched, src.Label)
		entries, warnings := c.read(src)
		taken := make(map[string]string) // in this source
		for _, e := range entries {
			if e.err != nil {
				warnings = append(warnings, Warning{File: e.source, Message: "skill cannot be used: " + e.err.Error()})
			}
			other, ok := taken[e.name]
			if ok {
				warnings = append(warnings, Warning{File: e.source, Message: fmt.Sprintf(
					"skill is ignored: %s has the name %q too", printable(other), e.name)})
			}
			taken[e.name] = cmp.Or(other, e.source)
			if e.shadowedBy = byName[e.name]; e.shadowedBy != "" {
				c.shadowed = append(c.shadowed, e)
				continue
			}
			byName[e.name] = e.source
			c.entries = append(c.entries, e)
		}
		if n := len(warnings); n > maxWarnings {
			warnings = append(warnings[:maxWarnings], Warning{File: src.Label, Message: fmt.Sprintf("%d more warnings", n-maxWarnings)})
		}
		c.warnings = append(c.warnings, warnings...)
	}
	return c
}

// place is a directory that is searched.
type place struct {
	dir, label string
	depth      int // 0 is the source itself
}

// read lists the skills of a source.
func (c *Catalog) read(src Source) (entries []entry, warnings []Warning) {
	warn := func(file, format string, args ...any) {
		warnings = append(warnings, Warning{File: file, Message: fmt.Sprintf(format, args...)})
	}
	root, err := cleanDir(src.Dir)
	if err != nil {
		warn(src.Label, "%v", err)
		return nil, warnings
	}
	queue, left := []place{{dir: root, label: src.Label}}, maxDirs
	for i := 0; i < len(queue); i++ {
		group := queue[i]
		listing, err := group.listDirs(src.FS)
		if err != nil {
			warn(group.label, "cannot be read: %v", dotdir.Cause(err))
		}
		if n := len(listing); n > left {
			warn(group.label, "%d directories; only the first %d are searched", n, left)
			listing = listing[:left]
		}
		left -= len(listing)
		for _, f := range listing {
			sub := place{dir: path.Join(group.dir, f.Name()), label: path.Join(group.label, f.Name()), depth: group.depth + 1}
			e := entry{name: f.Name(), source: sub.label, fsys: src.FS, dir: sub.dir}
			if src.builtin {
				e.source = src.Label
			}
			s, _, err := loadSkillMD(src.FS, e.dir, e.source)
			switch {
			case errors.Is(err, fs.ErrNotExist) && !f.IsDir():
				c.noSkill = append(c.noSkill, e.source)
				warn(e.source, "link does not lead to a directory with a %s", skillMD)
				continue
			case errors.Is(err, fs.ErrNotExist):
				queue = append(queue, sub)
				continue
			case err != nil:
				e.err = err
			default:
				e.name = s.Name
			}
			entries = append(entries, e)
		}
	}
	for _, group := range queue[1:] {
		leads := slices.ContainsFunc(entries, func(e entry) bool { return strings.HasPrefix(e.dir, group.dir+"/") })
		if !leads && !slices.ContainsFunc(c.noSkill, func(dir string) bool { return strings.HasPrefix(group.label, dir+"/") }) {
			c.noSkill = append(c.noSkill, group.label)
			warn(group.label, "directory has no %s", skillMD)
		}
	}
	return entries, warnings
}

// listDirs lists the directories in dir, and the links, of which it is seen when their
// SKILL.md is read whether they lead to one. A directory at the depth where the search
// ends lists none.
func (p *place) listDirs(fsys fs.FS) ([]fs.DirEntry, error) {
	if p.depth == maxDepth {
		return nil, nil
	}
	info, err := fs.Stat(fsys, p.dir)
	var listing []fs.DirEntry
	switch {
	case err == nil && !info.IsDir(): // opening a named pipe waits for its writer
		err = errors.New("not a directory")
	case err == nil:
		listing, err = fs.ReadDir(fsys, p.dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return slices.DeleteFunc(listing, func(f fs.DirEntry) bool {
		return !f.IsDir() && f.Type()&fs.ModeSymlink == 0 || strings.HasPrefix(f.Name(), ".")
	}), err
}

// Warnings returns the problems of the search: broken skills, directories without
// a skill, places that cannot be read.
func (c *Catalog) Warnings() []Warning { return slices.Clone(c.warnings) }

// Find loads the skill of that name. If there is none, the error lists the
// skills that were found and their places, and, on a second line, the nearest
// name.
func (c *Catalog) Find(name string) (scanner.Skill, []Warning, error) {
	i := slices.IndexFunc(c.entries, func(e entry) bool { return e.name == name })
	if i < 0 {
		return scanner.Skill{}, nil, c.unknown(name)
	}
	s, warnings, err := c.entries[i].load()
	if err != nil {
		return scanner.Skill{}, nil, fmt.Errorf("skill %q cannot be used: %w", name, err)
	}
	return s, warnings, nil
}

// Names returns the names of the skills that Find loads, unless their rules are broken.
func (c *Catalog) Names() (names []string) {
	for _, e := range c.entries {
		if e.err == nil {
			names = append(names, e.name)
		}
	}
	return names
}

// All loads all skills that were found: those that Find returns, then the others.
func (c *Catalog) All() iter.Seq[Found] {
	return func(yield func(Found) bool) {
		for _, e := range slices.Concat(c.entries, c.shadowed) {
			f := Found{ShadowedBy: e.shadowedBy}
			if f.Skill, f.Warnings, f.Err = e.load(); f.Err != nil {
				f.Skill = scanner.Skill{Name: e.name, Source: e.source}
			}
			if !yield(f) {
				return
			}
		}
	}
}

func (e *entry) load() (scanner.Skill, []Warning, error) {
	if e.err != nil {
		return scanner.Skill{}, nil, e.err
	}
	return load(e.fsys, e.dir, e.source)
}

// unknown returns the error about a name that no skill has.
func (c *Catalog) unknown(name string) error {
	sorted := slices.SortedStableFunc(slices.Values(c.entries), func(a, b entry) int { return strings.Compare(a.name, b.name) })
	var found []string
	for _, e := range sorted {
		where := printable(e.source)
		if e.err != nil {
			where += ", broken"
		}
		found = append(found, fmt.Sprintf("%s (%s)", printable(e.name), where))
	}
	if more := len(found) - maxListed; more > 0 {
		found = append(found[:maxListed], fmt.Sprintf("and %d more", more))
	}
	list := "none found"
	if len(found) > 0 {
		list = "found " + strings.Join(found, ", ")
	}
	msg := fmt.Sprintf("unknown skill %q: %s", shorten(name), list)
	if hint := c.hint(name); hint != "" {
		msg += "\nhint: " + hint
	}
	return errors.New(msg)
}

// hint returns what may help with a name that no skill has.
func (c *Catalog) hint(name string) string {
	var names []string
	for _, e := range c.entries {
		if path.Base(e.dir) == name {
			return fmt.Sprintf("the skill in %s is named %q", printable(e.source), e.name)
		}
		names = append(names, e.name)
	}
	for _, dir := range c.noSkill {
		if path.Base(dir) == name {
			return fmt.Sprintf("the directory %s has no %s", printable(dir), skillMD)
		}
	}
	slices.Sort(names)
	add := ""
	if len(c.searched) > 0 && validName(name) {
		add = "to add it, write " + printable(path.Join(c.searched[0], name, skillMD))
	}
	return nearest.Hint(name, names, add)
}
