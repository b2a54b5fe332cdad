package review

import (
	"slices"
	"strings"
)

// headline sums the result up in a few words.
func (v *view) headline() string {
	text := countsText(v.counts())
	if v.incomplete() {
		text += ", incomplete"
	}
	if n := len(v.unread(v.Skills)); n > 0 {
		text += ", " + plural(n, "file") + " not read"
	}
	if n := len(v.notable); n > 0 {
		text += ", " + plural(n, "change") + " to check by hand"
	}
	return text
}

// notices are what must not be overlooked in the results of some of the skills.
func (v *view) notices(skills []SkillResult) string {
	var list []string
	if v.Untrusted {
		list = append(list, unverified)
	}
	if missing := missingText(skills); missing != "" || v.Stopped != nil {
		text := "**Incomplete:** " + strings.TrimSpace(missing+" Findings may be missing.")
		if v.Stopped != nil {
			text += " The run ended early: " + titleText(v.Stopped.Error()) + "."
		}
		list = append(list, text)
	}
	if files := v.unread(skills); len(files) > 0 {
		list = append(list, unreadText(files))
	}
	if len(v.notable) > 0 {
		list = append(list, notableText(v.notable))
	}
	if slices.ContainsFunc(v.Skills, func(s SkillResult) bool { return s.Report.PatternsOnly }) {
		list = append(list, "**Patterns only:** only the pattern rules of the skills ran, no model was called.")
	}
	if len(v.PolicyFiles) > 0 {
		var names []string
		for _, p := range v.PolicyFiles {
			names = append(names, codeText(shownPath(p)))
		}
		whose := "The policy of the base was used."
		if v.TrustHead {
			whose = "The changed policy was used."
		}
		list = append(list, "**Policy files changed:** "+joinFitting(names, ", ", maxNames, "%d more")+". "+whose)
	}
	for _, n := range v.Notes[:min(len(v.Notes), maxNotes)] {
		list = append(list, proseText(n, maxFixText))
	}
	return fit(list, maxNotices)
}

// incompleteNotice describes what is missing from the results of one skill; empty
// if nothing is.
func incompleteNotice(s *SkillResult) string {
	if !s.incomplete() {
		return ""
	}
	return strings.TrimSpace("**Incomplete:** " + missingText([]SkillResult{*s}) + " " + reasonsText(s))
}

// missingText counts what could not be analyzed; empty if all could.
func missingText(skills []SkillResult) string {
	hunks, answers, left := 0, 0, 0
	for i := range skills {
		r := skills[i].Report
		hunks += r.FailedHunks
		answers += r.FailedExtractions
		left += r.Chunks.NotAnalyzed
	}
	var parts []string
	add := func(n int, noun, text string) {
		if n > 0 {
			parts = append(parts, plural(n, noun)+" "+text)
		}
	}
	add(hunks, "chunk", "could not be analyzed")
	add(answers, "answer", "could not be read")
	add(left, "chunk", "not analyzed")
	for i := range skills {
		if text := skills[i].Report.Shard.Incomplete(); text != "" {
			parts = append(parts, text)
			break // it is that of the run
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "."
}

func reasonsText(s *SkillResult) string {
	var reasons []string
	for _, f := range s.Report.Failures {
		reasons = append(reasons, f.Reason)
	}
	if len(reasons) == 0 {
		return ""
	}
	return "Reasons: " + countText(reasons) + "."
}
