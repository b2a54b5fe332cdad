package term

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

type providerFunc func(req provider.Request) (provider.Response, error)

func (f providerFunc) Complete(_ context.Context, req provider.Request) (provider.Response, error) {
	return f(req)
}

// TestExchange: what is sent and answered is shown with all its lines, clean, the system
// prompt once.
func TestExchange(t *testing.T) {
	p := providerFunc(func(req provider.Request) (provider.Response, error) {
		switch {
		case req.Task.Path == "b.go":
			return provider.Response{}, &provider.Error{Kind: provider.KindRefusal, Message: "I\nwill not"}
		case len(req.Messages) == 1:
			return provider.Response{ToolCalls: []provider.ToolCall{{ID: "1", Name: "Read", Arguments: `{"path":"c.go"}`}}}, nil
		}
		return provider.Response{Text: "{\n  \"findings\": []\n}\x1b[31m\n::error::x\n"}, nil
	})
	file := func(name string) diff.File {
		return diff.File{Path: name, Status: diff.Modified, Hunks: []diff.Hunk{{OldStart: 1, NewStart: 1, NewLines: 1, Body: "+var x\u202e = 1\n"}}}
	}
	skill := scanner.Skill{Name: "review", Instructions: "Find bugs.\n\nAll of them.", AllowedTools: []string{"Read"}}
	for name, tt := range map[string]struct {
		layout Layout
		want   []string
	}{
		"plain": {Layout{width: 80}, []string{
			"scanner: [debug] review: analyze: system prompt\n", "scanner: [debug]   Find bugs.\n", "scanner: [debug]\n", "scanner: [debug]   All of them.\n",
			"scanner: [debug] review a.go:1-1: analyze: sent, after the system prompt\n",
			"scanner: [debug] review a.go:1-1: analyze: calls Read {\"path\":\"c.go\"}\n",
			"scanner: [debug] review a.go:1-1: turn 2: sent the result of Read, ",
			"scanner: [debug] review a.go:1-1: turn 2: answer\n", "scanner: [debug]   {\n", "scanner: [debug]     \"findings\": []\n", "scanner: [debug]   }\n", "scanner: [debug]   ::error::x\n",
			"scanner: [debug] review b.go:1-1: analyze: no answer (RefusalError: I\\nwill not)\n",
		}},
		"rich": {Layout{interactive: true, width: 80}, []string{
			"[debug] review: analyze: system prompt\n", "\n  Find bugs.\n\n  All of them.\n",
			"[debug] review a.go:1-1: turn 2: answer\n  {\n    \"findings\": []\n  }\n  : :error::x\n",
		}},
	} {
		c, output := newTestConsole(Debug, tt.layout)
		if _, err := scanner.RunSkill(t.Context(), skill, []diff.File{file("a.go"), file("b.go")}, scanner.Options{
			Provider: p, OnEvent: c.Event, FS: fstest.MapFS{"c.go": {Data: []byte("package c\n")}},
		}); err != nil {
			t.Fatal(err)
		}
		got := output()
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, got)
			}
		}
		if n := strings.Count(got, "Find bugs."); n != 1 || strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%s: the instructions come %d times, or there are control characters:\n%s", name, n, got)
		}
	}

	c, output := newTestConsole(Verbose, Layout{width: 80})
	if _, err := scanner.RunSkill(t.Context(), skill, []diff.File{file("a.go")}, scanner.Options{Provider: p, OnEvent: c.Event}); err != nil {
		t.Fatal(err)
	}
	if got := output(); strings.Contains(got, "Find bugs.") {
		t.Errorf("the prompt is shown below debug:\n%s", got)
	}
}

// TestUnreadAnswer: the first answer that could not be read is shown at once, the others
// only from verbose on.
func TestUnreadAnswer(t *testing.T) {
	for level, want := range map[Verbosity]int{Quiet: 0, Normal: 1, Verbose: 2} {
		c, output := newTestConsole(level, Layout{width: 80})
		for _, path := range []string{"a.go", "b.go"} {
			c.Event(scanner.EventChunk{
				Chunk: scanner.ChunkRef{Path: path, StartLine: 1, EndLine: 3}, Outcome: scanner.OutcomeFailed,
				Err: scanner.ErrExtraction, Unread: "I am \x1b[31msorry",
			})
		}
		if got := strings.Count(output(), `warning: The answer about `); got != want {
			t.Errorf("level %d: shown %d times, want %d:\n%s", level, got, want, output())
		}
		if want > 0 && !strings.Contains(output(), `The answer about a.go:1-3 could not be read (ExtractionError): I am sorry`+"\n") {
			t.Errorf("level %d: got %s", level, output())
		}
	}
}
