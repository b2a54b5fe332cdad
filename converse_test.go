package scanner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
	secrets "github.com/codescan-dev/scanner/redact"
)

func withTools(s scanner.Skill) scanner.Skill {
	s.AllowedTools = []string{"Read", "Grep"}
	return s
}

var tree = fstest.MapFS{
	"a.go":    {Data: []byte("first of a.go:1\nsecond of a.go:1\nthird of a.go:1\n")},
	"util.go": {Data: []byte("package util\n\nfunc helper() {}\n")},
	".env":    {Data: []byte("PASSWORD=hush\n")},
}

// call returns an answer that asks for a tool.
func call(id, name, args string) provider.Response {
	resp := answer("")
	resp.Stop = provider.StopToolCalls
	resp.ToolCalls = []provider.ToolCall{{ID: id, Name: name, Arguments: args}}
	return resp
}

func TestTools(t *testing.T) {
	var turns atomic.Int64
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		var names []string
		for _, tool := range req.Tools {
			names = append(names, tool.Name)
		}
		if !slices.Equal(names, []string{"Read", "Grep"}) {
			t.Errorf("the request has the tools %q", names)
		}
		last := req.Messages[len(req.Messages)-1]
		switch turns.Add(1) {
		case 1:
			return call("1", "Read", `{"path":"util.go"}`), nil
		case 2:
			if last.Role != provider.RoleTool || last.ToolCallID != "1" || !strings.Contains(last.Text, "func helper() {}") || !strings.HasPrefix(last.Text, "<data-") {
				t.Errorf("the result of Read came as %+v", last)
			}
			return call("2", "Read", `{"path":".env"}`), nil
		default:
			if strings.Contains(last.Text, "hush") {
				t.Errorf("a file of secrets was read: %s", last.Text)
			}
			if n := len(req.Messages); n != 5 {
				t.Errorf("the conversation has %d messages, want 5", n)
			}
			return answer(findings(finding("high", "Broken", "second of a.go:1", 2))), nil
		}
	})
	cache := &memory{m: make(map[string][]byte)}
	report, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{added("a.go", 1)}, scanner.Options{Provider: p, Model: "m", FS: tree, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, report, 1)
	if len(report.Findings) != 1 || report.Usage.InputTokens != 300 {
		t.Errorf("findings %v, usage %+v; want one, and the tokens of three answers", report.Findings, report.Usage)
	}
	if m := report.Tools; m.Calls != 2 || m.Problems != 1 {
		t.Errorf("tools are counted as %v", m)
	}
	if len(cache.m) != 1 {
		t.Errorf("%d answers were kept, want 1", len(cache.m))
	}
}

// TestToolsReplay shows that an answer that used tools is used again as long as the
// tools return the same.
func TestToolsReplay(t *testing.T) {
	sent := 0
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		sent++
		switch len(req.Messages) {
		case 1:
			return call("1", "Read", `{"path":"util.go"}`), nil
		case 3:
			return call("2", "Grep", `{"pattern":"helper"}`), nil
		}
		return answer(findings(finding("high", "Broken", "second of a.go:1", 2))), nil
	})
	files := func(util string, others ...string) fstest.MapFS {
		fsys := fstest.MapFS{"util.go": {Data: []byte(util)}}
		for _, name := range others {
			fsys[name] = &fstest.MapFile{Data: []byte("a helper\n")}
		}
		return fsys
	}
	const util = "package main\n\nfunc helper() {}\n"
	cache := &memory{m: make(map[string][]byte)}
	for _, tt := range []struct {
		name string
		tree fstest.MapFS
		want int
	}{
		{"first", files(util), 3},
		{"again", files(util), 0},
		{"file edited", files(util + "\n"), 3},
		{"file moved", files("\n" + util + "\n"), 3},
		{"file that a search finds", files("\n"+util+"\n", "new.go"), 3},
		{"again", files("\n"+util+"\n", "new.go"), 0},
		{"file gone", fstest.MapFS{}, 3},
	} {
		sent = 0
		report, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{added("a.go", 1)}, scanner.Options{Provider: p, Model: "m", FS: tt.tree, Cache: cache})
		if err != nil || len(report.Findings) != 1 {
			t.Fatalf("%s: error %v, findings %v", tt.name, err, report.Findings)
		}
		if sent != tt.want || (sent == 0) != (report.Chunks.Cached == 1) {
			t.Errorf("%s: %d requests, want %d; chunks %+v", tt.name, sent, tt.want, report.Chunks)
		}
	}
}

// TestToolsAreCachedApart shows that an answer of a model which had no tools is
// not taken for one of a model which needed none.
func TestToolsAreCachedApart(t *testing.T) {
	var n atomic.Int64
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		n.Add(1)
		return answer(nothing), nil
	})
	cache := &memory{m: make(map[string][]byte)}
	for _, s := range []scanner.Skill{reviewer, withTools(reviewer), withTools(reviewer)} {
		if _, err := scanner.RunSkill(t.Context(), s, []diff.File{added("a.go", 1)}, scanner.Options{Provider: p, Model: "m", FS: tree, Cache: cache}); err != nil {
			t.Fatal(err)
		}
	}
	if n.Load() != 2 {
		t.Errorf("%d requests were made, want one without and one with tools", n.Load())
	}
}

// TestCallOfToolsThatWereNotOffered shows that such an answer is an empty one,
// which is not worth the attempts to extract something.
func TestCallOfToolsThatWereNotOffered(t *testing.T) {
	var n atomic.Int64
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		n.Add(1)
		return call("1", "Read", `{"path":"util.go"}`), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1)},
		scanner.Options{Provider: p, FS: tree, Retry: provider.RetryPolicy{MaxRetries: 1, InitialDelay: -1}})
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, report, 1)
	if n.Load() != 2 || report.FailedHunks != 1 || report.Failures[0].Reason != "ServerError" {
		t.Errorf("%d requests, failures %+v; want 2 and a ServerError", n.Load(), report.Failures)
	}
}

func TestToolsNotGranted(t *testing.T) {
	for name, tt := range map[string]struct {
		skill scanner.Skill
		opts  scanner.Options
	}{
		"no tree":          {withTools(reviewer), scanner.Options{}},
		"no allowed tools": {reviewer, scanner.Options{FS: tree}},
	} {
		tt.opts.Provider = asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
			if len(req.Tools) > 0 {
				t.Errorf("%s: the request has tools", name)
			}
			return answer(nothing), nil
		})
		if _, err := scanner.RunSkill(t.Context(), tt.skill, []diff.File{added("a.go", 1)}, tt.opts); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestToolsRefused(t *testing.T) {
	var withTool atomic.Int64
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if len(req.Tools) > 0 {
			withTool.Add(1)
			return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "no"}
		}
		return answer(nothing), nil
	})
	report, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{added("a.go", 1, 200, 400, 600, 800, 1000)}, scanner.Options{Provider: p, FS: tree, Concurrency: 1})
	if err != nil || report.Chunks.Analyzed != 6 {
		t.Fatalf("error %v, chunks %+v", err, report.Chunks)
	}
	if n := withTool.Load(); n != 2 {
		t.Errorf("%d requests had tools, want the first, and one that shows that it was not the chunk", n)
	}
}

// TestToolsWithoutEnd shows that a model which calls tools forever still answers.
func TestToolsWithoutEnd(t *testing.T) {
	const turns = 12
	found := answer(findings(finding("high", "Broken", "second of a.go:1", 2)))
	for _, tt := range []struct {
		name     string
		answers  func(req provider.Request) bool
		requests int64
	}{
		{"answers when it cannot call", func(req provider.Request) bool { return req.NoToolCalls }, turns},
		{"calls although it cannot", func(req provider.Request) bool { return len(req.Tools) == 0 }, turns + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n atomic.Int64
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				n := n.Add(1)
				if tt.answers(req) {
					return found, nil
				}
				return call(fmt.Sprint(n), "Grep", `{"pattern":"x"}`), nil
			})
			report, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{added("a.go", 1)}, scanner.Options{Provider: p, FS: tree})
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report, 1)
			if n.Load() != tt.requests || len(report.Findings) != 1 {
				t.Errorf("%d requests, %d findings; want %d and 1", n.Load(), len(report.Findings), tt.requests)
			}
		})
	}
}

// TestToolResultsFail shows that a chunk is analyzed without tools, and without what
// was said before, when the model cannot go on after a call.
func TestToolResultsFail(t *testing.T) {
	for _, failure := range []error{
		&provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "thought_signature is missing"},
		&provider.Error{Kind: provider.KindServer, Status: 500, Message: "boom"},
		&provider.Error{Kind: provider.KindContextLength, Message: "too long"},
		&provider.Error{Kind: provider.KindRefusal, Message: "no"},
	} {
		t.Run(provider.KindOf(failure).String(), func(t *testing.T) {
			var first atomic.Int64
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				switch {
				case len(req.Tools) == 0 && len(req.Messages) != 1:
					t.Errorf("a request without tools holds %d messages", len(req.Messages))
				case len(req.Tools) == 0:
					return answer(findings(finding("high", "Broken", "second of a.go:1", 2))), nil
				case len(req.Messages) > 1:
					if raw := string(req.Messages[1].Raw); raw != `{"signature":"x"}` {
						t.Errorf("the answer comes back as %q", raw)
					}
					return provider.Response{}, failure
				}
				first.Add(1)
				resp := call("1", "Read", `{"path":"util.go"}`)
				resp.Raw = []byte(`{"signature":"x"}`)
				return resp, nil
			})
			report, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{added("a.go", 1, 200)},
				scanner.Options{Provider: p, FS: tree, Retry: provider.RetryPolicy{InitialDelay: provider.NoDelay}})
			if err != nil {
				t.Fatal(err)
			}
			if report.Chunks.Analyzed != 2 || len(report.Findings) == 0 || first.Load() != 2 {
				t.Errorf("chunks %+v, %d findings, %d with tools; want both analyzed, and both with tools first", report.Chunks, len(report.Findings), first.Load())
			}
		})
	}
}

// TestLongChunkRefused shows that a long chunk is split also when the server does not
// give its length as the reason, and that a short one is not.
func TestLongChunkRefused(t *testing.T) {
	for _, tt := range []struct {
		lines, analyzed int
	}{{70, 1}, {20, 0}} {
		long := added("a.go", 10)
		long.Hunks[0].Body, long.Hunks[0].NewLines = strings.Repeat("+"+strings.Repeat("line ", 20)+"\n", tt.lines), tt.lines
		p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
			if strings.Count(user(req), "|line ") > tt.lines/2 {
				return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "Bad Request"}
			}
			return answer(nothing), nil
		})
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{long}, scanner.Options{Provider: p})
		if err != nil || report.Chunks.Analyzed != tt.analyzed {
			t.Errorf("%d lines: error %v, chunks %+v; want %d analyzed", tt.lines, err, report.Chunks, tt.analyzed)
		}
	}
}

func TestContextLength(t *testing.T) {
	tooLong := &provider.Error{Kind: provider.KindContextLength, Message: "too long"}
	long := added("a.go", 10)
	long.Hunks[0].Body, long.Hunks[0].NewLines = "", 40
	for i := range 40 {
		long.Hunks[0].Body += fmt.Sprintf("+line %c%c\n", 'a'+i/26, 'a'+i%26)
	}
	tests := []struct {
		name     string
		most     int // lines of code that fit
		requests int64
		findings int
		failed   int
	}{
		{"fits", 40, 1, 1, 0},
		{"fits when split", 20, 3, 2, 0},
		{"does not fit when split", 19, 3, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var n atomic.Int64
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				n.Add(1)
				lines := strings.Count(user(req), "|line ")
				if lines > tt.most {
					return provider.Response{}, tooLong
				}
				return answer(findings(finding("high", "In a part of "+strings.Repeat("x", int(n.Load())), "", 10+40-lines))), nil
			})
			report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{long}, scanner.Options{Provider: p})
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report, 1)
			if n.Load() != tt.requests || len(report.Findings) != tt.findings || report.FailedHunks != tt.failed {
				t.Errorf("%d requests, %d findings, %d failed; want %d, %d, %d",
					n.Load(), len(report.Findings), report.FailedHunks, tt.requests, tt.findings, tt.failed)
			}
		})
	}
}

// TestToolsRedactWhatWasSent shows that a secret that only the request reveals is
// replaced in the results of tools, too.
func TestToolsRedactWhatWasSent(t *testing.T) {
	const password = "kT9mQ2pL8nR4"
	asked := false
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		last := req.Messages[len(req.Messages)-1]
		if strings.Contains(last.Text, password) {
			t.Errorf("the password was sent: %s", last.Text)
		}
		if last.Role != provider.RoleTool {
			return call("1", "Read", `{"path":"run.sh"}`), nil
		}
		asked = true
		return answer(nothing), nil
	})
	_, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{added("a.go", 1)}, scanner.Options{
		Provider: p, Redact: secrets.New().Redact, FS: fstest.MapFS{"run.sh": {Data: []byte("login app " + password + "\n")}},
		PullRequest: &scanner.PullRequest{Description: "The password is " + password},
	})
	if err != nil || !asked {
		t.Errorf("error %v, a result was sent: %t", err, asked)
	}
}

// TestToolsWithLimit shows that the model answers about chunks before others begin, so
// that a limit does not end all conversations in the middle.
func TestToolsWithLimit(t *testing.T) {
	for _, concurrency := range []int{1, 2, 4, 8} {
		synctest.Test(t, func(t *testing.T) {
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				time.Sleep(time.Second)
				resp := answer(nothing)
				if len(req.Messages) < 7 {
					resp = call("1", "Read", `{"path":"util.go"}`)
				}
				resp.Usage = provider.Usage{InputTokens: 1, OutputTokens: 1000}
				return resp, nil
			})
			var at []int
			for i := range 24 {
				at = append(at, 1+200*i)
			}
			report, err := scanner.RunSkill(t.Context(), withTools(reviewer), []diff.File{added("a.go", at...)}, scanner.Options{Provider: p, FS: tree, Concurrency: concurrency, MaxTokens: 41_000})
			if err != nil {
				t.Fatal(err)
			}
			// 40 requests, of which those of some unfinished conversations are in vain. A new
			// chunk can begin while a conversation reads a file.
			if got, want := report.Chunks.Analyzed, 9-concurrency; got < want {
				t.Errorf("concurrency %d: %d chunks were analyzed, want at least %d", concurrency, got, want)
			}
		})
	}
}
