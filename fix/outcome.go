package fix

import (
	"fmt"
	"slices"

	"github.com/codescan-dev/scanner"
)

// Status says what became of a suggested fix.
type Status string

// The states of a fix.
const (
	// StatusPlanned: the fix can be applied, and is part of the plan.
	StatusPlanned Status = "planned"
	// StatusApplied: the files were changed.
	StatusApplied Status = "applied"
	// StatusCovered: a fix of higher priority makes exactly these changes.
	StatusCovered Status = "covered"
	// StatusRefused: the fix is not applied; see Reason.
	StatusRefused Status = "refused"
)

// Reason says in a word why a fix was refused.
type Reason string

// The reasons for a refusal.
const (
	ReasonMalformed  Reason = "malformed"   // no unified diff, or one that can be read in several ways
	ReasonTooLarge   Reason = "too-large"   // a diff of more than 1 MiB, or 500 hunks
	ReasonRedacted   Reason = "redacted"    // the diff holds a placeholder for something secret
	ReasonNoChange   Reason = "no-change"   // the diff leaves the file as it is
	ReasonCreate     Reason = "create"      // the diff makes a new file
	ReasonDelete     Reason = "delete"      // the diff deletes the file
	ReasonRename     Reason = "rename"      // the diff renames or copies a file
	ReasonMode       Reason = "mode"        // the diff changes the mode of a file
	ReasonBinary     Reason = "binary"      // the diff or the file is not text
	ReasonPath       Reason = "path"        // a name that no fix may touch: .., absolute, .git, ...
	ReasonOtherFile  Reason = "other-file"  // the diff is not about the file of the finding
	ReasonNotScanned Reason = "not-scanned" // the file is none of those that the scan looked at
	ReasonUnreadable Reason = "unreadable"  // the file cannot be read
	ReasonNotFound   Reason = "not-found"   // the text that the diff shows is not in the file
	ReasonAmbiguous  Reason = "ambiguous"   // the text is there several times
	ReasonOverlap    Reason = "overlap"     // a fix of higher priority changes the same lines
	ReasonStale      Reason = "stale"       // the file changed since it was analyzed
	ReasonNotRegular Reason = "not-regular" // a symbolic link, a folder, a device, ... or a way over a link
	ReasonSubmodule  Reason = "submodule"   // the file belongs to another repository
	ReasonCheck      Reason = "check"       // with the fix, the checks do not pass
)

// Outcome says what becomes of one suggestion.
type Outcome struct {
	Suggestion Suggestion
	Status     Status
	// Reason and Message say why the fix was refused: a word, and a sentence
	// for people. What it cites of diffs and names is quoted; the text of an
	// error that came from outside (of a file that cannot be read, of checks)
	// is not.
	Reason  Reason
	Message string
	// By is the index of the outcome that covers this one, that it overlaps
	// with, or that was refused before with the same changes; -1 if there is
	// none.
	By int
	// Files are the files that the fix changes, sorted. Empty if that is not
	// known.
	Files []string
}

// refusal is why a fix cannot be applied.
type refusal struct {
	reason  Reason
	message string
}

func refuse(r Reason, format string, args ...any) *refusal {
	return &refusal{r, fmt.Sprintf(format, args...)}
}

// Counts sums up outcomes.
type Counts struct {
	// Planned, Applied, Covered and Refused count the outcomes by status.
	Planned, Applied, Covered, Refused int
	// Reasons says why fixes were refused, the most frequent reason first.
	Reasons []ReasonCount
}

// ReasonCount is the number of fixes that were refused for a reason.
type ReasonCount struct {
	Reason Reason
	Count  int
}

// Count sums up outcomes.
func Count(outcomes []Outcome) Counts {
	var c Counts
	for i := range outcomes {
		switch o := &outcomes[i]; o.Status {
		case StatusPlanned:
			c.Planned++
		case StatusApplied:
			c.Applied++
		case StatusCovered:
			c.Covered++
		default:
			c.Refused++
			k := slices.IndexFunc(c.Reasons, func(r ReasonCount) bool { return r.Reason == o.Reason })
			if k < 0 {
				k = len(c.Reasons)
				c.Reasons = append(c.Reasons, ReasonCount{Reason: o.Reason})
			}
			c.Reasons[k].Count++
		}
	}
	slices.SortStableFunc(c.Reasons, func(a, b ReasonCount) int { return b.Count - a.Count })
	return c
}

// Record is what a log says about a fix, one of the elements of metadata.fixes:
//
//	{"finding": "3f2a…", "status": "applied", "files": ["a.go"]}
//	{"finding": "9c01…", "merged": "77de…", "status": "refused",
//	 "reason": "overlap", "message": "…", "by": "3f2a…", "files": ["a.go"]}
//
// finding is the id of the reported finding, merged that of the finding merged
// into it whose fix this is. by is the id of the finding whose fix covers this
// one or overlaps with it.
type Record struct {
	Finding string   `json:"finding"`
	Merged  string   `json:"merged,omitempty"`
	Status  Status   `json:"status"`
	Reason  Reason   `json:"reason,omitempty"`
	Message string   `json:"message,omitempty"`
	By      string   `json:"by,omitempty"`
	Files   []string `json:"files,omitempty"`
}

// Records returns what the report of a skill says about its fixes, in the order
// of the outcomes. It is to be kept in the metadata of the report as "fixes".
func Records(outcomes []Outcome, skill string) []Record {
	var records []Record
	for i := range outcomes {
		o := &outcomes[i]
		if o.Suggestion.Skill != skill {
			continue
		}
		r := Record{
			Finding: o.Suggestion.Finding, Merged: o.Suggestion.Merged,
			Status: o.Status, Reason: o.Reason, Message: o.Message, Files: o.Files,
		}
		if o.By >= 0 {
			by := outcomes[o.By].Suggestion
			r.By = by.Finding
			if by.Merged != "" {
				r.By = by.Merged
			}
		}
		records = append(records, r)
	}
	return records
}

// Unfixed returns the findings of a set that are still there: all but those
// whose own fix, and that of every finding merged into them, is applied or
// covered by one that is. It is what failOn looks at after fixes.
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
