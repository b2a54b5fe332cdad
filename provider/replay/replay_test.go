package replay_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
	"github.com/codescan-dev/scanner/provider/replay"
)

// request returns a request about lines of a chunk.
func request(chunk string, line int) provider.Request {
	return provider.Request{
		Model: "m", System: "system", Messages: []provider.Message{{Role: provider.RoleUser, Text: "the code"}},
		Task: provider.Task{Role: "analyze", Skill: "own", Path: "dir/a.go", StartLine: line, EndLine: line + 2, ChunkHash: chunk},
	}
}

func noon() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

func newRecorder(t *testing.T, dir string, p provider.Provider) *replay.Recorder {
	t.Helper()
	r, err := replay.Record(dir, p, func(s string) (string, int) {
		return strings.ReplaceAll(s, "sk-hush", "[redacted]"), strings.Count(s, "sk-hush")
	}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, dir string, warn func(string)) *replay.Player {
	t.Helper()
	p, err := replay.Open(dir, warn)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// files returns the texts of the records in a directory.
func files(t *testing.T, dir string) (texts []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	return texts
}

// An answer comes back with all that the pipeline uses, wherever its lines are, and
// costs nothing.
func TestReplay(t *testing.T) {
	want := provider.Response{
		Text: "{\"findings\":\r\n[]}\n\xff", Stop: provider.StopToolCalls, Model: "m-2026",
		ToolCalls: []provider.ToolCall{{ID: "1", Name: "Read", Arguments: "{\n}"}, {ID: "2"}},
		Usage:     provider.Usage{InputTokens: 100, OutputTokens: 10, CostUSD: new(0.5)},
	}
	dir := filepath.Join(t.TempDir(), "new", "records")
	if _, err := newRecorder(t, dir, providertest.Answers(providertest.Answer{Response: want})).Complete(t.Context(), request("c", 10)); err != nil {
		t.Fatal(err)
	}
	want.Usage.CostUSD, want.Moved = new(0.0), 5
	p := open(t, dir, func(msg string) { t.Error("warning: ", msg) })
	for range 2 {
		got, err := p.Complete(t.Context(), request("c", 15))
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("error %v, answer (-want +got):\n%s", err, d)
		}
	}
}

// A record holds neither secrets of what was sent nor of what was answered.
func TestNoSecrets(t *testing.T) {
	dir := t.TempDir()
	req := request("c", 1)
	req.Task.Path, req.Messages[0].Text = "sk-hush/a.go", "key = sk-hush"
	r := newRecorder(t, dir, providertest.Answers(providertest.Answer{Response: provider.Response{
		Text: "it is\nsk-hush", Model: "sk-hush", ToolCalls: []provider.ToolCall{{ID: "sk-hush", Name: "sk-hush", Arguments: "sk-hush"}},
	}}, providertest.Fail(provider.KindRefusal, "not with sk-hush")))
	for range 2 {
		_, _ = r.Complete(t.Context(), req)
		for _, text := range files(t, dir) {
			if strings.Contains(text, "sk-hush") || !strings.Contains(text, "[redacted]") {
				t.Errorf("the record is\n%s", text)
			}
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 || strings.Contains(entries[0].Name(), "hush") {
		t.Errorf("got the files %v", entries)
	}
}

// Of several attempts the last is kept, and failures only if the request fails again.
func TestFailures(t *testing.T) {
	tooLong := providertest.Answer{Err: &provider.Error{Kind: provider.KindContextLength, Status: 400, Message: "too long"}}
	tests := []struct {
		name    string
		answers []providertest.Answer
		want    string // the answer or the error of the replay
	}{
		{"a limit of the rate", []providertest.Answer{providertest.Fail(provider.KindRateLimit, "wait"), providertest.Text("a")}, "a"},
		{"no answer", []providertest.Answer{providertest.Fail(provider.KindServer, "down"), {Err: context.DeadlineExceeded}}, "none"},
		{"no credentials", []providertest.Answer{providertest.Fail(provider.KindAuth, "who?")}, "none"},
		{"another error", []providertest.Answer{{Err: errors.New("broken")}}, "none"},
		{"an empty answer", []providertest.Answer{providertest.Text(" ")}, "none"},
		{"no model", []providertest.Answer{{Err: &provider.Error{Kind: provider.KindInvalid, Final: true}}}, "none"},
		{"tools are refused", []providertest.Answer{providertest.Fail(provider.KindInvalid, "no tools"), providertest.Text("a")}, "a"},
		{"too long", []providertest.Answer{tooLong}, "ContextLengthError: too long"},
		{"a refusal", []providertest.Answer{providertest.Text("a"), providertest.Fail(provider.KindRefusal, "no")}, "RefusalError: no"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			r := newRecorder(t, dir, providertest.Answers(tt.answers...))
			for range tt.answers {
				_, _ = r.Complete(t.Context(), request("c", 1))
			}
			resp, err := open(t, dir, nil).Complete(t.Context(), request("c", 1))
			got := resp.Text
			if err != nil {
				got = err.Error()
			}
			if _, ok := errors.AsType[*replay.MissingError](err); ok {
				got = "none"
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A request without a record ends the run, and names what it is about.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir, nil)
	_, err := p.Complete(t.Context(), request("c", 7))
	if want := fmt.Sprintf("InvalidRequestError: %q has no answer for skill \"own\", dir/a.go:7-9 (analyze)", dir); err == nil || err.Error() != want || !provider.EndsRun(err) {
		t.Errorf("got %v, want the final error %s", err, want)
	}
	if _, err := p.Complete(t.Context(), provider.Request{}); !provider.EndsRun(err) {
		t.Errorf("got %v for a request without a task, want a final error", err)
	}
}

// Each part of a request that differs from the recorded one is a warning, once.
func TestDifferences(t *testing.T) {
	dir := t.TempDir()
	req := request("c", 1)
	req.Messages = append(req.Messages, provider.Message{Role: provider.RoleTool, Text: "text of the file"})
	if _, err := newRecorder(t, dir, providertest.Answers(providertest.Text("a"))).Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		edit func(*provider.Request)
		want string
	}{
		{func(req *provider.Request) {}, ""},
		{func(req *provider.Request) { req.Model = "" }, ""},
		{func(req *provider.Request) { req.Task.CacheKey = "other" }, ""},
		{func(req *provider.Request) { req.Messages[0].Text = "with other line numbers" }, ""},
		{func(req *provider.Request) { req.Model = "n" }, `model ("n", not "m")`},
		{func(req *provider.Request) { req.System = "edited" }, "system text"},
		{func(req *provider.Request) { req.Tools = []provider.Tool{{Name: "Read"}} }, "set of tools"},
		{func(req *provider.Request) { req.Schema = &provider.Schema{Name: "s"} }, "answer format"},
		{func(req *provider.Request) { req.Messages[1].Text = "other text" }, "tool output"},
	}
	for _, tt := range tests {
		var got []string
		p := open(t, dir, func(msg string) { got = append(got, msg) })
		other := req
		other.Messages = slices.Clone(req.Messages)
		tt.edit(&other)
		for range 2 {
			if resp, err := p.Complete(t.Context(), other); err != nil || resp.Text != "a" {
				t.Errorf("%s: got %q, %v", tt.want, resp.Text, err)
			}
		}
		var want []string
		if tt.want != "" {
			want = []string{`skill "own": its recorded answers are for a request with a different ` + tt.want}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("warnings (-want +got):\n%s", d)
		}
	}
}

// Requests of several goroutines and processes can be recorded at once.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	echo := providertest.Func(func(_ int, req provider.Request) providertest.Answer {
		return providertest.Text(strings.Repeat(req.Task.ChunkHash, 1000))
	})
	var g sync.WaitGroup
	for range 4 {
		r := newRecorder(t, dir, echo)
		for n := range 20 {
			g.Go(func() {
				if _, err := r.Complete(t.Context(), request(fmt.Sprint(n), n+1)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	g.Wait()
	if n := len(files(t, dir)); n != 20 {
		t.Errorf("%d files, want 20", n)
	}
	p := open(t, dir, nil)
	for n := range 20 {
		g.Go(func() {
			if resp, err := p.Complete(t.Context(), request(fmt.Sprint(n), n+1)); err != nil || resp.Text != strings.Repeat(fmt.Sprint(n), 1000) {
				t.Errorf("request %d: %v, %.20q", n, err, resp.Text)
			}
		})
	}
	g.Wait()
}

// An answer is scripted once any part of it was edited. Edits of what was sent and of its
// date change nothing.
func TestOrigin(t *testing.T) {
	dir := t.TempDir()
	day := 0
	r, err := replay.Record(dir, providertest.Func(func(n int, _ provider.Request) providertest.Answer {
		return providertest.Answer{Response: provider.Response{Model: fmt.Sprint("model-", 2-n%2), Text: "two\nlines", ToolCalls: []provider.ToolCall{}}}
	}), nil, func() time.Time { day++; return noon().AddDate(0, 0, day) })
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if _, err := r.Complete(t.Context(), request(fmt.Sprint(n), 1)); err != nil {
			t.Fatal(err)
		}
	}
	want := &replay.Origin{Models: []string{"model-1", "model-2"}, First: noon().AddDate(0, 0, 1), Last: noon().AddDate(0, 0, 3)}
	if d := cmp.Diff(want, open(t, dir, nil).Origin()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	text := files(t, dir)[0]
	for _, tt := range []struct {
		old, new string
		scripted bool
	}{
		{"", "", false},
		{"| the code", "| other code", false},
		{"date: 2026", "date: 2025", false},
		{"\n", "\r\n", false},
		{"| lines", "| line", true},
		{"hash of answer: ", "hash of answer: 0", true},
		{"hash of answer: ", "hash of answers: ", true},
		{"model: model-", "model: model-a", true},
		{"model: model-", "model: scripted-", true},
		{"answer:", "stop: length\nanswer:", true},
		{"answer:", "call: a\nanswer:", true},
	} {
		one := t.TempDir()
		edited := strings.ReplaceAll(text, tt.old, tt.new)
		if err := os.WriteFile(filepath.Join(one, "a.txt"), []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		if o := open(t, one, nil).Origin(); o.Scripted != tt.scripted {
			t.Errorf("%q instead of %q: scripted %v, want %v", tt.new, tt.old, o.Scripted, tt.scripted)
		}
	}
}

// What is wrong with a file is named with its line.
func TestDamaged(t *testing.T) {
	const start = "scanner exchange 1\nskill: own\nrole: analyze\nchunk: c\nlines: 1-3\n"
	tests := []struct{ text, want string }{
		{"", "a.txt:1: not a record of this version"},
		{"scanner exchange 2\n", "a.txt:1: not a record of this version"},
		{start + "<<<<<<< HEAD\n", "a.txt:6: the line has neither a name nor '|' before it"},
		{start + "answer:\n\"broken\n", "a.txt:7: the quoted line is damaged"},
		{start + "lines: 3\n", `a.txt:6: "lines": got "3", want two numbers`},
		{start + "usage: {\n", `a.txt:6: "usage": unexpected end of JSON input`},
		{start + "date: today\n", `a.txt:6: "date": parsing time`},
		{start + "tool: Read\n", `a.txt:6: "tool": there is no such field here`},
		{start + "failure: AuthenticationError\n", `a.txt:6: "failure": got "AuthenticationError"`},
		{start + "status: 400\n", `a.txt:6: "status": there is no failure before it`},
		{start + "\n", "a.txt:5: the record ends without an answer"},
		{start + "answer:\n|\n| \n", "a.txt:8: the record ends without an answer"},
		{"scanner exchange 1\nskill: own\n", "a.txt:1: the skill, the role, the chunk or its lines are missing"},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := replay.Open(dir, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}

	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt", "README.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(start+"answer: a\n", "\n", "\r\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := replay.Open(dir, nil); err == nil || !strings.Contains(err.Error(), "is of the same request as") {
		t.Errorf("got %v for two records of a request", err)
	}
	if err := os.Remove(filepath.Join(dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	open(t, dir, nil)
}

// A record that cannot be written ends the run: nothing would be there to replay.
func TestNotWritable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	r := newRecorder(t, dir, providertest.Answers(providertest.Text("a")))
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Complete(t.Context(), request("c", 1)); !provider.EndsRun(err) || !strings.Contains(err.Error(), "cannot be recorded") {
		t.Errorf("got %v, want a final error", err)
	}
	if _, err := replay.Record(os.DevNull, r, nil, noon); err == nil {
		t.Error("a file is accepted as directory")
	}
}
