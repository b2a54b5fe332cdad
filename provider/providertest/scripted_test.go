package providertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner/provider"
)

func TestAnswers(t *testing.T) {
	p := Answers(Text("one"), Fail(provider.KindServer, "two"))
	req := func(text string) provider.Request {
		return provider.Request{Messages: []provider.Message{{Role: provider.RoleUser, Text: text}}}
	}
	resp, err := p.Complete(t.Context(), req("a"))
	if err != nil || resp.Text != "one" || resp.Stop != provider.StopEnd || resp.Usage.OutputTokens != 1 {
		t.Errorf("first: %+v, %v", resp, err)
	}
	if _, err := p.Complete(t.Context(), req("b")); provider.KindOf(err) != provider.KindServer {
		t.Errorf("second: %v", err)
	}
	if _, err := p.Complete(t.Context(), req("c")); provider.KindOf(err) != provider.KindInvalid {
		t.Errorf("third: %v, want an error since there is no answer", err)
	}
	var got string
	for _, r := range p.Requests() {
		got += r.Messages[0].Text
	}
	if got != "abc" {
		t.Errorf("requests were kept as %q, want %q", got, "abc")
	}
}

func TestScriptedDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Func(func(n int, _ provider.Request) Answer {
			a := Text("x")
			a.Delay = time.Minute
			return a
		})
		start := time.Now()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := p.Complete(t.Context(), provider.Request{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := time.Since(start); got != time.Minute {
			t.Errorf("answered after %v, want 1m", got)
		}
		if got := p.MostAtOnce(); got != 4 {
			t.Errorf("MostAtOnce() = %d, want 4", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.Complete(ctx, provider.Request{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
		}
		if got := time.Since(start); got != time.Minute+time.Second {
			t.Errorf("gave up after %v, want 1m1s", got)
		}
	})
}

func TestScriptedConformance(t *testing.T) {
	Conformance(t, func(t *testing.T, s Situation) provider.Provider {
		return Func(func(int, provider.Request) Answer {
			switch {
			case s.Kind != provider.KindUnknown:
				return Fail(s.Kind, "as scripted")
			case s.Hang:
				return Answer{Delay: time.Hour}
			}
			a := Text(s.Text)
			if !s.Usage.IsZero() {
				a.Response.Usage = s.Usage
			}
			return a
		})
	})
}

func ExampleAnswers() {
	p := Answers(Text(`{"findings": []}`), Fail(provider.KindRateLimit, "slow down"))
	for range 2 {
		resp, err := p.Complete(context.Background(), provider.Request{})
		fmt.Println(resp.Text, err)
	}
	// Output:
	// {"findings": []} <nil>
	//  RateLimitError: slow down
}
