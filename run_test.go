package scanner_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// asker is a provider made of a function.
type asker func(ctx context.Context, req provider.Request) (provider.Response, error)

func (f asker) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	return f(ctx, req)
}

var _ provider.Provider = (asker)(nil)

// user returns the user's text of a request.
func user(req provider.Request) string { return req.Messages[0].Text }

// answer returns a whole answer with a little usage.
func answer(text string) provider.Response {
	cost := 0.25
	return provider.Response{Text: text, Stop: provider.StopEnd, Usage: provider.Usage{InputTokens: 100, OutputTokens: 10, CostUSD: &cost}}
}

const nothing = `{"findings": []}`

// finding returns a finding as a model would write it.
func finding(severity, title, quote string, line int) string {
	return fmt.Sprintf(`{"severity":%q,"confidence":"high","title":%q,"description":"It is wrong.","quote":%q,"startLine":%d}`, severity, title, quote, line)
}

func findings(f ...string) string { return `{"findings": [` + strings.Join(f, ",") + `]}` }

// added returns a changed file with a hunk of added lines at each start, far
// enough apart to be chunks of their own.
func added(path string, starts ...int) diff.File {
	f := diff.File{Path: path, Status: diff.Modified, OldMode: 0o100644, Mode: 0o100644}
	for _, start := range starts {
		body := fmt.Sprintf("+first of %s:%d\n+second of %s:%d\n+third of %s:%d\n", path, start, path, start, path, start)
		f.Hunks = append(f.Hunks, diff.Hunk{OldStart: start, NewStart: start, NewLines: 3, Body: body})
	}
	return f
}

var reviewer = scanner.Skill{Name: "review", Description: "Finds bugs.", Instructions: "Find bugs."}

// recorder keeps the events of a run, and fails when they come too late.
type recorder struct {
	t      *testing.T
	mu     sync.Mutex
	events []scanner.Event
	closed bool
}

func (r *recorder) on(e scanner.Event) {
	if !r.mu.TryLock() {
		r.t.Error("events are not serialized")
		return
	}
	defer r.mu.Unlock()
	if r.closed {
		r.t.Errorf("%T came after the call had returned", e)
	}
	r.events = append(r.events, e)
}

func (r *recorder) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
}

func eventsOf[E scanner.Event](r *recorder) []E {
	var all []E
	for _, e := range r.events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

// checkLedger fails the test when a chunk or file of a report is unaccounted for.
func checkLedger(t *testing.T, r *scanner.SkillReport, chunks int) {
	t.Helper()
	c := r.Chunks
	if c.Total != chunks || c.Analyzed+c.Cached+c.Failed+c.NotAnalyzed != c.Total {
		t.Errorf("chunks %+v do not add up to %d", c, chunks)
	}
	if c.Failed != r.FailedHunks+r.FailedExtractions || c.Failed != len(r.Failures) {
		t.Errorf("%d failed, but %d hunks, %d extractions, %d failures", c.Failed, r.FailedHunks, r.FailedExtractions, len(r.Failures))
	}
	if (c.NotAnalyzed > 0) != (len(r.Left) > 0) {
		t.Errorf("%d not analyzed, listed %+v", c.NotAnalyzed, r.Left)
	}
	var sum scanner.ChunkCounts
	for _, f := range r.Files {
		sum = sum.Add(f.Chunks)
	}
	if sum != c {
		t.Errorf("files sum up to %+v, the report has %+v", sum, c)
	}
}

func TestRunSkill(t *testing.T) {
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if !strings.Contains(req.System, "Find bugs.") || req.Model != "m" || req.Schema == nil {
			t.Errorf("request lacks instructions, model or schema: %+v", req)
		}
		switch {
		case strings.Contains(user(req), "first of a.go:10"):
			return answer(findings(
				finding("low", "Typo in name", "third of a.go:10", 12),
				finding("critical", "Data is lost", "second of a.go:10", 999),
			)), nil
		case strings.Contains(user(req), "first of b.go:1"):
			return answer("Here you are:\n```json\n" + findings(finding("medium", "Race on map", "", 2)) + "\n```"), nil
		}
		return answer(nothing), nil
	})
	rec := &recorder{t: t}
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10, 500), added("b.go", 1)}, scanner.Options{Provider: p, Model: "m", OnEvent: rec.on})
	rec.close()
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, report, 3)
	var got []string
	for _, f := range report.Findings {
		if err := f.Validate(); err != nil {
			t.Errorf("finding %q is invalid: %v", f.Title, err)
		}
		got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Location, f.Title))
	}
	want := []string{"high a.go:11 Data is lost", "medium b.go:2 Race on map", "low a.go:12 Typo in name"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
	if want := "3 findings (1 high, 1 medium, 1 low)"; report.Summary != want {
		t.Errorf("summary is %q, want %q", report.Summary, want)
	}
	if u := report.Usage; u == nil || u.InputTokens != 300 || u.OutputTokens != 30 || u.CostUSD == nil || *u.CostUSD != 0.75 {
		t.Errorf("usage is %+v, want the sum of three answers", u)
	}
	if report.Model != "m" || report.AuxiliaryUsage != nil || report.PatternsOnly {
		t.Errorf("report has model %q, auxiliary usage %v, patterns only %v", report.Model, report.AuxiliaryUsage, report.PatternsOnly)
	}
	if got := []int{report.Files[0].Findings, report.Files[1].Findings}; !slices.Equal(got, []int{2, 1}) {
		t.Errorf("findings by file are %v, want [2 1]", got)
	}

	planned := eventsOf[scanner.EventPlanned](rec)
	if len(planned) != 1 || planned[0].Chunks != 3 || len(planned[0].Files) != 2 || planned[0].Files[0].Chunks != 2 {
		t.Errorf("planned is %+v", planned)
	}
	if _, ok := rec.events[0].(scanner.EventPlanned); !ok {
		t.Errorf("the first event is %T, want EventPlanned", rec.events[0])
	}
	if n := len(eventsOf[scanner.EventChunk](rec)); n != 3 {
		t.Errorf("%d events of chunks, want 3", n)
	}
	if skills := eventsOf[scanner.EventSkill](rec); len(skills) != 1 || skills[0].Report != report {
		t.Errorf("the event has another report than the one that was returned")
	}
}

// ignoreTimes compares reports but for what a clock measured.
var ignoreTimes = cmp.Options{
	cmpopts.IgnoreFields(scanner.SkillReport{}, "Duration"),
	cmpopts.IgnoreFields(scanner.FileReport{}, "Duration"),
	cmpopts.IgnoreFields(scanner.Finding{}, "ElapsedMs"),
}

func TestRunSkillIsDeterministic(t *testing.T) {
	var files []diff.File
	for i := range 20 {
		files = append(files, added(fmt.Sprintf("f%02d.go", i), 1, 200, 400))
	}
	quote := regexp.MustCompile(`second of \S+`)
	var first *scanner.SkillReport
	for seed := range uint64(8) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			r := rand.New(rand.NewPCG(seed, 0))
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				mu.Lock()
				d := time.Duration(r.IntN(1000)) * time.Millisecond
				mu.Unlock()
				time.Sleep(d)
				q := quote.FindString(user(req))
				return answer(findings(finding("high", "Same problem", q, 0), finding("low", "Problem of "+q, q, 0))), nil
			})
			report, err := scanner.RunSkill(t.Context(), reviewer, files, scanner.Options{Provider: p, Concurrency: 1 + int(seed)*3})
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report, 60)
			if first == nil {
				first = report
			} else if d := cmp.Diff(first, report, ignoreTimes); d != "" {
				t.Errorf("seed %d: the report depends on the order of completion (-first +this):\n%s", seed, d)
			}
		})
	}
	if groups := first.MergeGroups; len(groups) == 0 || len(groups[0].Merged) != 59 {
		t.Errorf("merge groups are %v, want one of 60 findings", groups)
	}
}

func TestDiscards(t *testing.T) {
	good := finding("high", "Good", "second of a.go:10", 11)
	tests := []struct {
		name   string
		raw    string
		reason string // empty: kept
	}{
		{"not an object", `"text"`, "invalid"},
		{"a number", `17`, "invalid"},
		{"null", `null`, "invalid"},
		{"no title", `{"severity":"high","description":"d"}`, "invalid"},
		{"no description", `{"severity":"high","title":"t"}`, "invalid"},
		{"no severity", `{"title":"t","description":"d"}`, "invalid"},
		{"unknown severity", finding("catastrophic", "T", "", 11), "invalid"},
		{"severity of the wrong type", `{"severity":3,"title":"t","description":"d"}`, "invalid"},
		{"alias info", finding("info", "T", "", 11), ""},
		{"alias critical in capitals", finding("CRITICAL", "T", "", 11), ""},
		{"unknown confidence", `{"severity":"low","confidence":"sure","title":"t","description":"d","startLine":11}`, ""},
		{"line before the chunk", finding("low", "T", "", 9), "outside"},
		{"line after the chunk", finding("low", "T", "", 13), "outside"},
		{"first line", finding("low", "T", "", 10), ""},
		{"last line", finding("low", "T", "", 12), ""},
		{"end beyond the chunk", `{"severity":"low","title":"t","description":"d","startLine":12,"endLine":400}`, ""},
		{"huge line", `{"severity":"low","title":"t","description":"d","startLine":99999999999999999999}`, "invalid"},
		{"no location", `{"severity":"low","title":"t","description":"d"}`, ""},
		{"quote of other code", finding("low", "T", "this is nowhere", 11), "quote"},
		{"path of another file of the scan", `{"severity":"low","title":"t","description":"d","path":"b.go","startLine":11}`, "path"},
		{"path of another file in a location", `{"severity":"low","title":"t","description":"d","location":{"path":"b/b.go","startLine":11}}`, "path"},
		{"made-up path", `{"severity":"low","title":"t","description":"d","path":"zzz.go","startLine":11}`, ""},
		{"own path with a prefix", `{"severity":"low","title":"t","description":"d","path":"b/a.go","startLine":11}`, ""},
		{"twice the same", good, "duplicate"},
		{"additional location elsewhere", `{"severity":"low","title":"t","description":"d","startLine":11,"additionalLocations":[{"path":"/etc/passwd","startLine":1}]}`, "location"},
		{"fix that is too long", `{"severity":"low","title":"t","description":"d","startLine":11,"suggestedFix":{"description":"d","diff":"` + strings.Repeat("+", 100_001) + `"}}`, "fix"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				if strings.Contains(user(req), "first of a.go") {
					return answer(findings(good, tt.raw)), nil
				}
				return answer(nothing), nil
			})
			report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10), added("b.go", 10)}, scanner.Options{Provider: p})
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report, 2)
			want, kept := map[string]int(nil), 2
			if tt.reason != "" {
				want = map[string]int{tt.reason: 1}
				if tt.reason != "location" && tt.reason != "fix" {
					kept = 1
				}
			}
			got := report.Discarded
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("discarded (-want +got):\n%s", d)
			}
			checkDiscards(t, report, tt.raw)
			if len(report.Findings) != kept {
				t.Errorf("%d findings are left, want %d: %v", len(report.Findings), kept, report.Findings)
			}
			for _, f := range report.Findings {
				if err := f.Validate(); err != nil {
					t.Errorf("finding %q: %v", f.Title, err)
				}
				if f.Location != nil && f.Location.Path != "a.go" {
					t.Errorf("finding %q is in %s", f.Title, f.Location)
				}
			}
		})
	}
}

// checkDiscards checks that what was discarded is in the report with its text.
func checkDiscards(t *testing.T, report *scanner.SkillReport, raw string) {
	t.Helper()
	for _, d := range report.Discards {
		if report.Discarded[d.Reason] != 1 || d.Detail == "" {
			t.Errorf("discard %+v is not counted, or has no detail", d)
		}
		begin, _, _ := strings.Cut(d.Raw, " […")
		if len(d.Raw) > 4<<10 || d.Reason != "duplicate" && !strings.HasPrefix(raw, begin) {
			t.Errorf("the text is %.100q, want the first 4 KiB of %.100q", d.Raw, raw)
		}
	}
	if len(report.Discards) != len(report.Discarded) {
		t.Errorf("discards %v, want one of each of %v", report.Discards, report.Discarded)
	}
}

func TestDiscardsAreBounded(t *testing.T) {
	var all []string
	for range 150 {
		all = append(all, `"`+strings.Repeat("\u00e9", 10)+strings.Repeat("é", 5_000)+`"`)
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		return answer(findings(all...)), nil
	})
	rec := &recorder{t: t}
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10), added("b.go", 10)}, scanner.Options{Provider: p, OnEvent: rec.on})
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Discarded["invalid"]; got != 300 {
		t.Errorf("%d findings were discarded, want 300", got)
	}
	lists := [][]scanner.Discard{report.Discards}
	for _, e := range eventsOf[scanner.EventChunk](rec) {
		lists = append(lists, e.Discards)
	}
	for i, list := range lists {
		if len(list) != 100 {
			t.Fatalf("list %d has %d discards, want 100", i, len(list))
		}
		for _, d := range list {
			if len(d.Raw) > 4<<10 || len(d.Raw) < 4<<10-64 || !utf8.ValidString(d.Raw) {
				t.Fatalf("the text has %d bytes, want 4 KiB of whole characters", len(d.Raw))
			}
		}
	}
}

// TestQuoteOfPureDeletion is about patches without context, whose chunks may have
// no line of the new side.
func TestQuoteOfPureDeletion(t *testing.T) {
	for _, tt := range []struct {
		hunk diff.Hunk
		line int
	}{
		{diff.Hunk{OldStart: 10, OldLines: 2, NewStart: 9, Body: "-old := 1\n-use(old)\n"}, 9},
		{diff.Hunk{OldStart: 1, OldLines: 2, Body: "-old := 1\n-use(old)\n"}, 1},
	} {
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			return answer(findings(finding("high", "Still needed", "use(old)", 11))), nil
		})
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{{Path: "a.go", Hunks: []diff.Hunk{tt.hunk}}}, scanner.Options{Provider: p})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Findings) != 1 || report.Findings[0].Location.StartLine != tt.line {
			t.Errorf("findings %v, discarded %v; want one in line %d", report.Findings, report.Discards, tt.line)
		}
	}
}

// TestAdditionalLocations shows that every location is there once, and none that is
// the finding's own.
func TestAdditionalLocations(t *testing.T) {
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		return answer(findings(`{"severity":"low","title":"t","description":"d","startLine":11,"additionalLocations":[
			{"path":"a.go","startLine":11},{"path":"a.go","startLine":12},{"path":"b/a.go","startLine":12,"endLine":12},{"path":"","startLine":12},{"path":"a.go","startLine":11,"endLine":12}]}`)), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	want := []scanner.Location{{Path: "a.go", StartLine: 12}, {Path: "a.go", StartLine: 11, EndLine: 12}}
	if d := cmp.Diff(want, report.Findings[0].AdditionalLocations); d != "" {
		t.Errorf("additional locations (-want +got):\n%s", d)
	}
}

func TestThousandFindings(t *testing.T) {
	var all []string
	for i := range 1000 {
		all = append(all, finding("low", fmt.Sprintf("Problem with %s", strings.Repeat(string(rune('a'+i%26)), 2+i/26)), "", 10+i%3))
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		return answer(findings(all...)), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	merged := 0
	for _, g := range report.MergeGroups {
		merged += len(g.Merged)
	}
	discarded := report.Discarded
	if n := len(report.Findings) + merged + discarded["duplicate"]; n != 1000 {
		t.Errorf("%d of 1000 findings are accounted for", n)
	}
}

func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inFlight, most atomic.Int64
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			n := inFlight.Add(1)
			defer inFlight.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(500 * time.Millisecond)
			return answer(nothing), nil
		})
		files := []diff.File{added("a.go", 1, 200, 400), added("b.go", 1, 200, 400), added("c.go", 1, 200, 400)}
		start := time.Now()
		report, err := scanner.RunSkill(t.Context(), reviewer, files, scanner.Options{Provider: p, Concurrency: 5})
		if err != nil {
			t.Fatal(err)
		}
		checkLedger(t, report, 9)
		if d := time.Since(start); d != time.Second || most.Load() != 5 {
			t.Errorf("9 chunks took %v with at most %d requests in flight, want 1s with 5", d, most.Load())
		}
	})
}

func TestBatchDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var starts []time.Duration
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			mu.Lock()
			starts = append(starts, time.Since(start))
			mu.Unlock()
			return answer(nothing), nil
		})
		_, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1, 200, 400, 600, 800)},
			scanner.Options{Provider: p, Concurrency: 2, BatchDelay: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{0, 0, 3 * time.Second, 3 * time.Second, 6 * time.Second}
		if !slices.Equal(starts, want) {
			t.Errorf("chunks started at %v, want %v", starts, want)
		}
	})
}

// TestRequestsInOrder shows that chunks are sent in the order of files, however long it
// takes to prepare them, and also when some are refused at first.
func TestRequestsInOrder(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			random := func(n int64) int64 {
				mu.Lock()
				defer mu.Unlock()
				return r.Int64N(n)
			}
			var got []string
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				if chunk := fmt.Sprint(req.Task.Skill, " ", req.Task.Path, " ", req.Task.StartLine); !slices.Contains(got, chunk) {
					got = append(got, chunk)
				}
				if time.Sleep(time.Second); random(5) == 0 {
					return provider.Response{}, &provider.Error{Kind: provider.KindRateLimit, Status: 429}
				}
				return answer(nothing), nil
			})
			_, err := scanner.Run(t.Context(), twoSkills(), []diff.File{added("a.go", 1, 200, 400, 600, 800), added("b.go", 1, 200)}, scanner.Options{
				Provider: p, Concurrency: 1,
				Redact: func(s string) (string, int) { time.Sleep(time.Duration(random(int64(10 * time.Second)))); return s, 0 },
			})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, skill := range []string{"one", "two"} {
				for _, chunk := range []string{"a.go 1", "a.go 200", "a.go 400", "a.go 600", "a.go 800", "b.go 1", "b.go 200"} {
					want = append(want, skill+" "+chunk)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("seed %d (-want +got):\n%s", seed, d)
			}
		})
	}
}

// TestBatchDelayEndsWithTheRun shows that nobody waits for the turn of chunks that
// are not going to be sent.
func TestBatchDelayEndsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		unknown := answer(nothing)
		unknown.Usage.CostUSD = nil
		p := asker(func(context.Context, provider.Request) (provider.Response, error) { return unknown, nil })
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1, 200, 400, 600, 800, 1000)},
			scanner.Options{Provider: p, MaxCost: 100, Concurrency: 1, BatchDelay: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		checkLedger(t, report, 6)
		if d := time.Since(start); d > time.Hour || report.Chunks.Analyzed != 1 {
			t.Errorf("after %v: %+v; want one chunk analyzed within a batch", d, report.Chunks)
		}
	})
}

func TestLimiterIsTheBound(t *testing.T) {
	starts := make([]int, 100)
	for i := range starts {
		starts[i] = 1 + 100*i
	}
	for _, tt := range []struct {
		name string
		opts scanner.Options
		want time.Duration
	}{
		{"default", scanner.Options{}, 13 * time.Second},
		{"large limiter", scanner.Options{Limiter: provider.NewLimiter(100)}, time.Second},
		{"small limiter", scanner.Options{Limiter: provider.NewLimiter(50), Concurrency: 100}, 2 * time.Second},
		{"more than there is to do", scanner.Options{Concurrency: math.MaxInt}, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				tt.opts.Provider = asker(func(context.Context, provider.Request) (provider.Response, error) {
					time.Sleep(time.Second)
					return answer(nothing), nil
				})
				if _, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", starts...)}, tt.opts); err != nil {
					t.Fatal(err)
				}
				if d := time.Since(start); d != tt.want {
					t.Errorf("100 requests of a second took %v, want %v", d, tt.want)
				}
			})
		})
	}
}

// TestSkillIsToldLast shows that the report of a skill comes after all of its
// chunks, however slow the receiver is.
func TestSkillEventIsLast(t *testing.T) {
	starts := make([]int, 50)
	for i := range starts {
		starts[i] = 1 + 100*i
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	for range 50 {
		events := 0
		on := func(e scanner.Event) {
			switch e.(type) {
			case scanner.EventChunk:
				events++
				for range 100 {
					runtime.Gosched()
				}
			case scanner.EventSkill:
				if events != len(starts) {
					t.Errorf("the event of the skill came after %d of %d chunks", events, len(starts))
				}
			}
		}
		if _, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", starts...)}, scanner.Options{Provider: p, OnEvent: on}); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
}

func TestRetryAfterHoldsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var n atomic.Int64
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			if n.Add(1) == 1 {
				return provider.Response{}, &provider.Error{Kind: provider.KindRateLimit, Message: "slow down", RetryAfter: 20 * time.Second}
			}
			if d := time.Since(start); d < 20*time.Second {
				t.Errorf("a request was made after %v", d)
			}
			return answer(nothing), nil
		})
		rec := &recorder{t: t}
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1, 200, 400)}, scanner.Options{Provider: p, Concurrency: 1, OnEvent: rec.on})
		if err != nil {
			t.Fatal(err)
		}
		checkLedger(t, report, 3)
		if report.Chunks.Analyzed != 3 {
			t.Errorf("chunks are %+v, want 3 analyzed", report.Chunks)
		}
		retries := eventsOf[scanner.EventRetry](rec)
		if len(retries) != 1 || retries[0].Attempt != 1 || retries[0].Max != 3 || retries[0].Delay < 20*time.Second {
			t.Errorf("retries are %+v", retries)
		}
		var files []string
		for _, e := range eventsOf[scanner.EventRequest](rec) {
			files = append(files, fmt.Sprint(e.Role, e.Chunk.StartLine))
		}
		slices.Sort(files)
		if want := []string{"analyze1", "analyze1", "analyze200", "analyze400"}; !slices.Equal(files, want) {
			t.Errorf("requests are for %q, want %q", files, want)
		}
	})
}

func TestRetriesExhausted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
			if strings.Contains(user(req), "first of a.go:1\n") || strings.Contains(user(req), "first of a.go:1 ") || !strings.Contains(user(req), "first of a.go:200") {
				n.Add(1)
				return provider.Response{}, &provider.Error{Kind: provider.KindServer, Message: "overloaded"}
			}
			return answer(nothing), nil
		})
		rec := &recorder{t: t}
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1, 200)}, scanner.Options{Provider: p, OnEvent: rec.on})
		if err != nil {
			t.Fatal(err)
		}
		checkLedger(t, report, 2)
		if n.Load() != 4 || report.FailedHunks != 1 {
			t.Errorf("%d attempts, %d failed hunks; want 4 and 1", n.Load(), report.FailedHunks)
		}
		want := []scanner.ChunkFailure{{Path: "a.go", StartLine: 1, EndLine: 3, Reason: "ServerError", Message: "ServerError: overloaded"}}
		if d := cmp.Diff(want, report.Failures); d != "" {
			t.Errorf("failures (-want +got):\n%s", d)
		}
		if want := "no findings; incomplete: of 2 chunks 1 failed and 0 were not analyzed"; report.Summary != want {
			t.Errorf("summary is %q, want %q", report.Summary, want)
		}
		for _, e := range eventsOf[scanner.EventChunk](rec) {
			if failed := e.Outcome == scanner.OutcomeFailed; failed != (e.Err != nil) || failed != (e.Retries == 3) {
				t.Errorf("chunk %v: outcome %v, error %v, %d retries", e.Chunk, e.Outcome, e.Err, e.Retries)
			}
		}
	})
}

func TestTimeout(t *testing.T) {
	for _, timeout := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			p := asker(func(ctx context.Context, _ provider.Request) (provider.Response, error) {
				<-ctx.Done()
				return provider.Response{}, fmt.Errorf("post: %w", ctx.Err())
			})
			report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)},
				scanner.Options{Provider: p, Timeout: timeout, Retry: provider.RetryPolicy{MaxRetries: -1}})
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report, 1)
			want := timeout
			if want == 0 {
				want = scanner.DefaultTimeout
			}
			if d := time.Since(start); d != want || len(report.Failures) != 1 || report.Failures[0].Reason != "TimeoutError" {
				t.Errorf("after %v: %+v; want a TimeoutError after %v", d, report.Failures, want)
			}
		})
	}
}

// Errors that every request would get end the run at once, whatever their kind.
func TestFinalErrorEndsTheRun(t *testing.T) {
	for _, final := range []*provider.Error{
		{Kind: provider.KindAuth, Message: "no such key"},
		{Kind: provider.KindRateLimit, Message: "weekly limit", Final: true},
	} {
		synctest.Test(t, func(t *testing.T) { testFinalError(t, final) })
	}
}

func testFinalError(t *testing.T, final *provider.Error) {
	var n atomic.Int64
	p := asker(func(ctx context.Context, _ provider.Request) (provider.Response, error) {
		if n.Add(1) == 1 {
			time.Sleep(time.Second)
			return provider.Response{}, final
		}
		select {
		case <-time.After(time.Hour):
		case <-ctx.Done():
		}
		return provider.Response{}, ctx.Err()
	})
	rec := &recorder{t: t}
	start := time.Now()
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1, 200, 400, 600)}, scanner.Options{Provider: p, Concurrency: 2, OnEvent: rec.on})
	rec.close()
	if !errors.Is(err, final) {
		t.Errorf("the error is %v, want %v", err, final)
	}
	if d := time.Since(start); d != time.Second || n.Load() != 2 {
		t.Errorf("it took %v and %d requests, want 1s and 2", d, n.Load())
	}
	checkLedger(t, report, 4)
	if want := (scanner.ChunkCounts{Total: 4, Failed: 1, NotAnalyzed: 3}); report.Chunks != want {
		t.Errorf("chunks are %+v, want %+v", report.Chunks, want)
	}
	if n := len(eventsOf[scanner.EventStopped](rec)); n != 1 {
		t.Errorf("%d events of the stop", n)
	}
}

func TestBreaker(t *testing.T) {
	for _, kind := range []provider.Kind{provider.KindServer, provider.KindConnection, provider.KindTimeout} {
		synctest.Test(t, func(t *testing.T) {
			var n atomic.Int64
			p := asker(func(context.Context, provider.Request) (provider.Response, error) {
				n.Add(1)
				time.Sleep(time.Millisecond)
				return provider.Response{}, &provider.Error{Kind: kind, Message: "down"}
			})
			report, err := scanner.Run(t.Context(), []scanner.Skill{reviewer}, []diff.File{added("a.go", 1, 100, 200, 300, 400, 500, 600, 700)},
				scanner.Options{Provider: p, Concurrency: 1, Retry: provider.RetryPolicy{MaxRetries: 1, InitialDelay: -1}})
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report.Skills[0], 8)
			if want := (scanner.ChunkCounts{Total: 8, Failed: 8}); report.Skills[0].Chunks != want || report.Skills[0].FailedHunks != 8 {
				t.Errorf("chunks are %+v, want %+v", report.Skills[0].Chunks, want)
			}
			if !errors.Is(report.Stopped, scanner.ErrBreaker) {
				t.Errorf("stopped by %v, want the breaker", report.Stopped)
			}
			// The other three may have been in work when it opened, with an attempt
			// each and one more on its way.
			if n.Load() < 10 || n.Load() > 14 {
				t.Errorf("%d requests were made, want two for each of five chunks and few more", n.Load())
			}
		})
	}
}

func TestBreakerNeedsARow(t *testing.T) {
	for name, other := range map[string]error{
		"success": nil,
		"refusal": &provider.Error{Kind: provider.KindRefusal},
		"limit":   &provider.Error{Kind: provider.KindRateLimit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n atomic.Int64
				p := asker(func(context.Context, provider.Request) (provider.Response, error) {
					time.Sleep(time.Second) // so that what ends first is recorded first
					if n.Add(1)%5 == 0 {
						return answer(nothing), other
					}
					return provider.Response{}, &provider.Error{Kind: provider.KindServer}
				})
				report, err := scanner.Run(t.Context(), []scanner.Skill{reviewer}, []diff.File{added("a.go", 1, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100)},
					scanner.Options{Provider: p, Concurrency: 1, Retry: provider.RetryPolicy{MaxRetries: -1}})
				if err != nil {
					t.Fatal(err)
				}
				if report.Stopped != nil || n.Load() != 12 {
					t.Errorf("stopped by %v after %d requests", report.Stopped, n.Load())
				}
			})
		})
	}
}

// TestPatternsOutliveTheModel shows that a budget and a breaker end requests, not
// what needs none.
func TestPatternsOutliveTheModel(t *testing.T) {
	patterns := []scanner.Pattern{{ID: "p", Regexp: regexp.MustCompile(`second`), Severity: "low", Title: "Second", Description: "d"}}
	mixed := reviewer
	mixed.Patterns = patterns
	skills := []scanner.Skill{mixed, {Name: "patterns", Patterns: patterns}}
	var starts []int
	for i := range 10 {
		starts = append(starts, 1+100*i)
	}
	down := &provider.Error{Kind: provider.KindServer, Message: "down"}
	for name, opts := range map[string]scanner.Options{
		"budget":  {MaxTokens: 1, Provider: asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })},
		"breaker": {Provider: asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), down })},
	} {
		opts.Concurrency, opts.Retry = 1, provider.RetryPolicy{MaxRetries: -1}
		report, err := scanner.Run(t.Context(), skills, []diff.File{added("a.go", starts...)}, opts)
		if err != nil {
			t.Fatal(err)
		}
		if report.Stopped == nil || report.Skills[0].Chunks.Analyzed > 1 {
			t.Errorf("%s: stopped by %v, %+v", name, report.Stopped, report.Skills[0].Chunks)
		}
		if want := (scanner.ChunkCounts{Total: 10, Analyzed: 10}); report.Skills[1].Chunks != want {
			t.Errorf("%s: chunks of the skill without instructions are %+v, want %+v", name, report.Skills[1].Chunks, want)
		}
		for _, r := range report.Skills {
			checkLedger(t, r, 10)
			found := len(r.Findings)
			for _, g := range r.MergeGroups {
				found += len(g.Merged)
			}
			if r.Skill == mixed.Name && found != 10 {
				t.Errorf("%s: %d findings of patterns, want 10", name, found)
			}
		}
	}
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := asker(func(ctx context.Context, req provider.Request) (provider.Response, error) {
			if strings.Contains(user(req), "first of a.go:1\n") {
				return answer(findings(finding("high", "Early", "first of a.go:1", 1))), nil
			}
			<-ctx.Done()
			return provider.Response{}, ctx.Err()
		})
		rec := &recorder{t: t}
		go func() {
			time.Sleep(2 * time.Second)
			cancel()
		}()
		start := time.Now()
		report, err := scanner.RunSkill(ctx, reviewer, []diff.File{added("a.go", 1, 200, 400, 600)}, scanner.Options{Provider: p, Concurrency: 4, OnEvent: rec.on})
		rec.close()
		if !errors.Is(err, context.Canceled) || time.Since(start) != 2*time.Second {
			t.Errorf("error %v after %v, want a cancellation after 2s", err, time.Since(start))
		}
		checkLedger(t, report, 4)
		if want := (scanner.ChunkCounts{Total: 4, Analyzed: 1, NotAnalyzed: 3}); report.Chunks != want {
			t.Errorf("chunks are %+v, want %+v", report.Chunks, want)
		}
		if len(report.Findings) != 1 || report.Findings[0].Title != "Early" {
			t.Errorf("findings are %v, want what was known", report.Findings)
		}
	})
}

// TestCancelWhilePlanning shows that a run which is interrupted before its first
// request accounts for every file, too, and reads none any more.
func TestCancelWhilePlanning(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var loads int
	files := []diff.File{added("a.go", 1, 200), added("logo.png", 1)}
	for i := range 100 {
		files = append(files, diff.File{Path: fmt.Sprintf("f%d.go", i), Status: diff.Added, Load: func() ([]byte, error) {
			loads++
			cancel()
			return nil, ctx.Err()
		}})
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		t.Error("a request was made")
		return answer(nothing), nil
	})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that one file is planned at a time
	rec := &recorder{t: t}
	report, err := scanner.RunSkill(ctx, reviewer, files, scanner.Options{Provider: p, OnEvent: rec.on})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want a cancellation", err)
	}
	if report == nil {
		t.Fatal("no report came along")
	}
	checkLedger(t, report, 102)
	if report.Chunks.NotAnalyzed != 102 || len(report.Files) != 101 || len(report.SkippedFiles) != 1 {
		t.Errorf("chunks %+v of %d files, %d skipped; want all of them not analyzed, and the image skipped", report.Chunks, len(report.Files), len(report.SkippedFiles))
	}
	if loads != 1 {
		t.Errorf("%d files were read, want 1", loads)
	}
	if planned := eventsOf[scanner.EventPlanned](rec); len(planned) != 1 || planned[0].Chunks != 102 {
		t.Errorf("planned is %+v", planned)
	}
}

func TestExtraction(t *testing.T) {
	t.Run("prose", func(t *testing.T) {
		testExtraction(t, "The second line is broken, and that is high severity.")
	})
	// It does not mean that nothing was found.
	t.Run("empty list under another name", func(t *testing.T) { testExtraction(t, `{"results": []}`) })
	t.Run("only findings that are not valid", func(t *testing.T) {
		testExtraction(t, `{"findings": [null, {}, {"title": "T", "description": "D"}, {"title": "T", "description": "D", "severity": "urgent"}]}`)
	})
}

// testExtraction has an answer that cannot be read.
func testExtraction(t *testing.T, garbled string) {
	good := findings(finding("high", "Broken", "second of a.go:1", 2))
	tests := []struct {
		name      string
		answers   []string // of the auxiliary model; the last one repeats
		attempts  int64
		findings  int
		wantError bool
	}{
		{"first attempt", []string{good}, 1, 1, false},
		{"third attempt", []string{"no", "[", good}, 3, 1, false},
		{"fifth attempt", []string{"a", "b", "c", "d", good}, 5, 1, false},
		{"never", []string{"I cannot do that."}, 5, 0, true},
		{"never the right name", []string{`{"results": []}`}, 5, 0, true},
		{"nothing found", []string{nothing}, 1, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var n atomic.Int64
			aux := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				i := n.Add(1) - 1
				if !strings.Contains(user(req), garbled) || req.Model != "small" {
					t.Errorf("the auxiliary model %q received %q", req.Model, user(req))
				}
				return answer(tt.answers[min(int(i), len(tt.answers)-1)]), nil
			})
			p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(garbled), nil })
			rec := &recorder{t: t}
			report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)},
				scanner.Options{Provider: p, Auxiliary: aux, AuxiliaryModel: "small", OnEvent: rec.on})
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report, 1)
			if n.Load() != tt.attempts || len(report.Findings) != tt.findings || (report.FailedExtractions == 1) != tt.wantError || report.FailedHunks != 0 {
				t.Errorf("%d attempts, %d findings, %d failed extractions; want %d, %d, %v",
					n.Load(), len(report.Findings), report.FailedExtractions, tt.attempts, tt.findings, tt.wantError)
			}
			if u := report.AuxiliaryUsage["extraction"]; u.InputTokens != 100*tt.attempts || report.Usage.InputTokens != 100 {
				t.Errorf("usage is %+v and for extraction %+v", report.Usage, u)
			}
			method := "model"
			if tt.wantError {
				method = "none"
				if f := report.Failures[0]; f.Reason != "ExtractionError" {
					t.Errorf("the failure is %+v", f)
				}
			}
			if e := eventsOf[scanner.EventExtracted](rec); len(e) != 1 || e[0].Method != method || e[0].Findings != tt.findings {
				t.Errorf("the event of the extraction is %+v", e)
			}
		})
	}
}

// TestExtractionWithoutModel shows that a chunk whose answer cannot be read counts
// as a failed extraction also when nobody answers the requests to extract it, as
// many as open the breaker.
func TestExtractionWithoutModel(t *testing.T) {
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer("garbled"), nil })
	down := asker(func(context.Context, provider.Request) (provider.Response, error) {
		return provider.Response{}, &provider.Error{Kind: provider.KindServer, Message: "down"}
	})
	rec := &recorder{t: t}
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)},
		scanner.Options{Provider: p, Auxiliary: down, Retry: provider.RetryPolicy{MaxRetries: -1}, OnEvent: rec.on})
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, report, 1)
	if report.FailedExtractions != 1 || report.Failures[0].Reason != "ExtractionError" {
		t.Errorf("the failure is %+v, want a failed extraction", report.Failures)
	}
	if e := eventsOf[scanner.EventExtracted](rec); len(e) != 1 || e[0].Method != "none" {
		t.Errorf("the event of the extraction is %+v", e)
	}
}

func TestCutAnswerKeepsWholeFindings(t *testing.T) {
	whole := findings(finding("high", "One", "first of a.go:1", 1), finding("high", "Two other things", "second of a.go:1", 2))
	for _, stop := range []provider.StopReason{provider.StopLength, provider.StopEnd} {
		t.Run(string(stop), func(t *testing.T) {
			var n atomic.Int64
			p := asker(func(context.Context, provider.Request) (provider.Response, error) {
				n.Add(1)
				resp := answer(whole[:len(whole)-30])
				resp.Stop = stop
				return resp, nil
			})
			report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)}, scanner.Options{Provider: p})
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report, 1)
			if n.Load() != 1 || report.FailedExtractions != 1 || len(report.Findings) != 1 || report.Findings[0].Title != "One" {
				t.Errorf("%d requests, %d failed extractions, findings %v; want 1, 1 and the first", n.Load(), report.FailedExtractions, report.Findings)
			}
		})
	}
}

func TestEmptyAnswerIsRetried(t *testing.T) {
	var n atomic.Int64
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		if n.Add(1) == 1 {
			return answer(" \n"), nil
		}
		return answer(nothing), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)}, scanner.Options{Provider: p, Retry: provider.RetryPolicy{InitialDelay: -1}})
	if err != nil {
		t.Fatal(err)
	}
	if report.Chunks.Analyzed != 1 || report.Usage.InputTokens != 200 {
		t.Errorf("chunks %+v, usage %+v; want one analyzed, and both answers paid", report.Chunks, report.Usage)
	}
}

// TestUnreportedUsage shows that an answer without usage does not pass for free.
func TestUnreportedUsage(t *testing.T) {
	var n atomic.Int64
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		if n.Add(1) == 1 {
			return provider.Response{Text: nothing, Stop: provider.StopEnd}, nil
		}
		return answer(nothing), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1, 200)}, scanner.Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	if u := report.Usage; u.InputTokens != 100 || u.CostUSD != nil || u.IsZero() {
		t.Errorf("usage is %+v, want a cost that is not known", u)
	}
}

func TestPatternsOnly(t *testing.T) {
	s := reviewer
	replacement := "safe of $1"
	s.Patterns = []scanner.Pattern{
		{ID: "p", Regexp: regexp.MustCompile(`second of (\S+)`), Severity: "medium", Confidence: "low",
			Title: "Second line", Description: "It should be safe.", Files: []string{"*.go"}, Replacement: &replacement},
	}
	report, err := scanner.RunSkill(t.Context(), s, []diff.File{added("a.go", 10), added("b.txt", 1)}, scanner.Options{PatternsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, report, 2)
	want := []scanner.Finding{{
		Severity: "medium", Confidence: "low", Title: "Second line", Description: "It should be safe.",
		Location: &scanner.Location{Path: "a.go", StartLine: 11}, Rule: "review/p",
		SuggestedFix: &scanner.SuggestedFix{
			Description: "Change the line to: safe of a.go:10",
			Diff: "--- a/a.go\n+++ b/a.go\n@@ -10,3 +10,3 @@\n first of a.go:10\n" +
				"-second of a.go:10\n+safe of a.go:10\n third of a.go:10\n",
			Edits: []scanner.Edit{{Line: 11, Old: []string{"second of a.go:10"}, New: []string{"safe of a.go:10"}}},
		},
	}}
	if d := cmp.Diff(want, report.Findings, cmpopts.IgnoreFields(scanner.Finding{}, "ID")); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
	if want := "1 findings (0 high, 1 medium, 0 low); patterns only, no model was used"; report.Summary != want {
		t.Errorf("summary is %q, want %q", report.Summary, want)
	}
	if report.Usage != nil || report.Model != "" || !report.PatternsOnly {
		t.Errorf("usage %v, model %q: no model was used", report.Usage, report.Model)
	}
}

// TestPatternsSurviveFailure shows that what the patterns found is kept when the
// model fails.
func TestPatternsSurviveFailure(t *testing.T) {
	s := reviewer
	s.Patterns = []scanner.Pattern{{ID: "p", Regexp: regexp.MustCompile(`second`), Severity: "low", Title: "Second", Description: "d"}}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Message: "no such model"}
	})
	report, err := scanner.RunSkill(t.Context(), s, []diff.File{added("a.go", 1)}, scanner.Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, report, 1)
	if len(report.Findings) != 1 || report.FailedHunks != 1 {
		t.Errorf("findings %v, %d failed hunks; want one of each", report.Findings, report.FailedHunks)
	}
}

func TestRedact(t *testing.T) {
	const secret = "second of a.go:10"
	redact := func(s string) (string, int) {
		return strings.ReplaceAll(s, secret, "[redacted]"), strings.Count(s, secret)
	}
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if strings.Contains(user(req), secret) || strings.Contains(user(req), "hush") {
			t.Errorf("the secret was sent:\n%s", user(req))
		}
		return answer(findings(finding("high", "Secret in code", "[redacted]", 0))), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p, Redact: redact})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 || report.Findings[0].Location.StartLine != 11 || report.Redacted != 1 {
		t.Errorf("findings %v, redacted %v; want one in line 11, and 1", report.Findings, report.Redacted)
	}

	// The answer is seen to as well: a server could give back the key it got.
	for _, fix := range []struct{ description, want string }{{"c " + secret, "c [redacted]"}, {"", "[redacted]"}} {
		p = func(context.Context, provider.Request) (provider.Response, error) {
			return answer(findings(`{"severity":"low","title":"` + secret + `","description":"a ` + secret + `","verification":"b ` + secret + `",` +
				`"location":{"path":"a.go","startLine":10},"suggestedFix":{"description":"` + fix.description + `","replace":[{"old":"first of a.go:10","new":"x"}]}}`)), nil
		}
		report, err = scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p, Redact: redact})
		if err != nil || len(report.Findings) != 1 || report.Findings[0].SuggestedFix == nil {
			t.Fatalf("error %v, findings %v", err, report.Findings)
		}
		f := report.Findings[0]
		if f.Title != "[redacted]" || f.Description != "a [redacted]" || f.Verification != "b [redacted]" {
			t.Errorf("a secret came back in %+v", f)
		}
		if got, want := *f.SuggestedFix, (scanner.SuggestedFix{
			Description: fix.want,
			Diff:        "--- a/a.go\n+++ b/a.go\n@@ -10,3 +10,3 @@\n-first of a.go:10\n+x\n [redacted]\n third of a.go:10\n",
			Edits:       []scanner.Edit{{Line: 10, Old: []string{"first of a.go:10"}, New: []string{"x"}}},
		}); !cmp.Equal(got, want) {
			t.Errorf("got fix %+v, want %+v", got, want)
		}
	}
	p = func(_ context.Context, req provider.Request) (provider.Response, error) {
		if req.Schema.Name == "verdicts" {
			return answer(findings(`{"number":1,"verdict":"reject","reason":"d ` + secret + `"}`)), nil
		}
		return answer(findings(`{"severity":"low","title":"t","description":"d"}`)), nil
	}
	report, err = scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p, Redact: redact, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if v := report.Verification; v == nil || len(v.Rejected) != 1 || v.Rejected[0].Reason != "d [redacted]" {
		t.Errorf("got verification %+v, want one rejected for %q", v, "d [redacted]")
	}

	bad := func(s string) (string, int) { return "", 1 }
	p = func(context.Context, provider.Request) (provider.Response, error) {
		t.Error("a text was sent although it could not be redacted")
		return answer(nothing), nil
	}
	report, err = scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p, Redact: bad})
	if err != nil || report.FailedHunks != 1 {
		t.Errorf("error %v, report %+v; want a failed hunk", err, report)
	}
}

func TestOptionsValidation(t *testing.T) {
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	tests := []struct {
		name   string
		skills []scanner.Skill
		opts   scanner.Options
		want   string
	}{
		{"no provider", []scanner.Skill{reviewer}, scanner.Options{}, "no provider"},
		{"negative concurrency", []scanner.Skill{reviewer}, scanner.Options{Provider: p, Concurrency: -1}, "Concurrency is -1"},
		{"negative timeout", []scanner.Skill{reviewer}, scanner.Options{Provider: p, Timeout: -2}, "Timeout"},
		{"negative budget", []scanner.Skill{reviewer}, scanner.Options{Provider: p, MaxTokens: -1}, "MaxTokens"},
		{"bad glob", []scanner.Skill{reviewer}, scanner.Options{Provider: p, Chunking: diff.Chunking{IgnorePaths: []string{"["}}}, "["},
		{"two skills of a name", []scanner.Skill{reviewer, reviewer}, scanner.Options{Provider: p}, "Duplicate skill names: review"},
		{"skill without name", []scanner.Skill{{Instructions: "x"}}, scanner.Options{Provider: p}, "name is missing"},
		{"skill without a task", []scanner.Skill{{Name: "x"}}, scanner.Options{Provider: p}, "instructions or patterns"},
		{"bad pattern", []scanner.Skill{{Name: "x", Patterns: []scanner.Pattern{{ID: "y"}}}}, scanner.Options{Provider: p}, "regex is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report, err := scanner.Run(t.Context(), tt.skills, []diff.File{added("a.go", 1)}, tt.opts)
			if err == nil || report != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Run = %v, %v; want an error with %q", report, err, tt.want)
			}
		})
	}
}
