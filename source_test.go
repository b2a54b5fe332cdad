package scanner_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// TestChunkSources: the event of a chunk has what was sent, and for each finding what the
// model wrote and how that led to its line, also if the answer was stored.
func TestChunkSources(t *testing.T) {
	const secret = "sk-hush"
	skill := reviewer
	skill.Patterns = []scanner.Pattern{{
		ID: "third", Regexp: regexp.MustCompile("third of"), Severity: scanner.SeverityLow, Title: "Third line", Description: "d",
	}}
	var title string  // of the first finding
	var sent []string // to the model
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		sent = []string{req.System, req.Messages[0].Text}
		return answer(findings(
			finding("high", title, "second of a.go:1", 2),
			finding("high", "Dense", "second  ofa.go:1", 1),
			finding("high", "Part", "nd of a.go", 2),
			finding("high", "Number", "", 1),
			finding("high", "Third line", "third of a.go:1", 3),
		)), nil
	})
	cache := &memory{m: make(map[string][]byte)}
	for _, name := range []string{"secret", "sent", "stored"} {
		title = "Exact"
		if name == "secret" {
			title += " " + secret
		}
		var chunks []scanner.EventChunk
		opts := scanner.Options{
			Provider: p, Model: "m", Cache: cache,
			Redact: func(s string) (string, int) {
				return strings.ReplaceAll(s, secret, "[redacted]"), strings.Count(s, secret)
			},
			OnEvent: func(e scanner.Event) {
				if e, ok := e.(scanner.EventChunk); ok {
					chunks = append(chunks, e)
				}
			},
		}
		if _, err := scanner.RunSkill(t.Context(), skill, []diff.File{added("a.go", 1)}, opts); err != nil || len(chunks) != 1 {
			t.Fatalf("%s: %d chunks, %v", name, len(chunks), err)
		}
		c := chunks[0]
		if (c.Outcome == scanner.OutcomeCached) != (name == "stored") || c.Rules != 1 {
			t.Errorf("%s: outcome %v, %d rules", name, c.Outcome, c.Rules)
		}
		if system, user := c.Request(); !slices.Equal([]string{system, user}, sent) {
			t.Errorf("%s: the request has %q and %q, want %q", name, system, user, sent)
		}
		want := map[string]string{
			"Third line": "the quote as it is", strings.ReplaceAll(title, secret, "[redacted]"): "the quote as it is", "Dense": "the quote, ignoring white space",
			"Part": "the quote as a part of a line", "Number": "the number, without a quote",
		}
		for i, f := range c.Findings {
			raw, how := c.Source(i)
			if how != want[f.Title] || !strings.Contains(raw, `"title":"`+f.Title) && !strings.Contains(raw, `"title": "`+f.Title) || strings.Contains(raw, secret) {
				t.Errorf("%s: %q is from %q by %q, want %q", name, f.Title, raw, how, want[f.Title])
			}
			if (f.Rule != "") != (f.Title == "Third line") {
				t.Errorf("%s: %q is of rule %q", name, f.Title, f.Rule)
			}
		}
		if len(c.Findings) != len(want) {
			t.Errorf("%s: %d findings, want %d", name, len(c.Findings), len(want))
		}
		opts.PatternsOnly = true
		chunks = nil
		if _, err := scanner.RunSkill(t.Context(), skill, []diff.File{added("a.go", 1)}, opts); err != nil || len(chunks) != 1 || len(chunks[0].Findings) != 1 {
			t.Fatalf("rules: got %+v, %v", chunks, err)
		}
		if raw, how := chunks[0].Source(0); raw+how != "" {
			t.Errorf("a rule: from %q by %q", raw, how)
		}
		if system, user := chunks[0].Request(); system+user != "" {
			t.Errorf("a rule: sends %q, %q", system, user)
		}
	}
}
