package project

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/provider"
)

// Section is a part of an explanation. Its texts are untrusted: they must be cleaned
// before they are shown.
type Section struct {
	Title string   // the path, skill, finding or text that it is about
	Facts []string // each begins with what it is about: "kind: test"
	Text  string   // the text of a request or of an answer; empty if there is none
	// Detail is set if the section is one of many that few readers want.
	Detail bool
}

func (s *Section) add(format string, args ...any) {
	s.Facts = append(s.Facts, fmt.Sprintf(format, args...))
}

// Explain explains what a scan does with a file, or with a line of it, as "path:line":
// whether it is skipped, which skills analyze it and why, its chunks, and what is sent. If
// the options do not choose what is scanned, that is the uncommitted change of the file or,
// without one, all of it. It sends nothing and stores nothing.
func (p *Project) Explain(ctx context.Context, opts Options, target string) ([]Section, error) {
	path, line, err := p.splitLine(target)
	if err != nil {
		return nil, err
	}
	h, err := p.rehearse(ctx, opts, []string{path}, func(h *rehearsal) bool { return h.planOf(path) != nil })
	if err != nil {
		return nil, err
	}
	plan := h.planOf(path)
	if plan == nil {
		_, err := strconv.ParseUint(target, 16, 64) // as an id is
		return nil, WithHint(usagef("%q is not in the scan: it does not exist, is a directory, is ignored by git, or did not change", path),
			map[bool]string{true: "scanner explain --finding=" + target + " explains the finding with that id"}[err == nil])
	}
	data, err := fs.ReadFile(h.Contents, path)
	if n := len(slices.Collect(bytes.Lines(data))); err == nil && line > n {
		return nil, usagef("line %d of %q: the file has %s", line, path, format.Count(n, "line", "lines"))
	}
	all, _, err := p.readSettings(ctx, opts, true)
	if err != nil {
		return nil, err
	}
	file := Section{Title: diff.QuotePath(path)}
	covers := func(first, last int) bool { return line == 0 || first <= line && line <= last }
	if !slices.ContainsFunc(plan.Chunks, func(c diff.Chunk) bool { return covers(c.StartLine, c.EndLine) }) && line > 0 {
		file.add("line %d: in none of the chunks, and not analyzed", line)
		line = 0
	}
	h.explainFile(&file, plan, covers)
	h.chunks = slices.DeleteFunc(h.chunks, func(c scanner.EventChunk) bool { return !covers(c.Chunk.StartLine, c.Chunk.EndLine) })
	sections := []Section{file}
	for i := range all.Skills {
		s, texts := h.explainSkill(&all.Skills[i], plan)
		for i := range texts {
			texts[i].Detail = line == 0 && len(plan.Chunks) > 1
		}
		sections = append(append(sections, s), texts...)
	}
	return sections, nil
}

// planOf returns the plan of the file with a path; nil if there is none. Of several, it is
// one that is not skipped.
func (h *rehearsal) planOf(path string) (plan *diff.Plan) {
	for _, f := range h.Files {
		if f.Path == path && (plan == nil || plan.Skip != nil) {
			plan = new(h.Settings.Chunking().Plan(f, h.Contents))
		}
	}
	return plan
}

// splitLine splits "path:line", unless a file has that name. The path is relative to the
// root; without a line it is 0.
func (p *Project) splitLine(target string) (path string, line int, err error) {
	if path, err = p.rel(target); err == nil {
		_, err = p.tree.Lstat(filepath.FromSlash(path))
	}
	i := strings.LastIndexByte(target, ':')
	if n, numErr := strconv.Atoi(target[i+1:]); err != nil && i >= 0 && numErr == nil {
		if target, line = target[:i], n; line < 1 {
			return "", 0, usagef("line %d of %q: lines count from 1", line, target)
		}
	}
	path, err = p.rel(target)
	return path, line, err
}

// explainFile adds what is known of a file, and those of its chunks that are covered.
func (h *rehearsal) explainFile(s *Section, plan *diff.Plan, covers func(first, last int) bool) {
	f := &plan.File
	if f.Load != nil {
		s.add("scanned: all of it, as with --all")
	} else {
		s.add("scanned: its change: %s%s", [...]string{"modified", "added", "deleted", "renamed from ", "copied from "}[f.Status], f.OldPath)
	}
	s.add("kind: %s", cmp.Or(string(f.Kind), "product code"))
	if skip := plan.Skip; skip != nil {
		s.add("skipped: %s %s", skip.Reason, skip.Pattern)
		for _, o := range h.Settings.Explain() {
			if skip.Pattern != "" && strings.HasPrefix(o.Key, "defaults.") && strings.Contains(o.Value, strconv.Quote(skip.Pattern)) {
				s.add("from: %s", o.Source)
			}
		}
		if f.Generated {
			s.add("attribute: linguist-generated")
		}
		if len(plan.Unsent) > 0 {
			s.add("rules: those about secrets and hidden characters run on it")
		}
	}
	if !h.Offline {
		s.add("pull request: its title and description, which a review adds to the user text, are not known here")
	}
	const maxSize = "defaults.chunking.coalesce.maxChunkSize"
	s.add("chunks: %d, of at most %d characters (%s)", len(plan.Chunks), h.Settings.Chunking().Coalesce.MaxChunkSize, h.Settings.Origin(maxSize))
	for _, c := range plan.Chunks {
		if !covers(c.StartLine, c.EndLine) {
			continue
		}
		text, _ := c.Text() // an error leaves it empty
		s.add("lines %d-%d: %d characters", c.StartLine, c.EndLine, sizeOf(text.Lines))
		for _, h := range f.Hunks {
			if h.NewStart <= c.EndLine && c.StartLine < h.NewStart+max(h.NewLines, 1) {
				s.add("hunk: lines %d-%d", h.NewStart, max(h.NewStart, h.NewStart+h.NewLines-1))
			}
		}
	}
}

// sizeOf returns the size of lines in characters, as [diff.Coalesce] counts them.
func sizeOf(lines []diff.Line) (n int) {
	for _, l := range lines {
		n += utf8.RuneCountInString(l.Text) + 1
	}
	return n
}

// explainSkill returns what a skill of the configuration does with a file, and the texts
// that are sent.
func (h *rehearsal) explainSkill(set *config.Skill, plan *diff.Plan) (s Section, texts []Section) {
	s.Title = "skill " + set.Name
	sk, analyzes := new(scanner.Skill), "no, since it has only schedule triggers"
	if i := slices.IndexFunc(h.Skills, func(sk scanner.Skill) bool { return sk.Name == set.Name }); i >= 0 {
		sk, analyzes = &h.Skills[i], "no"
	}
	for _, planned := range h.planned.Skills {
		if planned.Name == set.Name && len(planned.Files) > 0 {
			var tools []string
			for _, t := range planned.Tools {
				tools = append(tools, t.Name)
			}
			analyzes = fmt.Sprintf("yes, with model %s, tools %s", cmp.Or(planned.Provider.String(), "not set up"), cmp.Or(strings.Join(tools, ", "), "none"))
			if h.Offline {
				analyzes = "yes, with its rules alone"
			}
		}
	}
	s.add("analyzes it: %s", analyzes)
	for _, o := range h.Settings.Explain() {
		if name, ok := strings.CutPrefix(o.Key, set.Key("")); ok && o.Source != "default" {
			s.add("%s: %s (%s)", name, o.Value, o.Source)
		}
	}
	if sk.Source != "" && below(plan.File.Path, sk.Source) {
		s.add("rules: none for the files of the skill itself")
	}
	if len(sk.Paths) > 0 && !slices.ContainsFunc(sk.Paths, func(glob string) bool { return diff.Match(glob, plan.File.Path) }) {
		s.add("no match: none of its paths, %s", strings.Join(sk.Paths, " "))
	}
	for i, glob := range slices.Concat(sk.Paths, sk.IgnorePaths) {
		if diff.Match(glob, plan.File.Path) {
			s.add("matches: %s of its %s", glob, map[bool]string{true: "paths", false: "ignorePaths"}[i < len(sk.Paths)])
		}
	}
	for _, t := range set.Triggers {
		s.add("trigger: %s, in workflows only", strings.Join(append([]string{t.Type}, t.Actions...), ", "))
	}
	for i := range h.chunks {
		if c := &h.chunks[i]; c.Chunk.Skill == set.Name {
			texts = append(texts, explainChunk(&s, sk, c, &plan.Chunks[c.Chunk.Index])...)
		}
	}
	for _, f := range h.found[set.Name] {
		if plan.Skip != nil && f.Location != nil && f.Location.Path == plan.File.Path {
			s.add("finding: %s, by %s", describe(&f), f.Rule)
		}
	}
	return s, texts
}

// explainChunk adds what a skill does with a chunk, and returns the texts that are sent.
func explainChunk(s *Section, sk *scanner.Skill, e *scanner.EventChunk, c *diff.Chunk) []Section {
	name := fmt.Sprintf("lines %d-%d", c.StartLine, c.EndLine)
	s.add("%s: %s for this file", name, format.Count(e.Rules, "rule", "rules"))
	for _, f := range e.Findings {
		s.add("finding: %s, by %s", describe(&f), cmp.Or(f.Rule, "a stored answer"))
	}
	system, user := e.Request()
	if user == "" {
		return nil
	}
	count := utf8.RuneCountInString
	rules := count(prompt.System(prompt.SystemInput{}))
	own := count(prompt.System(prompt.SystemInput{SkillName: sk.Name, SkillDescription: sk.Description, Instructions: sk.Instructions})) - rules
	s.add("system text: %d characters: rules %d, skill %d, its resources %d", count(system), rules, own, count(system)-rules-own)
	text, _ := c.Text() // an error leaves it empty
	code, before, after := sizeOf(text.Lines), sizeOf(text.Before), sizeOf(text.After)
	s.add("user text: %d characters: code %d, context before %d, after %d, numbers and marks %d",
		count(user), code, before, after, count(user)-code-before-after)
	s.add("secrets: %d replaced", e.Redacted)
	s.add("tokens: about %s", format.Tokens(provider.ExpectedUsage(len(system+user)).InputTokens))
	s.add("answer: %s", map[bool]string{true: "in the cache", false: "not in the cache"}[e.Outcome == scanner.OutcomeCached])
	return []Section{{Title: s.Title + ", " + name + ": system text", Text: system}, {Title: s.Title + ", " + name + ": user text", Text: user}}
}

// describe describes a finding in a line.
func describe(f *scanner.Finding) string {
	if f.Location == nil {
		return string(f.Severity) + ": " + f.Title
	}
	return fmt.Sprintf("%s: %s: %s", f.Location, f.Severity, f.Title)
}
