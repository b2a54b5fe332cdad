package fix

import (
	"errors"
	"fmt"

	"github.com/codescan-dev/scanner"
)

// Status is the outcome of a suggested fix.
type Status string

// The states of a fix.
const (
	// StatusPlanned: the fix can be applied, and is part of the plan.
	StatusPlanned Status = "planned"
	// StatusApplied: the file was changed.
	StatusApplied Status = "applied"
	// StatusCovered: fixes of higher priority make exactly these changes.
	StatusCovered Status = "covered"
	// StatusRefused: the fix is not applied; see Reason.
	StatusRefused Status = "refused"
)

// Reason is the word for why a fix was refused.
type Reason string

// The reasons for a refusal.
const (
	ReasonUnplaced   Reason = "unplaced"    // the fix has no exact edits of a file
	ReasonRedacted   Reason = "redacted"    // the fix contains a placeholder for a secret
	ReasonPath       Reason = "path"        // a name that no fix may change: .., absolute, .git, ...
	ReasonNotScanned Reason = "not-scanned" // the scan did not look at the file
	ReasonNotProduct Reason = "not-product" // a rule's fix of a test, a fixture, an example, ...
	ReasonUnreadable Reason = "unreadable"  // the file cannot be read, or is not a regular one
	ReasonStale      Reason = "stale"       // the file changed since it was analyzed
	ReasonOverlap    Reason = "overlap"     // a fix of higher priority changes the same lines
	ReasonCheck      Reason = "check"       // with the fix, the checks fail
)

// Outcome is the outcome of one suggestion.
type Outcome struct {
	Suggestion Suggestion
	Status     Status
	// Reason and Message are why the fix was refused: a word, and a sentence.
	// Paths in it are quoted; the text of an error of Read, or of a check, is
	// not.
	Reason  Reason
	Message string
	// By is the index of the outcome that covers this one or that it overlaps
	// with; -1 if there is none.
	By int
}

// refusal is why a fix cannot be applied.
type refusal struct {
	reason  Reason
	message string
}

func refuse(r Reason, format string, args ...any) *refusal {
	return &refusal{r, fmt.Sprintf(format, args...)}
}

// refuse makes the outcome a refusal.
func (o *Outcome) refuse(r *refusal) {
	o.Status, o.Reason, o.Message, o.By = StatusRefused, r.reason, r.message, -1
}

// refuseFile returns the refusal of all fixes of a file that could not be read.
func refuseFile(path string, err error) *refusal {
	if errors.Is(err, ErrStale) {
		return refuse(ReasonStale, "%s changed since it was analyzed", quote(path))
	}
	return refuse(ReasonUnreadable, "%s cannot be read: %v", quote(path), err)
}

// quote quotes a path for a message.
func quote(path string) string { return fmt.Sprintf("%.200q", path) }

// Records returns the outcomes of the fixes of a skill, in their order, for its
// report.
func Records(outcomes []Outcome, skill string) []scanner.FixOutcome {
	var records []scanner.FixOutcome
	for i := range outcomes {
		o := &outcomes[i]
		if o.Suggestion.Skill != skill {
			continue
		}
		r := scanner.FixOutcome{
			Finding: o.Suggestion.Finding, Merged: o.Suggestion.Merged,
			Status: string(o.Status), Reason: string(o.Reason), Message: o.Message,
		}
		if o.Suggestion.Path != "" {
			r.Files = []string{o.Suggestion.Path}
		}
		if o.By >= 0 {
			r.By = outcomes[o.By].Suggestion.id()
		}
		records = append(records, r)
	}
	return records
}

// Unfixed returns the findings of a set that were not fixed: all but those whose
// own fix, and that of every finding merged into them, was applied or is covered
// by one that was. These are the findings that count for failOn.
func Unfixed(set Set, outcomes []Outcome) []scanner.Finding {
	type key struct{ finding, merged string }
	done := make(map[key]bool)
	for i := range outcomes {
		o := &outcomes[i]
		if o.Suggestion.Skill != set.Skill {
			continue
		}
		if o.Status == StatusApplied || o.Status == StatusCovered && outcomes[o.By].Status == StatusApplied {
			done[key{o.Suggestion.Finding, o.Suggestion.Merged}] = true
		}
	}
	for _, g := range set.Groups {
		for _, m := range g.Merged {
			if !done[key{g.Primary, m.ID}] {
				delete(done, key{g.Primary, ""})
			}
		}
	}
	var left []scanner.Finding
	for _, f := range set.Findings {
		if !done[key{f.ID, ""}] {
			left = append(left, f)
		}
	}
	return left
}
