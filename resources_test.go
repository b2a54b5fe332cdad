package scanner_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// withResources is a skill with files of each kind.
func withResources(s scanner.Skill) scanner.Skill {
	s.Resources = []scanner.Resource{{Name: "references/x.md", Text: "Rule one.\n"}, {Name: "scripts/run.sh"}, {Name: "references/long.md", Text: strings.Repeat("long\n", 7000)}}
	return s
}

func TestResourcesValidate(t *testing.T) {
	for names, want := range map[string]string{
		"a b/c.md": "", "a a": `resource "a"`, "/a": `resource "/a"`, "../a": `resource "../a"`, "a/../b": `resource "a/../b"`, ".": `resource "."`, "a\xff": `resource "a\xff"`, "a//b": `resource "a//b"`,
	} {
		s := reviewer
		for name := range strings.FieldsSeq(names) {
			s.Resources = append(s.Resources, scanner.Resource{Name: name, Text: "x"})
		}
		if err := s.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want+": want a unique relative path with slashes") {
			t.Errorf("%q: %v, want %q", names, err, want)
		}
	}
}

// textOnly is a provider that sends no tools, as agent CLIs.
type textOnly struct{ asker }

func (textOnly) SendsFeatures() bool { return false }

// Without tools the texts are in the system text, as far as they fit; with tools, they are
// read. All chunks have the same system text.
func TestResources(t *testing.T) {
	for _, tt := range []struct {
		name         string
		skill        scanner.Skill
		fs           bool
		has, without []string
	}{
		{"without tools", withResources(reviewer), true, []string{"Rule one.", "references/x.md:\n<file-", "be read or run here:\n- scripts/run.sh\n- references/long.md"}, []string{"skill:/", "long\nlong"}},
		{"with tools", withResources(withTools(reviewer)), true, []string{"- skill:/references/x.md\n- skill:/references/long.md\n", "be read or run here:\n- scripts/run.sh\n"}, []string{"Rule one.", "long\nlong"}},
		{"without a tree", withResources(withTools(reviewer)), false, []string{"Rule one."}, []string{"skill:/", "long\nlong"}},
		{"a provider without tools", withResources(withTools(reviewer)), true, []string{"Rule one."}, []string{"skill:/", "long\nlong"}},
		{"without Read", func() scanner.Skill { s := withResources(reviewer); s.AllowedTools = []string{"Grep"}; return s }(), true, []string{"Rule one."}, []string{"skill:/", "long\nlong"}},
		{"none", reviewer, true, nil, []string{"Files of the skill"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			systems := make(map[string]int)
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				systems[req.System]++
				return answer(nothing), nil
			})
			opts := scanner.Options{Provider: p}
			if tt.fs {
				opts.FS = tree
			}
			if tt.name == "a provider without tools" {
				opts.Provider = textOnly{p}
			}
			if _, err := scanner.RunSkill(t.Context(), tt.skill, []diff.File{added("a.go", 1, 200), added("b.go", 1)}, opts); err != nil {
				t.Fatal(err)
			}
			if len(systems) != 1 {
				t.Fatalf("%d system texts, want 1", len(systems))
			}
			for system := range systems {
				for _, want := range tt.has {
					if !strings.Contains(system, want) {
						t.Errorf("no %q in\n%s", want, system)
					}
				}
				for _, not := range tt.without {
					if strings.Contains(system, not) {
						t.Errorf("%q in\n%s", not, system)
					}
				}
			}
		})
	}
}

// A model reads the files of the skill with its tools, scripts aside. Secrets are replaced.
func TestResourcesByTools(t *testing.T) {
	s := withResources(withTools(reviewer))
	s.Resources[0].Text += "sk-hush\n"
	redact := func(s string) (string, int) {
		return strings.ReplaceAll(s, "sk-hush", "[redacted]"), strings.Count(s, "sk-hush")
	}
	var results []string
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if strings.Contains(req.System, "sk-hush") {
			t.Error("a secret is in the system text")
		}
		if len(req.Messages) == 1 {
			return provider.Response{Stop: provider.StopToolCalls, ToolCalls: []provider.ToolCall{
				{ID: "1", Name: "Read", Arguments: `{"path":"skill:/references/x.md"}`},
				{ID: "2", Name: "Read", Arguments: `{"path":"skill:/scripts/run.sh"}`},
			}}, nil
		}
		for _, m := range req.Messages[2:] {
			results = append(results, strings.Split(m.Text, "\n")[1:][:len(strings.Split(m.Text, "\n"))-3]...)
		}
		return answer(nothing), nil
	})
	opts := scanner.Options{Provider: p, FS: tree, Redact: redact}
	report, err := scanner.RunSkill(t.Context(), s, []diff.File{added("a.go", 1)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"file: skill:/references/x.md (2 lines)", "1 |Rule one.", "2 |[redacted]",
		`error: there is no file "skill:/scripts/run.sh" among the readable files`,
	}
	if d := cmp.Diff(want, results); d != "" || report.Redacted != 1 {
		t.Errorf("%d lines redacted; results (-want +got):\n%s", report.Redacted, d)
	}

	// Without tools, in the system text.
	s.AllowedTools = nil
	p = func(_ context.Context, req provider.Request) (provider.Response, error) {
		if strings.Contains(req.System, "sk-hush") || !strings.Contains(req.System, "Rule one.\n[redacted]\n") {
			t.Errorf("the system text is\n%s", req.System)
		}
		return answer(nothing), nil
	}
	opts.Provider = p
	if _, err := scanner.RunSkill(t.Context(), s, []diff.File{added("a.go", 1)}, opts); err != nil {
		t.Fatal(err)
	}
}

// After an edit of a resource, an answer is not from the cache, also if the model could only read it with tools.
func TestResourcesAreCachedApart(t *testing.T) {
	for _, s := range []scanner.Skill{withResources(reviewer), withResources(withTools(reviewer))} {
		cache := &memory{m: make(map[string][]byte)}
		requests := 0
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			requests++
			return answer(nothing), nil
		})
		run := func(change func(*scanner.Skill)) int {
			t.Helper()
			before, s := requests, s
			s.Resources = append([]scanner.Resource(nil), s.Resources...)
			change(&s)
			if _, err := scanner.RunSkill(t.Context(), s, []diff.File{added("a.go", 1)}, scanner.Options{Provider: p, Model: "m", FS: tree, Cache: cache}); err != nil {
				t.Fatal(err)
			}
			return requests - before
		}
		for _, tt := range []struct {
			name   string
			change func(*scanner.Skill)
			want   int
		}{
			{"first", func(*scanner.Skill) {}, 1},
			{"the same", func(*scanner.Skill) {}, 0},
			{"a text", func(s *scanner.Skill) { s.Resources[0].Text = "Rule two.\n" }, 1},
			{"a text that is not inlined", func(s *scanner.Skill) { s.Resources[2].Text += "x" }, 1},
			{"a name", func(s *scanner.Skill) { s.Resources[2].Name = "y" }, 1},
			{"a script", func(s *scanner.Skill) { s.Resources[1].Name = "scripts/other.sh" }, 1},
			{"none", func(s *scanner.Skill) { s.Resources = nil }, 1},
			{"the first again", func(*scanner.Skill) {}, 0},
		} {
			if got := run(tt.change); got != tt.want {
				t.Errorf("tools %q: %s: %d requests, want %d", s.AllowedTools, tt.name, got, tt.want)
			}
		}
	}
}

// A model that is refused tools, or fails to use them, gets the texts instead.
func TestResourcesWithoutToolsAfterAll(t *testing.T) {
	check := func(req provider.Request) {
		t.Helper()
		if hint, inlined := strings.Contains(req.System, "skill:/references/x.md"), strings.Contains(req.System, "Rule one."); len(req.Tools) > 0 != hint || hint == inlined {
			t.Errorf("%s: %d tools, hint %v, inlined %v", req.Task.Role, len(req.Tools), hint, inlined)
		}
	}
	for name, p := range map[string]asker{
		"refused": func(_ context.Context, req provider.Request) (provider.Response, error) {
			if check(req); len(req.Tools) > 0 {
				return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "no tools"}
			}
			return answer(nothing), nil
		},
		"calls without end": func(_ context.Context, req provider.Request) (provider.Response, error) {
			if check(req); len(req.Tools) > 0 {
				return call("1", "Read", `{"path":"skill:/references/x.md"}`), nil
			}
			return answer(nothing), nil
		},
	} {
		requests := 0
		var last string
		rec := &recorder{t: t}
		counted := asker(func(ctx context.Context, req provider.Request) (provider.Response, error) {
			if req.System != "" { // else it is a test of the connection
				requests++
				last = req.System
				return p(ctx, req)
			}
			return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "no tools"}
		})
		report, err := scanner.RunSkill(t.Context(), withResources(withTools(reviewer)), []diff.File{added("a.go", 1)}, scanner.Options{Provider: counted, FS: tree, OnEvent: rec.on})
		if err != nil || report.Chunks.Analyzed != 1 || requests < 2 || !strings.Contains(last, "Rule one.") {
			t.Errorf("%s: %d requests, %+v, %v", name, requests, report.Chunks, err)
		}
		if all := eventsOf[scanner.EventExchange](rec); all[len(all)-1].System != last {
			t.Errorf("%s: the event has another system text", name)
		}
	}
}
