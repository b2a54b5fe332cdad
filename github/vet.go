package github

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// What an untrusted result may hold.
const (
	vetSkills   = 20
	vetFindings = 200 // of a skill
	vetFiles    = 3000
)

// Vet returns what of a result can be shown although anyone could have written
// it, marked as untrusted, and says in sentences what was left out. The caller
// sets Repo, Number, Head and Files from the event and the host, never from the
// log. Findings outside the files of the pull request are left out, and so is
// everything beyond what a pull request may fill; numbers that cannot be are
// dropped.
func Vet(r Result) (Result, []string) {
	var left []string
	note := func(n int, what string) {
		if n > 0 {
			left = append(left, fmt.Sprintf("%s left out: %s.", plural(n, "finding"), what))
		}
	}
	paths := make(map[string]bool, len(r.Files))
	for i := range r.Files {
		paths[r.Files[i].Path] = true
	}
	r.Untrusted, r.TrustHead, r.PolicyFiles, r.Stopped = true, false, nil, nil
	r.Duration = max(r.Duration, 0)
	r.Skipped = vetSkipped(r.Skipped)
	if n := len(r.Skills) - vetSkills; n > 0 {
		left = append(left, fmt.Sprintf("%s left out: a log may have %d.", plural(n, "skill"), vetSkills))
	}
	seen := make(map[string]bool)
	var skills []SkillResult
	elsewhere, invalid, many := 0, 0, 0
	for _, s := range r.Skills[:min(len(r.Skills), vetSkills)] {
		if s.Report == nil || seen[s.name()] || oneLine(s.name(), maxSkillName) != s.name() || s.name() == "" {
			left = append(left, "A skill left out: its name stands twice, or is none.")
			continue
		}
		seen[s.name()] = true
		report := vetReport(s.Report)
		for _, f := range s.Selection.Shown {
			switch {
			case f.Validate() != nil:
				invalid++
			case f.Location != nil && !paths[f.Location.Path]:
				elsewhere++
			case len(report.Findings) == vetFindings:
				many++
			default:
				f.AdditionalLocations = slices.DeleteFunc(slices.Clone(f.AdditionalLocations), func(l scanner.Location) bool { return !paths[l.Path] })
				report.Findings = append(report.Findings, f)
			}
		}
		skills = append(skills, SkillResult{Report: report, Selection: scanner.Selection{
			Shown: report.Findings, Fails: s.Selection.Fails, Hidden: vetHidden(s.Selection.Hidden),
		}})
	}
	r.Skills = skills
	note(elsewhere, "not in a file of this pull request")
	note(invalid, "not valid")
	note(many, fmt.Sprintf("a skill may have %d", vetFindings))
	return r, left
}

// vetReport returns what of a report can be shown, without its findings.
func vetReport(r *scanner.SkillReport) *scanner.SkillReport {
	v := &scanner.SkillReport{
		Skill: r.Skill, PatternsOnly: r.PatternsOnly, Duration: max(r.Duration, 0),
		SkippedFiles: vetSkipped(r.SkippedFiles),
		FailedHunks:  min(max(r.FailedHunks, 0), 1e9), FailedExtractions: min(max(r.FailedExtractions, 0), 1e9),
		Files: r.Files[:min(len(r.Files), vetFiles)],
	}
	if c := r.Chunks; min(c.Total, c.Analyzed, c.Cached, c.Failed, c.NotAnalyzed) >= 0 && max(c.Total, c.Analyzed, c.Cached, c.Failed, c.NotAnalyzed) < 1e9 {
		v.Chunks = c
	}
	if u := r.Usage; u != nil && min(u.InputTokens, u.OutputTokens) >= 0 && max(u.InputTokens, u.OutputTokens) < 1e12 &&
		(u.CostUSD == nil || *u.CostUSD >= 0 && *u.CostUSD < 1e6) {
		v.Usage = u
	}
	return v
}

func vetSkipped(files []scanner.SkippedFile) []scanner.SkippedFile {
	known := []diff.Reason{
		diff.ReasonPattern, diff.ReasonBuiltin, diff.ReasonGenerated, diff.ReasonBinary, diff.ReasonDeleted,
		diff.ReasonNoContent, diff.ReasonSubmodule, diff.ReasonLink, diff.ReasonUnreadable, diff.ReasonTooLarge,
		diff.ReasonIgnored, diff.ReasonPaths,
	}
	var kept []scanner.SkippedFile
	for _, f := range files[:min(len(files), vetFiles)] {
		if slices.Contains(known, diff.Reason(f.Reason)) && strings.TrimSpace(f.Filename) != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

func vetHidden(h scanner.Hidden) scanner.Hidden {
	for _, c := range []scanner.SeverityCounts{h.ReportOn, h.MinConfidence, h.MaxFindings} {
		if min(c.High, c.Medium, c.Low) < 0 || max(c.High, c.Medium, c.Low) > 1e6 {
			return scanner.Hidden{}
		}
	}
	return h
}
