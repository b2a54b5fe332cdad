package review

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner"
)

// headline sums the result up in a few words.
func (v *view) headline() string {
	text := "no findings"
	if c := v.counts(); c.Total() > 0 {
		text = countsText(c)
	}
	if v.incomplete() {
		text += ", incomplete"
	}
	if n := len(v.unread(v.Skills...)); n > 0 {
		text += ", " + plural(n, "file") + " not read"
	}
	return text
}

// notices are what must not be overlooked in the results of some of the skills.
func (v *view) notices(skills ...SkillResult) []string {
	var list []string
	if v.Untrusted {
		list = append(list, unverified)
	}
	if text := incompleteNotice(skills, v.Stopped); text != "" {
		list = append(list, text)
	}
	if files := v.unread(skills...); len(files) > 0 {
		list = append(list, unreadText(files))
	}
	if v.patternsOnly() {
		list = append(list, "**Patterns only:** only the pattern rules of the skills ran, no model was called.")
	}
	if n := len(v.PolicyFiles); n > 0 {
		names := make([]string, 0, maxNotes+1)
		for _, p := range v.PolicyFiles[:min(n, maxNotes)] {
			names = append(names, codeText(shownPath(p)))
		}
		if n > maxNotes {
			names = append(names, fmt.Sprintf("%d more", n-maxNotes))
		}
		whose := "The policy of the base was used."
		if v.TrustHead {
			whose = "The changed policy was used."
		}
		list = append(list, "**Policy files changed:** "+strings.Join(names, ", ")+". "+whose)
	}
	for _, n := range v.Notes[:min(len(v.Notes), maxNotes)] {
		list = append(list, proseText(n, maxFixText))
	}
	return within(list, maxNotices)
}

// within returns the first of the texts that fit in limit bytes.
func within(texts []string, limit int) []string {
	for i, t := range texts {
		if limit -= len(t) + 2; limit < 0 {
			return texts[:i]
		}
	}
	return texts
}

// skillNotices are what must not be overlooked in one of several skills.
func skillNotices(s *SkillResult) []string {
	if !s.incomplete() {
		return nil
	}
	return []string{"**Incomplete:** " + strings.TrimSpace(missing(*s)+" "+reasonsText(s))}
}

// incompleteNotice describes how much of the results of some skills is missing,
// and why the run ended; empty if nothing is missing.
func incompleteNotice(skills []SkillResult, stopped error) string {
	text := missing(skills...)
	if text == "" && stopped == nil {
		return ""
	}
	if text != "" {
		text += " "
	}
	text = "**Incomplete:** " + text + "Findings may be missing."
	if stopped != nil {
		text += " The run ended early: " + titleText(stopped.Error()) + "."
	}
	return text
}

// missing counts what could not be analyzed. A log may lack the counts of the
// chunks; then those of the failures are used.
func missing(skills ...SkillResult) string {
	var total scanner.ChunkCounts
	hunks, answers := 0, 0
	for i := range skills {
		r := skills[i].Report
		if c := r.Chunks; c.Failed+c.NotAnalyzed > 0 {
			total = total.Add(c)
			continue
		}
		hunks += r.FailedHunks
		answers += r.FailedExtractions
	}
	var parts []string
	if total.Failed+total.NotAnalyzed > 0 {
		parts = append(parts, fmt.Sprintf("of %s %d failed and %d were not analyzed", plural(total.Total, "chunk"), total.Failed, total.NotAnalyzed))
	}
	if hunks > 0 {
		parts = append(parts, plural(hunks, "chunk")+" could not be analyzed")
	}
	if answers > 0 {
		parts = append(parts, plural(answers, "answer")+" could not be read")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "."
}

func reasonsText(s *SkillResult) string {
	reasons := make([]string, len(s.Report.Failures))
	for i := range reasons {
		reasons[i] = s.Report.Failures[i].Reason
	}
	if len(reasons) == 0 {
		return ""
	}
	return "Reasons: " + countText(reasons) + "."
}
