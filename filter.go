package scanner

import "slices"

// Policy holds the thresholds of one skill, after precedence was resolved.
type Policy struct {
	// ReportOn is the least severity that is reported; absent means all.
	ReportOn Threshold
	// MinConfidence is the least confidence that counts; absent means all.
	MinConfidence Threshold
	// MaxFindings limits the findings reported, after sorting. 0 means no limit.
	MaxFindings int
	// FailOn is the least severity that fails a run; absent and off mean that
	// findings never do.
	FailOn Threshold
}

// Selection is what [Select] makes of a report.
type Selection struct {
	// Shown are the findings to report, in order.
	Shown []Finding
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

// Hidden counts findings that were held back, by the rule that did it. It is
// written to reports as metadata.hidden.
type Hidden struct {
	ReportOn      SeverityCounts `json:"reportOn,omitzero"`
	MinConfidence SeverityCounts `json:"minConfidence,omitzero"`
	MaxFindings   SeverityCounts `json:"maxFindings,omitzero"`
}

// Total returns the number of findings held back by reportOn and maxFindings.
// Those below minConfidence are not among them: they do not count as findings.
func (h Hidden) Total() int { return h.ReportOn.Total() + h.MaxFindings.Total() }

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

// FilterSeverity returns the findings that a reportOn threshold lets pass: all
// when it is absent, none when it is off, otherwise those at least as severe.
// It is rule 1 of the processing rules.
func FilterSeverity(findings []Finding, reportOn Threshold) []Finding {
	return keep(findings, func(f *Finding) bool { return passesSeverity(f, reportOn) })
}

// FilterConfidence returns the findings that a minConfidence threshold lets
// pass: all when it is absent or off, otherwise those at least as confident and
// those without a confidence. It is rule 2 of the processing rules.
func FilterConfidence(findings []Finding, minConfidence Threshold) []Finding {
	return keep(findings, func(f *Finding) bool { return passesConfidence(f, minConfidence) })
}

// Filter applies [FilterSeverity] first and [FilterConfidence] second, as rule 3
// of the processing rules has it.
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
	return keep(findings, func(f *Finding) bool { return inHunk(f, start, end) })
}

// FailsAt reports whether a finding is at least as severe as failOn. Absent and
// off never fail.
func FailsAt(findings []Finding, failOn Threshold) bool {
	if failOn == ThresholdNone || failOn == ThresholdOff {
		return false
	}
	for i := range findings {
		if passesSeverity(&findings[i], failOn) {
			return true
		}
	}
	return false
}

// Select applies a policy to the findings of a report: severity filter,
// confidence filter, limit, and failOn over what passed the confidence filter.
// The report is not changed. A nil report selects nothing.
func Select(report *SkillReport, p Policy) Selection {
	var sel Selection
	if report == nil {
		return sel
	}
	findings := report.Findings
	counted := slices.Clone(findings)
	for _, d := range report.Duplicates {
		counted = append(counted, d.asFinding())
	}
	severe := FilterSeverity(findings, p.ReportOn)
	passed := FilterConfidence(severe, p.MinConfidence)
	sel.Shown = Limit(passed, p.MaxFindings)
	sel.Fails = FailsAt(FilterConfidence(counted, p.MinConfidence), p.FailOn)
	sel.FailsHidden = FailsAt(passed[len(sel.Shown):], p.FailOn)
	for i := range findings {
		f := &findings[i]
		switch {
		case !passesConfidence(f, p.MinConfidence):
			sel.Hidden.MinConfidence = sel.Hidden.MinConfidence.Add(CountSeverities(findings[i : i+1]))
		case !passesSeverity(f, p.ReportOn):
			sel.Hidden.ReportOn = sel.Hidden.ReportOn.Add(CountSeverities(findings[i : i+1]))
			sel.FailsHidden = sel.FailsHidden || FailsAt(findings[i:i+1], p.FailOn)
		}
	}
	sel.Hidden.MaxFindings = CountSeverities(passed[len(sel.Shown):])
	sel.Summary = summarize(sel.Shown, sel.Hidden.Total(), report)
	return sel
}

func passesSeverity(f *Finding, t Threshold) bool {
	switch t {
	case ThresholdNone:
		return true
	case ThresholdOff:
		return false
	default:
		return f.Severity.Rank() <= rank(string(t))
	}
}

func passesConfidence(f *Finding, t Threshold) bool {
	switch {
	case t == ThresholdNone || t == ThresholdOff || f.Confidence == "":
		return true
	default:
		return f.Confidence.Rank() <= rank(string(t))
	}
}

func inHunk(f *Finding, start, end int) bool {
	return f.Location == nil || f.Location.StartLine >= start && f.Location.StartLine <= end
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
