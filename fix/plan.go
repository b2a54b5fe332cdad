package fix

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// Input is what a plan is made from.
type Input struct {
	// Suggestions are the fixes in the order of their priority, as [Collect]
	// returns them.
	Suggestions []Suggestion
	// Files are the paths of the files that the scan looked at. No other file
	// is changed.
	Files []string
	// Read returns the contents of one of Files, as they were analyzed.
	// Required. It is asked at most once for each. An error that wraps [ErrStale] says that the
	// file changed since it was analyzed.
	Read func(path string) ([]byte, error)
	// Redacted reports whether a text holds a placeholder that was put in the
	// place of something secret. Nil means that there are none.
	Redacted func(text string) bool
}

// ErrStale is wrapped by errors that say that a file changed since it was
// analyzed.
var ErrStale = errors.New("the file changed since it was analyzed")

// Plan says for each suggested fix what becomes of it, and for each file what
// it is before and after. It is a value: methods that change something return a
// new plan. It is safe for concurrent use.
type Plan struct {
	// Outcomes stand in the order of the suggestions.
	Outcomes []Outcome
	// Changes are the files that change, sorted by path.
	Changes []Change

	fixes    []located
	contents map[string]*content
	excluded map[int]refusal
}

// Change is a file that a plan changes.
type Change struct {
	Path          string
	Before, After []byte
	// Fixes are the indexes of the outcomes that change the file, in ascending
	// order.
	Fixes []int

	edits []edit // against Before, sorted
}

// located is a suggestion with the edits that it comes down to.
type located struct {
	suggestion Suggestion
	files      []string
	edits      []edit // sorted by path and line
	refused    *refusal
}

// NewPlan plans the suggested fixes. All of them are understood as changes of
// the contents that were analyzed, so one never moves the place of another.
// Then they are taken in order: a fix is part of the plan as a whole or not at
// all, and one that touches what an earlier one changes is refused.
func NewPlan(in Input) *Plan {
	p := &Plan{contents: make(map[string]*content), excluded: make(map[int]refusal)}
	l := locator{Input: in, allowed: make(map[string]bool, len(in.Files)), plan: p, errs: make(map[string]*refusal)}
	for _, f := range in.Files {
		l.allowed[f] = true
	}
	for _, s := range in.Suggestions {
		p.fixes = append(p.fixes, l.locate(s))
	}
	p.resolve()
	return p
}

// without returns the plan without the fixes of some outcomes, by their index,
// which are refused for the given reasons; so are those that make the same
// changes. Fixes that overlapped with them may take their place.
func (p *Plan) without(excluded map[int]refusal) *Plan {
	q := &Plan{fixes: p.fixes, contents: p.contents, excluded: maps.Clone(p.excluded)}
	maps.Copy(q.excluded, excluded)
	q.resolve()
	return q
}

// withoutFiles returns the plan without the fixes that touch certain files.
func (p *Plan) withoutFiles(bad map[string]refusal) *Plan {
	excluded := make(map[int]refusal)
	for i := range p.Outcomes {
		if p.Outcomes[i].Status != StatusPlanned {
			continue
		}
		for _, f := range p.Outcomes[i].Files {
			if r, ok := bad[f]; ok {
				excluded[i] = r
				break
			}
		}
	}
	return p.without(excluded)
}

// locator finds the places of suggestions.
type locator struct {
	Input
	allowed map[string]bool
	plan    *Plan
	errs    map[string]*refusal
}

// content returns a file.
func (l *locator) content(path string) (*content, *refusal) {
	if c, r := l.plan.contents[path], l.errs[path]; c != nil || r != nil {
		return c, r
	}
	data, err := l.Read(path)
	var r *refusal
	switch {
	case errors.Is(err, ErrStale):
		r = refuse(ReasonStale, "%s changed since it was analyzed", quote(path))
	case err != nil:
		r = refuse(ReasonUnreadable, "%s cannot be read: %v", quote(path), err)
	case slices.Contains(data, 0):
		r = refuse(ReasonBinary, "%s is not a text file", quote(path))
	}
	if r != nil {
		l.errs[path] = r
		return nil, r
	}
	c := newContent(string(data))
	l.plan.contents[path] = c
	return c, nil
}

// locate finds the places of one suggestion.
func (l *locator) locate(s Suggestion) located {
	f := located{suggestion: s}
	if l.Redacted != nil && l.Redacted(s.Fix.Diff) {
		f.refused = refuse(ReasonRedacted, "the diff holds a placeholder for something that was not sent")
		return f
	}
	sections, r := parse(s.Fix.Diff)
	if r != nil {
		f.refused = r
		return f
	}
	allowed := func(p string) bool { return l.allowed[p] }
	paths := make([]string, len(sections))
	for i := range sections {
		path, r := sections[i].file(s.Path, allowed)
		if path != "" && !slices.Contains(f.files, path) {
			f.files = append(f.files, path)
		}
		if r == nil && path != "" {
			r = checkName(path)
		}
		if r != nil && f.refused == nil {
			f.refused = r
		}
		paths[i] = path
	}
	if f.refused == nil && s.Path != "" && !slices.Contains(f.files, s.Path) {
		f.refused = refuse(ReasonOtherFile, "the diff is about %s, but the finding about %s", quote(f.files[0]), quote(s.Path))
	}
	seen := make(map[string]bool)
	for i := 0; i < len(sections) && f.refused == nil; i++ {
		f.refused = l.locateSection(&f, &sections[i], paths[i], !seen[paths[i]])
		seen[paths[i]] = true
	}
	slices.Sort(f.files)
	if f.refused == nil {
		f.refused = f.check()
	}
	if f.refused != nil {
		f.edits = nil
	}
	return f
}

func (l *locator) locateSection(f *located, s *section, path string, first bool) *refusal {
	if len(s.hunks) == 0 {
		return refuse(ReasonMalformed, "the diff has no hunk for %s", quote(path))
	}
	c, r := l.content(path)
	if r != nil {
		return r
	}
	shift := 0
	for i := range s.hunks {
		h := &s.hunks[i]
		edits, r := h.locate(c, shift, first)
		if r != nil {
			if len(s.hunks) > 1 {
				r = refuse(r.reason, "hunk %d: %s", i+1, r.message)
			}
			return r
		}
		for _, e := range edits {
			e.path = path
			f.edits = append(f.edits, e)
		}
		for _, line := range h.lines[:h.end] {
			switch line.op {
			case '+':
				shift++
			case '-':
				shift--
			}
		}
	}
	return nil
}

// check sorts the edits and sees that they fit together.
func (f *located) check() *refusal {
	slices.SortStableFunc(f.edits, compareEdits)
	if len(f.edits) == 0 {
		return refuse(ReasonNoChange, "the diff changes nothing")
	}
	for i := 1; i < len(f.edits); i++ {
		if a, b := &f.edits[i-1], &f.edits[i]; a.path == b.path && a.touches(b) {
			return refuse(ReasonMalformed, "two hunks of the diff change the same lines of %s", quote(a.path))
		}
	}
	return nil
}

func compareEdits(a, b edit) int {
	if c := strings.Compare(a.path, b.path); c != 0 {
		return c
	}
	if a.start != b.start {
		return a.start - b.start
	}
	return a.end - b.end
}

// accepted is an edit that is part of the plan.
type accepted struct {
	edit
	owner int
}

// resolve decides in the order of priority which fixes are part of the plan.
func (p *Plan) resolve() {
	p.Outcomes = make([]Outcome, len(p.fixes))
	files := make(map[string][]accepted)
	excluded := make(map[string]int) // by what they change
	for i := range p.fixes {
		f := &p.fixes[i]
		o := &p.Outcomes[i]
		*o = Outcome{Suggestion: f.suggestion, Status: StatusRefused, By: -1, Files: slices.Clone(f.files)}
		if f.refused != nil {
			o.Reason, o.Message = f.refused.reason, f.refused.message
			continue
		}
		if r, ok := p.excluded[i]; ok {
			o.Reason, o.Message = r.reason, r.message
			excluded[f.key()] = i
			continue
		}
		if len(excluded) > 0 {
			if by, ok := excluded[f.key()]; ok {
				b := &p.Outcomes[by]
				o.Reason, o.Message, o.By = b.Reason, b.Message, by
				continue
			}
		}
		if by, all := covered(files, f.edits); all {
			o.Status, o.By = StatusCovered, by
			continue
		}
		if by, path := overlaps(files, f.edits); by >= 0 {
			o.Reason, o.By = ReasonOverlap, by
			o.Message = refuse(o.Reason, "a fix of higher priority changes the same lines of %s", quote(path)).message
			continue
		}
		o.Status = StatusPlanned
		for _, e := range f.edits {
			at, _ := search(files[e.path], &e)
			files[e.path] = slices.Insert(files[e.path], at, accepted{e, i})
		}
	}
	p.Changes = nil
	for _, path := range slices.Sorted(maps.Keys(files)) {
		p.Changes = append(p.Changes, p.change(path, files[path]))
	}
}

func (p *Plan) change(path string, list []accepted) Change {
	ch := Change{Path: path}
	for _, a := range list {
		ch.edits = append(ch.edits, a.edit)
		ch.Fixes = append(ch.Fixes, a.owner)
	}
	slices.Sort(ch.Fixes)
	ch.Fixes = slices.Compact(ch.Fixes)
	c := p.contents[path]
	ch.Before, ch.After = []byte(c.data), []byte(c.replace(ch.edits))
	return ch
}

// key is the same for fixes that make the same changes.
func (f *located) key() string {
	var b strings.Builder
	for i := range f.edits {
		e := &f.edits[i]
		b.WriteString(quoteEdit(e))
	}
	return b.String()
}

// search returns where in the sorted list an edit stands or is to be inserted.
func search(list []accepted, e *edit) (int, bool) {
	return slices.BinarySearchFunc(list, e, func(a accepted, e *edit) int { return compareEdits(a.edit, *e) })
}

// covered reports whether all edits are part of the plan already, and the first
// fix that makes one of them.
func covered(files map[string][]accepted, edits []edit) (by int, all bool) {
	by = -1
	for i := range edits {
		list := files[edits[i].path]
		at, ok := search(list, &edits[i])
		if !ok || list[at].text != edits[i].text {
			return -1, false
		}
		if by < 0 || list[at].owner < by {
			by = list[at].owner
		}
	}
	return by, true
}

// overlaps returns the first fix by priority that changes the same lines as one
// of the edits, and the file; -1 if there is none.
func overlaps(files map[string][]accepted, edits []edit) (by int, path string) {
	by = -1
	for i := range edits {
		e := &edits[i]
		list := files[e.path]
		at, _ := search(list, e)
		// What is accepted is sorted and apart: all that e touches stands
		// around its place.
		for k := at - 1; k >= 0 && list[k].touches(e); k-- {
			if by < 0 || list[k].owner < by {
				by, path = list[k].owner, e.path
			}
		}
		for k := at; k < len(list) && list[k].touches(e); k++ {
			if by < 0 || list[k].owner < by {
				by, path = list[k].owner, e.path
			}
		}
	}
	return by, path
}
