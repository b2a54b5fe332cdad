package scanner_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

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
		opts.Provider, opts.Cache, opts.Model = p, cache, cmp.Or(opts.Model, "m")
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
	if d := gocmp.Diff(first.Findings, second.Findings, ignoreTimes); d != "" || len(second.Findings) != 1 {
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

// identified is a provider that is known.
type identified struct {
	asker
	id          provider.Identity
	fingerprint string
}

func (p identified) Identity() provider.Identity        { return p.id }
func (p identified) Fingerprint(context.Context) string { return p.fingerprint }

// TestCacheOfProviders shows that an answer is used for the same model of the same
// provider only, and that answers of an unknown model are not kept.
func TestCacheOfProviders(t *testing.T) {
	cache := &memory{m: make(map[string][]byte)}
	sent := 0
	a := asker(func(context.Context, provider.Request) (provider.Response, error) {
		sent++
		return answer(nothing), nil
	})
	api := provider.Identity{Name: "api", Host: "a.example", Model: "one"}
	for _, tt := range []struct {
		name string
		p    provider.Provider
		want int
	}{
		{"unknown", a, 1},
		{"unknown again", a, 1},
		{"agent without a model", identified{asker: a, id: provider.Identity{Name: "agent"}}, 1},
		{"the same again", identified{asker: a, id: provider.Identity{Name: "agent"}}, 1},
		{"agent with settings", identified{a, provider.Identity{Name: "agent"}, "1.0"}, 1},
		{"the same again", identified{a, provider.Identity{Name: "agent"}, "1.0"}, 0},
		{"another version", identified{a, provider.Identity{Name: "agent"}, "1.1"}, 1},
		{"another agent", identified{a, provider.Identity{Name: "other"}, "1.0"}, 1},
		{"api", identified{a, api, ""}, 1},
		{"the same again", identified{a, api, ""}, 0},
		{"another host", identified{a, provider.Identity{Name: "api", Host: "b.example", Model: "one"}, ""}, 1},
		{"another name", identified{a, provider.Identity{Name: "proxy", Host: "a.example", Model: "one"}, ""}, 1},
		{"another default model", identified{a, provider.Identity{Name: "api", Host: "a.example", Model: "two"}, ""}, 1},
	} {
		sent = 0
		if _, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)}, scanner.Options{Provider: tt.p, Cache: cache}); err != nil || sent != tt.want {
			t.Errorf("%s: %d requests, error %v; want %d", tt.name, sent, err, tt.want)
		}
	}
}

// TestCacheOfHalves shows that a chunk that is too long for the model is not sent
// again, and neither are its halves, also after it moved.
func TestCacheOfHalves(t *testing.T) {
	sent, broken := 0, false
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		sent++
		switch n := strings.Count(user(req), "+|line"); {
		case n > 20:
			return provider.Response{}, &provider.Error{Kind: provider.KindContextLength, Message: "too long"}
		case broken && strings.Contains(user(req), "+|line 30\n"):
			return provider.Response{}, &provider.Error{Kind: provider.KindRefusal, Message: "no"}
		}
		return answer(findings(finding("high", "Broken", "line 12", 0), finding("high", "Broken", "line 33", 0))), nil
	})
	cache := &memory{m: make(map[string][]byte)}
	run := func(at, want int) (places []int) {
		t.Helper()
		f := added("a.go", at)
		f.Hunks[0].Body, f.Hunks[0].NewLines = "", 40
		for i := range 40 {
			f.Hunks[0].Body += fmt.Sprintf("+line %d\n", i)
		}
		sent = 0
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{f}, scanner.Options{Provider: p, Model: "m", Cache: cache})
		if err != nil || sent != want || (sent == 0) != (report.Chunks.Cached == 1) {
			t.Errorf("%d requests, want %d; chunks %+v, error %v", sent, want, report.Chunks, err)
		}
		for _, f := range report.Findings {
			places = append(places, f.Location.StartLine-at)
		}
		return places
	}
	broken = true
	run(10, 3)
	broken = false
	first := run(10, 2) // the whole, and what is missing
	if again := run(10, 0); !slices.Equal(first, again) || len(first) == 0 {
		t.Errorf("findings at %v, want %v", again, first)
	}
	if moved := run(210, 0); !slices.Equal(first, moved) {
		t.Errorf("findings of the moved chunk at %v, want %v", moved, first)
	}
}

// TestTask shows what requests carry for caches, recordings and messages.
func TestTask(t *testing.T) {
	var tasks []provider.Task
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		tasks = append(tasks, req.Task)
		switch req.Task.Role {
		case "analyze":
			return call("1", "Read", `{"path":"util.go"}`), nil
		case "turn 2":
			return answer("I found: it is broken."), nil
		case "extract":
			return answer(findings(finding("high", "Broken", "second of a.go:30", 0))), nil
		}
		return answer(findings(`{"number":1,"verdict":"keep"}`)), nil
	})
	run := func(at int) []provider.Task {
		tasks = nil
		f := added("a.go", at)
		f.Hunks[0].Body = added("a.go", 30).Hunks[0].Body
		if _, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{f}, scanner.Options{Provider: p, Model: "m", FS: tree, Verify: true}); err != nil {
			t.Fatal(err)
		}
		return tasks
	}
	first, moved := run(30), run(50)
	want := []string{"analyze", "turn 2", "extract", "verify"}
	if len(first) != len(want) || len(moved) != len(want) {
		t.Fatalf("tasks %+v", first)
	}
	for i, task := range first {
		if task.Role != want[i] || task.Skill != "review" || task.Path != "a.go" || task.StartLine != 30 || task.EndLine != 32 {
			t.Errorf("task %+v", task)
		}
		if len(task.ChunkHash) != 64 || len(task.CacheKey) != 64 || task.ChunkHash == task.CacheKey {
			t.Errorf("hashes %q, %q", task.ChunkHash, task.CacheKey)
		}
		if i < 3 && task.CacheKey != first[0].CacheKey || i == 3 && task.CacheKey == first[0].CacheKey {
			t.Errorf("%s has the key %s", task.Role, task.CacheKey)
		}
		if moved[i].ChunkHash != task.ChunkHash || moved[i].CacheKey != task.CacheKey || moved[i].StartLine != 50 {
			t.Errorf("the task of the moved chunk is %+v", moved[i])
		}
	}
}

// FuzzStored gives arbitrary bytes for a stored answer.
func FuzzStored(f *testing.F) {
	for _, s := range []string{
		"", "null", `{"first":1,"findings":[]}`, `{"first":1,"halved":true}`, `{"first":1,"findings":[],"halved":true}`,
		`{"first":9,"findings":[` + finding("high", "Broken", "", 10) + `]}`,
		`{"first":2147483647,"findings":[{"severity":"low","title":"t","description":"d","startLine":2147483647,"endLine":2147483647}]}`,
		`{"first":3,"findings":[{"severity":"low","title":"t","description":"d","startLine":4,"additionalLocations":[{"startLine":3,"endLine":5},{"startLine":9000}]}],"calls":[{"name":"Read","arguments":"{}","result":""}]}`,
	} {
		f.Add(s)
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	f.Fuzz(func(t *testing.T, value string) {
		report, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{added("a.go", 7)}, scanner.Options{Provider: p, Model: "m", FS: tree, Cache: constant(value), Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		checkLedger(t, report, 1)
		for _, f := range report.Findings {
			if err := f.Validate(); err != nil || len(scanner.FilterHunk([]scanner.Finding{f}, 7, 9)) == 0 {
				t.Errorf("finding %+v: %v", f, err)
			}
		}
	})
}

// TestCacheHoldsNoSecrets shows that an answer with a secret, which a server can make
// of the key that it got, is not kept.
func TestCacheHoldsNoSecrets(t *testing.T) {
	cache := &memory{m: make(map[string][]byte)}
	sent := 0
	for i, text := range []string{"It is wrong.", "It has hunter2.", "It is right."} {
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			sent++
			return answer(findings(`{"severity":"low","title":"t","description":"` + text + `","quote":"first of a.go:1"}`)), nil
		})
		opts := scanner.Options{Provider: p, Model: "m", Cache: cache, Redact: hideHunter}
		if i == 1 {
			opts.Cache = unread{cache}
		}
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)}, opts)
		if err != nil || len(report.Findings) != 1 || strings.Contains(report.Findings[0].Description, "hunter2") {
			t.Errorf("error %v, findings %+v", err, report.Findings)
		}
		if sent != i+1 {
			t.Errorf("%q: %d requests, want %d", text, sent, i+1)
		}
		for _, value := range cache.m {
			if strings.Contains(string(value), "hunter2") {
				t.Errorf("kept: %s", value)
			}
		}
	}
}

// unread is a cache that returns nothing.
type unread struct{ *memory }

func (unread) Get(context.Context, string) ([]byte, bool) { return nil, false }

func hideHunter(s string) (string, int) {
	return strings.ReplaceAll(s, "hunter2", "[redacted]"), strings.Count(s, "hunter2")
}
