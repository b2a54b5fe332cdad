package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/nearest"
)

const (
	// maxFolders is the most folders that are looked into in one source.
	maxFolders = 500
	// maxWarnings is the most warnings about one file or source.
	maxWarnings = 50
	// maxListed is the most skills that an error lists.
	maxListed = 30
)

// Source is a place to look for skills: a folder whose subfolders are skills.
type Source struct {
	// FS is the file system; a source without one is empty.
	FS fs.FS
	// Dir is the folder of skills in FS, with slashes; "." is its root. It need
	// not exist.
	Dir string
	// Label names the folder in messages and in the Source of its skills. Empty
	// means Dir.
	Label string

	// builtin says that all skills have just the label as their source.
	builtin bool
}

// ProjectSources returns the places for the skills of a project, in the order in
// which they are searched: .scanner/skills, .agents/skills and .claude/skills in
// fsys, the root of the repository.
func ProjectSources(fsys fs.FS) []Source {
	return []Source{
		{FS: fsys, Dir: ".scanner/skills"},
		{FS: fsys, Dir: ".agents/skills"},
		{FS: fsys, Dir: ".claude/skills"},
	}
}

// Catalog holds the skills that were found. Its zero value has none.
type Catalog struct {
	entries  []Entry
	warnings []Warning
	searched []string
	noSkill  []string // folders without a SKILL.md
}

// Entry is a skill that was found; it is not loaded yet.
type Entry struct {
	// Name is the skill's name; that of its folder where Err is set.
	Name string
	// Description is what the skill says of itself, on one line.
	Description string
	// Source says where it is: its folder, or "built-in".
	Source string
	// Err says why its SKILL.md cannot be used; usually nil.
	Err error

	fsys fs.FS
	dir  string
}

// Discover looks for skills in the sources. Where two have the same name, the
// first one wins; within a source they come in the order of their folders' names.
//
// A broken skill does not keep others from being used: it is an [Entry] with an
// error and a warning, and [Catalog.Find] fails when it is asked for. It also
// hides skills of its name in later sources, since it was meant to. The files of
// rules are read by Find only.
func Discover(sources ...Source) *Catalog {
	c := new(Catalog)
	byName := make(map[string]bool)
	for _, src := range sources {
		if src.FS == nil {
			continue
		}
		if src.Label == "" {
			src.Label = src.Dir
		}
		c.searched = append(c.searched, src.Label)
		taken := make(map[string]string) // in this source
		var warnings []Warning
		entries, sourceWarnings := c.read(src)
		warnings = append(warnings, sourceWarnings...)
		for _, e := range entries {
			if e.Err != nil {
				warnings = append(warnings, Warning{File: e.Source, Message: "skill cannot be used: " + e.Err.Error()})
			}
			if other, ok := taken[e.Name]; ok {
				warnings = append(warnings, Warning{File: e.Source, Message: fmt.Sprintf(
					"skill is ignored: %s has the name %q too", show(other), e.Name)})
				continue
			}
			taken[e.Name] = e.Source
			if !byName[e.Name] {
				byName[e.Name] = true
				c.entries = append(c.entries, e)
			}
		}
		if n := len(warnings); n > maxWarnings {
			warnings = append(warnings[:maxWarnings], Warning{File: src.Label, Message: fmt.Sprintf("%d more warnings", n-maxWarnings)})
		}
		c.warnings = append(c.warnings, warnings...)
	}
	return c
}

// read lists the skills of a source.
func (c *Catalog) read(src Source) (entries []Entry, warnings []Warning) {
	warn := func(file, format string, args ...any) {
		warnings = append(warnings, Warning{File: file, Message: fmt.Sprintf(format, args...)})
	}
	dir, err := cleanDir(src.Dir)
	if err != nil {
		warn(src.Label, "%v", err)
		return nil, warnings
	}
	listing, err := fs.ReadDir(src.FS, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		warn(src.Label, "cannot be read: %v", withoutPath(err))
	}
	folders := 0
	for _, f := range listing {
		// A link may lead to a folder; whether it does is seen when its SKILL.md
		// is read.
		if !f.IsDir() && f.Type()&fs.ModeSymlink == 0 || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		if folders++; folders > maxFolders {
			continue
		}
		e := Entry{Name: f.Name(), Source: path.Join(src.Label, f.Name()), fsys: src.FS, dir: path.Join(dir, f.Name())}
		if src.builtin {
			e.Source = src.Label
		}
		s, _, err := loadSkillFile(src.FS, e.dir, e.Source)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.noSkill = append(c.noSkill, e.Source)
			if f.IsDir() {
				warn(e.Source, "folder has no %s", SkillFile)
			} else {
				warn(e.Source, "link does not lead to a folder with a %s", SkillFile)
			}
			continue
		case err != nil:
			e.Err = err
		default:
			e.Name, e.Description = s.Name, s.Description
		}
		entries = append(entries, e)
	}
	if folders > maxFolders {
		warn(src.Label, "%d folders; only the first %d are looked at", folders, maxFolders)
	}
	return entries, warnings
}

// Entries returns the skills that were found, broken ones included, in the order
// of the sources.
func (c *Catalog) Entries() []Entry { return slices.Clone(c.entries) }

// Warnings returns what was noticed while looking: broken skills, folders that
// are none, places that cannot be read.
func (c *Catalog) Warnings() []Warning { return slices.Clone(c.warnings) }

// ErrUnknown is wrapped by the error of [Catalog.Find] for a name that no skill
// has.
var ErrUnknown = errors.New("unknown skill")

// Find loads the skill of that name. If there is none, the error says which were
// found and where, and which name may have been meant, on a second line.
func (c *Catalog) Find(name string) (scanner.Skill, []Warning, error) {
	i := slices.IndexFunc(c.entries, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return scanner.Skill{}, nil, c.unknown(name)
	}
	e := c.entries[i]
	if e.Err != nil {
		return scanner.Skill{}, nil, fmt.Errorf("skill %q cannot be used: %w", name, e.Err)
	}
	s, warnings, err := load(e.fsys, e.dir, e.Source)
	if err != nil {
		return scanner.Skill{}, nil, fmt.Errorf("skill %q cannot be used: %w", name, err)
	}
	return s, warnings, nil
}

func (c *Catalog) unknown(name string) error {
	sorted := c.Entries()
	slices.SortStableFunc(sorted, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	var names, found []string
	for _, e := range sorted {
		names = append(names, e.Name)
		where := show(e.Source)
		if e.Err != nil {
			where += ", broken"
		}
		found = append(found, fmt.Sprintf("%s (%s)", show(e.Name), where))
	}
	if more := len(found) - maxListed; more > 0 {
		found = append(found[:maxListed], fmt.Sprintf("and %d more", more))
	}
	list := "none found"
	if len(found) > 0 {
		list = "found " + strings.Join(found, ", ")
	}
	err := fmt.Errorf("%w %q: %s", ErrUnknown, shorten(name), list)
	if hint := c.hint(name, names); hint != "" {
		err = fmt.Errorf("%w\nhint: %s", err, hint)
	}
	return err
}

// hint says what may help someone who asked for a skill that does not exist.
func (c *Catalog) hint(name string, names []string) string {
	for _, e := range c.entries {
		if path.Base(e.dir) == name {
			return fmt.Sprintf("the skill in %s is named %q", show(e.Source), e.Name)
		}
	}
	for _, folder := range c.noSkill {
		if path.Base(folder) == name {
			return fmt.Sprintf("the folder %s has no %s", show(folder), SkillFile)
		}
	}
	if near := nearest.Word(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(c.searched) > 0 && validName(name) {
		return fmt.Sprintf("to add it, write %s", show(path.Join(c.searched[0], name, SkillFile)))
	}
	return ""
}
