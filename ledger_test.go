package scanner_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// TestLedger runs several skills with everything going wrong by chance, and shows
// that each chunk, file and finding is accounted for.
func TestLedger(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) { ledger(t, rand.New(rand.NewPCG(seed, 7))) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// troubled answers at random.
type troubled struct {
	mu   sync.Mutex
	r    *rand.Rand
	rate int // percent of trouble
	auth bool
}

func (p *troubled) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	p.mu.Lock()
	trouble, kind, delay, line := p.r.IntN(100) < p.rate, p.r.IntN(12), time.Duration(p.r.IntN(900))*time.Millisecond, 1+p.r.IntN(3)
	p.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return provider.Response{}, ctx.Err()
	}
	words := []string{"Leak of a file", "Race on the map", "Query built from input", "Error is ignored"}
	quote := regexp.MustCompile(`(?:first|second|third) of \S+`).FindString(user(req))
	found := func(i int) string { return finding([]string{"high", "medium", "low"}[i%3], words[i%4], quote, line) }
	if strings.Contains(req.System, "You check findings") {
		return answer(findings(`{"number":1,"verdict":"reject","severity":"low","confidence":"low","reason":"r"}`, `{"number":2,"verdict":"lower","severity":"low","confidence":"low","reason":"r"}`)), nil
	}
	if !trouble {
		return answer(findings(found(kind), found(kind+1), found(kind))), nil
	}
	fail := func(kind provider.Kind) (provider.Response, error) {
		return provider.Response{}, &provider.Error{Kind: kind, Message: "trouble"}
	}
	switch kind {
	case 0:
		if p.auth {
			return fail(provider.KindAuth)
		}
		return fail(provider.KindRefusal)
	case 1:
		return fail(provider.KindRateLimit)
	case 2, 3, 4:
		return fail(provider.KindServer)
	case 5:
		return fail(provider.KindContextLength)
	case 6:
		return provider.Response{}, errors.New("nobody knows")
	case 7:
		resp := answer(findings(found(1)) + "{")
		resp.Text = resp.Text[:len(resp.Text)-20]
		resp.Stop = provider.StopLength
		return resp, nil
	case 8:
		return answer("There may be something."), nil
	case 9:
		return answer(findings(`{"title":1}`, found(2), `{"severity":"low","title":"t","description":"d","quote":"nowhere to be found"}`)), nil
	case 10:
		return provider.Response{}, fmt.Errorf("post: %w", context.DeadlineExceeded)
	default:
		return provider.Response{Text: findings(found(3)), Stop: provider.StopEnd}, nil
	}
}

func ledger(t *testing.T, r *rand.Rand) {
	var files []diff.File
	names := []string{"a.go", "b.go", "c.py", "gen/d.go", "e.png", "go.sum", "f.go"}
	for range 1 + r.IntN(8) {
		f := added(names[r.IntN(len(names))], 1, 200, 400)
		f.Hunks = f.Hunks[:1+r.IntN(3)]
		switch r.IntN(8) {
		case 0:
			f.Hunks, f.Status = nil, diff.Deleted
		case 1:
			f.Hunks = nil
			f.Load = func() ([]byte, error) { return []byte("first of x\nsecond of x\nthird of x\n"), nil }
		case 2:
			f.Hunks = nil
			f.Load = func() ([]byte, error) { return nil, errors.New("gone") }
		}
		files = append(files, f)
	}
	second := []scanner.Pattern{{ID: "p", Regexp: regexp.MustCompile(`second of (\S+)`), Severity: "medium", Title: "Leak of a file", Description: "It is wrong."}}
	skills := []scanner.Skill{
		{Name: "one", Instructions: "FIRST", Paths: []string{"**/*.go"}, Verify: r.IntN(2) == 0},
		{Name: "two", Instructions: "SECOND", Patterns: second, IgnorePaths: []string{"gen/**", "b.go"}},
		{Name: "three", Patterns: second, Paths: []string{"**/*.go", "**/*.py"}, IgnorePaths: []string{"gen/*"}},
		{Name: "four", Instructions: "THIRD", Paths: []string{"**/*.rs"}},
	}[:1+r.IntN(4)]
	opts := scanner.Options{
		Provider:    &troubled{r: rand.New(rand.NewPCG(r.Uint64(), 1)), rate: r.IntN(101), auth: r.IntN(3) == 0},
		Concurrency: 1 + r.IntN(4),
		Retry:       provider.RetryPolicy{MaxRetries: r.IntN(4) - 1, InitialDelay: time.Duration(r.IntN(2000)) * time.Millisecond},
		Policies:    map[string]scanner.Policy{"one": {ReportOn: scanner.ThresholdMedium}, "two": {MaxFindings: 1, FailOn: scanner.ThresholdHigh}},
		Verify:      r.IntN(4) == 0,
	}
	switch r.IntN(4) {
	case 0:
		opts.MaxTokens = int64(r.IntN(20_000))
	case 1:
		opts.MaxCost = r.Float64() * 4
	}
	if r.IntN(3) == 0 {
		opts.BatchDelay = time.Second
	}
	if r.IntN(3) == 0 {
		opts.Cache = &memory{m: make(map[string][]byte)}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	interrupt := errors.New("interrupted by the test")
	if r.IntN(3) == 0 {
		stop := time.AfterFunc(time.Duration(r.IntN(5000))*time.Millisecond, func() { cancel(interrupt) })
		defer stop.Stop()
	}
	rec := &recorder{t: t}
	opts.OnEvent = rec.on
	report, err := scanner.Run(ctx, skills, files, opts)
	rec.close()
	if err != nil && !errors.Is(err, interrupt) && provider.KindOf(err) != provider.KindAuth {
		t.Fatalf("error %v", err)
	}

	distinct := make(map[string]bool)
	for _, f := range files {
		distinct[f.Path] = true
	}
	if report.Files+len(report.Skipped) != len(distinct) {
		t.Errorf("%d analyzed and %d skipped files are not the %d that changed", report.Files, len(report.Skipped), len(distinct))
	}
	planned := eventsOf[scanner.EventPlanned](rec)
	if len(planned) != 1 || len(planned[0].Files) != report.Files || planned[0].Chunks != report.Chunks || len(planned[0].Skills) != len(report.Skills) {
		t.Fatalf("planned is %+v, done %+v", planned, report)
	}
	if n := len(eventsOf[scanner.EventStopped](rec)); (n == 1) != (report.Stopped != nil) {
		t.Errorf("stopped by %v, with %d events", report.Stopped, n)
	}
	outcomes := make(map[string]*scanner.ChunkCounts)
	for _, e := range eventsOf[scanner.EventChunk](rec) {
		if outcomes[e.Chunk.Skill] == nil {
			outcomes[e.Chunk.Skill] = new(scanner.ChunkCounts)
		}
		c := outcomes[e.Chunk.Skill]
		c.Total++
		*map[scanner.Outcome]*int{
			scanner.OutcomeAnalyzed: &c.Analyzed, scanner.OutcomeCached: &c.Cached, scanner.OutcomeFailed: &c.Failed, scanner.OutcomeNotAnalyzed: &c.NotAnalyzed,
		}[e.Outcome]++
		if (e.Err != nil) != (e.Outcome == scanner.OutcomeFailed || e.Outcome == scanner.OutcomeNotAnalyzed) {
			t.Errorf("chunk %v: outcome %d, error %v", e.Chunk, e.Outcome, e.Err)
		}
	}
	for i, s := range report.Skills {
		checkLedger(t, s, planned[0].Skills[i].Chunks)
		if got := outcomes[s.Skill]; got != nil && *got != s.Chunks {
			t.Errorf("%s: events have %+v, the report %+v", s.Skill, *got, s.Chunks)
		}
		seen := make(map[string]bool)
		for _, f := range s.Files {
			if seen[f.Path] {
				t.Errorf("%s: file %s is there twice", s.Skill, f.Path)
			}
			seen[f.Path] = true
		}
		for _, f := range s.SkippedFiles {
			if seen[f.Filename] {
				t.Errorf("%s: file %s is there twice", s.Skill, f.Filename)
			}
			seen[f.Filename] = true
		}
		ids := make(map[string]bool)
		for _, f := range s.Findings {
			if err := f.Validate(); err != nil || ids[f.ID] {
				t.Errorf("%s: finding %+v is there twice or is invalid: %v", s.Skill, f, err)
			}
			ids[f.ID] = true
		}
		for _, g := range s.MergeGroups {
			if !ids[g.Primary] || len(g.Merged) == 0 {
				t.Errorf("%s: group %+v of no finding", s.Skill, g)
			}
		}
		for _, d := range s.Duplicates {
			i := slices.IndexFunc(report.Skills, func(o *scanner.SkillReport) bool { return o.Skill == d.Of })
			if ids[d.ID] || i < 0 || report.Skills[i] == s || !slices.ContainsFunc(report.Skills[i].Findings, func(f scanner.Finding) bool { return f.ID == d.Finding }) {
				t.Errorf("%s: %+v is not a duplicate of a finding", s.Skill, d)
			}
		}
		if !slices.IsSortedFunc(s.Findings, func(a, b scanner.Finding) int { return scanner.Compare(&a, &b) }) {
			t.Errorf("%s: findings are not sorted", s.Skill)
		}
	}
}
