// Package skill loads skills: it turns folders into [scanner.Skill] values, and
// finds the folders.
//
// A skill is a folder that holds a file SKILL.md in the open Agent Skills
// layout: YAML front matter with a name, a description and optionally the tools
// that the model may use, then Markdown, the instructions to the model.
//
//	---
//	name: sql-migrations
//	description: Finds migrations that lock tables or lose data.
//	allowed-tools: Read, Grep
//	---
//	Look at every statement of the migration and ...
//
// Beside it a file patterns.toml may define deterministic rules: regular
// expressions that are matched against single added lines, and that work
// without any model.
//
//	[[patterns]]
//	id = "drop-column"
//	regex = '(?i)^\s*ALTER\s+TABLE\s.*\bDROP\s+COLUMN\b'
//	severity = "high"
//	confidence = "medium"
//	title = "Column is dropped"
//	description = "The data is gone once this ran; the running version may still read it."
//	files = ["migrations/**/*.sql"]
//	match = ["ALTER TABLE users DROP COLUMN email;"]
//	noMatch = ["ALTER TABLE users ADD COLUMN email text;"]
//
// The lines under match and noMatch are tests that live beside their rule; see
// [CheckExamples].
//
// [Load] reads one folder. [Discover] looks through several places, first the
// project's own, then the user's, then the built-in skills, and [Catalog.Find]
// loads a skill by name.
//
// Everything is read from an [fs.FS], so skills may as well come from a revision
// of a repository or from a test. A link is followed if the file system follows
// it; give one that stays inside its folder, such as [os.Root.FS]. What is read
// is bounded: see MaxFileSize and MaxPatterns.
//
// All functions are safe for concurrent use, and none keeps what it was given,
// except that a [Catalog] reads its sources again on demand.
package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/codescan-dev/scanner"
)

// The files of a skill's folder.
const (
	// SkillFile holds the front matter and the instructions. Required.
	SkillFile = "SKILL.md"
	// PatternsFile holds the deterministic rules. Optional.
	PatternsFile = "patterns.toml"
)

// MaxFileSize is the most bytes that each file of a skill may have.
const MaxFileSize = 1 << 20

// Warning is something that the author of a skill should know, but that does
// not keep the skill from being used.
type Warning struct {
	// File is the file or folder it is about.
	File string
	// Line counts from 1; zero means the file as a whole.
	Line int
	// Message says what is the matter, in lower case.
	Message string
}

// String returns the warning as "file:line: message".
func (w Warning) String() string {
	return place(w.File, w.Line, 0) + w.Message
}

// Load reads the skill in the folder dir of fsys: its SKILL.md, and its
// patterns.toml if there is one. The skill is returned only if all of it is
// valid; what is wrong with a file is an [*Error] that holds every problem of
// that file. A skill without a SKILL.md is an error that is [fs.ErrNotExist].
//
// A name that differs from that of the folder is accepted with a warning, for
// the sake of skills that other programs accept; so are tools that are never
// granted.
func Load(fsys fs.FS, dir string) (scanner.Skill, []Warning, error) {
	dir, err := cleanDir(dir)
	if err != nil {
		return scanner.Skill{}, nil, err
	}
	return load(fsys, dir, dir)
}

// load reads the skill in dir, which messages call label.
func load(fsys fs.FS, dir, label string) (scanner.Skill, []Warning, error) {
	s, warnings, err := loadSkillFile(fsys, dir, label)
	if err != nil {
		return scanner.Skill{}, nil, err
	}
	rules, err := loadRules(fsys, dir, label)
	if err != nil {
		return scanner.Skill{}, nil, err
	}
	for _, r := range rules {
		s.Patterns = append(s.Patterns, r.Pattern)
	}
	if s.Instructions == "" && len(s.Patterns) == 0 {
		return scanner.Skill{}, nil, &Error{File: path.Join(label, SkillFile), Problems: []Problem{{
			Message: "no instructions: write below the front matter what to look for, or add rules in " + PatternsFile,
		}}}
	}
	if err := s.Validate(); err != nil {
		return scanner.Skill{}, nil, fmt.Errorf("%s: %w", show(label), err)
	}
	s.Compile()
	return s, warnings, nil
}

// loadSkillFile reads the SKILL.md in dir.
func loadSkillFile(fsys fs.FS, dir, label string) (scanner.Skill, []Warning, error) {
	file := path.Join(label, SkillFile)
	data, err := readFile(fsys, path.Join(dir, SkillFile))
	if err != nil {
		return scanner.Skill{}, nil, fmt.Errorf("%s: %w", show(file), err)
	}
	s, warnings, err := Parse(file, data)
	if err != nil {
		return scanner.Skill{}, nil, err
	}
	if folder := path.Base(dir); folder != s.Name && folder != "." {
		warnings = append(warnings, Warning{File: file, Message: fmt.Sprintf(
			"the skill is named %q but its folder %q; rename one of them", s.Name, folder)})
	}
	s.Source = label
	return s, warnings, nil
}

// LoadRules reads the rules of the skill in the folder dir of fsys, with their
// examples. A skill without patterns.toml has none.
func LoadRules(fsys fs.FS, dir string) ([]Rule, error) {
	dir, err := cleanDir(dir)
	if err != nil {
		return nil, err
	}
	return loadRules(fsys, dir, dir)
}

func loadRules(fsys fs.FS, dir, label string) ([]Rule, error) {
	file := path.Join(label, PatternsFile)
	data, err := readFile(fsys, path.Join(dir, PatternsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", show(file), err)
	}
	return ParsePatterns(file, data)
}

// cleanDir returns dir as an [fs.FS] wants it: "./skills/x/" is "skills/x".
func cleanDir(dir string) (string, error) {
	clean := path.Clean(dir)
	if dir == "" || !fs.ValidPath(clean) {
		return "", fmt.Errorf("skill folder %q: want a relative path with slashes that stays inside the folder it starts from", dir)
	}
	return clean, nil
}

// readFile reads a regular file of at most MaxFileSize bytes. Its errors do not
// name the file.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	// Before the file is opened: to open a named pipe may wait forever.
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(data) > MaxFileSize {
		return nil, fmt.Errorf("larger than %d bytes", MaxFileSize)
	}
	return data, nil
}

// withoutPath drops the path that a file system put into err: it is relative to
// that file system, and the caller names the file as the user knows it.
func withoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// CheckExamples tests the rules of the skill in the folder dir of fsys on their
// own examples, and reports every line that a rule should match and does not, or
// should not and does. See [Rule.Check].
func CheckExamples(fsys fs.FS, dir string) error {
	rules, err := LoadRules(fsys, dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range rules {
		errs = append(errs, r.Check())
	}
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	return errors.Join(errs...)
}
