//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/termtest"
	"github.com/codescan-dev/scanner/provider/providertest"
)

// session is a run of the command in a terminal.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	pty    *os.File
	screen *termtest.Screen
	copied chan struct{} // closed when all output is on the screen
}

// inTerminal starts the command in a pseudo-terminal.
func (w *world) inTerminal(t *testing.T, columns, rows int, args ...string) *session {
	t.Helper()
	program, err := exec.LookPath("scanner") // of package testscript
	if err != nil {
		t.Skip(err)
	}
	s := &session{t: t, cmd: exec.Command(program, args...), screen: termtest.New(columns, rows), copied: make(chan struct{})}
	s.cmd.Dir = w.dir
	for k, v := range w.env {
		s.cmd.Env = append(s.cmd.Env, k+"="+v)
	}
	if s.pty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		s.pty.Close()
	})
	go func() {
		defer close(s.copied)
		_, _ = io.Copy(s.screen, s.pty) // it ends with an error on some systems
	}()
	return s
}

// await waits until the screen has all of some texts.
func (s *session) await(texts ...string) {
	s.t.Helper()
	for range 3000 {
		got, all := s.screen.Visible(), true
		for _, text := range texts {
			all = all && strings.Contains(got, text)
		}
		if all {
			return
		}
		time.Sleep(10 * time.Millisecond) // another process is waited for
	}
	s.t.Fatalf("not %q after 30 s in:\n%s", texts, s.screen.Text())
}

// end waits for the end of the command and returns its exit code.
func (s *session) end() int {
	s.t.Helper()
	err := s.cmd.Wait()
	<-s.copied
	if _, exit := errors.AsType[*exec.ExitError](err); err != nil && !exit {
		s.t.Fatal(err)
	}
	if err := s.screen.Err(); err != nil {
		s.t.Error(err)
	}
	return s.cmd.ProcessState.ExitCode()
}

// varying matches what differs from run to run: versions, ports, spinners and times.
var varying = regexp.MustCompile(`v\d+\.\d+\.\d+\S*|(127\.0\.0\.1:)\d+|(completed in )\S+|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]( \d of)|(· )\d+s\b|(next try in )\d\d`)

// golden compares a screen with a file of testdata.
func (s *session) golden(name string) {
	s.t.Helper()
	got := varying.ReplaceAllStringFunc(s.screen.Text(), func(text string) string {
		m := varying.FindStringSubmatch(text)
		switch {
		case m[1] != "":
			return m[1] + "40000"
		case m[2] != "":
			return m[2] + "1.2s"
		case m[3] != "":
			return "⠋" + m[3]
		case m[4] != "":
			return m[4] + "1s"
		case m[5] != "":
			return m[5] + "59"
		}
		return "v1.2.3"
	})
	file := filepath.Join("testdata", "terminal", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if d := cmp.Diff(got, string(want)); d != "" {
		s.t.Errorf("got (-) differs from %s (+); -update rewrites it:\n%s", file, d)
	}
}

// looks is a change with names and findings of all kinds.
var looks = struct {
	before, after map[string]string
	findings      map[string]string // by a text of the change
}{
	map[string]string{
		"internal/server/download.go": "package server\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc download(w http.ResponseWriter, r *http.Request) {\n}\n",
		"web/集計/日次レポート.py":            "def daily(rows):\n    return 0\n",
		"retry.go":                    "package a\n\nvar tries = 1\n",
		"z.go":                        "package a\n\nvar z = 1\n",
	},
	map[string]string{
		"internal/server/download.go": "package server\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc download(w http.ResponseWriter, r *http.Request) {\n\tdata, _ := os.ReadFile(filepath.Join(root, r.URL.Query().Get(\"name\")))\n\tw.Write(data)\n}\n",
		"web/集計/日次レポート.py":            "def daily(rows):\n    # 平均を求める\n    return sum(r.amount for r in rows) / len(rows)\n",
		"retry.go":                    "package a\n\nvar tries = 2\n",
		"z.go":                        "package a\n\nvar z = 2\n",
	},
	map[string]string{
		"os.ReadFile": `[{"severity": "high", "confidence": "high", "title": "The name in the query can leave the directory of downloads",
			"description": "filepath.Join cleans the path, but keeps \"..\" at its beginning: a name such as ../../etc/passwd reads any file that the server can read.",
			"verification": "curl 'localhost:8080/download?name=../../etc/passwd'",
			"location": {"startLine": 9, "quote": "data, _ := os.ReadFile(filepath.Join(root, r.URL.Query().Get(\"name\")))"},
			"suggestedFix": {"description": "Open the file below the root with os.Root.", "replace": [{"old": "\tdata, _ := os.ReadFile(filepath.Join(root, r.URL.Query().Get(\"name\")))", "new": "\tdata, _ := root.ReadFile(r.URL.Query().Get(\"name\"))"}]}}]`,
		"r.amount": `[{"severity": "medium", "confidence": "low", "title": "空のリストで ZeroDivisionError 🔥 になります", "description": "rows が空のとき len(rows) は 0 です。呼び出し元は空のリストを渡すことがあります。",
			"verification": null, "location": {"startLine": 3, "quote": "len(rows)"}, "suggestedFix": null},
			{"severity": "high", "title": "invented", "description": "d", "location": {"startLine": 3, "quote": "exec(rows)"}},
			{"severity": "high", "title": "invented, too", "description": "d", "location": {"startLine": 3, "quote": "eval(rows)"}}]`,
		"tries = 2": `[{"severity": "low", "confidence": "medium", "title": "Twice is not often", "description": "A server that restarts takes longer.", "verification": null,
			"location": {"startLine": 3, "quote": "var tries = 2"}, "suggestedFix": null}]`,
	},
}

// inLooks runs the command on that change, in a terminal, until three of four answers
// came: of one at a time, so that all is in order. The last one comes after a value is
// received from next.
func inLooks(t *testing.T, columns int, last providertest.Rule) (s *session, next chan<- struct{}) {
	t.Helper()
	w := newWorld(t, looks.before)
	w.write(t, looks.after)
	gate := make(chan struct{})
	w.server(t, providertest.Script{Reply: func(q providertest.Request) (providertest.Rule, bool) {
		<-gate
		text := q.Messages[len(q.Messages)-1].Content
		for part, findings := range looks.findings {
			if strings.Contains(text, part) {
				return providertest.Rule{Findings: json.RawMessage(findings), Usage: &providertest.Usage{Input: 1200, Output: 80, Cost: new(0.004)}}, true
			}
		}
		return last, true
	}})
	s = w.inTerminal(t, columns, 24, "scan", "--concurrency=1")
	for _, found := range []string{"● (high)", "● (low)", "● (medium)"} {
		gate <- struct{}{}
		s.await(found)
	}
	s.await("warning: Most of", "3 of 4 chunks", "\n  z.go\n")
	return s, gate
}

// The looks of a run in terminals of three widths. What was shown while it lasted is
// gone at the end.
func TestTerminal(t *testing.T) {
	for _, columns := range []int{40, 80, 120} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			s, next := inLooks(t, columns, providertest.Rule{Findings: json.RawMessage("[]")})
			s.golden(fmt.Sprintf("live-%d", columns))
			next <- struct{}{}
			if code := s.end(); code != exitOK {
				t.Errorf("exit code %d", code)
			}
			s.golden(fmt.Sprintf("report-%d", columns))
			if got := s.screen.Text(); strings.ContainsAny(got, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") || strings.Contains(got, "of 4 chunks") {
				t.Errorf("the live area is not gone:\n%s", got)
			}
		})
	}
}

// ctrl-C ends a run that waits for a rate limit. What is finished is reported.
func TestTerminalInterrupted(t *testing.T) {
	for _, columns := range []int{40, 80, 120} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			s, next := inLooks(t, columns, providertest.Rule{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "60"}})
			next <- struct{}{}
			s.await("rate limited, next try in 5")
			s.golden(fmt.Sprintf("limited-%d", columns))
			if _, err := s.pty.Write([]byte{3}); err != nil { // ctrl-C
				t.Fatal(err)
			}
			if code := s.end(); code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
			s.golden(fmt.Sprintf("interrupted-%d", columns))
		})
	}
}

// ctrl-C at the question about old logs keeps them, and the exit code of the run.
func TestTerminalQuestionInterrupted(t *testing.T) {
	const old = ".scanner/logs/0123abcd-2001-02-03T04-05-06-789Z.jsonl"
	w := newWorld(t, map[string]string{old: ""})
	w.write(t, map[string]string{"a.py": vulnerable})
	s := w.inTerminal(t, 80, 24, "scan", "--offline", "--skill=security-review", "--fail-on=high")
	s.await("Delete 1 log older than 30 days? [y/N]")
	if _, err := s.pty.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	if code := s.end(); code != exitFindings {
		t.Errorf("exit code %d, want %d:\n%s", code, exitFindings, s.screen.Text())
	}
	if _, err := os.Stat(filepath.Join(w.dir, old)); err != nil {
		t.Error(err)
	}
}
