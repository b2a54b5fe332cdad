package scanner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// exchanges describes what was sent for the first time and what came back.
func exchanges(rec *recorder) []string {
	var all []string
	for _, e := range eventsOf[scanner.EventExchange](rec) {
		text := e.Role
		if e.Cached {
			text += " cached"
		}
		for _, m := range append(e.Sent(), e.Answer()) {
			text += " | " + string(m.Role)
			if m.Role != provider.RoleUser {
				text += " " + strings.TrimSpace(m.Text)
			}
			for _, c := range m.ToolCalls {
				text += " " + c.Name + c.Arguments
			}
		}
		if e.Err != nil {
			text += " | " + e.Err.Error()
		}
		all = append(all, text)
	}
	return all
}

// TestExchanges: what was sent and answered can be shown, of every kind of request, and
// no secret that the answers hold.
func TestExchanges(t *testing.T) {
	const secret = "sk-hush"
	redact := func(s string) (string, int) {
		return strings.ReplaceAll(s, secret, "[redacted]"), strings.Count(s, secret)
	}
	good := findings(finding("high", "Broken", "second of a.go:1", 2))
	var p asker = func(_ context.Context, req provider.Request) (provider.Response, error) {
		switch {
		case req.Task.Role == "verify":
			return answer("I agree, " + secret), nil
		case req.Task.Role == "extract":
			return answer(good), nil
		case len(req.Messages) == 1:
			return call("1", "Read", `{"path":"`+secret+`"}`), nil
		}
		return answer("It is broken, " + secret), nil
	}
	cache := &memory{m: make(map[string][]byte)}
	run := func() (*recorder, []string) {
		rec := &recorder{t: t}
		if _, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{added("a.go", 1)},
			scanner.Options{Provider: p, Model: "m", FS: tree, Cache: cache, Redact: redact, Verify: true, OnEvent: rec.on}); err != nil {
			t.Fatal(err)
		}
		return rec, exchanges(rec)
	}
	rec, got := run()
	all := eventsOf[scanner.EventExchange](rec)
	result := strings.TrimSpace(all[1].Sent()[1].Text)
	want := []string{
		`analyze | user | assistant  Read{"path":"[redacted]"}`,
		`turn 2 | assistant  Read{"path":"[redacted]"} | tool ` + result + ` | assistant It is broken, [redacted]`,
		`extract | user | assistant ` + good,
		`verify | user | assistant I agree, [redacted]`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the exchanges (-want +got):\n%s", d)
	}
	for i, want := range []string{"second of a.go:1", "", "It is broken, [redacted]", "Broken"} {
		if m := all[i].Sent()[0]; i != 1 && (!strings.Contains(m.Text, want) || strings.Contains(m.Text, secret)) {
			t.Errorf("%s: sent %q, want a text with %q", all[i].Role, m.Text, want)
		}
		if all[i].System == "" || all[i].Chunk.Path != "a.go" {
			t.Errorf("%s: has the system prompt %q, the chunk %v", all[i].Role, all[i].System, all[i].Chunk)
		}
	}

	p = func(_ context.Context, req provider.Request) (provider.Response, error) {
		if req.Task.Role == "verify" {
			return answer(findings(`{"number":1,"verdict":"keep","reason":"because"}`)), nil
		}
		return answer(good), nil
	}
	run()
	_, got = run()
	if len(got) != 2 || !strings.HasPrefix(got[0], `analyze cached | assistant {"first":1,`) || !strings.Contains(got[0], "Broken") ||
		!strings.HasPrefix(got[1], `verify cached | assistant {"first":1,`) || !strings.Contains(got[1], "because") {
		t.Errorf("the second time: %q", got)
	}
}

// TestExchangeFails: a request without an answer is shown with the reason.
func TestExchangeFails(t *testing.T) {
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		return provider.Response{}, &provider.Error{Kind: provider.KindRefusal, Message: "no"}
	})
	rec := &recorder{t: t}
	if _, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)}, scanner.Options{Provider: p, OnEvent: rec.on}); err != nil {
		t.Fatal(err)
	}
	if got, want := exchanges(rec), []string{"analyze | user | assistant  | RefusalError: no"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestUnread: the beginning of an answer that could not be read is known, without the
// secrets in it, also one that is cut there.
func TestUnread(t *testing.T) {
	const secret = "sk-hush-hush"
	for _, stop := range []provider.StopReason{provider.StopEnd, provider.StopLength} {
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			resp := answer("Sorry,\n\x1b[31mno. " + strings.Repeat("x", 180) + secret + " and more")
			resp.Stop = stop
			return resp, nil
		})
		rec := &recorder{t: t}
		if _, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)}, scanner.Options{
			Provider: p, OnEvent: rec.on,
			Redact: func(s string) (string, int) {
				return strings.ReplaceAll(s, secret, "[redacted]"), strings.Count(s, secret)
			},
		}); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("Sorry, no. %s[redacted…", strings.Repeat("x", 180))
		if e := eventsOf[scanner.EventChunk](rec); len(e) != 1 || e[0].Unread != want {
			t.Errorf("%s: got %+v, want the beginning %q", stop, e, want)
		}
	}
}
