package scanner

import (
	"fmt"
	"iter"
	"maps"
)

// Policy holds the thresholds of one skill, after precedence was resolved.
type Policy struct {
	// ReportOn is the least severity that is reported; absent means all.
	ReportOn Threshold `json:"reportOn,omitempty"`
	// MinConfidence is the least confidence that counts; absent means all.
	MinConfidence Threshold `json:"minConfidence,omitempty"`
	// MaxFindings limits the findings reported, after sorting. 0 means no limit.
	MaxFindings int `json:"maxFindings,omitempty"`
	// FailOn is the least severity that fails a run; absent and off mean that
	// findings never do.
	FailOn Threshold `json:"failOn,omitempty"`
}

// Validate returns an error for a threshold that does not exist.
func (p Policy) Validate() error {
	for _, t := range []struct {
		key   string
		value Threshold
	}{{"ReportOn", p.ReportOn}, {"MinConfidence", p.MinConfidence}, {"FailOn", p.FailOn}} {
		switch t.value {
		case ThresholdNone, ThresholdHigh, ThresholdMedium, ThresholdLow, ThresholdOff:
		default:
			return fmt.Errorf("%s is %q; want high, medium, low, off or nothing", t.key, t.value)
		}
	}
	return nil
}

// Selection is what [Select] makes of a report.
type Selection struct {
	// Shown are the findings to report, in order.
	Shown []Finding
	// Policy is what was applied.
	Policy Policy
	// Summary is the report's summary with the numbers of what is shown.
	Summary string
	// Hidden counts what the policy held back.
	Hidden Hidden
	// Fails reports whether a finding that passed the confidence filter, shown
	// or not, reaches the policy's FailOn. The findings that were given up as
	// duplicates of another skill's are among them.
	Fails bool
	// FailsHidden reports whether one of the findings that make the run fail
	// is not shown.
	FailsHidden bool
}

// Hidden counts findings that were held back, by the setting that did it.
type Hidden struct {
	ReportOn      SeverityCounts `json:"reportOn,omitzero"`
	MinConfidence SeverityCounts `json:"minConfidence,omitzero"`
	MaxFindings   SeverityCounts `json:"maxFindings,omitzero"`
	// Rules counts those of Total that rules found, by [Finding].Rule.
	Rules map[string]int `json:"rules,omitempty"`
}

// Add returns the sums of h and g.
func (h Hidden) Add(g Hidden) Hidden {
	rules := maps.Clone(h.Rules)
	for rule, n := range g.Rules {
		if rules == nil {
			rules = make(map[string]int)
		}
		rules[rule] += n
	}
	return Hidden{
		ReportOn:      h.ReportOn.Add(g.ReportOn),
		MinConfidence: h.MinConfidence.Add(g.MinConfidence),
		MaxFindings:   h.MaxFindings.Add(g.MaxFindings),
		Rules:         rules,
	}
}

// Reasons yields the counts that are part of Total, by the name of the setting.
// Findings below minConfidence are not among them: they do not count as findings.
func (h Hidden) Reasons() iter.Seq2[string, SeverityCounts] {
	return func(yield func(string, SeverityCounts) bool) {
		_ = yield("reportOn", h.ReportOn) && yield("maxFindings", h.MaxFindings)
	}
}

// Total returns the number of findings that were held back, for any of Reasons.
func (h Hidden) Total() int {
	n := 0
	for _, c := range h.Reasons() {
		n += c.Total()
	}
	return n
}

// failing reports whether one of the findings reaches a failOn threshold. Those below
// minConfidence do not count.
func (h Hidden) failing(failOn Threshold) bool {
	for _, c := range h.Reasons() {
		for severity, n := range map[Severity]int{SeverityHigh: c.High, SeverityMedium: c.Medium, SeverityLow: c.Low} {
			if n > 0 && FailsAt([]Finding{{Severity: severity}}, failOn) {
				return true
			}
		}
	}
	return false
}

// SeverityCounts counts findings by severity.
type SeverityCounts struct {
	High   int `json:"high"`
	Medium int `json:"medium"`
	Low    int `json:"low"`
}

// Total returns the sum of the three counts.
func (c SeverityCounts) Total() int { return c.High + c.Medium + c.Low }

// Add returns the sums of c and d.
func (c SeverityCounts) Add(d SeverityCounts) SeverityCounts {
	return SeverityCounts{High: c.High + d.High, Medium: c.Medium + d.Medium, Low: c.Low + d.Low}
}

// without returns the counts of findings that are in c and not in d, a part of c.
func (c SeverityCounts) without(d SeverityCounts) SeverityCounts {
	return SeverityCounts{High: c.High - d.High, Medium: c.Medium - d.Medium, Low: c.Low - d.Low}
}

// CountSeverities counts findings by severity.
func CountSeverities(findings []Finding) SeverityCounts {
	var c SeverityCounts
	for i := range findings {
		switch findings[i].Severity {
		case SeverityHigh:
			c.High++
		case SeverityMedium:
			c.Medium++
		case SeverityLow:
			c.Low++
		}
	}
	return c
}

// countRules counts by rule the findings that are in all and not in shown, a part of
// all. It returns nil if there are none.
func countRules(all, shown []Finding) map[string]int {
	counts := make(map[string]int)
	for _, f := range all {
		counts[f.Rule]++
	}
	for _, f := range shown {
		counts[f.Rule]--
	}
	maps.DeleteFunc(counts, func(rule string, n int) bool { return rule == "" || n == 0 })
	if len(counts) == 0 {
		return nil
	}
	return counts
}

// FilterSeverity returns the findings that a reportOn threshold lets pass: all
// when it is absent, none when it is off, otherwise those at least as severe.
// It is rule 1 of the processing rules.
func FilterSeverity(findings []Finding, reportOn Threshold) []Finding {
	return keep(findings, func(f *Finding) bool {
		return reportOn == ThresholdNone || reportOn != ThresholdOff && f.Severity.Rank() <= rank(string(reportOn))
	})
}

// FilterConfidence returns the findings that a minConfidence threshold lets
// pass: all when it is absent or off, otherwise those at least as confident and
// those without a confidence. It is rule 2 of the processing rules.
func FilterConfidence(findings []Finding, minConfidence Threshold) []Finding {
	return keep(findings, func(f *Finding) bool {
		return minConfidence == ThresholdNone || minConfidence == ThresholdOff || f.Confidence == "" ||
			f.Confidence.Rank() <= rank(string(minConfidence))
	})
}

// Filter applies [FilterSeverity] first and [FilterConfidence] second. It is rule 3
// of the processing rules.
func Filter(findings []Finding, reportOn, minConfidence Threshold) []Finding {
	return FilterConfidence(FilterSeverity(findings, reportOn), minConfidence)
}

// Limit returns the first n findings; all when n is 0.
func Limit(findings []Finding, n int) []Finding {
	if n <= 0 || n > len(findings) {
		n = len(findings)
	}
	return append([]Finding(nil), findings[:n]...)
}

// FilterHunk returns the findings of a chunk that belong to its range: those
// whose start line lies within [start, end], wherever they end, and those
// without a location. It is rule 8 of the processing rules.
func FilterHunk(findings []Finding, start, end int) []Finding {
	return keep(findings, func(f *Finding) bool {
		return f.Location == nil || start <= f.Location.StartLine && f.Location.StartLine <= end
	})
}

// FailsAt reports whether a finding is at least as severe as failOn. Absent and
// off never fail.
func FailsAt(findings []Finding, failOn Threshold) bool { return len(failing(findings, failOn)) > 0 }

func failing(findings []Finding, failOn Threshold) []Finding {
	if failOn == ThresholdNone {
		return nil
	}
	return FilterSeverity(findings, failOn)
}

// Select applies a policy to the findings of a report: severity filter,
// confidence filter, limit, and failOn over what passed the confidence filter.
// The report is not changed. A nil report selects nothing. That of a shard is shown
// whole, since its policy applies to the merged report. The only error is that
// of a policy with an unknown threshold; see [Policy.Validate].
func Select(report *SkillReport, p Policy) (Selection, error) {
	if err := p.Validate(); err != nil {
		return Selection{}, err
	}
	return p.apply(report), nil
}

// apply is [Select] with a valid policy.
func (p Policy) apply(report *SkillReport) Selection {
	if report == nil {
		return Selection{}
	}
	given := p
	if report.Shard.Index > 0 {
		p = Policy{}
	}
	confident := FilterConfidence(report.Findings, p.MinConfidence)
	passed := Filter(report.Findings, p.ReportOn, p.MinConfidence)
	shown := Limit(passed, p.MaxFindings)
	var duplicates []Finding
	for _, d := range report.Duplicates {
		duplicates = append(duplicates, Finding{Severity: d.Severity, Confidence: d.Confidence})
	}

	count := CountSeverities
	sel := Selection{
		Shown:  shown,
		Policy: given,
		Hidden: report.Hidden.Add(Hidden{
			MinConfidence: count(report.Findings).without(count(confident)),
			ReportOn:      count(confident).without(count(passed)),
			MaxFindings:   count(passed).without(count(shown)),
			Rules:         countRules(confident, shown),
		}),
	}
	earlier := report.Hidden.failing(p.FailOn)
	sel.FailsHidden = earlier || len(failing(confident, p.FailOn)) > len(failing(shown, p.FailOn))
	sel.Fails = earlier || FailsAt(confident, p.FailOn) || FailsAt(FilterConfidence(duplicates, p.MinConfidence), p.FailOn)
	sel.Summary = summarize(shown, sel.Hidden.Total(), report)
	return sel
}

func keep(findings []Finding, pass func(*Finding) bool) []Finding {
	kept := make([]Finding, 0, len(findings))
	for i := range findings {
		if pass(&findings[i]) {
			kept = append(kept, findings[i])
		}
	}
	return kept
}
