package scanner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/internal/tools"
	"github.com/codescan-dev/scanner/provider"
)

// finished makes the report of a skill whose chunks are all done, and hands out
// those whose turn it is.
func (r *run) finished(ctx context.Context, s *skillRun) {
	report := r.finish(ctx, s)
	r.doneMu.Lock()
	defer r.doneMu.Unlock()
	s.report = report
	for len(r.reports) < len(r.skills) {
		report := r.skills[len(r.reports)].report
		if report == nil {
			return
		}
		dropDuplicates(report, r.reports, r.opts.Policies)
		r.reports = append(r.reports, report)
		r.emit(EventSkill{Report: report})
	}
}

// finish makes the report of a skill from the results of its chunks: ids, then
// de-duplication, which needs them, then a second opinion if it is wanted, then
// merging, which must see each finding once and as it is going to stay, then
// sorting.
func (r *run) finish(ctx context.Context, s *skillRun) *SkillReport {
	report := &SkillReport{
		Skill:        s.skill.Name,
		SkippedFiles: s.skipped,
		Duration:     s.end.Sub(s.start),
		PatternsOnly: r.opts.PatternsOnly,
	}
	asked := r.usesModel(s.skill)
	if asked {
		report.Model = s.skill.Model
		if report.Model == "" {
			report.Model = r.opts.Model
		}
	}

	var (
		found      []located
		usage, aux Usage
		discards   discardList
		from       []origin // of found
	)
	at := make(map[string]int) // a series of patches may name a file several times
	for i, p := range s.plans {
		n, known := at[p.File.Path]
		if !known {
			n = len(report.Files)
			at[p.File.Path] = n
			report.Files = append(report.Files, FileReport{Path: p.File.Path, Status: p.File.Status})
		}
		file := &report.Files[n]
		for k := range s.results[i] {
			res := &s.results[i][k]
			file.Chunks.count(res.outcome)
			file.Duration += res.elapsed
			file.Usage = file.Usage.Add(res.usage)
			usage, aux = usage.Add(res.usage), aux.Add(res.extraction)
			discards.addAll(&res.discards)
			report.Redacted += res.redacted
			report.Tools.add(res.tools)
			found = append(found, res.found...)
			for range res.found {
				from = append(from, origin{i, k})
			}
			if report.Model == "" {
				report.Model = res.model
			}
			if res.outcome != OutcomeFailed {
				continue
			}
			if errors.Is(res.err, ErrExtraction) {
				report.FailedExtractions++
			} else {
				report.FailedHunks++
			}
			c := &p.Chunks[k]
			report.Failures = append(report.Failures, ChunkFailure{
				Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine,
				Reason: errorName(res.err), Message: res.err.Error(),
			})
		}
	}
	for _, f := range report.Files {
		report.Chunks = report.Chunks.Add(f.Chunks)
	}

	findings := assignIDs(s.skill.Name, found)
	unique := Dedupe(findings)
	seen := make(map[string]bool)
	for _, f := range findings {
		if seen[f.ID] {
			discards.add(Discard{Reason: discardDuplicate, Detail: "it has the id of another finding", Raw: f.Title + "\n\n" + f.Description})
		}
		seen[f.ID] = true
	}
	report.Discarded, report.Discards = discards.counts, discards.first
	if asked {
		report.Usage = &usage
	}
	if !aux.IsZero() {
		report.addAuxiliary("extraction", aux)
	}
	if asked && (r.opts.Verify || s.skill.Verify) {
		origins := make(map[string]origin)
		for i := len(findings) - 1; i >= 0; i-- {
			origins[findings[i].ID] = from[i]
		}
		unique = r.verify(ctx, s, report, unique, origins)
	}
	report.setFindings(Merge(unique))
	return report
}

// setFindings sets the findings of a report, those of groups that have their
// primary among them, and what is counted of them.
func (r *SkillReport) setFindings(findings []Finding, groups []MergeGroup) {
	r.Findings = append([]Finding{}, findings...)
	ids := make(map[string]bool, len(findings))
	byPath := make(map[string]int)
	for i := range findings {
		ids[findings[i].ID] = true
		byPath[place(&findings[i]).Path]++
	}
	r.MergeGroups = nil
	for _, g := range groups {
		if ids[g.Primary] {
			r.MergeGroups = append(r.MergeGroups, g)
		}
	}
	for i := range r.Files {
		r.Files[i].Findings = byPath[r.Files[i].Path]
	}
	r.Summary = summarize(r.Findings, 0, r)
}

func (u *ToolUse) add(s tools.Stats) {
	u.Calls += int64(s.Calls)
	u.Problems += int64(s.Problems)
	u.Bytes += s.BytesReturned
}

func (r *SkillReport) addAuxiliary(name string, u Usage) {
	if r.AuxiliaryUsage == nil {
		r.AuxiliaryUsage = make(map[string]Usage)
	}
	r.AuxiliaryUsage[name] = r.AuxiliaryUsage[name].Add(u)
}

// count adds a chunk to the ledger.
func (c *ChunkCounts) count(o Outcome) {
	c.Total++
	switch o {
	case OutcomeAnalyzed:
		c.Analyzed++
	case OutcomeCached:
		c.Cached++
	case OutcomeNotAnalyzed:
		c.NotAnalyzed++
	default:
		c.Failed++
	}
}

// errorName returns the name that reports show for an error.
func errorName(err error) string {
	switch {
	case errors.Is(err, ErrExtraction):
		return ErrExtraction.Error()
	case provider.KindOf(err) != provider.KindUnknown:
		return provider.KindOf(err).String()
	default:
		return "Error"
	}
}

// summarize says the result of a report in a sentence.
func summarize(findings []Finding, hidden int, report *SkillReport) string {
	var b strings.Builder
	if len(findings) == 0 {
		b.WriteString("no findings")
	} else {
		c := CountSeverities(findings)
		fmt.Fprintf(&b, "%d findings (%d high, %d medium, %d low)", len(findings), c.High, c.Medium, c.Low)
	}
	if hidden > 0 {
		fmt.Fprintf(&b, ", %d hidden", hidden)
	}
	if c := report.Chunks; c.Failed+c.NotAnalyzed > 0 {
		fmt.Fprintf(&b, "; incomplete: of %d chunks %d failed and %d were not analyzed", c.Total, c.Failed, c.NotAnalyzed)
	}
	if report.PatternsOnly {
		b.WriteString("; patterns only, the model was not asked")
	}
	return b.String()
}
