package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/github"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/review"
)

var (
	first, second = strings.Repeat("1", 40), strings.Repeat("2", 40)
	patch         = "--- a/a.go\n+++ b/a.go\n@@ -1 +1,2 @@\n package a\n+var x = y / 0\n"
)

// model finds the same in all requests, each after a time. A request about held
// code waits for the end of its context.
type model struct {
	held            string
	takes           time.Duration
	inFlight, most  atomic.Int64
	canceled, calls atomic.Int64
}

func (m *model) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	m.calls.Add(1)
	if n := m.inFlight.Add(1); n > m.most.Load() {
		m.most.Store(n)
	}
	defer m.inFlight.Add(-1)
	if m.held != "" && strings.Contains(req.Messages[0].Text, m.held) {
		<-ctx.Done()
		m.canceled.Add(1)
		return provider.Response{}, ctx.Err()
	}
	time.Sleep(m.takes)
	cost := 0.5
	return provider.Response{Stop: provider.StopEnd, Usage: provider.Usage{InputTokens: 10, OutputTokens: 10, CostUSD: &cost}, Text: `{"findings": [{
		"severity": "high", "confidence": "high", "title": "Division by zero", "description": "It panics.",
		"location": {"startLine": 2, "quote": "var x = y / 0"}}]}`}, nil
}

// newServer returns a server for pull requests by their repositories, which have a head
// and a change.
func newServer(t *testing.T, m *model, hosts map[string]*githubtest.Host) *server {
	return &server{
		secret: []byte("s3cret"),
		host: func(repo github.Repo) (review.Host, error) {
			host := hosts[repo.String()]
			host.Repo = repo.String()
			return github.NewClient(repo, github.Config{Token: "t", HTTP: &http.Client{Transport: host}})
		},
		skills:  []scanner.Skill{{Name: "bugs", Instructions: "Find bugs."}},
		options: scanner.Options{Provider: m, Limiter: provider.NewLimiter(2), MaxCost: 10},
		logf:    t.Logf,
	}
}

func newHost(t *testing.T, head, patch string) *githubtest.Host {
	t.Helper()
	files, err := diff.Parse([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	return githubtest.New(head, files)
}

// deliver sends a webhook and returns the status of the answer.
func deliver(s *server, repo, action, head, secret string) int {
	payload := fmt.Sprintf(`{"action": %q, "number": 7, "repository": {"full_name": %q}, "pull_request": {"number": 7, "title": "Change",
		"head": {"ref": "topic", "sha": %q, "repo": {"full_name": %[2]q}}, "base": {"ref": "main", "sha": %q, "repo": {"full_name": %[2]q}}}}`,
		action, repo, head, strings.Repeat("0", 40))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(payload))
	req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(payload))
	req.Header.Set("X-GitHub-Event", "pull_request")
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	return w.Code
}

func TestReviewsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := make(map[string]*githubtest.Host)
		for n := range 5 {
			hosts[fmt.Sprintf("o/r%d", n)] = newHost(t, first, patch)
		}
		m := &model{takes: time.Second} // so that requests overlap
		s := newServer(t, m, hosts)
		for repo := range hosts {
			if code := deliver(s, repo, "opened", first, "s3cret"); code != http.StatusAccepted {
				t.Errorf("%s: status %d", repo, code)
			}
		}
		s.shutdown(t.Context())
		for repo, host := range hosts {
			if len(host.Comments) != 1 || !strings.Contains(host.Comments[0].Body, "Division by zero") || len(host.Problems) > 0 {
				t.Errorf("%s:\n%s", repo, host.Dump())
			}
		}
		if most := m.most.Load(); most != 2 || m.calls.Load() != 5 {
			t.Errorf("%d requests, %d at once, want 5 and 2", m.calls.Load(), most)
		}
	})
}

func TestPushCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := newHost(t, first, strings.Replace(patch, "+var x", "+/* held */ var x", 1))
		m := &model{held: "held"}
		s := newServer(t, m, map[string]*githubtest.Host{"o/r": host})
		deliver(s, "o/r", "opened", first, "s3cret")
		synctest.Wait()
		if m.inFlight.Load() != 1 {
			t.Fatalf("%d requests in flight, want 1", m.inFlight.Load())
		}
		host.Do(func() { host.Push(second, newHost(t, second, patch).Files) })
		deliver(s, "o/r", "synchronize", second, "s3cret")
		s.shutdown(t.Context())
		if m.canceled.Load() != 1 {
			t.Error("the review of the first head was not canceled")
		}
		if len(host.Comments) != 1 || len(host.Checks) == 0 {
			t.Errorf("posted:\n%s", host.Dump())
		}
		for _, c := range host.Checks {
			if c.Head != second {
				t.Errorf("check run at %.4s, want none about the first head", c.Head)
			}
		}
		if len(s.latest) > 0 {
			t.Error("the server remembers reviews that have ended")
		}
	})
}

// TestEnds shows how reviews end early: when the pull request is closed, and when the
// server has waited long enough. Nothing is posted.
func TestEnds(t *testing.T) {
	for name, end := range map[string]func(*server, context.CancelFunc){
		"closed":   func(s *server, _ context.CancelFunc) { deliver(s, "o/r", "closed", first, "s3cret") },
		"shutdown": func(_ *server, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := newHost(t, first, strings.Replace(patch, "+var x", "+/* held */ var x", 1))
				s := newServer(t, &model{held: "held"}, map[string]*githubtest.Host{"o/r": host})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				deliver(s, "o/r", "opened", first, "s3cret")
				synctest.Wait()
				end(s, cancel)
				s.shutdown(ctx)
				if len(host.Writes) > 0 {
					t.Errorf("posted:\n%s", host.Dump())
				}
			})
		})
	}
}

func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := newHost(t, first, patch+strings.ReplaceAll(patch, "a.go", "b.go"))
		m := new(model)
		s := newServer(t, m, map[string]*githubtest.Host{"o/r": host})
		s.options.MaxCost = 0.6
		deliver(s, "o/r", "opened", first, "s3cret")
		s.shutdown(t.Context())
		if m.calls.Load() != 1 || !strings.Contains(host.Dump(), "**Incomplete:**") || len(host.Comments) != 1 {
			t.Errorf("%d requests, posted:\n%s", m.calls.Load(), host.Dump())
		}
	})
}

func TestSignature(t *testing.T) {
	host := newHost(t, first, patch)
	s := newServer(t, new(model), map[string]*githubtest.Host{"o/r": host})
	if code := deliver(s, "o/r", "opened", first, "guessed"); code != http.StatusUnauthorized {
		t.Errorf("status %d, want %d", code, http.StatusUnauthorized)
	}
	s.shutdown(t.Context())
	if len(host.Requests) > 0 {
		t.Errorf("requests %q after a wrong signature", host.Requests)
	}
}
