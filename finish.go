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
	r.ended[s] = report
	for len(r.reports) < len(r.skills) {
		s := r.skills[len(r.reports)]
		report, ok := r.ended[s]
		if !ok {
			return
		}
		delete(r.ended, s)
		report = r.dropAlsoReported(report)
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
		Metadata:     make(map[string]any),
		SkippedFiles: s.skipped,
		Duration:     s.end.Sub(s.start),
		PatternsOnly: r.opts.PatternsOnly,
	}
	asked := r.asks(s.skill)
	if asked {
		report.Model = s.skill.Model
		if report.Model == "" {
			report.Model = r.opts.Model
		}
	}

	var (
		found      []located
		usage, aux Usage
		discarded  = make(map[string]int)
		redacted   int
		looked     tools.Stats
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
			for reason, n := range res.discarded {
				discarded[reason] += n
			}
			redacted += res.redacted
			looked = looked.Add(res.tools)
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
			if res.extractErr {
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
	if n := len(findings) - len(unique); n > 0 {
		discarded[discardDuplicate] += n
	}
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
	merged, groups := Merge(unique)
	report.Findings = merged
	if report.Findings == nil {
		report.Findings = []Finding{}
	}
	countByFile(report)
	report.Metadata["chunks"] = report.Chunks
	report.setGroups(groups)
	if len(discarded) > 0 {
		report.Metadata["discarded"] = discarded
	}
	if len(report.Failures) > 0 {
		report.Metadata["failures"] = report.Failures
	}
	if redacted > 0 {
		report.Metadata["redacted"] = redacted
	}
	if looked.Calls > 0 {
		report.Metadata["tools"] = map[string]int64{
			"calls": int64(looked.Calls), "problems": int64(looked.Problems), "bytes": looked.BytesReturned,
		}
	}
	report.Summary = summarize(report.Findings, 0, report)
	return report
}

func (r *SkillReport) addAuxiliary(name string, u Usage) {
	if r.AuxiliaryUsage == nil {
		r.AuxiliaryUsage = make(map[string]Usage)
	}
	r.AuxiliaryUsage[name] = r.AuxiliaryUsage[name].Add(u)
}

// setGroups sets the merge groups of a report: those whose primary is among its
// findings.
func (r *SkillReport) setGroups(groups []MergeGroup) {
	ids := make(map[string]bool, len(r.Findings))
	for i := range r.Findings {
		ids[r.Findings[i].ID] = true
	}
	var kept []MergeGroup
	for _, g := range groups {
		if ids[g.Primary] {
			kept = append(kept, g)
		}
	}
	delete(r.Metadata, "mergeGroups")
	if kept != nil {
		r.Metadata["mergeGroups"] = kept
	}
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

// countByFile sets the number of findings of each file.
func countByFile(report *SkillReport) {
	n := make(map[string]int)
	for i := range report.Findings {
		n[place(&report.Findings[i]).Path]++
	}
	for i := range report.Files {
		report.Files[i].Findings = n[report.Files[i].Path]
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

// dropAlsoReported removes from a report what a skill before it reports already:
// a finding that resembles one of theirs, at the same place. The other skill's
// report then names this one in metadata.alsoReportedBy. A finding is only
// dropped in favor of one that the policies show, and that fails the run if it
// does itself. Places count only where something was found: what a model calls
// related code, it may have been told by a file that wants another one's findings
// gone. It is called with doneMu held.
func (r *run) dropAlsoReported(report *SkillReport) *SkillReport {
	mine := report.Findings
	if len(mine) == 0 {
		return report
	}
	mineFound := foundPlaces(mine, report)
	drop := make([]bool, len(mine))
	dropped := false
	for k, other := range r.reports {
		policy := r.opts.Policies[other.Skill]
		shown := Select(other, policy).Shown
		if len(shown) == 0 {
			continue
		}
		m := newMatcher(slices.Concat(shown, mine))
		shownFound := foundPlaces(shown, other)
		at := placesOf(shownFound)
		var also map[string][]string
		for i := range mine {
			if drop[i] {
				continue
			}
			for _, j := range at.candidates(&mine[i]) {
				if !m.sigs[j].resembles(&m.sigs[len(shown)+i]) || !covers(&shown[j], &mine[i]) || !covers(&shownFound[j], &mineFound[i]) {
					continue
				}
				if FailsAt(mine[i:i+1], r.opts.Policies[report.Skill].FailOn) && !FailsAt(shown[j:j+1], policy.FailOn) {
					continue
				}
				if also == nil {
					also = alsoReportedBy(other)
				}
				if id := shown[j].ID; !slices.Contains(also[id], report.Skill) {
					also[id] = append(also[id], report.Skill)
				}
				drop[i], dropped = true, true
				break
			}
		}
		if also != nil {
			updated := *other
			updated.Metadata = make(map[string]any, len(other.Metadata)+1)
			for name, v := range other.Metadata {
				updated.Metadata[name] = v
			}
			updated.Metadata["alsoReportedBy"] = also
			r.reports[k] = &updated
		}
	}
	if !dropped {
		return report
	}
	var kept []Finding
	for i := range mine {
		if !drop[i] {
			kept = append(kept, mine[i])
		}
	}
	report.Findings = append([]Finding{}, kept...)
	groups, _ := report.Metadata["mergeGroups"].([]MergeGroup)
	report.setGroups(groups)
	countByFile(report)
	report.Summary = summarize(report.Findings, 0, report)
	return report
}

// foundPlaces returns findings of a report whose additional locations are those
// of the findings that were merged into them, and no others.
func foundPlaces(findings []Finding, report *SkillReport) []Finding {
	groups, _ := report.Metadata["mergeGroups"].([]MergeGroup)
	merged := make(map[string][]Location)
	for _, g := range groups {
		for _, m := range g.Merged {
			if m.Location != nil {
				merged[g.Primary] = append(merged[g.Primary], *m.Location)
			}
		}
	}
	found := slices.Clone(findings)
	for i := range found {
		found[i].AdditionalLocations = merged[found[i].ID]
	}
	return found
}

// alsoReportedBy returns a copy of the metadata of that name.
func alsoReportedBy(report *SkillReport) map[string][]string {
	also := make(map[string][]string)
	if old, ok := report.Metadata["alsoReportedBy"].(map[string][]string); ok {
		for id, skills := range old {
			also[id] = slices.Clone(skills)
		}
	}
	return also
}

// placeIndex finds findings by the places they touch: for each path their line
// ranges, by their first line.
type placeIndex map[string][]span

type span struct {
	first, last int
	reach       int // the largest last line from the first range to this one
	finding     int
}

func placesOf(findings []Finding) placeIndex {
	index := make(placeIndex)
	for i := range findings {
		for _, l := range append([]Location{place(&findings[i])}, findings[i].AdditionalLocations...) {
			index[l.Path] = append(index[l.Path], span{first: l.StartLine, last: l.LastLine(), finding: i})
		}
	}
	for _, spans := range index {
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
		reach := 0
		for i := range spans {
			reach = max(reach, spans[i].last)
			spans[i].reach = reach
		}
	}
	return index
}

// candidates returns the findings that touch the place of f, in order.
func (x placeIndex) candidates(f *Finding) []int {
	l := place(f)
	spans := x[l.Path]
	end, _ := slices.BinarySearchFunc(spans, l.LastLine()+1, func(s span, line int) int { return cmp.Compare(s.first, line) })
	var touching []int
	for i := end - 1; i >= 0 && spans[i].reach >= l.StartLine; i-- {
		if spans[i].last >= l.StartLine {
			touching = append(touching, spans[i].finding)
		}
	}
	slices.Sort(touching)
	return slices.Compact(touching)
}

// covers reports whether every place of g overlaps one of f.
func covers(f, g *Finding) bool {
	if (f.Location == nil) != (g.Location == nil) {
		return false
	}
	places := locationsOf(f)
	for _, l := range locationsOf(g) {
		if !slices.ContainsFunc(places, func(p Location) bool {
			return p.Path == l.Path && p.StartLine <= l.LastLine() && l.StartLine <= p.LastLine()
		}) {
			return false
		}
	}
	return true
}

func locationsOf(f *Finding) []Location {
	var all []Location
	if f.Location != nil {
		all = append(all, *f.Location)
	}
	return append(all, f.AdditionalLocations...)
}
