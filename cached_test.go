package scanner_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

type memory struct {
	mu sync.Mutex
	m  map[string][]byte
}

func (m *memory) Get(_ context.Context, key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.m[key]
	return v, ok
}

func (m *memory) Put(_ context.Context, key string, value []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.m[key] = value
}

func TestCache(t *testing.T) {
	cache := &memory{m: make(map[string][]byte)}
	var sent atomic.Int64
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		sent.Add(1)
		if strings.Contains(user(req), "first of a.go:1\n") {
			return answer(findings(finding("high", "Broken", "second of a.go:1", 2))), nil
		}
		if strings.Contains(user(req), "first of bad.go") {
			resp := answer(`{"findings":[{"severity":"low","title":"t","description":"d"},{"sev`)
			resp.Stop = provider.StopLength
			return resp, nil
		}
		return answer(nothing), nil
	})
	run := func(s scanner.Skill, opts scanner.Options, files ...diff.File) (*scanner.SkillReport, int64) {
		t.Helper()
		before := sent.Load()
		opts.Provider, opts.Cache = p, cache
		report, err := scanner.RunSkill(t.Context(), s, files, opts)
		if err != nil {
			t.Fatal(err)
		}
		return report, sent.Load() - before
	}

	first, n := run(reviewer, scanner.Options{}, added("a.go", 1, 200))
	if n != 2 {
		t.Fatalf("the first run made %d requests, want 2", n)
	}
	second, n := run(reviewer, scanner.Options{}, added("a.go", 1, 200))
	if n != 0 || second.Chunks != (scanner.ChunkCounts{Total: 2, Cached: 2}) {
		t.Errorf("the second run made %d requests: %+v", n, second.Chunks)
	}
	if d := cmp.Diff(first.Findings, second.Findings, ignoreTimes); d != "" || len(second.Findings) != 1 {
		t.Errorf("findings differ (-first +cached):\n%s", d)
	}
	if u := second.Usage; u == nil || !u.IsZero() {
		t.Errorf("the second run used %+v", u)
	}
	if _, n := run(reviewer, scanner.Options{}, added("a.go", 1, 200), added("b.go", 1)); n != 1 {
		t.Errorf("with another file changed, %d requests were made, want 1", n)
	}

	other := reviewer
	other.Instructions = "Find other bugs."
	for name, n := range map[string]func() int64{
		"instructions": func() int64 { _, n := run(other, scanner.Options{}, added("a.go", 1, 200)); return n },
		"model":        func() int64 { _, n := run(reviewer, scanner.Options{Model: "other"}, added("a.go", 1, 200)); return n },
		"pull request": func() int64 {
			_, n := run(reviewer, scanner.Options{PullRequest: &scanner.PullRequest{Title: "t"}}, added("a.go", 1, 200))
			return n
		},
		"path": func() int64 { _, n := run(reviewer, scanner.Options{}, added("c.go", 1, 200)); return n },
	} {
		if got := n(); got != 2 {
			t.Errorf("with another %s, %d requests were made, want 2", name, got)
		}
	}

	run(reviewer, scanner.Options{}, added("bad.go", 1))
	if again, n := run(reviewer, scanner.Options{}, added("bad.go", 1)); n != 1 || again.FailedExtractions != 1 {
		t.Errorf("an answer that was cut was kept")
	}
}

func TestCacheWithRubbish(t *testing.T) {
	for _, rubbish := range []string{"", "null", "{}", "[]", `{"findings":null}`, `{"findings":3}`, "\x00"} {
		p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)}, scanner.Options{Provider: p, Cache: constant(rubbish)})
		if err != nil || report.Chunks.Analyzed != 1 {
			t.Errorf("cache holds %q: error %v, chunks %+v; want a request", rubbish, err, report.Chunks)
		}
	}
}

// constant is a cache that holds the same for every key.
type constant string

func (c constant) Get(context.Context, string) ([]byte, bool) { return []byte(c), true }
func (c constant) Put(context.Context, string, []byte)        {}
