package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
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
	ignored  []match.Item   // the same
	baseline []match.Item
	contents fs.FS // as they are scanned
	// base has the marks that count, for a change whose author must not decide about
	// that; nil means that all do.
	base  fs.FS
	files map[string]*diff.File

	mu       sync.Mutex
	marks    map[string][]*mark
	mentions map[string]bool // files that are loaded and may have marks
}

// readEntries reads the entries of a tree; none if it has no file of them.
func readEntries(tree fs.FS) ([]ignore.Entry, error) {
	data, err := readIgnoreFile(tree)
	if err != nil {
		return nil, err
	}
	entries, err := ignore.Parse(data)
	return entries, UsageError(err)
}

func readIgnoreFile(tree fs.FS) ([]byte, error) {
	data, err := dotdir.ReadRegular(tree, ignore.File, ignore.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return nil, usagef("%q: %w", ignore.File, err)
	}
	return data, nil
}

// newSuppressor sets the suppressor of a run, with the entries of policy, the tree that
// decides about it. base is that tree, if the marks in code are those of it.
func (pl *Plan) newSuppressor(policy, base fs.FS) error {
	entries, err := readEntries(policy)
	if err != nil {
		return err
	}
	s := &suppressor{
		contents: pl.Contents, base: base, files: make(map[string]*diff.File, len(pl.Files)),
		marks: make(map[string][]*mark), mentions: make(map[string]bool),
	}
	now, expired := pl.p.env.Now(), 0
	for _, e := range entries {
		if e.Expired(now) {
			expired++
			continue
		}
		s.entries = append(s.entries, e)
		s.ignored = append(s.ignored, match.Item{Group: e.Group(), Path: e.Path, Title: e.Title, Line: e.Line, Before: e.Before, After: e.After})
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
	if pl.opts.Baseline != nil {
		s.baseline = baselineOf(pl.opts.Baseline)
	}
	tree := pl.Contents
	if pl.opts.Diff != nil {
		tree = pl.p.tree.FS()
	}
	gone := make(map[string]bool)
	for _, items := range [][]match.Item{s.ignored, s.baseline} {
		for i := range items {
			path := items[i].Path
			if _, known := gone[path]; !known {
				_, err := fs.Stat(tree, path)
				gone[path] = errors.Is(err, fs.ErrNotExist) || !fs.ValidPath(path)
			}
			items[i].Gone = gone[path]
		}
	}
	pl.suppressor = s
	return nil
}

// baselineOf returns the findings of a log, with those that were in its own baseline.
func baselineOf(log *jsonl.Log) []match.Item {
	var list []match.Item
	for _, rec := range log.Skills {
		report := rec.Report()
		add := func(f scanner.Finding) {
			list = append(list, newItem(rec.Skill, &f, report.PlaceHashes[f.ID]))
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
	s.pair(s.ignored, skill, findings, places, why, func(m match.Match) scanner.Suppression {
		return scanner.Suppression{Reason: scanner.SuppressIgnored, Note: s.entries[m.Earlier].Reason, Check: m.Step >= match.SamePlace}
	})
	s.pair(s.baseline, skill, findings, places, why, func(match.Match) scanner.Suppression {
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

// hash returns what decides about the result: all entries that apply, and the baseline.
func (s *suppressor) hash() string { return fmt.Sprint(s.entries, s.baseline) }
