package review

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
)

const (
	unverified = "**Unverified:** this comes from a log that a run without access to this repository wrote. Nobody has checked that it is true."

	maxSkipText = 6_000
	maxNotices  = 15_000
	maxNotes    = 20
	maxNames    = 2_000 // names of files in a notice
	noFindings  = "No findings"
)

// summary renders the summary comment, which always fits. kept are the sections of
// skills that did not run this time, as the comment has them; note is a further
// sentence.
func (v *view) summary(p *progress, done Progress, kept []section, note string, m summaryMarker) string {
	title := "## Scanner: " + v.headline(v.Skills)
	if slices.ContainsFunc(kept, func(k section) bool { return !strings.Contains(k.text, "\n\n"+noFindings) }) {
		title += ", in addition to earlier runs"
	}
	head := []string{title, v.notices(v.Skills), p.uncheckedText(), v.sinceText(p, done), note, v.offers()}
	foot := []string{v.footer(), marker(markerSummary, m)}
	room := maxBody - len(strings.Join(slices.Concat(head, foot), "\n\n"))

	var sections []string
	for i := range v.Skills {
		name, share := v.Skills[i].name(), room/(len(v.Skills)-i)
		text := sectionText(name, v.skillSection(&v.Skills[i], p, done, share-len(sectionText(name, ""))-2))
		sections = append(sections, text)
		room -= len(text) + 2
	}
	for _, k := range kept {
		if text := sectionText(k.skill, k.text); len(text)+2 <= room {
			sections = append(sections, text)
			room -= len(text) + 2
		}
	}
	return fit(slices.Concat(head, sections, foot), maxBody)
}

// skillLine counts what is shown and hidden, and links to the check run.
func skillLine(s *SkillResult, url string) string {
	text := noFindings
	if s.incomplete() {
		text += " in what was analyzed"
	}
	if len(s.Selection.Shown) > 0 {
		text = countsText(scanner.CountSeverities(s.Selection.Shown))
	}
	if h := s.Selection.Hidden; h.Total() > 0 {
		var why []string
		for setting, c := range h.Reasons() {
			if n := c.Total(); n > 0 {
				why = append(why, fmt.Sprintf("%d by %s", n, setting))
			}
		}
		text += fmt.Sprintf(" · %s hidden (%s)", plural(h.Total(), "finding"), strings.Join(why, ", "))
	}
	if list := s.Report.Suppressed; len(list) > 0 {
		text += fmt.Sprintf(" · %s suppressed (%s)", plural(len(list), "finding"), scanner.SuppressedText(list))
	}
	if s.Selection.Fails {
		text += " · **failOn reached**"
		if s.Selection.FailsHidden {
			text += ", by findings that are hidden too"
		}
	}
	if url != "" {
		text += " · " + linkTo("check run", url)
	}
	return text
}

// skillSection renders what one skill found, by file, in at most limit bytes.
func (v *view) skillSection(s *SkillResult, p *progress, done Progress, limit int) string {
	head := fit([]string{"### " + boldTitle(s.name()), incompleteNotice(s), skillLine(s, done.CheckURLs[s.name()])}, limit)
	skipped := fit([]string{v.failuresText(s), skippedText(s.Report.SkippedFiles)}, limit/2)
	var findings []listed
	var uncommented []scanner.Finding
	for i := range v.items {
		it := &v.items[i]
		if it.skill != s {
			continue
		}
		url, isNew := p.commentOf(it, done)
		findings = append(findings, listed{it.finding, url, isNew})
		if it.at == nil || it.elsewhere() || done.refused(it) {
			uncommented = append(uncommented, *it.finding)
		}
	}
	answered := v.answeredText(s)
	room := limit - len(head) - len(answered) - len(skipped) - 8
	list := v.findingList(findings, room)
	if len(uncommented) > 0 && len(list) > room/2 { // nothing else shows their details
		list = v.findingList(findings, room/2)
	}
	more := v.details("Details of findings that are not on a changed line", s.name(), uncommented, room-len(list))
	room -= len(list) + len(more)
	refuted := v.refutedText(s, room)
	return fit([]string{head, list, answered, more, refuted, v.suppressedText(s, room-len(refuted)), skipped}, limit)
}

// toCheck returns the suppressed findings that people should look at.
func (s *SkillResult) toCheck() []scanner.Suppressed {
	return slices.DeleteFunc(slices.Clone(s.Report.Suppressed), func(f scanner.Suppressed) bool { return !f.Check })
}

// suppressedText lists them with the reasons: what was marked as fine was another line, or
// something else on it.
func (v *view) suppressedText(s *SkillResult, limit int) string {
	var lines []string
	for _, f := range s.toCheck() {
		line := "- " + bullet(f.Severity) + " "
		if l := f.Location; l != nil {
			line += v.link(l.Path, l.StartLine, l.LastLine()) + " "
		}
		lines = append(lines, line+boldTitle(f.Title)+": "+titleText(f.Note))
	}
	return foldedList("Suppressed, but changed since it was marked as fine", lines, limit)
}

// refuted returns the findings of rules that a second opinion lowered to where the
// policy hides them.
func (s *SkillResult) refuted() []scanner.Rejection {
	if s.Report.Verification == nil {
		return nil
	}
	shown := make(map[string]bool)
	for _, f := range s.Selection.Shown {
		shown[f.ID] = true
	}
	for _, g := range s.Report.MergeGroups {
		for _, m := range g.Merged {
			shown[m.ID] = shown[g.Primary]
		}
	}
	return slices.DeleteFunc(slices.Clone(s.Report.Verification.Refuted), func(r scanner.Rejection) bool { return shown[r.ID] })
}

// refutedText lists them with the reasons: nobody should be able to talk a finding of a
// rule away.
func (v *view) refutedText(s *SkillResult, limit int) string {
	var lines []string
	for _, r := range s.refuted() {
		line := "- "
		if l := r.Location; l != nil {
			line += v.link(l.Path, l.StartLine, l.LastLine()) + " "
		}
		lines = append(lines, line+boldTitle(r.Title)+" ("+titleText(r.Rule)+"): "+titleText(r.Reason))
	}
	return foldedList("Refuted by the second opinion, and hidden", lines, limit)
}

// foldedList returns lines that are shown on demand; empty if there are none.
func foldedList(title string, lines []string, limit int) string {
	begin, end := "<details><summary>"+title+"</summary>\n\n", "\n\n</details>"
	list := joinFitting(lines, "\n", limit-len(begin)-len(end), "\nand %d more")
	if list == "" {
		return ""
	}
	return begin + list + end
}

// listed is a finding in a list, with its comment.
type listed struct {
	*scanner.Finding
	url   string // of the comment; empty if it has none, or it is not known
	isNew bool
}

// findingList lists findings under their files.
func (v *view) findingList(findings []listed, limit int) string {
	var paths []string
	byPath := make(map[string][]string)
	for i := range findings {
		f, path := &findings[i], ""
		if f.Location != nil {
			path = f.Location.Path
		}
		line := v.listLine(f)
		if byPath[path] == nil {
			title := "General"
			if path != "" {
				title = v.link(path, 0, 0)
			}
			line = "**" + title + "**\n\n" + line
			if len(paths) > 0 {
				line = "\n" + line
			}
			paths = append(paths, path)
		}
		byPath[path] = append(byPath[path], line)
	}
	var lines []string
	for _, path := range paths {
		lines = append(lines, byPath[path]...)
	}
	return joinFitting(lines, "\n", limit, "\nand %d more findings that do not fit here")
}

const isNewMark = " · new"

// newMark matches it in a comment.
var newMark = regexp.MustCompile(`(?m)` + isNewMark + `$`)

// listLine renders a finding in one line.
func (v *view) listLine(f *listed) string {
	var b strings.Builder
	b.WriteString("- " + bullet(f.Severity) + " ")
	if l := f.Location; l != nil {
		lines := fmt.Sprintf("L%d", l.StartLine)
		if l.LastLine() > l.StartLine {
			lines += fmt.Sprintf("-L%d", l.LastLine())
		}
		b.WriteString(linkTo(lines, cmp.Or(f.url, v.fileURL(l.Path, l.StartLine, l.LastLine()))) + " ")
	}
	b.WriteString(boldTitle(f.Title))
	if f.isNew {
		b.WriteString(isNewMark)
	}
	return b.String()
}

// bullet is the severity badge.
func bullet(s scanner.Severity) string {
	switch s {
	case scanner.SeverityHigh:
		return "🔴 (high)"
	case scanner.SeverityMedium:
		return "🟡 (medium)"
	default:
		return "🟢 (low)"
	}
}

// details renders findings that have no inline comment, as many as fit.
func (v *view) details(title, skill string, findings []scanner.Finding, limit int) string {
	begin, end := "<details><summary>"+title+"</summary>\n\n", "\n\n</details>"
	share := max(8_000, limit/max(1, len(findings)))
	var parts []string
	for i := range findings {
		parts = append(parts, fit(v.findingParts(&findings[i], skill, nil, min(maxDescription, share/2)), share))
	}
	list := joinFitting(parts, "\n\n", limit-len(begin)-len(end), "and the details of %d more findings that do not fit here")
	if list == "" {
		return ""
	}
	return begin + list + end
}

// withoutComments renders the findings of a skill with their details, for where
// there are no comments.
func (v *view) withoutComments(s *SkillResult, limit int) string {
	var findings []listed
	for i := range s.Selection.Shown {
		findings = append(findings, listed{Finding: &s.Selection.Shown[i]})
	}
	list := v.findingList(findings, limit/2)
	return strings.TrimSpace(list + "\n\n" + v.details("Details", s.name(), s.Selection.Shown, limit-len(list)))
}

// footer describes what the run looked at, and its time and cost.
func (v *view) footer() string {
	var usage scanner.Usage
	files := make(map[string]bool)
	chunks := 0
	var asked []string
	for i := range v.Skills {
		rep := v.Skills[i].Report
		if rep.Usage != nil {
			usage = usage.Add(*rep.Usage)
		}
		for _, name := range slices.Sorted(maps.Keys(rep.AuxiliaryUsage)) {
			usage = usage.Add(rep.AuxiliaryUsage[name])
		}
		for _, f := range rep.Files {
			files[f.Path] = true
		}
		chunks += rep.Chunks.Total
		asked = append(asked, rep.Provider.String())
	}
	head := ""
	if v.Head != "" {
		head = v.commitLink(v.Head) + " · "
	}
	line := []string{fmt.Sprintf("%s%s of %s in %s", head, plural(chunks, "chunk"), plural(len(files), "file"), format.Duration(v.Duration))}
	for _, a := range format.Distinct(asked) {
		line = append(line, titleText(a))
	}
	if !usage.IsZero() {
		line = append(line, fmt.Sprintf("%s in / %s out", format.Tokens(usage.InputTokens), format.Tokens(usage.OutputTokens)), format.Cost(usage.CostUSD))
	}
	if v.RunURL != "" {
		line = append(line, linkTo(cmp.Or(v.Flavor.Run, "workflow run"), v.RunURL))
	}
	return "<sub>" + strings.Join(line, " · ") + "</sub>"
}
