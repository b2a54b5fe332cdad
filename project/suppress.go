package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/ignore"
	"github.com/codescan-dev/scanner/internal/match"
	"github.com/codescan-dev/scanner/jsonl"
)

// suppressor knows which findings are not reported: those that people marked as fine,
// and those of an earlier report.
type suppressor struct {
	entries  []ignore.Entry // that apply
	baseline []known
	contents fs.FS // as they are scanned
	// base has the marks that count, for a change whose author must not decide about
	// that; nil means that all do.
	base  fs.FS
	tree  fs.FS // where paths are looked up
	files map[string]*diff.File

	mu       sync.Mutex
	gone     map[string]bool // paths where nothing is
	marks    map[string][]*mark
	mentions map[string]bool // files that are loaded and may have marks
}

// known is a finding of an earlier report.
type known struct {
	skill string
	match.Item
}

// readEntries reads the entries of a tree; none if it has no file of them.
func readEntries(tree fs.FS) ([]ignore.Entry, error) {
	data, err := dotdir.ReadRegular(tree, ignore.File, ignore.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return nil, usagef("%q: %w", ignore.File, err)
	}
	entries, err := ignore.Parse(data)
	return entries, UsageError(err)
}

// newSuppressor sets the suppressor of a run, with the entries of policy, the tree that
// decides about it. base is that tree, if the marks in code are those of it.
func (pl *Plan) newSuppressor(policy, base fs.FS) error {
	entries, err := readEntries(policy)
	if err != nil {
		return err
	}
	s := &suppressor{
		contents: pl.Contents, base: base, tree: pl.Contents, files: make(map[string]*diff.File),
		gone: make(map[string]bool), marks: make(map[string][]*mark), mentions: make(map[string]bool),
	}
	now, expired := pl.p.env.Now(), 0
	for _, e := range entries {
		if e.Expired(now) {
			expired++
			continue
		}
		s.entries = append(s.entries, e)
	}
	if expired > 0 {
		pl.p.env.warn(Normal, fmt.Sprintf("%d of %d entries of %s have expired; scanner ignore --list shows them", expired, len(entries), ignore.File))
	}
	pl.Files = slices.Clone(pl.Files)
	for i := range pl.Files {
		f := &pl.Files[i]
		s.files[f.Path] = f
		if f.Path == ignore.File && f.Skip == "" {
			f.Skip = diff.ReasonGenerated // it quotes findings
		}
		f.Load = s.noticeMarks(f.Path, f.Load)
	}
	if pl.opts.Diff != nil {
		s.tree = pl.p.tree.FS()
	}
	if pl.opts.Baseline != nil {
		s.baseline = baselineOf(pl.opts.Baseline)
	}
	pl.suppressor = s
	return nil
}

// baselineOf returns the findings of a log, with those that were in its own baseline.
func baselineOf(log *jsonl.Log) []known {
	var list []known
	for _, rec := range log.Skills {
		report := rec.Report()
		add := func(f scanner.Finding) {
			list = append(list, known{rec.Skill, newItem(rec.Skill, &f, report.PlaceHashes[f.ID])})
		}
		merged := make(map[string][]scanner.MergedFinding)
		for _, g := range report.MergeGroups {
			merged[g.Primary] = g.Merged
		}
		for _, f := range report.Findings {
			add(f)
			for _, m := range merged[f.ID] {
				add(scanner.Finding{ID: m.ID, Title: f.Title, Rule: f.Rule, Location: m.Location})
			}
		}
		for _, f := range report.Suppressed {
			if f.Reason == scanner.SuppressBaseline {
				add(f.Finding)
			}
		}
	}
	return list
}

// newItem returns a finding of a skill as package match compares it.
func newItem(skill string, f *scanner.Finding, at scanner.PlaceHash) match.Item {
	item := match.Item{
		Group: cmp.Or(f.Rule, skill), Path: at.Path, Title: f.Title,
		Line: at.Line, Before: at.Before, After: at.After,
	}
	if f.Location != nil {
		item.Path, item.Number = f.Location.Path, f.Location.StartLine
	}
	return item
}

// suppress is for [scanner.Options].
func (s *suppressor) suppress(skill string, findings []scanner.Finding, places map[string]scanner.PlaceHash) map[string]scanner.Suppression {
	s.mu.Lock()
	defer s.mu.Unlock()
	why := s.marked(skill, findings, places)
	items := make([]match.Item, len(s.entries))
	for i := range s.entries {
		e := &s.entries[i]
		items[i] = match.Item{Group: e.Group(), Path: e.Path, Title: e.Title, Line: e.Line, Before: e.Before, After: e.After}
	}
	s.pair(items, skill, findings, places, why, func(m match.Match) scanner.Suppression {
		return scanner.Suppression{Reason: scanner.SuppressIgnored, Note: s.entries[m.Earlier].Reason, Check: m.Step >= match.SamePlace}
	})
	items = nil
	for _, k := range s.baseline {
		if k.skill == skill {
			items = append(items, k.Item)
		}
	}
	s.pair(items, skill, findings, places, why, func(match.Match) scanner.Suppression {
		return scanner.Suppression{Reason: scanner.SuppressBaseline}
	})
	return why
}

// pair adds to why the findings that are among earlier ones.
func (s *suppressor) pair(earlier []match.Item, skill string, findings []scanner.Finding, places map[string]scanner.PlaceHash,
	why map[string]scanner.Suppression, of func(match.Match) scanner.Suppression) {
	if len(earlier) == 0 {
		return
	}
	for i := range earlier {
		earlier[i].Gone = s.isGone(earlier[i].Path)
	}
	var found []match.Item
	var ids []string
	for i := range findings {
		f := &findings[i]
		if _, done := why[f.ID]; done {
			continue
		}
		item := newItem(skill, f, places[f.ID])
		if file := s.files[item.Path]; file != nil && file.Status == diff.Renamed {
			item.OldPath = file.OldPath
		}
		found, ids = append(found, item), append(ids, f.ID)
	}
	for i, m := range match.Pair(earlier, found) {
		if m.Earlier >= 0 {
			why[ids[i]] = of(m)
		}
	}
}

// isGone reports whether there is nothing at a path any more.
func (s *suppressor) isGone(path string) bool {
	gone, known := s.gone[path]
	if !known && s.tree != nil {
		_, err := fs.Stat(s.tree, path)
		gone = errors.Is(err, fs.ErrNotExist) || !fs.ValidPath(path)
		s.gone[path] = gone
	}
	return gone
}

// hash returns what decides about the result: all entries that apply, and the baseline.
func (s *suppressor) hash() string {
	var parts []string
	for i := range s.entries {
		parts = append(parts, s.entries[i].Text())
	}
	for _, k := range s.baseline {
		parts = append(parts, fmt.Sprint(k))
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}
