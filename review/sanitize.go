package review

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/codescan-dev/scanner"
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
// everything beyond what a pull request may fill.
func Sanitize(r Result) (Result, []string) {
	var left []string
	paths := make(map[string]bool, len(r.Files))
	for i := range r.Files {
		paths[r.Files[i].Path] = true
	}
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
		report := &scanner.SkillReport{
			Skill: s.Report.Skill, PatternsOnly: s.Report.PatternsOnly, Duration: s.Report.Duration, Usage: s.Report.Usage,
			Chunks: s.Report.Chunks, FailedHunks: s.Report.FailedHunks, FailedExtractions: s.Report.FailedExtractions,
			Shard:        scanner.ShardReport{Shard: scanner.Shard{Count: s.Report.Shard.Count}, Missing: s.Report.Shard.Missing},
			SkippedFiles: firstOf(s.Report.SkippedFiles, maxUntrustedFiles),
			Files:        firstOf(s.Report.Files, maxUntrustedFiles),
		}
		isElsewhere := func(f scanner.ChunkFailure) bool { return !paths[f.Path] }
		report.Failures = slices.DeleteFunc(slices.Clone(firstOf(s.Report.Failures, maxUntrustedFiles)), isElsewhere)
		report.Left = slices.DeleteFunc(slices.Clone(firstOf(s.Report.Left, maxUntrustedFiles)), isElsewhere)
		for _, n := range firstOf(s.Report.Notable, maxUntrustedFiles) {
			if paths[n.Path] {
				report.Notable = append(report.Notable, n)
			}
		}
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
		for _, g := range s.Report.MergeGroups {
			g.Merged = slices.DeleteFunc(slices.Clone(g.Merged), func(m scanner.MergedFinding) bool {
				return m.Location == nil || m.Location.Validate() != nil || !paths[m.Location.Path]
			})
			if len(g.Merged) > 0 {
				report.MergeGroups = append(report.MergeGroups, g)
			}
		}
		skills = append(skills, SkillResult{Report: report, Selection: scanner.Selection{
			Shown: report.Findings, Fails: s.Selection.Fails, Hidden: s.Selection.Hidden,
		}})
	}
	r.Untrusted, r.TrustHead, r.PolicyFiles, r.Stopped = true, false, nil, nil
	r.Skills = skills
	add := func(n int, why string) {
		if n > 0 {
			left = append(left, plural(n, "finding")+" left out: "+why+".")
		}
	}
	add(elsewhere, "not in a file of this "+cmp.Or(r.Flavor.Change, "pull request"))
	add(invalid, "not valid")
	add(many, fmt.Sprintf("a skill may have %d", maxUntrustedFindings))
	return r, left
}

// firstOf returns at most the first n of a list.
func firstOf[T any](list []T, n int) []T { return list[:min(len(list), n)] }
