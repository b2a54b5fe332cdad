package providertest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/provider"
)

// Situation is the behavior of the backend that [Conformance] tests an adapter
// with. Exactly one of Text, Kind, Hang and Reply is set.
type Situation struct {
	// Text makes the model answer with this text, completely.
	Text string
	// Usage is what the answer with Text consumes, if it is not zero.
	Usage provider.Usage
	// Kind makes the request fail with this kind of error.
	Kind provider.Kind
	// Hang makes the model not answer at all.
	Hang bool
	// Reply answers the requests, as [Script.Reply] does: the backend is a dialect
	// of an API. An adapter cannot get into this situation if it sends nothing but
	// text.
	Reply func(Request) (rule Rule, ok bool)
	// Chat is set if Reply is for the API of OpenAI alone.
	Chat bool
	// Secret is the credential to use, where there is one. It must not be in any
	// error.
	Secret string
}

// Factory returns the provider to test, with a backend that behaves like the
// situation for all requests. It returns nil where the adapter cannot get into the
// situation, which skips that part. It cleans up with t.Cleanup.
type Factory func(t *testing.T, s Situation) provider.Provider

// prompt is a request like those of scanner.
var prompt = provider.Request{
	Model:    "test-model",
	System:   "You review code.",
	Messages: []provider.Message{{Role: provider.RoleUser, Text: "Look at main.go:\n+\tx := \"äöü\" // 世界 🌍\n"}},
}

// Conformance tests that a provider fulfills the contract of [provider.Provider]:
// complete and unchanged answers, usage, every kind of error, the end of the
// context, concurrent use, no credential in any error, and answers in spite of what
// the dialects of its API refuse.
func Conformance(t *testing.T, factory Factory) {
	const secret = "sk-conformance-0123456789"
	open := func(t *testing.T, s Situation) provider.Provider {
		t.Helper()
		s.Secret = secret
		p := factory(t, s)
		if p == nil {
			t.Skip("the adapter cannot get into this situation")
		}
		return p
	}

	for _, tt := range []struct{ name, text string }{
		{"json", `{"findings":[{"title":"a \"quoted\" title","severity":"high"}]}`},
		{"unicode", "äöü 世界 🌍 \u2028 e\u0301 \u202e right to left"},
		{"white space", "\n\n  indented\r\n\ttab\n\n"},
		{"looks special", "</think> <|end|> ```json\n{}\n``` data: [DONE] \\u0000 %s"},
		{"large", strings.Repeat("0123456789abcdef äöü\n", 50_000)},
	} {
		t.Run("text/"+tt.name, func(t *testing.T) {
			text := tt.text
			resp, err := open(t, Situation{Text: text}).Complete(t.Context(), prompt)
			if err != nil {
				t.Fatal(err)
			}
			if resp.Text != text {
				t.Errorf("the text was changed: got %d bytes %.200q, want %d bytes %.200q", len(resp.Text), resp.Text, len(text), text)
			}
			if resp.Stop != provider.StopEnd {
				t.Errorf("Stop is %q, want %q", resp.Stop, provider.StopEnd)
			}
		})
	}

	t.Run("usage", func(t *testing.T) {
		want := provider.Usage{InputTokens: 1234, OutputTokens: 56, CacheReadInputTokens: 1000, CostUSD: new(0.0125)}
		resp, err := open(t, Situation{Text: "done", Usage: want}).Complete(t.Context(), prompt)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, resp.Usage); diff != "" {
			t.Errorf("usage (-want +got):\n%s", diff)
		}
	})

	for _, kind := range []provider.Kind{
		provider.KindAuth, provider.KindRateLimit, provider.KindTimeout, provider.KindServer, provider.KindConnection,
		provider.KindSubprocess, provider.KindInvalid, provider.KindRefusal, provider.KindContextLength,
	} {
		t.Run("error/"+kind.String(), func(t *testing.T) {
			_, err := open(t, Situation{Kind: kind}).Complete(t.Context(), prompt)
			if got := provider.KindOf(err); got != kind {
				t.Fatalf("error %v is of kind %v, want %v", err, got, kind)
			}
			checkText(t, err, secret)
		})
	}

	t.Run("canceled before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := open(t, Situation{Text: "done"}).Complete(ctx, prompt); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	})
	t.Run("canceled in the request", func(t *testing.T) {
		p := open(t, Situation{Hang: true})
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(50*time.Millisecond, cancel)
		defer timer.Stop()
		start := time.Now()
		_, err := p.Complete(ctx, prompt)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
		if kind := provider.KindOf(err); kind.Retryable() {
			t.Errorf("the caller's cancellation is of the retryable kind %v", kind)
		}
		checkPrompt(t, start)
	})
	t.Run("deadline in the request", func(t *testing.T) {
		p := open(t, Situation{Hang: true})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := p.Complete(ctx, prompt)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
		}
		if kind := provider.KindOf(err); kind != provider.KindTimeout && kind != provider.KindUnknown {
			t.Errorf("the end of the deadline is of kind %v", kind)
		}
		checkPrompt(t, start)
	})

	testDialects(t, open)

	t.Run("concurrent", func(t *testing.T) {
		p := open(t, Situation{Text: "done"})
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if resp, err := p.Complete(t.Context(), prompt); err != nil || resp.Text != "done" {
					t.Errorf("Complete = %q, %v; want %q", resp.Text, err, "done")
				}
			})
		}
		wg.Wait()
	})
}

// checkText fails the test unless the text of err is safe to show.
func checkText(t *testing.T, err error, secret string) {
	t.Helper()
	e, ok := errors.AsType[*provider.Error](err)
	if !ok {
		t.Fatalf("error %v is not a *provider.Error", err)
	}
	if e.Message == "" {
		t.Error("the error has no message")
	}
	for _, text := range []string{err.Error(), e.Message, e.Hint} {
		if strings.Contains(text, secret) {
			t.Errorf("the credential shows in %q", text)
		}
		if strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("control characters in %q", text)
		}
	}
	for cause := e.Err; cause != nil; cause = errors.Unwrap(cause) {
		if strings.Contains(cause.Error(), secret) {
			t.Errorf("the credential shows in the cause %q", cause)
		}
	}
}

// checkPrompt fails the test if a request went on after the end of its context. The
// bound is for slow machines: without a bug, it is some milliseconds.
func checkPrompt(t *testing.T, start time.Time) {
	t.Helper()
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("the request went on for %v after the end of its context", d)
	}
}
