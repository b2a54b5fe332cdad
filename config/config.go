// Package config reads configuration files and resolves the settings of a run.
//
// There are two files of the same form, TOML with `version = 1`: scanner.toml at
// the root of a repository ([Parse]), and the user's own ([ParseUser]). A pull
// request can change the first. So that it cannot send an API key elsewhere or
// choose commands that run on a machine, the keys for that are accepted in the
// second file only; and the API key itself is in no file at all, but in the
// environment. The files example.toml and user-example.toml show every key.
//
// Files are decoded from bytes, since they may come from a revision of the
// repository instead of the disk. Decoding is strict, and an error lists
// everything that is wrong with a file at once, with line, column and key path.
// [Schema] is for editors, which check files as they are written.
//
//	Failed to parse scanner.toml
//	Invalid value at path: skills[0].triggers[1].type
//	  scanner.toml:12:8: got "cron", want pull_request or schedule
//
// Then [Resolve] merges the levels. A flag takes precedence over an environment
// variable, then come the trigger, the skill, the defaults of scanner.toml, the
// user's file, and the built-in value, in this order; rule 4 of the processing
// rules is the middle of it. Only where code is sent is up to the user: scanner.toml
// chooses an agent CLI for those who chose nothing. The result, [Settings], remembers
// where each value came from.
//
// A list is taken from one level as a whole, never merged from several, except
// for ignorePaths: those of a skill are added to those of the defaults.
// Globs are those of [github.com/codescan-dev/scanner/diff.Match].
//
// The package reads nothing but its arguments: no file, no environment, no
// clock. All its functions are safe for concurrent use.
package config

import (
	_ "embed"
	"fmt"

	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// MaxSize is the largest configuration file that is read, in bytes. The decoder
// compares every key of a table with all others, so that without a bound a file
// could take minutes.
const MaxSize = 256 << 10

//go:embed starter.toml
var starter string

// Starter returns a scanner.toml for a new repository. Its first line names schema, the
// URL of the JSON schema of the file, to editors.
func Starter(schema string) string { return "#:schema " + schema + "\n" + starter }

// File is a valid configuration file. Its values are resolved by [Resolve].
type File struct {
	name   string
	skills []Skill
	doc    *tomlfile.Document
}

//go:generate go test -run ^TestGenerated$ . -update

var (
	//go:embed schema.json
	projectSchema string
	//go:embed user-schema.json
	userSchema string
)

// Schema returns the JSON Schema of scanner.toml, or, if user is set, of the user's own
// file, for editors. It accepts every file that [Parse] or [ParseUser] accepts, and a few
// more: it does not know the form of a glob, for instance.
func Schema(user bool) string {
	if user {
		return userSchema
	}
	return projectSchema
}

// Default reports whether a file, which may be nil, has no skills, so that the default one
// runs.
func (f *File) Default() bool { return f == nil || len(f.skills) == 0 }

// SkillNames returns the names of all skills that some event could start: those
// of the file, or the default of a file without skills, which may be nil.
func (f *File) SkillNames() []string {
	if f.Default() {
		return []string{defaultSkill}
	}
	names := make([]string, len(f.skills))
	for i := range f.skills {
		names[i] = f.skills[i].Name
	}
	return names
}

// contents are the keys and values of a file.
type contents struct {
	// Version is the version of the form of the file.
	Version int `toml:"version" validate:"required,eq=1"`
	Settings
}

// Parse decodes scanner.toml of a repository. The name is used in messages and
// origins; nothing is opened.
//
// Decoding is strict. A text that is not TOML has one problem, its first error.
// Of any other text all problems are reported at once: unknown keys, keys that
// belong elsewhere, values of a wrong type or out of their range, and what is
// missing. Line endings may be LF or CRLF, and a byte order mark at the beginning
// is ignored.
func Parse(name string, data []byte) (*File, error) {
	return parse(name, data, inProject)
}

// ParseUser decodes the user's own file, as strictly as [Parse]. It has no
// skills, but keys that a repository must not set.
func ParseUser(name string, data []byte) (*File, error) {
	return parse(name, data, inUser)
}

func parse(name string, data []byte, in scope) (*File, error) {
	if len(data) > MaxSize {
		return nil, &tomlfile.Error{File: name, Problems: []tomlfile.Problem{{Line: 1, Column: 1,
			Message: fmt.Sprintf("the file has %d bytes, at most %d are read", len(data), MaxSize)}}}
	}
	var c contents
	doc := tomlfile.Decode(data, schema(), tomlfile.Rules{Key: in.checkKey, Value: checkValue}, &c)
	checkSkills(doc, c.Skills)
	if problems := doc.Problems(); len(problems) > 0 {
		return nil, &tomlfile.Error{File: name, Problems: problems}
	}
	return &File{name: name, skills: c.Skills, doc: doc}, nil
}
