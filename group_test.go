package scanner_test

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

var errPanic = errors.New("the caller's mistake")

type panicCache struct{ get, put bool }

func (c *panicCache) Get(context.Context, string) ([]byte, bool) {
	if c.get {
		panic(errPanic)
	}
	return nil, false
}

func (c *panicCache) Put(context.Context, string, []byte) {
	if c.put {
		panic(errPanic)
	}
}

type panicFS struct{ fs.FS }

func (panicFS) Open(string) (fs.File, error) { panic(errPanic) }

// A panic of the caller's code reaches the caller, who can recover from it.
func TestPanic(t *testing.T) {
	good := asker(func(context.Context, provider.Request) (provider.Response, error) {
		return answer(findings(finding("high", "t", "first of a.go:1", 1))), nil
	})
	bad := asker(func(context.Context, provider.Request) (provider.Response, error) { panic(errPanic) })
	onEvent := func(want scanner.Event) func(scanner.Event) {
		return func(e scanner.Event) {
			switch e.(type) {
			case scanner.EventPlanned:
				if _, ok := want.(scanner.EventPlanned); ok {
					panic(errPanic)
				}
			case scanner.EventChunk:
				if _, ok := want.(scanner.EventChunk); ok {
					panic(errPanic)
				}
			case scanner.EventSkill:
				if _, ok := want.(scanner.EventSkill); ok {
					panic(errPanic)
				}
			}
		}
	}
	whole := added("a.go", 1)
	whole.Hunks, whole.Load = nil, func() ([]byte, error) { panic(errPanic) }
	for _, tt := range []struct {
		name  string
		opts  scanner.Options
		files []diff.File
	}{
		{name: "provider", opts: scanner.Options{Provider: bad}},
		{name: "auxiliary", opts: scanner.Options{Provider: good, Auxiliary: bad, Verify: true}},
		{name: "cache, reading", opts: scanner.Options{Provider: good, Model: "m", Cache: &panicCache{get: true}}},
		{name: "cache, writing", opts: scanner.Options{Provider: good, Model: "m", Cache: &panicCache{put: true}}},
		{name: "redactor", opts: scanner.Options{Provider: good, Redact: func(s string) (string, int) {
			if strings.Contains(s, "\n") { // not for names of files
				panic(errPanic)
			}
			return s, 0
		}}},
		{name: "file system", opts: scanner.Options{Provider: good, FS: panicFS{fstest.MapFS{}}}},
		{name: "loader", opts: scanner.Options{Provider: good}, files: []diff.File{whole}},
		{name: "event of the plan", opts: scanner.Options{Provider: good, OnEvent: onEvent(scanner.EventPlanned{})}},
		{name: "event of a chunk", opts: scanner.Options{Provider: good, OnEvent: onEvent(scanner.EventChunk{})}},
		{name: "event of a skill", opts: scanner.Options{Provider: good, OnEvent: onEvent(scanner.EventSkill{})}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.files == nil {
				tt.files = []diff.File{added("a.go", 1, 200, 400), added("b.go", 1)}
			}
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, errPanic) {
					t.Errorf("recovered %v, want the panic", err)
				}
			}()
			_, err := scanner.Run(t.Context(), []scanner.Skill{reviewer}, tt.files, tt.opts)
			t.Errorf("no panic, error %v", err)
		})
	}
}

type nilProvider struct{ provider.Provider }

// A nil pointer in an option is nil.
func TestNilPointers(t *testing.T) {
	var p *nilProvider
	var c *panicCache
	var f *panicFS
	files := []diff.File{added("a.go", 1)}
	if _, err := scanner.RunSkill(t.Context(), reviewer, files, scanner.Options{Provider: p}); !errors.Is(err, scanner.ErrNoProvider) {
		t.Errorf("nil provider: error %v", err)
	}
	good := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(findings()), nil })
	report, err := scanner.RunSkill(t.Context(), reviewer, files, scanner.Options{Provider: good, Auxiliary: p, Cache: c, FS: f, Verify: true})
	if err != nil || report.Chunks.Analyzed != 1 {
		t.Errorf("nil options: error %v, report %+v", err, report)
	}
}

// A run that cannot do what it is for is an error.
func TestUselessRun(t *testing.T) {
	opts := scanner.Options{PatternsOnly: true}
	if report, err := scanner.Run(t.Context(), nil, nil, opts); err == nil || report != nil {
		t.Errorf("without skills: report %v, error %v", report, err)
	}
	for _, p := range []scanner.Policy{{ReportOn: "hihg"}, {MinConfidence: "High"}, {FailOn: "critical"}} {
		opts.Policies = map[string]scanner.Policy{"review": p}
		if report, err := scanner.RunSkill(t.Context(), reviewer, nil, opts); err == nil || !strings.Contains(err.Error(), `Policies["review"]`) || report != nil {
			t.Errorf("%+v: report %v, error %v", p, report, err)
		}
	}
}

// Code of the caller that ends its goroutine, as FailNow of a test does, does not
// make a run that looks complete.
func TestGoexit(t *testing.T) {
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		runtime.Goexit()
		return provider.Response{}, nil
	})
	defer func() {
		if err, ok := recover().(error); !ok || !strings.HasPrefix(err.Error(), "runtime.Goexit was called") {
			t.Errorf("recovered %v, want an error about runtime.Goexit", err)
		}
	}()
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)}, scanner.Options{Provider: p})
	t.Errorf("no panic, but %v, %v", report, err)
}
