package scanner

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prefilter"
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
	// Paths are doublestar globs of the files to look at. None means all.
	Paths []string
	// IgnorePaths are globs of files to leave out.
	IgnorePaths []string
	// Model overrides Options.Model for this skill; empty means it does not.
	Model string
	// Verify requests a second opinion on the findings of this skill, as
	// Options.Verify does for all.
	Verify bool
	// Source is where the skill comes from, for messages: a directory, or
	// "built-in".
	Source string

	// filters are those of the patterns, by their expressions, so that a copy
	// of the skill with fewer or other patterns finds what still applies.
	filters map[*regexp.Regexp]prefilter.Filter
}

// Compile prepares the patterns of s for fast matching. A run does that by
// itself, but every run anew: call Compile once for a skill that runs often.
// Package skill does so for those that it loads. Copies of s made later share the
// result. It must not be called while s is in use.
func (s *Skill) Compile() {
	filters := make(map[*regexp.Regexp]prefilter.Filter, len(s.Patterns))
	for i := range s.Patterns {
		if re := s.Patterns[i].Regexp; re != nil {
			filters[re] = prefilter.New(re)
		}
	}
	s.filters = filters
}

// Pattern is a deterministic rule of a skill: a regular expression over single
// added lines.
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
	// Scope is the kind of files that the rule runs on.
	Scope PatternScope
	// Replacement, when set, is the text that the matches in a line are replaced
	// by ($1 and ${name} refer to groups, as in [regexp.Regexp.Expand]); a
	// suggested fix is made from it. It must not contain a newline.
	Replacement *string
}

// PatternScope is the kind of files that a [Pattern] runs on.
type PatternScope string

// The scopes.
const (
	// ScopeRead is the default: files that are analyzed.
	ScopeRead PatternScope = ""
	// ScopeAll is for secrets and hidden characters: it adds files that are
	// skipped as generated, minified, lock or credential files.
	ScopeAll PatternScope = "all"
	// ScopeCredentials are credential files ([diff.IsCredentialFile]) that the
	// repository records, or is about to, and that are skipped for being that. The
	// first added line that matches is reported; of a file without known lines, line 1.
	// With Options.Redact, a line of a file that may be public ([diff.MayBePublic])
	// matches only if it holds a secret.
	ScopeCredentials PatternScope = "credentials"
)

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
	if p.Scope != ScopeRead && p.Scope != ScopeAll && p.Scope != ScopeCredentials {
		errs = append(errs, fmt.Errorf("scope %q is not all or credentials", p.Scope))
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
