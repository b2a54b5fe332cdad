package scanner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
		if report.Shard.Index == 0 {
			dropDuplicates(report, r.reports, r.opts.Policies)
			report.conclude()
		}
		r.reports = append(r.reports, report)
		r.emit(EventSkill{Report: report})
	}
}

// finish makes the report of a skill from the results of its chunks: ids, then
// de-duplication, which needs them, then what is not to be reported is set apart, then
// comes a second opinion on the others if it is wanted, then sorting. What other skills have as well is dropped when it is the report's turn; then
// comes merging, which must see each finding once and as it is going to stay. The report
// of a shard ends before that.
func (r *run) finish(ctx context.Context, s *skillRun) *SkillReport {
	report, found, discards := r.newReport(s)
	findings, texts := make([]Finding, len(found)), make([]PlaceText, len(found))
	for i := range found {
		findings[i], texts[i] = found[i].Finding, found[i].PlaceText
	}
	findings, places := AssignIDs(s.skill.Name, findings, texts)
	origins := make(map[string]origin) // by id
	for i, f := range findings {
		if _, known := origins[f.ID]; known {
			discards.add(Discard{Reason: discardDuplicate, Detail: "it has the id of another finding", Raw: f.Title + "\n\n" + f.Description})
		} else {
			origins[f.ID] = found[i].origin
		}
	}
	report.Discarded, report.Discards = discards.counts, discards.first

	findings = r.suppress(report, Dedupe(findings), places)
	if r.usesModel(s.skill) && (r.opts.Verify || s.skill.Verify) {
		isExempt := func(f Finding) bool { return origins[f.ID] == unsent || r.isSecretRule(f.Rule) }
		local := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return !isExempt(f) })
		findings = slices.DeleteFunc(findings, isExempt)
		var spent Usage
		findings, report.Verification, spent = r.verify(ctx, s, findings, origins)
		report.addAuxiliary("verification", spent)
		findings = append(findings, local...)
	}
	if shard := r.opts.Shard; shard.Count > 0 {
		report.Shard = ShardReport{Shard: shard, Policy: r.opts.Policies[s.skill.Name], PatternsOnly: r.opts.PatternsOnly}
	}
	report.PlaceHashes = make(map[string]PlaceHash, len(findings)+len(report.Suppressed))
	for _, f := range slices.Concat(findings, report.suppressed()) {
		report.PlaceHashes[f.ID] = places[f.ID]
	}
	report.setFindings(Sort(findings), nil)
	return report
}

// isSecretRule reports whether a rule with the name is about secrets or hidden
// characters: what it matches is a fact, and is not sent as it is.
func (r *run) isSecretRule(name string) bool {
	p := r.rule(name)
	return p != nil && (p.Scope == ScopeAny || p.Scope == ScopeCredentials)
}

// conclude merges the findings of a report, after those were dropped that another skill
// has as well: a finding that was merged may have places that no other skill knows.
func (r *SkillReport) conclude() { r.setFindings(Merge(r.Findings)) }

// newReport returns the report of a skill with all that is known of its chunks,
// and what was found and discarded in them.
func (r *run) newReport(s *skillRun) (report *SkillReport, found []located, discards discardList) {
	report = &SkillReport{
		Skill:        s.skill.Name,
		SkippedFiles: s.skipped,
		Notable:      slices.Concat(r.notable, s.unread),
		Duration:     s.end.Sub(s.start),
		PatternsOnly: r.opts.PatternsOnly,
	}
	if r.usesModel(s.skill) {
		report.Provider = r.identity(s.skill)
		report.Model = report.Provider.Model
		report.Usage = new(Usage)
	}
	n := len(s.found)
	for _, results := range s.results {
		for k := range results {
			n += len(results[k].found)
		}
	}
	found = make([]located, 0, n)
	at := make(map[string]int) // a series of patches may name a file several times
	for i, p := range s.plans {
		n, known := at[p.File.Path]
		if !known {
			n = len(report.Files)
			at[p.File.Path] = n
			report.Files = append(report.Files, FileReport{Path: p.File.Path, Status: p.File.Status, Kind: p.File.Kind})
		}
		file := &report.Files[n]
		for k := range s.results[i] {
			res := &s.results[i][k]
			file.Chunks.count(res.outcome)
			report.Chunks.count(res.outcome)
			file.Duration += res.elapsed
			file.Usage = file.Usage.Add(res.usage)
			if report.Usage != nil {
				*report.Usage = report.Usage.Add(res.usage)
			}
			report.addAuxiliary("extraction", res.extraction)
			report.Redacted += res.redacted
			report.Tools.add(res.tools)
			report.Model = cmp.Or(report.Model, res.model)
			report.Provider.Model = report.Model
			discards.addAll(&res.discards)
			for _, f := range res.found {
				f.origin = origin{i, k}
				found = append(found, f)
			}
			c := &p.Chunks[k]
			switch {
			case res.outcome == OutcomeNotAnalyzed && k > 0 && s.results[i][k-1].outcome == OutcomeNotAnalyzed:
				report.Left[len(report.Left)-1].EndLine = c.EndLine
				continue
			case res.outcome == OutcomeNotAnalyzed:
				report.Left = append(report.Left, ChunkFailure{
					Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine, Reason: "NotAnalyzed", Message: res.err.Error(),
				})
				continue
			case res.outcome != OutcomeFailed:
				continue
			case errors.Is(res.err, ErrExtraction):
				report.FailedExtractions++
			default:
				report.FailedHunks++
			}
			report.Failures = append(report.Failures, ChunkFailure{
				Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine,
				Reason: errorName(res.err), Message: res.err.Error(),
			})
		}
	}
	return report, append(found, s.found...), discards
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

// addAuxiliary adds to the usage of helper requests of a name.
func (r *SkillReport) addAuxiliary(name string, u Usage) {
	if u.IsZero() {
		return
	}
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

// summarize returns the result of a report in a sentence.
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
	if n := len(report.Suppressed); n > 0 {
		fmt.Fprintf(&b, ", %d suppressed", n)
	}
	if c := report.Chunks; c.Failed+c.NotAnalyzed > 0 {
		fmt.Fprintf(&b, "; incomplete: of %d chunks %d failed and %d were not analyzed", c.Total, c.Failed, c.NotAnalyzed)
	}
	if missing := report.Shard.Incomplete(); missing != "" {
		b.WriteString("; incomplete: " + missing)
	}
	if report.PatternsOnly {
		b.WriteString("; patterns only, no model was used")
	}
	return b.String()
}
