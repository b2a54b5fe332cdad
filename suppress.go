package scanner

import (
	"fmt"
	"slices"
	"strings"
)

// PlaceHash recognizes the place of a finding in later runs. It holds hashes of text
// without white space and no code; a hash is empty where there is no line.
type PlaceHash struct {
	// Path is the file of a finding that has no location.
	Path string `json:"path,omitempty"`
	// Line is the hash of the first line of the finding, Before and After are those of
	// the nearest lines around it that are not blank.
	Line   string `json:"line,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// SuppressReason is why a finding is not reported.
type SuppressReason string

// The reasons.
const (
	// SuppressIgnored: a person marked it as fine, in a list.
	SuppressIgnored SuppressReason = "ignored"
	// SuppressInline: a person marked it as fine, in a comment in the code.
	SuppressInline SuppressReason = "inline"
	// SuppressBaseline: an earlier report has it.
	SuppressBaseline SuppressReason = "baseline"
)

// Suppression is why a finding is not reported.
type Suppression struct {
	Reason SuppressReason `json:"reason"`
	// Note is the reason that a person gave.
	Note string `json:"note,omitempty"`
	// Check is set where the decision was about something else than what is there now,
	// as when the line was edited since: people should look at it.
	Check bool `json:"check,omitempty"`
}

// Suppressed is a finding that is not reported. It is not among the findings of a
// report, so no threshold and no limit counts it.
type Suppressed struct {
	Finding
	Suppression
}

// SuppressedCounts counts suppressed findings by reason.
type SuppressedCounts struct {
	Ignored  int `json:"ignored,omitempty"`
	Inline   int `json:"inline,omitempty"`
	Baseline int `json:"baseline,omitempty"`
}

// CountSuppressed counts findings by reason.
func CountSuppressed(list []Suppressed) SuppressedCounts {
	var c SuppressedCounts
	for i := range list {
		switch list[i].Reason {
		case SuppressInline:
			c.Inline++
		case SuppressBaseline:
			c.Baseline++
		default:
			c.Ignored++
		}
	}
	return c
}

// SuppressedText counts findings by reason, in a few words; empty if there are none.
func SuppressedText(list []Suppressed) string {
	c := CountSuppressed(list)
	var parts []string
	for _, r := range []struct {
		n    int
		text string
	}{{c.Ignored, "ignored"}, {c.Inline, "in comments"}, {c.Baseline, "in the baseline"}} {
		if r.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", r.n, r.text))
		}
	}
	return strings.Join(parts, ", ")
}

// suppress moves the findings that are not to be reported from findings to the report.
func (r *run) suppress(report *SkillReport, findings []Finding, places map[string]PlaceHash) []Finding {
	if r.opts.Suppress == nil || len(findings) == 0 {
		return findings
	}
	why := r.opts.Suppress(report.Skill, slices.Clone(findings), places)
	return keep(findings, func(f *Finding) bool {
		s, ok := why[f.ID]
		if ok {
			report.Suppressed = append(report.Suppressed, Suppressed{*f, s})
		}
		return !ok
	})
}

// suppressed returns the findings that are not reported.
func (r *SkillReport) suppressed() []Finding {
	var all []Finding
	for i := range r.Suppressed {
		all = append(all, r.Suppressed[i].Finding)
	}
	return all
}

// suppression returns why the finding with an id is not reported; nil if it is.
func (r *SkillReport) suppression(id string) *Suppression {
	i := slices.IndexFunc(r.Suppressed, func(s Suppressed) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return &r.Suppressed[i].Suppression
}
