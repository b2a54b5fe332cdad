package github

import "slices"

// Rendering is everything that a result asks for.
type Rendering struct {
	// Comments are the inline comments, in the order of the findings.
	Comments []Comment
	// Summary is the summary comment. Links to check runs are added when these
	// exist.
	Summary string
	// Checks has one check run for each skill.
	Checks []Check
	// RequestChanges is set when the review asks for changes.
	RequestChanges bool
}

// Render makes everything that a result asks for. It is a pure function.
func Render(r Result) (Rendering, error) {
	if err := r.validate(); err != nil {
		return Rendering{}, err
	}
	items := layout(&r)
	out := Rendering{
		Comments: comments(&r, items),
		Summary:  summary(&r, items, nil, nil, summaryMarkerOf(&r, nil, true)),
		Checks:   checks(&r),
	}
	for i := range r.Skills {
		out.RequestChanges = out.RequestChanges || r.blocks(&r.Skills[i])
	}
	return out, nil
}

// summaryMarkerOf returns the marker of a summary comment. It says that the review
// is done when nothing of it is missing, and, with whole, all of it was posted.
// What other skills did for the same head before is kept. What the same skills did
// with another policy is not what the host shows any more.
func summaryMarkerOf(r *Result, before *summaryMarker, whole bool) summaryMarker {
	m := summaryMarker{Head: r.Head, Untrusted: r.Untrusted}
	c := r.counts()
	d := done{Policy: hash(16, r.Policy), Fails: r.fails() && !r.Untrusted, High: c.High, Medium: c.Medium, Low: c.Low}
	for i := range r.Skills {
		d.Skills = append(d.Skills, hash(8, r.Skills[i].name()))
	}
	if whole && !r.incomplete() {
		m.Done = append(m.Done, d)
	}
	if before != nil && before.Head == r.Head && before.Untrusted == r.Untrusted {
		for _, b := range before.Done {
			// An entry without skills could be about any.
			other := len(b.Skills) > 0 && !slices.ContainsFunc(b.Skills, func(s string) bool { return slices.Contains(d.Skills, s) })
			if other && b.Policy != d.Policy && len(m.Done) < maxDone {
				m.Done = append(m.Done, b)
			}
		}
	}
	return m
}

const maxDone = 8
