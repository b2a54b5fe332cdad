package github

import (
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// Repo names a repository on the host.
type Repo struct{ Owner, Name string }

// ParseRepo reads "owner/name".
func ParseRepo(s string) (Repo, error) {
	owner, name, ok := strings.Cut(s, "/")
	if !ok || !isName(owner) || !isName(name) {
		return Repo{}, fmt.Errorf("repository %q is not of the form owner/name", s)
	}
	return Repo{owner, name}, nil
}

// isName keeps everything out of URLs that could change their meaning.
func isName(s string) bool {
	if s == "" || s == "." || s == ".." {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func (r Repo) String() string { return r.Owner + "/" + r.Name }

// Result is a finished scan of a pull request, or of a branch: everything that
// is said about it on the host is made from it.
type Result struct {
	Repo Repo
	// Number is the pull request. 0 means that there is none: then only check
	// runs are made.
	Number int
	// Head is the commit that was scanned, in full.
	Head string
	// Policy stands for everything that decides about the result besides the
	// code: configuration, skills, model, version; see [PolicyHash]. A head that
	// was reviewed with the same policy is recognized by [State.Done].
	Policy string
	// Skills are the results in the order of the skills.
	Skills []SkillResult
	// Known are the names of all skills of the policy, whatever starts them. A
	// skill that is neither among them nor among Skills is gone: what it posted
	// is settled by a complete result that is not untrusted. Nil means that this
	// is not known; then nothing is gone.
	Known []string
	// Files are the changes of the pull request, from the merge base to the
	// head. Comments can be made on their lines only.
	Files []diff.File
	// Contents are the files of the head. They are optional: with them it can be
	// told for more fixes that what they change is there once.
	Contents fs.FS
	// Apply returns the text of a file with a fix applied, and whether it can be.
	// It decides, when set and Contents are known, what is suggested. Nil means
	// that a diff must fit exactly.
	Apply func(path, text string, fix scanner.SuggestedFix) (string, bool)
	// Skipped are the files that no skill looked at.
	Skipped []scanner.SkippedFile
	// Duration is the wall time of the run.
	Duration time.Duration
	// Stopped says what ended the run early; nil if nothing did.
	Stopped error
	// PolicyFiles are the changed files that would have decided about the
	// review, had they not been taken from the base.
	PolicyFiles []string
	// TrustHead is set when they were not taken from the base.
	TrustHead bool
	// ReportOnSuccess asks for a summary comment even when there is nothing to
	// say.
	ReportOnSuccess bool
	// NoSuggestions leaves the suggested fixes out.
	NoSuggestions bool
	// Untrusted marks a result from a log that anyone could have written. It is
	// shown, and said to be unverified; it never requests changes, passes or
	// fails a check, resolves or dismisses anything.
	Untrusted bool
	// WebURL is where the host shows files; empty means https://github.com.
	WebURL string
	// RunURL is where the host shows the workflow run; empty means nowhere.
	RunURL string
	// Notes are further sentences for the summary, in plain text.
	Notes []string

	// What is made of Files and Contents once: only the copies that the functions
	// of this package work on have it.
	fileNames *names
	mayBeText map[string]bool
}

// SkillResult is the result of a skill and what is shown of it.
type SkillResult struct {
	// Report holds all findings. Required.
	Report *scanner.SkillReport
	// Selection is what the skill's policy selects from the report (see
	// [scanner.Select]). Required: only what it shows is posted, and only what it
	// says fails.
	Selection scanner.Selection
	// RequestChanges asks for changes when the selection fails.
	RequestChanges bool
	// Policy is what the selection was made with. Its FailOn tells which findings
	// a request for changes is about; without it these are all that there are.
	Policy scanner.Policy
}

// name returns the name of the skill.
func (s *SkillResult) name() string { return s.Report.Skill }

// incomplete reports whether findings may be missing because chunks could not be
// analyzed.
func (s *SkillResult) incomplete() bool {
	r := s.Report
	return r.Chunks.Failed+r.Chunks.NotAnalyzed+r.FailedHunks+r.FailedExtractions > 0
}

// incomplete reports whether findings may be missing from the result as a whole.
func (r *Result) incomplete() bool {
	return r.Stopped != nil || slices.ContainsFunc(r.Skills, func(s SkillResult) bool { return s.incomplete() })
}

// patternsOnly reports whether a model was to be asked and was not.
func (r *Result) patternsOnly() bool {
	return slices.ContainsFunc(r.Skills, func(s SkillResult) bool { return s.Report.PatternsOnly })
}

// conclusive reports whether a finding that is not there can be called gone.
func (r *Result) conclusive(s *SkillResult) bool {
	return !r.Untrusted && r.Stopped == nil && !s.incomplete() && !s.Report.PatternsOnly
}

// gone reports whether a skill is no longer configured, so that no run will say
// anything about what it posted.
func (r *Result) gone(skill string) bool {
	return r.Known != nil && !r.Untrusted && !r.incomplete() && !slices.Contains(r.Known, skill) && r.skill(skill) == nil
}

// skill returns the result of a skill; nil if it did not run.
func (r *Result) skill(name string) *SkillResult {
	for i := range r.Skills {
		if r.Skills[i].name() == name {
			return &r.Skills[i]
		}
	}
	return nil
}

// blocks reports whether a skill asks for changes.
func (r *Result) blocks(s *SkillResult) bool {
	return !r.Untrusted && s.RequestChanges && s.Selection.Fails
}

// fails reports whether findings reach the failOn of their skill.
func (r *Result) fails() bool {
	return slices.ContainsFunc(r.Skills, func(s SkillResult) bool { return s.Selection.Fails })
}

// worthTelling reports whether a summary comment is made where there is none.
func (r *Result) worthTelling() bool {
	return r.ReportOnSuccess || r.counts().Total() > 0 || r.incomplete() || len(r.PolicyFiles) > 0 || len(r.Notes) > 0 ||
		len(r.unread(r.Skills...)) > 0
}

// counts sums what is shown.
func (r *Result) counts() scanner.SeverityCounts {
	var c scanner.SeverityCounts
	for i := range r.Skills {
		c = c.Add(scanner.CountSeverities(r.Skills[i].Selection.Shown))
	}
	return c
}

// validate reports what makes it impossible to say anything about r.
func (r *Result) validate() error {
	switch {
	case !isName(r.Repo.Owner) || !isName(r.Repo.Name):
		return fmt.Errorf("repository %q is not of the form owner/name", r.Repo)
	case r.Number < 0:
		return fmt.Errorf("pull request %d is not above 0", r.Number)
	case !isSHA(r.Head):
		return fmt.Errorf("head %q is not a commit", r.Head)
	}
	seen := make(map[string]bool)
	for i := range r.Skills {
		switch s := &r.Skills[i]; {
		case s.Report == nil:
			return fmt.Errorf("skill %d has no report", i)
		case s.name() == "" || oneLine(s.name(), maxSkillName) != s.name():
			return fmt.Errorf("skill %d: %.100q is no name", i, s.name())
		case seen[s.name()]:
			return fmt.Errorf("skill %q has two reports", s.name())
		default:
			seen[s.name()] = true
		}
	}
	return nil
}

// maxSkillName is in characters.
const maxSkillName = 100

// isSHA reports whether s is a full commit id, SHA-1 or SHA-256.
func isSHA(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

func (r *Result) web() string {
	if r.WebURL == "" {
		return "https://github.com"
	}
	return strings.TrimRight(r.WebURL, "/")
}

// blobURL links to lines of a file at the head. Lines below 1 are left out.
func (r *Result) blobURL(path string, start, end int) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	// A pair of dollar signs would make a formula.
	escaped := strings.ReplaceAll(strings.Join(segments, "/"), "$", "%24")
	u := fmt.Sprintf("%s/%s/%s/blob/%s/%s", r.web(), r.Repo.Owner, r.Repo.Name, r.Head, escaped)
	switch {
	case start > 0 && end > start:
		u += fmt.Sprintf("#L%d-L%d", start, end)
	case start > 0:
		u += fmt.Sprintf("#L%d", start)
	}
	return u
}
