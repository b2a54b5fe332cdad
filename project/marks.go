package project

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/ignore"
	"github.com/codescan-dev/scanner/internal/text"
)

// maxMarked is the size of the largest file whose comments can mark findings as fine.
const maxMarked = 8 << 20

// mark is a mark in a comment of a scanned file.
type mark struct {
	ignore.Mark
	// added is set if the base does not have it, so that it has no effect; edited if
	// it has it, for other code.
	added, edited bool
	used          bool // it is for a finding
}

// noticeMarks returns a loader that remembers whether there may be marks in the file.
func (s *suppressor) noticeMarks(path string, load func() ([]byte, error)) func() ([]byte, error) {
	if load == nil {
		return nil
	}
	return func() ([]byte, error) {
		data, err := load()
		if bytes.Contains(data, []byte(ignore.MarkStart)) {
			s.mu.Lock()
			s.mentions[path] = true
			s.mu.Unlock()
		}
		return data, err
	}
}

// marked returns which findings a mark in a comment is for.
func (s *suppressor) marked(skill string, findings []scanner.Finding, places map[string]scanner.PlaceHash) map[string]scanner.Suppression {
	why := make(map[string]scanner.Suppression)
	for i := range findings {
		f := &findings[i]
		path, first, last := places[f.ID].Path, -1, -1 // without a location only a mark for the file is for it
		if l := f.Location; l != nil {
			path, first, last = l.Path, l.StartLine, l.LastLine()
		}
		for _, m := range s.marksOf(path) {
			if !m.Covers(skill, f.Rule, first, last) {
				continue
			}
			m.used = true
			if !m.added {
				why[f.ID] = scanner.Suppression{
					Reason: scanner.SuppressInline, Note: text.OneLine(m.Reason), Check: m.edited || m.Whole() && s.base != nil,
				}
			}
		}
	}
	return why
}

// marksOf returns the marks of a file.
func (s *suppressor) marksOf(path string) []*mark {
	marks, known := s.marks[path]
	if known {
		return marks
	}
	for _, m := range readMarks(s.contents, path) {
		marks = append(marks, &mark{Mark: m})
	}
	if s.base != nil && len(marks) > 0 {
		old := path
		if f := s.files[path]; f != nil && f.Status == diff.Renamed {
			old = f.OldPath
		}
		compareMarks(marks, readMarks(s.base, old))
	}
	s.marks[path] = marks
	return marks
}

func readMarks(fsys fs.FS, path string) []ignore.Mark {
	if fsys == nil {
		return nil
	}
	data, err := dotdir.ReadRegular(fsys, path, maxMarked)
	if err != nil {
		return nil // nothing of it is marked
	}
	return ignore.Marks(path, data)
}

// compareMarks finds out which marks the base has: each at most as often as there, and
// first those for the same code.
func compareMarks(marks []*mark, base []ignore.Mark) {
	for _, m := range marks {
		m.added = true
	}
	for _, sameCode := range []bool{true, false} {
		for _, m := range marks {
			i := slices.IndexFunc(base, func(b ignore.Mark) bool {
				return b.Target == m.Target && b.Reason == m.Reason && b.Whole() == m.Whole() && (b.Code == m.Code || !sameCode)
			})
			if m.added && i >= 0 {
				m.added, m.edited = false, !sameCode
				base = slices.Delete(base, i, i+1)
			}
		}
	}
}

// reportMarks warns of marks without effect in what was scanned, and returns what a
// change adds to what is ignored.
func (pl *Plan) reportMarks(run *scanner.RunReport) (added []string) {
	s := pl.suppressor
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[ignore.File]; f != nil && s.base != nil {
		added = s.addedEntries()
	}
	for i := range pl.Files {
		f := &pl.Files[i]
		mentioned := s.mentions[f.Path] || slices.ContainsFunc(f.Hunks, func(h diff.Hunk) bool { return strings.Contains(h.Body, ignore.MarkStart) })
		if !mentioned {
			continue
		}
		for _, m := range s.marksOf(f.Path) {
			what := fmt.Sprintf("%s:%d: scanner:ignore[%s]", diff.QuotePath(f.Path), m.Line, m.Target)
			switch {
			case !shows(f, &m.Mark):
			case m.Reason == "":
				pl.p.env.warn(Normal, what+" has no effect: write a reason after it")
			case m.added:
				added = append(added, what+" "+text.OneLine(m.Reason))
			case !m.used && judged(run, f, &m.Mark):
				pl.p.env.warn(Normal, what+" matches no finding")
			}
		}
	}
	for _, a := range added {
		pl.p.env.warn(Normal, "the change adds an ignore, which takes effect after the merge: "+a)
	}
	return added
}

// addedEntries returns the entries that the change adds.
func (s *suppressor) addedEntries() (added []string) {
	before, err := readEntries(s.base)
	after, afterErr := readEntries(s.contents)
	if err != nil || afterErr != nil {
		return []string{ignore.File + " of the change cannot be read"}
	}
	for _, e := range after {
		if !slices.Contains(before, e) {
			added = append(added, text.OneLine(fmt.Sprintf("%s: %s (%s) in %s: %s", e.Path, e.Title, e.Group(), ignore.File, e.Reason)))
		}
	}
	return added
}

// shows reports whether the lines of a mark were scanned.
func shows(f *diff.File, m *ignore.Mark) bool {
	return f.Load != nil || slices.ContainsFunc(f.Hunks, func(h diff.Hunk) bool {
		return h.NewStart <= m.Line+1 && m.Line < h.NewStart+h.NewLines
	})
}

// judged reports whether the skill that a mark is about looked at all that the mark is
// for.
func judged(run *scanner.RunReport, f *diff.File, m *ignore.Mark) bool {
	skill, _, ofRule := strings.Cut(m.Target, "/")
	if m.Whole() && f.Load == nil && f.Status != diff.Added {
		return false
	}
	return slices.ContainsFunc(run.Skills, func(r *scanner.SkillReport) bool {
		return r.Skill == skill && (ofRule || !r.PatternsOnly) && slices.ContainsFunc(r.Files, func(file scanner.FileReport) bool {
			return file.Path == f.Path && file.Chunks.Failed+file.Chunks.NotAnalyzed == 0
		})
	})
}
