package review

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/jsonl"
)

// Result is a finished scan of a pull request or of whole files: everything that
// is posted is made from it.
type Result struct {
	// Number is the pull request. 0 means that there is none: then only check
	// runs are made.
	Number int
	// MergeGroup is set for the changes of a merge queue: there is no pull request, and
	// the check runs are those that pull requests have.
	MergeGroup bool
	// Head is the commit that was scanned, in full. Only [JobSummary] takes a result
	// without one.
	Head string
	// Policy identifies everything that decides about the result in addition to
	// the code: configuration, skills, model, version. A head that was reviewed
	// with the same policy is recognized by [State.Done].
	Policy string
	// Skills are the results in the order of the skills.
	Skills []SkillResult
	// Known are the names of all skills of the policy, for any event. A skill that
	// is neither among them nor among Skills was removed: what it posted is
	// resolved by a complete result that is not untrusted. Nil means that this is
	// not known; then no skill was removed.
	Known []string
	// Files are the changes of the pull request, from the merge base to the
	// head. Comments can be made on their lines only.
	Files []diff.File
	// Duration is the wall time of the run.
	Duration time.Duration
	// Stopped is why the run ended early; nil if it did not.
	Stopped error
	// PolicyFiles are the changed files that would have decided about the
	// review, had they not been taken from the base.
	PolicyFiles []string
	// IgnoreFile is the text of .scanner/ignore.toml in the base, empty if it has none.
	// Nil means that this is not known; then no entries are offered.
	IgnoreFile *string
	// TrustHead is set when they were not taken from the base.
	TrustHead bool
	// ReportOnSuccess asks for a summary comment even when there is nothing to
	// report.
	ReportOnSuccess bool
	// Untrusted marks a result from a log that anyone could have written. It is
	// shown as unverified; it never requests changes, passes or fails a check,
	// resolves or dismisses anything. See [Sanitize].
	Untrusted bool
	// Flavor is how the host writes links and suggestions.
	Flavor Flavor
	// RunURL is where the host shows the workflow run; empty means nowhere.
	RunURL string
	// Notes are further sentences for the summary, in plain text.
	Notes []string
}

// Flavor is what code hosts write differently. The zero value has neither links
// nor suggestions.
type Flavor struct {
	// FileURL returns the address of a file at a commit, of its lines if start is
	// not 0. CommitURL and ChangeURL return those of a commit and of a pull
	// request.
	FileURL   func(commit, path string, start, end int) string
	CommitURL func(commit string) string
	ChangeURL func(number int) string
	// Change and Run are what the host calls a pull request and the run of a workflow;
	// empty means "pull request" and "workflow run".
	Change, Run string
	// Suggestion returns what follows the fence of a block whose lines replace
	// the n lines of the comment; empty if that is not possible for so many.
	Suggestion func(n int) string
}

// SkillResult is the result of a skill and what is shown of it.
type SkillResult struct {
	// Report holds all findings. Required.
	Report *scanner.SkillReport
	// Selection is what the skill's policy selects from the report (see
	// [scanner.Select]). Required: only what it shows is posted, and it decides
	// whether the skill fails.
	Selection scanner.Selection
	// RequestChanges asks for changes when the selection fails.
	RequestChanges bool
}

// FromLog returns the result of a log, without what the log does not have: the pull
// request, the head, the files and what depends on the host.
func FromLog(log *jsonl.Log) Result {
	r := Result{Duration: log.TotalDuration}
	for _, rec := range log.Skills {
		report := rec.Report()
		r.Skills = append(r.Skills, SkillResult{
			Report:    report,
			Selection: scanner.Selection{Shown: report.Findings, Summary: report.Summary, Hidden: rec.Metadata.Hidden, Fails: report.Shard.Fails},
		})
	}
	return r
}

// wholeFiles reports whether the result is about files, and not about a change.
func (r *Result) wholeFiles() bool { return r.Number == 0 && !r.MergeGroup }

// name returns the name of the skill.
func (s *SkillResult) name() string { return s.Report.Skill }

// left counts the chunks that were not analyzed.
func (s *SkillResult) left() int {
	return s.Report.FailedHunks + s.Report.FailedExtractions + s.Report.Chunks.NotAnalyzed
}

// incomplete reports whether findings may be missing.
func (s *SkillResult) incomplete() bool { return !s.Report.Complete() }

// incomplete reports whether findings may be missing from the result as a whole.
func (r *Result) incomplete() bool {
	return r.Stopped != nil || slices.ContainsFunc(r.Skills, func(s SkillResult) bool { return s.incomplete() })
}

// conclusive reports whether a finding that is missing from a skill's report is
// fixed.
func (r *Result) conclusive(s *SkillResult) bool {
	return !r.Untrusted && r.Stopped == nil && !s.incomplete() && !s.Report.PatternsOnly
}

// removed reports whether a skill is no longer configured, so that no later run
// will look at what it posted.
func (r *Result) removed(skill string) bool {
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

// counts sums what is shown.
func counts(skills []SkillResult) scanner.SeverityCounts {
	var c scanner.SeverityCounts
	for i := range skills {
		c = c.Add(scanner.CountSeverities(skills[i].Selection.Shown))
	}
	return c
}

// validate returns an error if r cannot be posted.
func (r *Result) validate() error {
	switch {
	case r.Number < 0:
		return fmt.Errorf("pull request %d is not above 0", r.Number)
	case !IsCommit(r.Head) && r.Head != "":
		return fmt.Errorf("head %q is not a commit", r.Head)
	}
	seen := make(map[string]bool)
	for i := range r.Skills {
		switch s := &r.Skills[i]; {
		case s.Report == nil:
			return fmt.Errorf("skill %d has no report", i)
		case !validName(s.name()):
			return fmt.Errorf("skill %d: %.100q is not a valid name", i, s.name())
		case seen[s.name()]:
			return fmt.Errorf("skill %q has two reports", s.name())
		default:
			seen[s.name()] = true
		}
	}
	return nil
}

// validName reports whether a skill has a name that can be shown as it is.
func validName(name string) bool { return name != "" && oneLine(name, maxSkillName) == name }

// maxSkillName is in characters.
const maxSkillName = 100

// IsCommit reports whether s is a full commit id, SHA-1 or SHA-256.
func IsCommit(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
