package project

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/jsonl"
)

// ownID matches the ids of the findings of a skill in its record.
var ownID = regexp.MustCompile(`"id":"([0-9a-f]{12})"|"([0-9a-f]{12})":\{`)

// ExplainFinding explains the finding of a log whose id begins with some digits: who found
// it, in which chunk and how its line was found, what the model wrote, and why it is
// reported or is not. A nil log means the latest. What the log does not hold comes from the
// code and the stored answers; what they do not hold any more is listed as not kept. The
// options are those of [Project.Explain]. It sends nothing and stores nothing.
func (p *Project) ExplainFinding(ctx context.Context, opts Options, log *jsonl.Log, id string) ([]Section, error) {
	if log == nil {
		var err error
		if _, log, err = p.latestLog(); err != nil {
			return nil, err
		}
	}
	records := make(map[string]*jsonl.SkillRecord)
	for _, rec := range log.Skills {
		data, _ := json.Marshal(rec) // it was read from JSON
		for _, m := range ownID.FindAllStringSubmatch(string(data), -1) {
			records[m[1]+m[2]] = rec
		}
	}
	known := slices.Sorted(maps.Keys(records))
	match := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(k, id) })
	switch {
	case len(match) == 0:
		return nil, WithHint(usagef("no finding with the id %q in the log", id), nearest.Hint(id, known, "scanner scan -v shows the ids of findings"))
	case len(match) > 1:
		return nil, usagef("several findings have an id that begins with %q: %s", id, strings.Join(match, ", "))
	}
	return p.explainFinding(ctx, opts, log, records[match[0]], match[0])
}

func (p *Project) explainFinding(ctx context.Context, opts Options, log *jsonl.Log, rec *jsonl.SkillRecord, id string) ([]Section, error) {
	var mentions Section
	for _, rec := range log.Skills {
		var metadata any
		rest := rec.Metadata
		rest.Suppressed, rest.MergeGroups = jsonl.Suppressed{}, nil // they are below
		data, _ := json.Marshal(rest)
		_ = json.Unmarshal(data, &metadata)
		mentions.addMentions("", metadata, id)
	}
	outcome, report := "not reported; see the entries of the log below", rec.Report()
	hidden := mentions.Facts == nil
	for _, g := range report.MergeGroups {
		for _, m := range g.Merged {
			switch id {
			case m.ID:
				outcome, hidden = "merged into "+g.Primary+", which it resembles", false
			case g.Primary:
				mentions.add("merged: %s, which resembles it", m.ID)
			}
		}
	}
	var logged *scanner.Finding // nil if the log does not have it
	for _, s := range report.Suppressed {
		if s.ID == id {
			logged, outcome, hidden = &s.Finding, fmt.Sprintf("suppressed (%s): %s", s.Reason, s.Note), false
		}
	}
	for _, f := range report.Findings {
		if f.ID == id {
			logged, outcome, hidden = &f, "reported", false
		}
	}
	var paths []string
	if logged != nil && logged.Location != nil {
		paths = []string{logged.Location.Path}
	} else {
		for _, f := range rec.Files {
			paths = append(paths, f.Filename)
		}
	}
	if names := p.SkillNames(ctx); len(opts.Flags.Skills) == 0 {
		for _, r := range log.Skills {
			if slices.Contains(names, r.Skill) {
				opts.Flags.Skills = append(opts.Flags.Skills, r.Skill)
			}
		}
	}
	var found *scanner.Finding // in the code as it is now; nil if it is not there
	h, err := p.rehearse(ctx, opts, paths, func(h *rehearsal) bool {
		for _, f := range h.found[rec.Skill] {
			if f.ID == id {
				found = &f
			}
		}
		return found != nil
	})
	if err != nil {
		return nil, err
	}
	s := Section{Title: "finding " + id}
	if found != nil && logged != nil && found.Rule == "" && found.Description != logged.Description {
		found = nil // the stored answer is a different one
	}
	if hidden {
		outcome = "hidden by " + hiddenBy(found, rec.Metadata.Policy)
	}
	policy, _ := json.Marshal(rec.Metadata.Policy)
	if f := cmp.Or(logged, found); f != nil {
		s.add("finding: %s", describe(f))
		s.add("description: %s", f.Description)
		s.add("confidence: %s", cmp.Or(f.Confidence, "none"))
		s.add("by: %s", cmp.Or(f.Rule, report.Provider.String()+", for skill "+rec.Skill))
	}
	s.add("outcome: %s", outcome)
	if report.Verification != nil && found != nil {
		s.add("second opinion: it can lower both; before it the severity was %s, the confidence %s", found.Severity, cmp.Or(found.Confidence, "none"))
	}
	s.add("thresholds: %s", policy)
	s.Facts = append(s.Facts, mentions.Facts...)
	if found == nil {
		s.add("not kept: its chunk, how its line was found, and what the model wrote: no stored answer leads to it, since the cache was cleaned, " +
			"or its code, what is scanned (--base, --all, --skill), the settings, the skill or the model changed")
	} else if answer := h.addSource(&s, rec.Skill, found); answer != "" {
		return []Section{s, {Title: "what the model wrote", Text: answer}}, nil
	}
	return []Section{s}, nil
}

// hiddenBy returns the name of the threshold that hides a finding, as far as it is known
// what the finding was; nil if it is not.
func hiddenBy(f *scanner.Finding, policy scanner.Policy) string {
	if f == nil {
		return "one of the thresholds"
	}
	one := []scanner.Finding{*f}
	switch {
	case len(scanner.FilterSeverity(one, policy.ReportOn)) == 0:
		return "reportOn"
	case len(scanner.FilterConfidence(one, policy.MinConfidence)) == 0:
		return "minConfidence"
	}
	return "maxFindings, or by another threshold after a second opinion"
}

// addMentions adds the entries of metadata that are about a finding.
func (s *Section) addMentions(name string, value any, id string) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			s.addMentions(strings.TrimPrefix(name+"."+key, "."), value[key], id)
		}
	case []any:
		for _, entry := range value {
			if text, _ := json.Marshal(entry); strings.Contains(string(text), `"`+id+`"`) {
				s.add("%s: %s", name, text)
			}
		}
	}
}

// addSource adds where a finding is from, and returns what the model wrote.
func (h *rehearsal) addSource(s *Section, skill string, f *scanner.Finding) string {
	for _, c := range h.chunks {
		for i, g := range c.Findings {
			if c.Chunk.Skill != skill || g.Title != f.Title || g.Rule != f.Rule || !reflect.DeepEqual(g.Location, f.Location) {
				continue
			}
			raw, how := c.Source(i)
			if f.Rule != "" {
				how = "the rule"
			}
			s.add("chunk: %s, lines %d-%d%s", c.Chunk.Path, c.Chunk.StartLine, c.Chunk.EndLine, map[bool]string{true: ", as with --all"}[h.opts.All])
			s.add("line: found by %s", how)
			for _, d := range c.Discards {
				if d.Raw == raw {
					s.add("%s: dropped, %s", d.Reason, d.Detail)
				}
			}
			return raw
		}
	}
	if f.Rule != "" {
		s.add("line: found by the rule, in a file that is skipped otherwise")
	}
	return ""
}
