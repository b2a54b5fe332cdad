package output

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/text"
)

//go:embed report.html
var htmlText string

// htmlFile is an analyzed or skipped file. Files are known by their number on the page,
// since their names are untrusted.
type htmlFile struct {
	Number   int
	Path     string
	Class    string // its look: the worst severity, "gap", "skipped" or "clean"
	Title    string // what is known of it, in a line
	Chunks   scanner.ChunkCounts
	Skipped  string // the reason; empty if it was analyzed
	Counts   scanner.SeverityCounts
	Findings int
}

// NotRead counts the chunks that were not analyzed, for any reason.
func (h *htmlFile) NotRead() int { return h.Chunks.Failed + h.Chunks.NotAnalyzed }

type htmlSkill struct {
	Number             int
	Name, About, Asked string
	Counts             scanner.SeverityCounts
	Time, Tokens, Cost string
	Chunks             scanner.ChunkCounts
	Fails              bool
	Hidden             int
	Gaps               []string
}

// NotRead counts the chunks that were not analyzed, for any reason.
func (h *htmlSkill) NotRead() int { return h.Chunks.Failed + h.Chunks.NotAnalyzed }

type htmlFinding struct {
	ID, Title, Severity, Confidence, Rule, Skill string
	SkillNumber                                  int
	FileNumbers                                  []int // of all its places
	Place                                        string
	Description, Verification                    string
	Others, Related                              []string
	Code                                         []htmlLine
	FixText                                      string
	Fix                                          []htmlLine
	Reason                                       string // why it is suppressed
}

// htmlLine is a line of code or of a diff.
type htmlLine struct {
	Number int // 0 in a diff
	Text   string
	Class  string
}

type htmlPage struct {
	*report
	Counts     scanner.SeverityCounts
	Complete   bool
	Fails      bool
	Stopped    string
	Began      string
	Took       string
	ReadFiles  int
	SkillList  []*htmlSkill
	Files      []*htmlFile
	Findings   []htmlFinding
	Suppressed []htmlFinding
}

// SeverityNames are the severities that can be filtered by.
func (p *htmlPage) SeverityNames() []scanner.Severity {
	return []scanner.Severity{scanner.SeverityHigh, scanner.SeverityMedium, scanner.SeverityLow}
}

// writeHTML writes a page that needs neither a network nor scripts: filters are
// checkboxes and style sheets. A policy in it forbids the browser to load or run
// anything, should a text ever get through the escaping.
func writeHTML(w io.Writer, r *report) error {
	t, err := template.New("report").Funcs(template.FuncMap{"plural": format.Count}).Parse(htmlText)
	if err != nil {
		return err
	}
	return t.Execute(w, r.page())
}

func (r *report) page() *htmlPage {
	p := &htmlPage{report: r, Complete: r.run.Complete(), Stopped: r.stopped(), Took: format.Duration(r.run.Duration)}
	if !r.Start.IsZero() {
		p.Began = r.Start.UTC().Format("2006-01-02 15:04 MST")
	}
	files := make(map[string]*htmlFile)
	file := func(path string) *htmlFile {
		if files[path] == nil {
			files[path] = &htmlFile{Path: text.Visible(path), Class: "clean"}
		}
		return files[path]
	}
	for i := range r.skills {
		s := &r.skills[i]
		for _, f := range s.Files {
			file(f.Path).Chunks = file(f.Path).Chunks.Add(f.Chunks)
		}
		for _, f := range s.Failures {
			file(f.Path).Class = "gap"
		}
		for j, places := range s.Places(s.Shown) {
			for _, path := range filesOf(places) {
				file(path).Counts = file(path).Counts.Add(scanner.CountSeverities(s.Shown[j : j+1]))
			}
		}
		p.Fails = p.Fails || s.Fails
		p.Counts = p.Counts.Add(scanner.CountSeverities(s.Shown))
	}
	for _, skip := range r.run.Skipped {
		h := file(skip.Filename)
		h.Skipped, h.Class = skip.Reason, "skipped"
	}
	for i, path := range slices.Sorted(maps.Keys(files)) {
		h := files[path]
		h.Number = i
		h.finish()
		if h.Skipped == "" {
			p.ReadFiles++
		}
		p.Files = append(p.Files, h)
	}
	for i := range r.skills {
		s := &r.skills[i]
		p.SkillList = append(p.SkillList, r.htmlSkill(i, s))
		for j, places := range s.Places(s.Shown) {
			p.Findings = append(p.Findings, r.htmlFinding(i, &s.Shown[j], places, files))
		}
		for j := range s.Suppressed {
			var places []scanner.Location
			if at := s.Suppressed[j].Location; at != nil {
				places = append(places, *at)
			}
			f := r.htmlFinding(i, &s.Suppressed[j].Finding, places, files)
			f.Reason = string(s.Suppressed[j].Reason)
			if note := s.Suppressed[j].Note; note != "" {
				f.Reason += ": " + line(note)
			}
			p.Suppressed = append(p.Suppressed, f)
		}
	}
	return p
}

// filesOf returns the paths of places, each once.
func filesOf(places []scanner.Location) []string {
	var paths []string
	for _, l := range places {
		paths = append(paths, l.Path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// finish sets what follows from the other fields.
func (h *htmlFile) finish() {
	h.Findings = h.Counts.Total()
	switch {
	case h.Counts.High > 0:
		h.Class = "high"
	case h.Counts.Medium > 0:
		h.Class = "medium"
	case h.Counts.Low > 0:
		h.Class = "low"
	case h.Class == "clean" && h.NotRead() > 0:
		h.Class = "gap"
	}
	gap := h.Class == "gap"
	if h.NotRead() > 0 && !gap {
		h.Class += " partial"
		gap = true
	}
	switch {
	case h.Skipped != "":
		h.Title = "not read: " + h.Skipped
	case gap:
		h.Title = format.Count(h.Findings, "finding", "findings") + ", not read to the end"
	default:
		h.Title = format.Count(h.Findings, "finding", "findings")
	}
	h.Title = h.Path + ": " + h.Title
}

func (r *report) htmlSkill(number int, s *skillResult) *htmlSkill {
	var usage scanner.Usage
	if s.Usage != nil {
		usage = *s.Usage
	}
	for _, name := range slices.Sorted(maps.Keys(s.AuxiliaryUsage)) {
		usage = usage.Add(s.AuxiliaryUsage[name])
	}
	h := &htmlSkill{
		Number: number, Name: line(s.Skill), About: r.describe(s.Skill), Asked: line(s.Provider.String()),
		Counts: scanner.CountSeverities(s.Shown), Time: format.Duration(s.Duration), Chunks: s.Chunks,
		Fails: s.Fails, Hidden: s.Selection.Hidden.Total(),
	}
	if !usage.IsZero() {
		h.Tokens = format.Tokens(usage.InputTokens) + " in / " + format.Tokens(usage.OutputTokens) + " out"
		h.Cost = format.Cost(usage.CostUSD)
	}
	for _, g := range s.gaps() {
		if g.at != nil {
			g.message = text.Visible(g.at.String()) + ": " + g.message
		}
		h.Gaps = append(h.Gaps, line(g.message))
	}
	return h
}

func (r *report) htmlFinding(skill int, f *scanner.Finding, places []scanner.Location, files map[string]*htmlFile) htmlFinding {
	h := htmlFinding{
		ID: f.ID, Title: line(f.Title), Severity: string(f.Severity), Confidence: string(f.Confidence),
		Rule: line(f.Rule), Skill: line(r.skills[skill].Skill), SkillNumber: skill,
		Description: strings.TrimSpace(clean(f.Description)), Verification: strings.TrimSpace(clean(f.Verification)),
	}
	for _, path := range filesOf(places) {
		if file := files[path]; file != nil {
			h.FileNumbers = append(h.FileNumbers, file.Number)
		}
	}
	for i, l := range places {
		if i > 0 {
			h.Others = append(h.Others, text.Visible(l.String()))
		}
	}
	for _, l := range f.AdditionalLocations {
		if !slices.Contains(places, l) {
			h.Related = append(h.Related, text.Visible(l.String()))
		}
	}
	if l := f.Location; l != nil {
		h.Place = text.Visible(l.String())
		h.Code = r.excerpt(*l)
	}
	if fix := f.SuggestedFix; fix != nil {
		h.FixText = clean(fix.Description)
		for code := range strings.Lines(fix.Diff) {
			h.Fix = append(h.Fix, diffLine(strings.TrimSuffix(code, "\n")))
		}
	}
	return h
}

const (
	excerptAround = 3  // lines before and after those of a finding
	excerptLines  = 20 // of a finding, at most
)

// excerpt returns the code around a place; nothing if it is not at hand.
func (r *report) excerpt(at scanner.Location) []htmlLine {
	if r.Code == nil {
		return nil
	}
	data, err := fs.ReadFile(r.Code, at.Path)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	first, last := max(at.StartLine-excerptAround, 1), min(at.LastLine(), at.StartLine+excerptLines-1)
	code := text.Lines(data, first, last+excerptAround)
	if first+len(code) <= at.StartLine {
		return nil
	}
	var list []htmlLine
	for i, s := range code {
		l := htmlLine{Number: first + i, Text: text.Visible(strings.TrimSuffix(s, "\r"))}
		if at.StartLine <= l.Number && l.Number <= last {
			l.Class = "marked"
		}
		list = append(list, l)
	}
	return list
}

func diffLine(s string) htmlLine {
	l := htmlLine{Text: text.Visible(strings.TrimSuffix(s, "\r"))}
	switch {
	case strings.HasPrefix(s, "--- "), strings.HasPrefix(s, "+++ "), strings.HasPrefix(s, "@@"):
		l.Class = "place"
	case strings.HasPrefix(s, "+"):
		l.Class = "added"
	case strings.HasPrefix(s, "-"):
		l.Class = "removed"
	}
	return l
}
