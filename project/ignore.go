package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/ignore"
	"github.com/codescan-dev/scanner/internal/match"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/redact"
)

// Ignore marks the finding with an id, of the latest log, as fine: it adds an entry for
// each of its places to .scanner/ignore.toml. until is the last day on which that
// applies, as 2027-01-31; empty means that it always does. It returns the finding, and
// the number of its places.
func (p *Project) Ignore(ctx context.Context, id, reason, until string) (f *scanner.Finding, places int, err error) {
	if strings.TrimSpace(reason) == "" {
		return nil, 0, WithHint(usagef("a reason is required"), `--reason="why this one is fine"`)
	}
	if until != "" && ignore.ParseDay(until) != nil {
		return nil, 0, usagef("--until: got %q, want a day such as 2027-01-31", until)
	}
	if _, err := readEntries(p.tree.FS()); err != nil {
		return nil, 0, err
	}
	rec, f, err := p.findingOfLatestLog(id)
	if err != nil {
		return nil, 0, err
	}
	merged := []scanner.MergedFinding{{ID: f.ID, Location: f.Location}}
	for _, g := range rec.Metadata.MergeGroups {
		if g.Primary == f.ID {
			merged = append(merged, g.Merged...)
		}
	}
	by := ""
	if p.repo != nil {
		by = p.repo.Author(ctx)
	}
	var b strings.Builder
	for _, m := range merged {
		item := newItem(rec.Skill, &scanner.Finding{Title: f.Title, Location: m.Location}, rec.Metadata.Places[m.ID])
		e := ignore.Entry{
			Path: item.Path, Rule: f.Rule, Title: f.Title, Line: item.Line, Before: item.Before, After: item.After,
			Reason: reason, By: by, Until: until,
		}
		if e.Rule == "" {
			e.Skill = rec.Skill
		}
		b.WriteString("\n" + e.Text())
	}
	if _, err := ignore.Parse([]byte(b.String())); err != nil {
		return nil, 0, usagef("finding %q cannot be ignored: %w", id, err)
	}
	return f, len(merged), p.appendIgnore(b.String())
}

// findingOfLatestLog returns a finding of the latest log by its id, and its record.
func (p *Project) findingOfLatestLog(id string) (*jsonl.SkillRecord, *scanner.Finding, error) {
	name, log, err := p.latestLog()
	if err != nil {
		return nil, nil, err
	}
	for _, rec := range log.Skills {
		report := rec.Report()
		for i := range report.Findings {
			if report.Findings[i].ID == id {
				return rec, &report.Findings[i], nil
			}
		}
		for i := range report.Suppressed {
			if s := &report.Suppressed[i]; s.ID == id && s.Reason == scanner.SuppressBaseline {
				return rec, &s.Finding, nil
			} else if s.ID == id {
				return nil, nil, usagef("finding %q is suppressed already: %s", id, s.Note)
			}
		}
	}
	return nil, nil, WithHint(usagef("no finding with the id %q in the latest log, %s", id, cmp.Or(name, "since there is none")),
		"scanner scan -v shows the ids of findings")
}

// latestLog returns the latest log, and its name. Without one they are empty.
func (p *Project) latestLog() (name string, log *jsonl.Log, err error) {
	if _, err := p.tree.Stat(dotdir.Name + "/logs"); err != nil {
		return "", new(jsonl.Log), nil // OpenDir would create it
	}
	logs, err := jsonl.OpenDir(p.tree)
	if err != nil {
		return "", nil, err
	}
	defer logs.Close()
	name, data, err := logs.Latest()
	if err != nil {
		return "", nil, err
	}
	log, err = jsonl.ReadAll(bytes.NewReader(data))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", nil, usagef("log %q: %w", name, err)
	}
	return name, log, nil
}

// appendIgnore adds text to the file of entries.
func (p *Project) appendIgnore(entries string) (err error) {
	f, created, err := dotdir.OpenFile(p.tree, ignore.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if created {
		entries = ignore.Header + entries
	}
	_, err = f.WriteString(entries)
	return err
}

// IgnoredFinding is an entry of .scanner/ignore.toml.
type IgnoredFinding struct {
	// Path is the file, Of the rule or the skill, By who added it.
	Path, Of, Title, Reason, By, Until string
	// State is empty if the entry applies, else that it has expired, or why it matches
	// nothing any more, as far as the working tree shows.
	State string
}

// Ignored returns the entries of .scanner/ignore.toml in their order.
func (p *Project) Ignored() ([]IgnoredFinding, error) {
	tree := p.tree.FS()
	entries, err := readEntries(tree)
	if err != nil {
		return nil, err
	}
	lines := make(map[string]map[string]bool) // hashes of the lines of a file; nil if it is gone
	var list []IgnoredFinding
	for i := range entries {
		e := &entries[i]
		if _, read := lines[e.Path]; !read {
			lines[e.Path] = hashLines(tree, e.Path)
		}
		f := IgnoredFinding{
			Path: e.Path, Of: e.Group(), Title: e.Title, Reason: e.Reason, By: e.By, Until: e.Until,
		}
		switch has := lines[e.Path]; {
		case e.Expired(p.env.Now()):
			f.State = "expired"
		case has == nil:
			f.State = "matches nothing, the file is gone"
		case e.Line != "" && !has[e.Line] && !has[e.Before] && !has[e.After]:
			f.State = "matches nothing, the line and those around it are gone"
		}
		list = append(list, f)
	}
	return list, nil
}

// hashLines returns the hashes of the lines of a file, as they are, and as models see
// them; nil if the file cannot be read.
func hashLines(tree fs.FS, path string) map[string]bool {
	data, err := fs.ReadFile(tree, path)
	if err != nil {
		return nil
	}
	redacted, _ := redact.New("").Redact(string(data))
	hashes := make(map[string]bool)
	for line := range strings.SplitSeq(string(data)+"\n"+redacted, "\n") {
		if h := match.Line(line); h != "" {
			hashes[h] = true
		}
	}
	return hashes
}
