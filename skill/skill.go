// Package skill loads skills: it turns directories into [scanner.Skill] values,
// and finds the directories.
//
// A skill is a directory with a file SKILL.md in the open Agent Skills layout:
// YAML front matter with a name, a description and optionally the tools that the
// model may use and the globs of the files to look at, then Markdown, the instructions
// to the model.
//
//	---
//	name: sql-migrations
//	description: Finds migrations that lock tables or lose data.
//	allowed-tools: Read, Grep
//	paths: migrations/**
//	---
//	Look at every statement of the migration and ...
//
// Skills that were written for other programs are read as leniently as these do. Without
// a valid name, a skill has that of its directory; without a description, the first
// paragraph of its instructions; without front matter, the whole file is the
// instructions. Front matter that is not valid YAML is read key by key, and as plain
// text where that is not valid either. One warning describes all of that. Tools that a
// skill cannot be granted and further keys are ignored. Only a skill without
// instructions and rules is refused, and a file that is not text. Characters that a reader
// does not see are left out of all texts for the model.
//
// A model in the front matter, other than inherit, becomes [scanner.Skill.PreferredModel].
//
// Further text files of the directory are resources, [scanner.Skill.Resources]: all below
// references and assets, and those that the instructions name by their path, in any case of
// letters, as a word of letters, digits and any of _ - . and /. Files below scripts are
// listed by their names; they are not read, and nothing is ever run. Links, hidden files,
// credential files and files below tests are ignored, and so are
// files that are not UTF-8 or are empty. A resource may have at most 64 KiB, and a skill at
// most 100 of them with 1 MiB in all, which are looked for among its first 2000 files.
// Those that the instructions name come first. One warning lists what is left out by these
// bounds, and what is named and cannot be read as text.
//
// Next to SKILL.md a file patterns.toml may define deterministic rules: regular
// expressions that are matched against added lines, and that work without any model.
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
// The keys id, regex, severity, confidence, title and description are required.
//
//   - in is the part of the text that the rule is about, see [scanner.PatternScope].
//     With "code", the default, comments are blank, and a match must begin in code or
//     at the opening quote of a literal that is not only logged; with "string" or
//     "comment" it lies inside of one; with "any" it is anywhere, also in files that are
//     skipped as generated, minified, lock or credential files. With "credentials" the
//     rule is for credential files alone.
//   - A rule about code is matched against single lines, and against whole statements:
//     lines are joined, with a newline between them, until brackets balance (at most
//     20 lines or 4 KiB), and the header of a block with the line after it. \s and
//     [^)] match a newline, a dot does not. At least one of the lines of a match must
//     be added.
//   - Where regex begins with a class that only bounds it, as (?:^|[^\w.]), a match
//     begins after the character that the class takes.
//   - outside names a group of regex, as in (?P<value>\w+), that must come from
//     outside: it is an expression such as req.query.id, $_GET["id"] or os.Args[1], or
//     a name that was assigned one at most 30 lines above in the same function. The
//     confidence is medium at most then, unless the match has the source itself. In
//     a group named request, the command line and the environment do not count; in a group
//     named built, only what is put together from a literal and something of which the
//     origin is unknown.
//   - A group named value, also without outside, is the value that makes a match a
//     finding: none is reported if it is known to consist of literals and constants.
//   - requires is another regular expression, which must match somewhere in the file, as
//     with (?m)^on:: the lines are a problem only together with what is there. Where
//     the file is not at hand, the lines of the chunk count.
//   - cwe is the number of the weakness in the Common Weakness Enumeration, as 89. It
//     decides whether findings outside of product code are less severe, see
//     [scanner.NonProductCode].
//   - files are globs of the files that the rule is for; replacement is what the
//     matches in a line are replaced by in a suggested fix.
//   - match and noMatch are examples of one or more lines for readers, and for [Check]; a
//     scan ignores them.
//
// [Load] reads one directory. [Discover] searches several places, first the
// project's own, then the user's, then the built-in skills, and [Catalog.Find]
// loads a skill by name. Directories without a SKILL.md are groups: skills are found in
// up to two of them, one in the other. [Check] returns the problems of a
// skill.
//
// Everything is read from an [fs.FS], so skills may as well come from a revision
// of a repository or from a test. A link is followed if the file system follows
// it; give one that stays inside its directory, such as [os.Root.FS]. A file may
// have at most 1 MiB, and a skill at most 1000 rules. A regular expression may have
// at most 4096 bytes, and all of a skill 32 KiB; each may compile to at most 2000
// instructions, which a counted repetition such as {100} multiplies. A range of
// characters beyond ASCII counts as 500 bytes where (?i) ignores case.
//
// All functions are safe for concurrent use, and none keeps its arguments, except
// that a [Catalog] reads its sources again on demand.
package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/dotdir"
)

const (
	skillMD      = "SKILL.md"      // front matter and instructions
	patternsTOML = "patterns.toml" // the deterministic rules, optional

	// maxFileSize is the most bytes that each file of a skill may have.
	maxFileSize = 1 << 20
)

// Warning is something that the author of a skill should know, but that does
// not keep the skill from being used.
type Warning struct {
	// File is the file or directory it is about.
	File string
	// Line counts from 1; zero means the file as a whole.
	Line int
	// Message describes the problem, in lower case.
	Message string
}

// String returns the warning as "file:line: message".
func (w Warning) String() string {
	return position(w.File, w.Line, 0) + w.Message
}

// Load reads the skill in the directory dir of fsys: its SKILL.md, and its
// patterns.toml if there is one. The skill is returned only if all of it is
// valid; an error lists every problem of a file, each on a line. A skill without
// a SKILL.md is an error that wraps [fs.ErrNotExist].
//
// What is malformed in SKILL.md is replaced, as other programs do, and a single warning
// describes all of it; see the documentation of the package.
func Load(fsys fs.FS, dir string) (scanner.Skill, []Warning, error) {
	dir, err := cleanDir(dir)
	if err != nil {
		return scanner.Skill{}, nil, err
	}
	return load(fsys, dir, dir)
}

// load reads the skill in dir, which is label in messages.
func load(fsys fs.FS, dir, label string) (scanner.Skill, []Warning, error) {
	s, warnings, err := loadSkillMD(fsys, dir, label)
	if err != nil {
		return scanner.Skill{}, nil, err
	}
	if s.Patterns, err = loadRules(fsys, dir, label); err != nil {
		return scanner.Skill{}, nil, err
	}
	if s.Instructions == "" && len(s.Patterns) == 0 {
		return scanner.Skill{}, nil, fmt.Errorf("%s: no instructions: write below the front matter what to look for, or add rules in %s",
			printable(path.Join(label, skillMD)), patternsTOML)
	}
	resources, leftOut := loadResources(fsys, dir, label, s.Instructions)
	s.Resources, warnings = resources, append(warnings, leftOut...)
	if err := s.Validate(); err != nil {
		return scanner.Skill{}, nil, fmt.Errorf("%s: %w", printable(label), err)
	}
	s.Compile()
	return s, warnings, nil
}

// loadSkillMD reads the SKILL.md in dir.
func loadSkillMD(fsys fs.FS, dir, label string) (scanner.Skill, []Warning, error) {
	file := path.Join(label, skillMD)
	data, err := dotdir.ReadRegular(fsys, path.Join(dir, skillMD), maxFileSize)
	if err != nil {
		return scanner.Skill{}, nil, fmt.Errorf("%s: %w", printable(file), err)
	}
	s, warnings, err := parse(file, path.Base(dir), data)
	if err != nil {
		return scanner.Skill{}, nil, err
	}
	s.Source = label
	return s, warnings, nil
}

// loadRules reads the rules of the skill in dir. A skill
// without patterns.toml has none.
func loadRules(fsys fs.FS, dir, label string) ([]scanner.Pattern, error) {
	file := path.Join(label, patternsTOML)
	data, err := dotdir.ReadRegular(fsys, path.Join(dir, patternsTOML), maxFileSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(file), err)
	}
	return parsePatterns(file, data)
}

// cleanDir returns dir as an [fs.FS] wants it: "./skills/x/" is "skills/x".
func cleanDir(dir string) (string, error) {
	clean := path.Clean(dir)
	if dir == "" || !fs.ValidPath(clean) {
		return "", fmt.Errorf("skill directory %q: want a relative path with slashes that stays inside the directory it starts from", dir)
	}
	return clean, nil
}
