package review

import "slices"

// maxJobSummary is below 1 MiB, the lowest limit of a host.
const maxJobSummary = 900_000

// JobSummary renders a result as Markdown for the page of a workflow's job. Every
// finding is there with its details, as far as they fit.
func JobSummary(r Result) (string, error) {
	v, err := newView(&r)
	if err != nil {
		return "", err
	}
	parts := []string{"## Scanner: " + v.headline(v.Skills), v.notices(v.Skills)}
	share := maxJobSummary / max(1, len(v.Skills)) / 2
	for i := range v.Skills {
		s := &v.Skills[i]
		parts = append(parts, "### "+boldTitle(s.name()), incompleteNotice(s), skillLine(s, ""),
			v.withoutComments(s, share), v.failuresText(s), skippedText(s.Report.SkippedFiles))
	}
	parts = append(parts, v.footer())
	return fit(parts, maxJobSummary) + "\n", nil
}

// maxDone bounds the reviews that a summary comment lists as done.
const maxDone = 8

// summaryMarker returns the marker of a summary comment that replaces one with the
// marker before. The review is listed as done when nothing of it is missing and,
// with whole, all of it was posted. Reviews of the same head by other skills stay
// listed; those by the same skills with another policy are no longer what the host
// shows.
func (v *view) summaryMarker(before summaryMarker, whole bool) summaryMarker {
	m := summaryMarker{Head: v.Head, Untrusted: v.Untrusted}
	c := counts(v.Skills)
	d := done{Policy: hash(16, v.Policy), High: c.High, Medium: c.Medium, Low: c.Low}
	for i := range v.Skills {
		s := &v.Skills[i]
		d.Skills = append(d.Skills, hash(8, s.name()))
		d.Fails = d.Fails || s.Selection.Fails && !v.Untrusted
	}
	if whole && !v.incomplete() {
		m.Done = append(m.Done, d)
	}
	if before.Head != v.Head || before.Untrusted != v.Untrusted {
		return m
	}
	for _, b := range before.Done {
		// An entry without skills could be about any.
		other := len(b.Skills) > 0 && !slices.ContainsFunc(b.Skills, func(s string) bool { return slices.Contains(d.Skills, s) })
		if other && b.Policy != d.Policy && len(m.Done) < maxDone {
			m.Done = append(m.Done, b)
		}
	}
	return m
}
