package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// What an untrusted result may hold.
const (
	maxUntrustedSkills   = 20
	maxUntrustedFindings = 200 // of a skill
	maxUntrustedFiles    = 3000
)

// Sanitize returns the part of a result that can be shown although anyone could
// have written it, marked as untrusted, and sentences about what was left out. The
// caller sets Number, Head and Files from the event and the host, never from the
// log. Findings outside the files of the pull request are left out, and so is
// everything beyond what a pull request may fill, and numbers that are impossible.
func Sanitize(r Result) (Result, []string) {
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
	r.Skipped = sanitizeSkipped(r.Skipped)
	if n := len(r.Skills) - maxUntrustedSkills; n > 0 {
		left = append(left, fmt.Sprintf("%s left out: a log may have %d.", plural(n, "skill"), maxUntrustedSkills))
	}
	seen := make(map[string]bool)
	var skills []SkillResult
	elsewhere, invalid, many := 0, 0, 0
	for _, s := range r.Skills[:min(len(r.Skills), maxUntrustedSkills)] {
		if s.Report == nil || seen[s.name()] || !validName(s.name()) {
			left = append(left, "A skill left out: its name is repeated or not valid.")
			continue
		}
		seen[s.name()] = true
		report := sanitizeReport(s.Report)
		for _, f := range s.Selection.Shown {
			switch {
			case f.Validate() != nil:
				invalid++
			case f.Location != nil && !paths[f.Location.Path]:
				elsewhere++
			case len(report.Findings) == maxUntrustedFindings:
				many++
			default:
				f.AdditionalLocations = slices.DeleteFunc(slices.Clone(f.AdditionalLocations), func(l scanner.Location) bool { return !paths[l.Path] })
				report.Findings = append(report.Findings, f)
			}
		}
		skills = append(skills, SkillResult{Report: report, Selection: scanner.Selection{
			Shown: report.Findings, Fails: s.Selection.Fails, Hidden: sanitizeHidden(s.Selection.Hidden),
		}})
	}
	r.Skills = skills
	note(elsewhere, "not in a file of this pull request")
	note(invalid, "not valid")
	note(many, fmt.Sprintf("a skill may have %d", maxUntrustedFindings))
	return r, left
}

// sanitizeReport returns the part of a report that can be shown, without findings.
func sanitizeReport(r *scanner.SkillReport) *scanner.SkillReport {
	v := &scanner.SkillReport{
		Skill: r.Skill, PatternsOnly: r.PatternsOnly, Duration: max(r.Duration, 0),
		SkippedFiles: sanitizeSkipped(r.SkippedFiles),
		FailedHunks:  min(max(r.FailedHunks, 0), 1e9), FailedExtractions: min(max(r.FailedExtractions, 0), 1e9),
		Files: r.Files[:min(len(r.Files), maxUntrustedFiles)],
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

func sanitizeSkipped(files []scanner.SkippedFile) []scanner.SkippedFile {
	known := []diff.Reason{
		diff.ReasonPattern, diff.ReasonBuiltin, diff.ReasonGenerated, diff.ReasonBinary, diff.ReasonDeleted,
		diff.ReasonNoContent, diff.ReasonSubmodule, diff.ReasonLink, diff.ReasonUnreadable, diff.ReasonTooLarge,
		diff.ReasonIgnored, diff.ReasonPaths,
	}
	var kept []scanner.SkippedFile
	for _, f := range files[:min(len(files), maxUntrustedFiles)] {
		if slices.Contains(known, diff.Reason(f.Reason)) && strings.TrimSpace(f.Filename) != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

func sanitizeHidden(h scanner.Hidden) scanner.Hidden {
	h.MinConfidence = scanner.SeverityCounts{} // not shown
	for _, c := range h.Reasons() {
		if min(c.High, c.Medium, c.Low) < 0 || max(c.High, c.Medium, c.Low) > 1e6 {
			return scanner.Hidden{}
		}
	}
	return h
}
