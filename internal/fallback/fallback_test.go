package fallback_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner/internal/fallback"
	"github.com/codescan-dev/scanner/provider"
)

// server is a provider that refuses forms of requests. It keeps the forms that it got:
// "tf" has tools and a response format.
type server struct {
	refuse func(form, text string) error

	mu   sync.Mutex
	got  []string
	wait time.Duration
}

func (s *server) SendsFeatures() bool { return true }

func (s *server) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	form := ""
	if len(req.Tools) > 0 {
		form += "t"
	}
	if req.Schema != nil {
		form += "f"
	}
	if form == "" {
		form = "plain"
	}
	text, label := req.Messages[0].Text, form
	if strings.Contains(text, "test of the connection") {
		label = "probe:" + form
	}
	s.mu.Lock()
	s.got = append(s.got, label)
	err := s.refuse(form, text)
	s.mu.Unlock()
	if err == nil && s.wait > 0 {
		select {
		case <-time.After(s.wait):
		case <-ctx.Done():
			return provider.Response{}, ctx.Err()
		}
	}
	return provider.Response{Text: form}, err
}

func (s *server) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := strings.Join(s.got, " ")
	s.got = nil
	return got
}

// chunk returns a request with tools and a response format.
func chunk(text string) provider.Request {
	return provider.Request{
		Model:    "m",
		Messages: []provider.Message{{Role: provider.RoleUser, Text: text}},
		Tools:    []provider.Tool{{Name: "read"}},
		Schema:   &provider.Schema{Name: "findings", JSON: json.RawMessage(`{}`)},
	}
}

func invalid(status int, message string) error {
	return &provider.Error{Kind: provider.KindInvalid, Status: status, Message: message}
}

var failure = &provider.Error{Kind: provider.KindServer, Status: 500, Message: "boom"}

// complete makes a request as package scanner does.
func complete(ctx context.Context, f *fallback.Forms, s *server, req provider.Request) (resp provider.Response, err error) {
	call := f.Begin(ctx, req)
	defer call.End()
	_, err = provider.RetryPolicy{InitialDelay: provider.NoDelay}.Retry(ctx, provider.NewLimiter(1), nil, func(ctx context.Context) (err error) {
		resp, err = call.Try(ctx, s.Complete)
		return err
	}, nil)
	return resp, err
}

func refuses(status int, message string, forms ...string) func(form, text string) error {
	return func(form, _ string) error {
		if slices.Contains(forms, form) {
			return invalid(status, message)
		}
		return nil
	}
}

// The requests of chunks that follow each other.
func TestForms(t *testing.T) {
	only := func(text string, refuse func(form, text string) error) func(form, text string) error {
		return func(form, got string) error {
			if got == text {
				return refuse(form, got)
			}
			return nil
		}
	}
	fails := func(n int, err error) func(form, text string) error {
		return func(string, string) error {
			if n--; n >= 0 {
				return err
			}
			return nil
		}
	}
	all := []string{"tf", "f", "t", "plain"}
	tests := []struct {
		name   string
		refuse func(form, text string) error
		chunks string // the texts
		want   []string
		fail   string // the chunks that fail
		ends   bool   // the run
	}{
		{"accepts all", refuses(400, ""), "abc", []string{"tf", "tf", "tf"}, "", false},
		{"no tools", refuses(400, "", "tf", "t"), "abc", []string{"tf f probe:tf", "f", "f"}, "", false},
		{"no format", refuses(422, "", "tf", "f"), "abc", []string{"tf f plain", "plain", "plain"}, "", false},
		{"no format, named", refuses(400, "response_format is not supported", "tf", "f"), "abc", []string{"tf t probe:tf", "t", "t"}, "", false},
		{"neither, and the format is named", refuses(400, "response_format", "tf", "f", "t"), "ab", []string{"tf t plain", "plain"}, "", false},
		{"a form that works no more", func(form, text string) error {
			if (form == "tf") == (text == "a" || strings.HasPrefix(text, "This")) {
				return invalid(400, "")
			}
			return nil
		}, "abc", []string{"tf f probe:tf", "f plain tf", "tf"}, "", false},
		{"neither", refuses(404, "", "tf", "f", "t"), "abc", []string{"tf f plain", "plain", "plain"}, "", false},
		{"wrong model", refuses(404, "no such model", all...), "a", []string{"tf f plain"}, "a", true},
		{"wrong model with 400", refuses(400, "no such model", all...), "a", []string{"tf f plain probe:plain"}, "a", true},
		{"model that disappears", func(form, text string) error {
			if text == "a" {
				return nil
			}
			return invalid(404, "")
		}, "ab", []string{"tf", "tf f plain"}, "b", false},
		{"the first chunk is refused", only("a", refuses(400, "", all...)), "aba", []string{"tf f plain probe:plain", "tf", "tf f plain"}, "a", false},
		{"the first chunk is refused with tools", only("a", refuses(400, "", "tf")), "abc", []string{"tf f probe:tf", "tf", "tf"}, "", false},
		{"a later chunk is refused", only("b", refuses(400, "", all...)), "abc", []string{"tf", "tf f plain", "tf"}, "b", false},
		{"a later chunk is refused with tools", only("b", refuses(400, "", "tf")), "abc", []string{"tf", "tf f", "tf"}, "", false},
		{"web page for a later chunk", only("b", refuses(422, "web page", "tf", "f")), "abc", []string{"tf", "tf f plain", "tf"}, "", false},
		{"one failure", fails(1, failure), "ab", []string{"tf tf", "tf"}, "", false},
		{"two failures", fails(2, failure), "ab", []string{"tf tf f", "f"}, "", false},
		{"failures with tools", func(form, text string) error {
			if strings.Contains(form, "t") {
				return failure
			}
			return nil
		}, "abc", []string{"tf tf f", "f", "f"}, "", false},
		{"server that is down for a while", fails(4, failure), "ab", []string{"tf tf f plain tf", "tf"}, "", false},
		{"server that is down", fails(100, failure), "ab", []string{"tf tf f plain tf tf", "tf tf f plain tf tf"}, "ab", false},
		{"no JSON", fails(2, &provider.Error{Kind: provider.KindServer, Status: 400}), "ab", []string{"tf tf f", "tf"}, "", false},
		{"refused, then limited", func() func(form, text string) error {
			n := 0
			return func(form, _ string) error {
				switch n++; n {
				case 1:
					return invalid(400, "")
				case 2:
					return &provider.Error{Kind: provider.KindTimeout}
				}
				return nil
			}
		}(), "ab", []string{"tf f f", "f"}, "", false},
	}
	for _, kind := range []provider.Kind{provider.KindAuth, provider.KindContextLength, provider.KindRefusal} {
		tests = append(tests, tests[0])
		last := &tests[len(tests)-1]
		last.name, last.refuse = kind.String(), only("a", func(string, string) error {
			return &provider.Error{Kind: kind, Status: 400, Message: "tools and response_format"}
		})
		last.fail = "a"
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{refuse: tt.refuse}
			f := fallback.New(s, nil, nil)
			for i, text := range tt.chunks {
				_, err := complete(t.Context(), f, s, chunk(string(text)))
				if got := s.take(); got != tt.want[i] {
					t.Errorf("the requests of chunk %d are %q, want %q", i, got, tt.want[i])
				}
				if (err != nil) != strings.ContainsRune(tt.fail, text) {
					t.Errorf("chunk %d: error %v", i, err)
				}
				if provider.KindOf(err) == provider.KindInvalid && provider.EndsRun(err) != tt.ends {
					t.Errorf("chunk %d ends the run: %t, want %t", i, !tt.ends, tt.ends)
				}
			}
		})
	}
}

// A request that answers tools is not tried in other forms, and keeps its tools.
func TestFormsInConversation(t *testing.T) {
	s := &server{refuse: func(form, text string) error {
		if form == "tf" && text == "refused" {
			return invalid(400, "")
		}
		return nil
	}}
	f := fallback.New(s, nil, nil)
	req := chunk("refused")
	req.Messages = append(req.Messages, provider.Message{Role: provider.RoleTool, Text: "x"})
	if _, err := complete(t.Context(), f, s, req); err == nil || provider.EndsRun(err) || s.take() != "tf" {
		t.Errorf("error %v, want the refusal of one request", err)
	}
	s.refuse = refuses(400, "", "tf", "f")
	complete(t.Context(), f, s, chunk("a"))
	s.take()
	if _, err := complete(t.Context(), f, s, req); err != nil || s.take() != "t" {
		t.Errorf("error %v, want one request with tools", err)
	}
}

// memory is a store.
type memory map[string][]byte

func (m memory) Get(_ context.Context, key string) ([]byte, bool) { v, ok := m[key]; return v, ok }
func (m memory) Put(_ context.Context, key string, value []byte)  { m[key] = value }

// What was found out is known to later runs, for a week.
func TestStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory{}
		s := &server{refuse: refuses(400, "no tools here", "tf", "t")}
		var reported []fallback.Lesser
		run := func() string {
			f := fallback.New(s, store, func(l fallback.Lesser) { reported = append(reported, l) })
			for range 2 {
				if _, err := complete(t.Context(), f, s, chunk("a")); err != nil {
					t.Error(err)
				}
			}
			return s.take()
		}
		for i, want := range []string{"tf f probe:tf f", "f f", "f f"} {
			if got := run(); got != want {
				t.Errorf("run %d: requests %q, want %q", i, got, want)
			}
			if l := reported[len(reported)-1]; len(reported) != i+1 || !l.Tools || l.Format || (l.Err != nil) != (i == 0) {
				t.Errorf("run %d reported %+v", i, reported)
			}
			time.Sleep(3*24*time.Hour + time.Hour)
		}
		s.refuse = refuses(400, "")
		if got := run(); got != "tf tf" {
			t.Errorf("after a week: requests %q, want the full form", got)
		}
		s.refuse = refuses(400, "", "tf", "t")
		if got := run(); got != "tf f probe:tf f" {
			t.Errorf("after a change of the server: requests %q, want the full form first", got)
		}
		clear(store)
		s.refuse = func(form, _ string) error {
			if form == "tf" {
				return failure
			}
			return nil
		}
		if run(); len(store) != 0 {
			t.Errorf("a failure of the server is stored: %s", store)
		}
		for key := range store {
			store[key] = []byte(`{"known":9}`)
		}
		s.refuse = refuses(400, "")
		if got := run(); got != "tf tf" {
			t.Errorf("with a broken store: requests %q", got)
		}
	})
}

// Of many requests at a time, one finds out.
func TestBeginWaits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		refuse func(form, text string) error
		wait   time.Duration // for an answer
		forms  string
		took   time.Duration
	}{
		{"no tools", refuses(400, "", "tf", "t"), time.Second, "tf f probe:tf" + strings.Repeat(" f", 39), 2 * time.Second},
		{"no tools, slow answers", refuses(400, "", "tf", "t"), time.Minute, "tf" + strings.Repeat(" f", 40) + " probe:tf", 70 * time.Second},
		{"accepts all, slow answers", refuses(400, ""), time.Minute, strings.TrimSpace(strings.Repeat("tf ", 40)), 70 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{refuse: tt.refuse, wait: tt.wait}
				f := fallback.New(s, nil, nil)
				start := time.Now()
				var wg sync.WaitGroup
				for i := range 40 {
					wg.Go(func() {
						if _, err := complete(t.Context(), f, s, chunk(fmt.Sprint(i))); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if got := s.take(); got != tt.forms {
					t.Errorf("requests %q, want %q", got, tt.forms)
				}
				if d := time.Since(start); d != tt.took {
					t.Errorf("it took %v, want %v", d, tt.took)
				}
			})
		})
	}
}

// A chunk that fails for another reason does not keep the others waiting, and a call
// ends with its context.
func TestBeginAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{refuse: func(_, text string) error {
			if text == "slow" {
				return &provider.Error{Kind: provider.KindConnection}
			}
			return nil
		}}
		f := fallback.New(s, nil, nil)
		call := f.Begin(t.Context(), chunk("slow"))
		defer call.End()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f.Begin(ctx, chunk("canceled")).End()
		done := make(chan time.Time)
		start := time.Now()
		go func() {
			complete(t.Context(), f, s, chunk("other"))
			done <- time.Now()
		}()
		synctest.Wait()
		if _, err := call.Try(t.Context(), s.Complete); err == nil {
			t.Error("no error")
		}
		if d := (<-done).Sub(start); d != 0 {
			t.Errorf("the other request waited %v", d)
		}
	})
}

// A server that refuses at random costs no chunk that a form would have got an answer
// for, and no tools once they were accepted.
func TestRandomRefusals(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		refused := make(map[string]bool)
		s := &server{}
		s.refuse = func(form, text string) error {
			key := form + text
			if _, known := refused[key]; !known {
				refused[key] = rnd.IntN(3) == 0
			}
			if refused[key] {
				return invalid([]int{400, 404, 422}[rnd.IntN(3)], "no")
			}
			return nil
		}
		f := fallback.New(s, nil, nil)
		full := false // a request in the full form succeeded
		for i := range 30 {
			text := fmt.Sprint(i)
			_, err := complete(t.Context(), f, s, chunk(text))
			got := s.take()
			if full && !strings.HasPrefix(got, "tf") {
				t.Errorf("seed %d: the requests of chunk %d are %q, although tools work", seed, i, got)
			}
			full = full || got == "tf" || strings.HasSuffix(got, "probe:tf") && !refused["tfThis is a test of the connection. Answer with OK."]
			if plain := "plain" + text; err != nil && !refused[plain] {
				t.Errorf("seed %d: chunk %d failed after %q: %v", seed, i, got, err)
			}
		}
	}
}
