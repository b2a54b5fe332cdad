package github

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner"
)

// headline says the result in a few words.
func headline(r *Result) string {
	text := "no findings"
	if c := r.counts(); c.Total() > 0 {
		text = countsText(c)
	}
	if r.incomplete() {
		text += ", incomplete"
	}
	if n := len(r.unread(r.Skills...)); n > 0 {
		text += ", " + plural(n, "file") + " not read"
	}
	return text
}

// notices are what must not be overlooked in the results of some of the skills.
func notices(r *Result, skills ...SkillResult) []string {
	var list []string
	if r.Untrusted {
		list = append(list, unverified)
	}
	if text := incompleteNotice(skills, r.Stopped); text != "" {
		list = append(list, text)
	}
	if files := r.unread(skills...); len(files) > 0 {
		list = append(list, unreadText(files))
	}
	if r.patternsOnly() {
		list = append(list, "**Patterns only:** the model was not asked, only the patterns of the skills ran.")
	}
	if n := len(r.PolicyFiles); n > 0 {
		names := make([]string, 0, maxNotes+1)
		for _, p := range r.PolicyFiles[:min(n, maxNotes)] {
			names = append(names, codeText(shownPath(p)))
		}
		if n > maxNotes {
			names = append(names, fmt.Sprintf("%d more", n-maxNotes))
		}
		whose := "The policy of the base was used."
		if r.TrustHead {
			whose = "The changed policy was used."
		}
		list = append(list, "**Policy files changed:** "+strings.Join(names, ", ")+". "+whose)
	}
	for _, n := range r.Notes[:min(len(r.Notes), maxNotes)] {
		list = append(list, proseText(n, maxFixText))
	}
	return within(list, maxNotices)
}

// within returns the first of the texts that fit in so many bytes.
func within(texts []string, limit int) []string {
	for i, t := range texts {
		if limit -= len(t) + 2; limit < 0 {
			return texts[:i]
		}
	}
	return texts
}

// skillNotices say what is special about one skill of several.
func skillNotices(s *SkillResult) []string {
	if !s.incomplete() {
		return nil
	}
	return []string{"**Incomplete:** " + strings.TrimSpace(missing(*s)+" "+reasonsText(s))}
}

// incompleteNotice says how much of the results of some skills is missing, and
// what ended the run; empty if nothing is missing.
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

// missing counts what could not be analyzed, from what is known of it: a log may
// lack the ledger of the chunks.
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
