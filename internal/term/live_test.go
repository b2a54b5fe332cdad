package term

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/termtest"
	"github.com/codescan-dev/scanner/provider"
)

// liveRun is a run whose live area is shown.
type liveRun struct {
	*Console
	screen        *termtest.Screen
	columns, rows int
	limited       time.Duration
}

func newLiveRun(chunks, columns, rows int) *liveRun {
	r := &liveRun{screen: termtest.New(columns, max(rows, 24)), columns: columns, rows: rows}
	r.Console = New(Config{
		Out: r.screen, Err: r.screen, Level: Normal, Now: time.Now,
		Layout: Layout{interactive: true, live: true, width: columns},
		Size:   func() (int, int) { return r.columns, r.rows },
	})
	r.ShowWait(func() time.Duration { return r.limited })
	r.Event(scanner.EventPlanned{Chunks: chunks, Skills: []scanner.PlannedSkill{{Name: "s", Chunks: chunks}}})
	return r
}

func chunkOf(path string) scanner.ChunkRef {
	return scanner.ChunkRef{Skill: "s", Path: path, StartLine: 1, EndLine: 9}
}

var oneRequest = scanner.Usage{InputTokens: 1000, OutputTokens: 10, CostUSD: new(0.01)}

func (r *liveRun) done(path string, titles ...string) {
	e := scanner.EventChunk{Chunk: chunkOf(path), Usage: oneRequest}
	for i, title := range titles {
		e.Findings = append(e.Findings, scanner.Finding{
			Severity: scanner.SeverityHigh, Title: title, Location: &scanner.Location{Path: path, StartLine: i + 1},
		})
	}
	r.Event(e)
}

// area returns the lines of the live area after the next redraw.
func (r *liveRun) area() []string {
	time.Sleep(redrawInterval)
	synctest.Wait()
	_, text, _ := strings.Cut(r.screen.Text(), "\n"+"0 files · ")
	_, text, _ = strings.Cut(text, "chunks\n")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func (r *liveRun) want(t *testing.T, name string, want ...string) {
	t.Helper()
	got := r.area()
	got[0] = regexp.MustCompile(`^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] `).ReplaceAllString(got[0], "* ")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
	if err := r.screen.Err(); err != nil {
		t.Error(err)
	}
}

func TestLiveArea(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newLiveRun(9, 80, 24)
		defer r.Close()
		r.term.update(func() { r.ShowPathsFrom("src") })
		r.want(t, "at the start", "* 0 of 9 chunks · 0 findings · 0s")
		for _, path := range []string{"src/a.go", "src/b\x1b[2J.go", "src/a.go", "::x"} {
			c := chunkOf(path)
			c.Index = r.tries
			r.tries++
			r.Event(scanner.EventRequest{Chunk: c, Role: "analyze"})
		}
		r.want(t, "requests", "* 0 of 9 chunks · 0 findings · 0s", `  a.go, "b\033[2J.go", ../::x`)
		r.done("src/a.go", "one", "two\nlines ::error::", "漢字 🙂 "+strings.Repeat("漢", 80), "four \x1b[31mred")
		r.want(t, "findings", "* 1 of 9 chunks · 4 findings · 1.0k in / 10 out · $0.01 · 0s", `  "b\033[2J.go", a.go, ../::x`,
			"  ● (high) a.go:2: two lines ::error::",
			"  ● (high) a.go:3: 漢字 🙂 "+strings.Repeat("漢", 25)+"…",
			"  ● (high) a.go:4: four red")
		r.Event(scanner.EventRequest{Chunk: chunkOf("src/a.go"), Role: "verify"})
		r.Warn(Normal, "something\nelse")
		if got := r.area(); got[0] != `warning: something\nelse` || !strings.HasSuffix(got[2], "../::x, a.go (second opinion)") {
			t.Errorf("the warning is not above the area:\n%s", strings.Join(got, "\n"))
		}
		r.Event(scanner.EventExchange{Chunk: chunkOf("src/a.go"), Role: "verify"})
		if got := strings.Join(r.area(), "\n"); strings.Contains(got, "second opinion") {
			t.Errorf("a request that has an answer is shown:\n%s", got)
		}
	})
}

// A file name at the beginning of a line is not a command to a CI system, some of which
// have terminals.
func TestLiveAreaCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newLiveRun(9, 80, 24)
		defer r.Close()
		r.Event(scanner.EventRequest{Chunk: chunkOf("::error::x")})
		r.want(t, "command", "* 0 of 9 chunks · 0 findings · 0s", "  : :error::x")
	})
}

func TestLiveAreaWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newLiveRun(9, 80, 24)
		defer r.Close()
		a, b := chunkOf("a.go"), chunkOf("b.go")
		r.Event(scanner.EventRequest{Chunk: a})
		r.Event(scanner.EventRequest{Chunk: b})
		r.Event(scanner.EventRetry{Chunk: a, Attempt: 1, Max: 3, Delay: 5 * time.Second, Err: &provider.Error{Kind: provider.KindServer}})
		r.want(t, "retry", "* 0 of 9 chunks · 0 findings · 0s", "  ServerError, next try in 5 s", "  b.go")
		time.Sleep(2 * time.Second)
		r.want(t, "2 s later", "* 0 of 9 chunks · 0 findings · 2s", "  ServerError, next try in 3 s", "  b.go")
		r.term.update(func() { r.limited = 61 * time.Second })
		r.want(t, "limit", "* 0 of 9 chunks · 0 findings · 2s", "  rate limited, next try in 61 s", "  b.go")
		r.term.update(func() { r.limited = time.Second / 2 })
		r.Event(scanner.EventRetry{Chunk: a, Attempt: 2, Max: 3, Delay: 2 * time.Second, Err: &provider.Error{Kind: provider.KindRateLimit}})
		r.want(t, "retry after a limit", "* 0 of 9 chunks · 0 findings · 2s", "  rate limited, next try in 2 s", "  b.go")
		r.Event(scanner.EventRequest{Chunk: a})
		r.want(t, "next attempt", "* 0 of 9 chunks · 0 findings · 2s", "  b.go, a.go")
	})
}

// The area never has more lines than half of the terminal, and none that is wider.
func TestLiveAreaSizes(t *testing.T) {
	for _, tt := range []struct {
		columns, rows int
		want          []string
	}{
		{120, 24, []string{
			"* 1 of 99 chunks · 4 findings · 1.0k in / 10 out · $0.01 · 0s", "  rate limited, next try in 6 s", "  b.go",
			"  ● (high) a.go:2: a two", "  ● (high) a.go:3: a three", "  ● (high) a.go:4: a four",
		}},
		{40, 24, []string{
			"* 1 of 99 chunks · 4 findings", "  1.0k in / 10 out · $0.01 · 0s", "  rate limited, next try in 6 s", "  b.go",
			"  ● (high) a.go:2: a two", "  ● (high) a.go:3: a three", "  ● (high) a.go:4: a four",
		}},
		{20, 10, []string{"* 1 of 99 chunks", "  4 findings", "  1.0k in / 10 out", "  $0.01 · 0s", "  rate limited, ne…"}},
		{80, 10, []string{
			"* 1 of 99 chunks · 4 findings · 1.0k in / 10 out · $0.01 · 0s", "  rate limited, next try in 6 s", "  b.go",
			"  ● (high) a.go:3: a three", "  ● (high) a.go:4: a four",
		}},
		{80, 3, []string{"* rate limited, next try in 6 s · 1 of 99 chunks · 4 findings · 1.0k in / 10 o…"}},
		{40, 0, []string{"* rate limited, next try in 6 s · 1 of…"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newLiveRun(99, tt.columns, tt.rows)
			defer r.Close()
			r.term.update(func() { r.limited = 6 * time.Second })
			r.Event(scanner.EventRequest{Chunk: chunkOf("b.go")})
			r.done("a.go", "a one", "a two", "a three", "a four")
			r.want(t, fmt.Sprintf("%d columns, %d rows", tt.columns, tt.rows), tt.want...)
		})
	}
}

// What remains on the screen is the report, also after the terminal became smaller.
func TestLiveAreaLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newLiveRun(9, 80, 24)
		finding := scanner.Finding{Severity: scanner.SeverityHigh, Title: "provisional", Location: &scanner.Location{Path: "a.go", StartLine: 1}}
		r.done("a.go", finding.Title+strings.Repeat(" long", 9))
		r.area()
		report := &scanner.SkillReport{Skill: "s", Chunks: scanner.ChunkCounts{Total: 1, Analyzed: 1}, Findings: []scanner.Finding{finding}}
		r.Skill(report, scanner.Selection{Shown: report.Findings})
		if got := strings.Join(r.area(), "\n"); strings.Contains(got, "FINDINGS") {
			t.Errorf("the report is shown before the end:\n%s", got)
		}
		for _, size := range []struct{ columns, rows int }{{47, 24}, {100, 24}, {40, 10}} {
			time.Sleep(redrawInterval / 2)
			r.screen.Resize(size.columns, 24)
			r.term.update(func() { r.columns, r.rows = size.columns, size.rows })
			if got := strings.Join(r.area(), "\n"); strings.Count(got, "of 9 chunks") != 1 || strings.Count(got, "provisional") != 1 {
				t.Errorf("%d columns: not one area:\n%s", size.columns, got)
			}
		}
		r.Finish(&scanner.RunReport{Chunks: 1, Skills: []*scanner.SkillReport{report}, Duration: time.Second})
		r.want(t, "end", "", "FINDINGS s", "", "● (high) provisional", "  a.go:1", "", "SUMMARY", "1 findings: ● 1 high ● 0 medium ● 0 low",
			"Analysis completed in 1.0s · 0 in / 0", "  out · $0.0000")
	})
}

func TestRemaining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const chunks = 100
		r := newLiveRun(chunks, 80, 24)
		defer r.Close()
		for range 30 { // answers of the cache
			r.Event(scanner.EventChunk{Chunk: chunkOf("cached.go"), Outcome: scanner.OutcomeCached})
		}
		var shown []string
		left := func() string {
			_, estimate, _ := strings.Cut(strings.Join(r.area(), ""), "about ")
			if estimate != "" && (len(shown) == 0 || shown[len(shown)-1] != estimate) {
				shown = append(shown, estimate)
			}
			return estimate
		}
		for i := range chunks - 30 {
			r.Event(scanner.EventRequest{Chunk: chunkOf("a.go")})
			time.Sleep(time.Duration(900+100*(i%5)) * time.Millisecond) // with the redraws, 1.3 s on average
			r.done("a.go")
			if got := left(); i < minSent-1 && got != "" {
				t.Errorf("an estimate of %q after %d chunks", got, i+1)
			}
			if r.term.update(func() { r.limited = 5 * time.Second }); left() != "" {
				t.Error("an estimate while no request can start")
			}
			r.term.update(func() { r.limited = 0 })
		}
		want := []string{"2m left", "1m left", "50s left", "40s left", "30s left", "20s left", "10s left"}
		if d := cmp.Diff(want, shown); d != "" {
			t.Errorf("estimates (-want +got):\n%s", d)
		}
	})
}

// An estimate whose time has passed is not shown, and one that was far too low is
// replaced.
func TestRemainingTooLow(t *testing.T) {
	var r remaining
	now := time.Unix(0, 0)
	r.start(now)
	for range minSent {
		now = now.Add(time.Second)
		r.sent(now, 1, 10)
	}
	for _, tt := range []struct {
		after time.Duration
		want  string
	}{{0, "about 10s left"}, {9 * time.Second, "about 10s left"}, {10 * time.Second, ""}, {time.Hour, ""}} {
		if got := r.text(now.Add(tt.after)); got != tt.want {
			t.Errorf("after %v: got %q, want %q", tt.after, got, tt.want)
		}
	}
	now = now.Add(55 * time.Second) // 60 s for 6 chunks
	r.sent(now, 1, 9)
	if got, want := r.text(now), "about 2m left"; got != want {
		t.Errorf("after a slow chunk: got %q, want %q", got, want)
	}
	if r := (remaining{}); r.text(now) != "" {
		t.Error("an estimate without any chunk")
	}
}

// A log has a line of progress every 30 seconds.
func TestProgressInLog(t *testing.T) {
	for _, l := range []Layout{{}, {interactive: true, width: 80}} { // as with FORCE_COLOR
		for _, level := range []Verbosity{Quiet, Normal} {
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				c := New(Config{Out: &out, Err: &out, Level: level, Now: time.Now, Layout: l})
				var limited atomic.Int64
				c.ShowWait(func() time.Duration { return time.Duration(limited.Load()) })
				c.Event(scanner.EventPlanned{Chunks: 40, Skills: []scanner.PlannedSkill{{Name: "s", Chunks: 40}}})
				time.Sleep(29 * time.Second)
				c.Event(scanner.EventChunk{Chunk: chunkOf("a.go"), Usage: oneRequest, Findings: make([]scanner.Finding, 3)})
				time.Sleep(32 * time.Second)
				limited.Store(int64(6 * time.Second))
				time.Sleep(30 * time.Second)
				c.Close()
				time.Sleep(time.Hour)
				_, got, _ := strings.Cut(regexp.MustCompile(`\[.*?Z\] scanner: `).ReplaceAllString(out.String(), ""), "40 chunks\n")
				want := "Progress: 1 of 40 chunks, 3 findings, 1.0k in / 10 out, $0.01, 30s\n" +
					"Progress: 1 of 40 chunks, 3 findings, 1.0k in / 10 out, $0.01, 1m 0s\n" +
					"Progress: rate limited, next try in 6 s, 1 of 40 chunks, 3 findings, 1.0k in / 10 out, $0.01, 1m 30s\n"
				if level == Quiet {
					want = ""
				}
				if got != want {
					t.Errorf("got:\n%s\nwant:\n%s", got, want)
				}
			})
		}
	}
}
