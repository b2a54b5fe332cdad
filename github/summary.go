package github

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
)

const (
	unverified = "**Unverified:** this comes from a log that a run without access to this repository wrote. Nobody has checked that it tells the truth."

	maxSkipped  = 50 // files listed as skipped
	maxSkipText = 6_000
	maxNotices  = 15_000
	maxNotes    = 20
	noFindings  = "No findings"
	sectionMark = markerBegin + "section "
	sectionEnd  = markerBegin + "end" + markerEnd
	footerMark  = "<sub>[`" // what the footer begins with
)

// summary renders the summary comment, which always fits. links are the URLs of check runs by
// skill. kept are the sections of skills that did not run this time, as the
// comment has them.
func summary(r *Result, items []item, links map[string]string, kept []section, m summaryMarker) string {
	last := marker(markerSummary, m)
	names := make(map[string]bool)
	for i := range r.Skills {
		names[r.Skills[i].name()] = true
	}
	kept = slices.DeleteFunc(slices.Clone(kept), func(k section) bool { return names[k.skill] })
	head := []string{"## Scanner: " + headline(r)}
	if slices.ContainsFunc(kept, func(k section) bool { return !strings.Contains(k.text, "\n\n"+noFindings) }) {
		head[0] += ", besides those of earlier runs"
	}
	head = append(head, notices(r, r.Skills...)...)
	foot := footer(r)
	room := maxBody - len(strings.Join(slices.Concat(head, foot, []string{last}), "\n\n")) - 4

	var parts []string
	for i := range r.Skills {
		s := &r.Skills[i]
		share := room / (len(r.Skills) - i)
		text := sectionText(s.name(), skillSection(r, s, items, links[s.name()], share-len(sectionText(s.name(), ""))-2))
		if len(text)+2 <= room {
			parts = append(parts, text)
			room -= len(text) + 2
		}
	}
	for _, k := range kept {
		if text := sectionText(k.skill, k.text); len(text)+2 <= room {
			parts = append(parts, text)
			room -= len(text) + 2
		}
	}
	return strings.Join(slices.Concat(head, parts, foot, []string{last}), "\n\n")
}

// skillLine counts what is shown and hidden, and links to the check run.
func skillLine(s *SkillResult, url string) string {
	text := noFindings
	if len(s.Selection.Shown) > 0 {
		text = countsText(scanner.CountSeverities(s.Selection.Shown))
	}
	if h := s.Selection.Hidden; h.Total() > 0 {
		var why []string
		if n := h.ReportOn.Total(); n > 0 {
			why = append(why, fmt.Sprintf("%d by reportOn", n))
		}
		if n := h.MaxFindings.Total(); n > 0 {
			why = append(why, fmt.Sprintf("%d by maxFindings", n))
		}
		text += fmt.Sprintf(" · %s hidden (%s)", plural(h.Total(), "finding"), strings.Join(why, ", "))
	}
	if s.Selection.Fails {
		text += " · **failOn reached**"
		if s.Selection.FailsHidden {
			text += ", by findings that are hidden too"
		}
	}
	if url != "" {
		text += " · [check run](" + safeURL(url) + ")"
	}
	return text
}

// skillSection renders what one skill found, by file, in at most limit bytes.
func skillSection(r *Result, s *SkillResult, items []item, url string, limit int) string {
	parts := []string{"### " + boldTitle(s.name())}
	parts = append(parts, skillNotices(s)...)
	parts = append(parts, skillLine(s, url))
	room := limit - len(strings.Join(parts, "\n\n"))
	skipped := skippedText(without(s.Report.SkippedFiles, r.Skipped))
	if room -= len(skipped) + 2; room < 0 {
		room += len(skipped) + 2
		skipped = ""
	}

	list := findingList(r, s, items, room)
	if list != "" {
		parts = append(parts, list)
		room -= len(list) + 2
	}
	if d := details("Details of findings that are not on a changed line", s, items, room); d != "" {
		parts = append(parts, d)
	}
	if skipped != "" {
		parts = append(parts, skipped)
	}
	return strings.Join(parts, "\n\n")
}

// findingList lists the findings of a skill under their files.
func findingList(r *Result, s *SkillResult, items []item, limit int) string {
	type group struct {
		path  string
		items []*item
	}
	var groups []*group
	byPath := make(map[string]*group)
	total := 0
	for i := range items {
		it := &items[i]
		if it.skill != s {
			continue
		}
		path := ""
		if l := it.finding.Location; l != nil {
			path = l.Path
		}
		g := byPath[path]
		if g == nil {
			g = &group{path: path}
			byPath[path] = g
			groups = append(groups, g)
		}
		g.items = append(g.items, it)
		total++
	}
	var b strings.Builder
	listed := 0
	for _, g := range groups {
		begin := "**General**\n"
		if g.path != "" {
			begin = "**" + link(r, g.path, 0, 0) + "**\n"
		}
		for i, it := range g.items {
			line := "\n" + listLine(r, it)
			if i == 0 {
				line = begin + line
				if b.Len() > 0 {
					line = "\n\n" + line
				}
			}
			if b.Len()+len(line)+60 > limit {
				if b.Len() > 0 {
					b.WriteString("\n\n")
				}
				if limit > 60 {
					fmt.Fprintf(&b, "and %s more that do not fit here", plural(total-listed, "finding"))
				}
				return b.String()
			}
			b.WriteString(line)
			listed++
		}
	}
	return b.String()
}

// listLine renders a finding in one line.
func listLine(r *Result, it *item) string {
	f := it.finding
	var b strings.Builder
	b.WriteString("- " + bullet(f.Severity) + " ")
	if l := f.Location; l != nil {
		lines := fmt.Sprintf("L%d", l.StartLine)
		if l.LastLine() > l.StartLine {
			lines += fmt.Sprintf("-L%d", l.LastLine())
		}
		b.WriteString(linkTo(lines, r.blobURL(l.Path, l.StartLine, l.LastLine())) + " ")
	}
	b.WriteString(boldTitle(f.Title))
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

// details renders the findings that have no inline comment, as many as fit.
func details(title string, s *SkillResult, items []item, limit int) string {
	begin := "<details><summary>" + title + "</summary>"
	end := "</details>"
	var parts []string
	room, left := limit-len(begin)-len(end)-100, 0
	for i := range items {
		it := &items[i]
		if it.skill != s || it.at != nil {
			continue
		}
		text := detail(it.finding)
		if len(text)+2 > room {
			left++
			continue
		}
		room -= len(text) + 2
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("and the details of %s more that do not fit here", plural(left, "finding")))
	}
	return begin + "\n\n" + strings.Join(parts, "\n\n") + "\n\n" + end
}

func detail(f *scanner.Finding) string {
	text := "**" + boldTitle(f.Title) + "**"
	if l := f.Location; l != nil {
		text += " at " + codeText(location(l.Path, l.StartLine, l.LastLine()))
	}
	return text + "\n\n" + proseText(f.Description, 4_000)
}

// withoutComment renders the findings of a skill with their details, for where
// there are no comments.
func withoutComment(r *Result, s *SkillResult, limit int) string {
	items := []item{}
	for i := range s.Selection.Shown {
		items = append(items, item{skill: s, finding: &s.Selection.Shown[i]})
	}
	list := findingList(r, s, items, limit/2)
	return strings.TrimSpace(list + "\n\n" + details("Details", s, items, limit-len(list)))
}

// footer says what the run looked at, took and cost.
func footer(r *Result) []string {
	var parts []string
	if s := skippedText(r.Skipped); s != "" {
		parts = append(parts, s)
	}
	var usage scanner.Usage
	files := make(map[string]bool)
	chunks := 0
	for i := range r.Skills {
		rep := r.Skills[i].Report
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
	}
	line := []string{fmt.Sprintf("%s · %s of %s in %s", headLink(r), plural(chunks, "chunk"), plural(len(files), "file"), format.Duration(r.Duration))}
	if !usage.IsZero() {
		line = append(line, fmt.Sprintf("%s in / %s out", format.Tokens(usage.InputTokens), format.Tokens(usage.OutputTokens)), format.Cost(usage.CostUSD))
	}
	if r.RunURL != "" {
		line = append(line, "[workflow run]("+safeURL(r.RunURL)+")")
	}
	return append(parts, "<sub>"+strings.Join(line, " · ")+"</sub>")
}

func headLink(r *Result) string {
	return fmt.Sprintf("[`%s`](%s/%s/%s/commit/%s)", r.Head[:7], r.web(), r.Repo.Owner, r.Repo.Name, r.Head)
}

// fit joins parts, leaving out those that would make the text longer than limit.
func fit(parts []string, limit int) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" || b.Len()+len(p)+2 > limit {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(p)
	}
	return b.String()
}

// safeURL keeps an address inside the parentheses of a link.
func safeURL(u string) string {
	return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\n", "", "\r", "", "\\", "%5C").Replace(u)
}
