package scanner

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// Skill is an analysis task. It is plain data: package skill loads skills from
// directories, and a program can also define its own.
type Skill struct {
	// Name identifies the skill in reports; it is unique among the skills of a
	// run. Required.
	Name string
	// Description is what the skill looks for, in a sentence.
	Description string
	// Instructions are those for the model, in Markdown. They may be empty only
	// for a skill that consists of patterns.
	Instructions string
	// AllowedTools names the read-only tools the model may use while it
	// analyzes a chunk: Read, Grep, Glob. None means none.
	AllowedTools []string
	// Patterns are deterministic rules. They run on added lines, with or
	// without a provider.
	Patterns []Pattern
	// Resources are files that belong to the instructions, the most important first. A
	// model with the tool Read reads their texts as skill:/ and the name, which other
	// files of the repository cannot have. Without it, those of [Skill.Inlined] are sent
	// with the instructions.
	Resources []Resource
	// Paths are doublestar globs of the files to look at. None means all.
	Paths []string
	// IgnorePaths are globs of files to leave out.
	IgnorePaths []string
	// Model overrides Options.Model for this skill; empty means it does not.
	Model string
	// PreferredModel is the model that the author of the skill prefers, a name of
	// Anthropic's. A run ignores it; a program may take it as Model where its provider
	// has that model and the author is allowed to choose what a run costs.
	PreferredModel string
	// Verify requests a second opinion on the findings of this skill, as
	// Options.Verify does for all.
	Verify bool
	// Source is where the skill comes from, for messages: a directory, or
	// "built-in".
	Source string

	// prepared is for the patterns, by their expressions, so that a copy of the
	// skill with fewer or other patterns finds what still applies.
	prepared map[*regexp.Regexp]prepared
}

// Resource is a file that belongs to the instructions of a skill.
type Resource struct {
	// Name is its path in the directory of the skill, with slashes. It satisfies
	// [fs.ValidPath] and is unique. Required.
	Name string
	// Text is what the model can get of it. If it is empty, as that of a script, the file
	// is only listed.
	Text string
}

// maxInlined is the most bytes of resources that are sent with the instructions.
const maxInlined = 32 << 10

// Inlined returns the resources as a model without tools gets them: the texts that do not
// fit, in their order, into 32 KiB are empty. leftOut is their number.
func (s *Skill) Inlined() (resources []Resource, leftOut int) {
	resources = slices.Clone(s.Resources)
	room := maxInlined
	for i := range resources {
		if n := len(resources[i].Text); n <= room {
			room -= n
		} else {
			resources[i].Text = ""
			leftOut++
		}
	}
	return resources, leftOut
}

// Compile prepares the patterns of s for fast matching. A run does that by
// itself, but every run anew: call Compile once for a skill that runs often.
// Package skill does so for those that it loads. Copies of s made later share the
// result. It must not be called while s is in use.
func (s *Skill) Compile() {
	ready := make(map[*regexp.Regexp]prepared, len(s.Patterns))
	for i := range s.Patterns {
		if re := s.Patterns[i].Regexp; re != nil {
			ready[re] = prepare(re)
		}
	}
	s.prepared = ready
}

// Pattern is a deterministic rule of a skill: a regular expression over added lines,
// or over the statements that they are part of.
type Pattern struct {
	// ID names the rule within its skill. Required.
	ID string
	// Regexp is matched against the text of each added line. Required.
	Regexp      *regexp.Regexp
	Severity    Severity
	Confidence  Confidence
	Title       string
	Description string
	// Files are doublestar globs of the files the rule is for. None means all.
	Files []string
	// Scope is the part of the text that the rule is about.
	Scope PatternScope
	// Outside names a group of Regexp, a value that must come from outside: of a
	// request, the command line, the environment. It is itself such an expression, or
	// a name that was assigned one at most 30 lines above, in the same function. As
	// this is not a proof, Confidence is at most medium then. In a group named request
	// the command line and the environment do not count; in a group named built, only
	// what is put together from a literal and something of which the origin is unknown.
	// Only for ScopeCode.
	Outside string
	// Requires, when set, must match another place of the file: the rule is about
	// lines that are a problem only together with what is there. Where the file is not
	// at hand, only the lines of the chunk count.
	Requires *regexp.Regexp
	// CWE is the number of the weakness in the Common Weakness Enumeration; 0 means
	// none. Of several rules of a skill about weaknesses of the same kind, the most
	// severe reports a line; those with [ScopeAny] always do.
	CWE int
	// Replacement, when set, is the text that the matches in a line are replaced
	// by ($1 and ${name} refer to groups, as in [regexp.Regexp.Expand]); a
	// suggested fix is made from it. It must not contain a newline.
	Replacement *string
	// Match are examples of one or more lines that the rule finds something in, NoMatch
	// those that look similar and are fine. A run ignores them.
	Match, NoMatch []string
}

// PatternScope is the part of the text that a [Pattern] is about. Files whose
// language is not known consist of code.
type PatternScope string

// The scopes.
const (
	// ScopeCode is the default: matches that begin in code, or at the opening quote
	// of a literal. Comments are blank.
	ScopeCode PatternScope = ""
	// ScopeString are matches inside of a string literal.
	ScopeString PatternScope = "string"
	// ScopeComment are matches inside of a comment.
	ScopeComment PatternScope = "comment"
	// ScopeAny is for secrets and hidden characters: every byte of a line. It adds
	// files that are skipped as generated, minified, lock or credential files.
	ScopeAny PatternScope = "any"
	// ScopeCredentials are credential files ([diff.IsCredentialFile]) that the
	// repository records, or is about to, and that are skipped for being that. The
	// first added line that matches is reported; of a file without known lines, line 1.
	// With Options.Redact, a line of a file that may be public ([diff.MayBePublic])
	// matches only if it holds a secret.
	ScopeCredentials PatternScope = "credentials"
)

// Valid reports whether s is one of the scopes.
func (s PatternScope) Valid() bool {
	switch s {
	case ScopeCode, ScopeString, ScopeComment, ScopeAny, ScopeCredentials:
		return true
	}
	return false
}

// Validate reports everything that makes s unusable.
func (s *Skill) Validate() error {
	var errs []error
	if s.Name == "" {
		errs = append(errs, errors.New("name is missing"))
	}
	if s.Instructions == "" && len(s.Patterns) == 0 {
		errs = append(errs, errors.New("a skill needs instructions or patterns"))
	}
	errs = append(errs, validGlobs("paths", s.Paths), validGlobs("ignorePaths", s.IgnorePaths))
	names := make(map[string]bool)
	for _, r := range s.Resources {
		if !fs.ValidPath(r.Name) || r.Name == "." || names[r.Name] {
			errs = append(errs, fmt.Errorf("resource %q: want a unique relative path with slashes", r.Name))
		}
		names[r.Name] = true
	}
	seen := make(map[string]bool)
	for i := range s.Patterns {
		p := &s.Patterns[i]
		if err := p.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("pattern %q: %w", p.ID, err))
		}
		if seen[p.ID] {
			errs = append(errs, fmt.Errorf("pattern %q: id is not unique", p.ID))
		}
		seen[p.ID] = true
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("skill %q: %w", s.Name, err)
	}
	return nil
}

// Validate reports everything that makes p unusable.
func (p *Pattern) Validate() error {
	var errs []error
	if p.ID == "" {
		errs = append(errs, errors.New("id is missing"))
	}
	if p.Regexp == nil {
		errs = append(errs, errors.New("regex is missing"))
	}
	if !p.Severity.Valid() {
		errs = append(errs, fmt.Errorf("severity %q is not high, medium or low", p.Severity))
	}
	if !p.Confidence.Valid() {
		errs = append(errs, fmt.Errorf("confidence %q is not high, medium or low", p.Confidence))
	}
	if !p.Scope.Valid() {
		errs = append(errs, fmt.Errorf("scope %q is not string, comment, any or credentials", p.Scope))
	}
	if p.Outside != "" && (p.Scope != ScopeCode || p.Regexp != nil && p.Regexp.SubexpIndex(p.Outside) < 0) {
		errs = append(errs, fmt.Errorf("outside %q is not a group of regex, or the rule is not about code", p.Outside))
	}
	if p.CWE < 0 {
		errs = append(errs, fmt.Errorf("cwe %d is negative", p.CWE))
	}
	if p.Title == "" {
		errs = append(errs, errors.New("title is missing"))
	}
	if p.Description == "" {
		errs = append(errs, errors.New("description is missing"))
	}
	if p.Replacement != nil && strings.ContainsAny(*p.Replacement, "\r\n") {
		errs = append(errs, errors.New("replacement contains a newline"))
	}
	errs = append(errs, validGlobs("files", p.Files))
	return errors.Join(errs...)
}

func validGlobs(key string, globs []string) error {
	for _, g := range globs {
		if err := diff.ValidatePattern(g); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// matchAny returns the first of the globs that matches path, which may hold any
// byte. The globs have been validated.
func matchAny(globs []string, path string) (string, bool) {
	for _, g := range globs {
		if diff.Match(g, path) {
			return g, true
		}
	}
	return "", false
}
