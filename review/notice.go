package review

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
)

// headline sums up the results of some of the skills. It begins with what is missing.
func (v *view) headline(skills []SkillResult) string {
	var missing []string
	left := 0
	for i := range skills {
		left += skills[i].left()
	}
	if left > 0 {
		missing = append(missing, plural(left, "chunk")+" not analyzed")
	}
	if text := missingShards(skills); text != "" {
		missing = append(missing, text)
	}
	if n := len(v.unread(skills)); n > 0 {
		missing = append(missing, plural(n, "file")+" not read")
	}
	if len(missing) == 0 && v.Stopped != nil {
		missing = append(missing, "the run ended early")
	}
	text := countsText(counts(skills))
	if len(missing) > 0 {
		text = "incomplete: " + strings.Join(missing, ", ") + "; " + text
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
	return "**Incomplete:** " + missingText([]SkillResult{*s})
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
	if text := missingShards(skills); text != "" {
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "."
}

// missingShards describes the shards that are missing from a run; empty if none is.
func missingShards(skills []SkillResult) string {
	for i := range skills {
		if text := skills[i].Report.Shard.Incomplete(); text != "" {
			return text // it is that of the run
		}
	}
	return ""
}

// failuresText lists the chunks that were not analyzed, with reasons; empty if all were.
func (v *view) failuresText(s *SkillResult) string {
	var lines, reasons []string
	add := func(list []scanner.ChunkFailure, why string) {
		for _, f := range list {
			reason := cmp.Or(why, f.Reason)
			reasons = append(reasons, reason)
			lines = append(lines, "- "+v.link(f.Path, f.StartLine, f.EndLine)+": "+titleText(reason))
		}
	}
	add(s.Report.Failures, "")
	add(s.Report.Left, "run ended early")
	return foldedList("Not analyzed ("+countText(reasons)+")", lines, maxSkipText)
}
