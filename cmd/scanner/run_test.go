package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/provider/providertest"
)

// The exit codes of the command.
const (
	exitOK          = 0
	exitFindings    = 1
	exitUsage       = 2
	exitFailed      = 3
	exitIncomplete  = 4
	exitInterrupted = 130
)

// world is a process of a test: a repository, an environment, and streams that
// are terminals if tty is set.
type world struct {
	dir            string
	env            map[string]string
	stdin          string
	input          io.Reader // instead of stdin, unless it is nil
	tty            bool
	stdout, stderr bytes.Buffer
	out            io.Writer // instead of stdout, unless it is nil
}

// newWorld returns a world with a repository in which the files are committed.
func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), env: map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": t.TempDir(), "TERM": "xterm",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
	}}
	w.write(t, files)
	w.git(t, "init", "-q", "-b", "main")
	w.git(t, "add", "-A", ".")
	w.git(t, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "first")
	return w
}

func (w *world) write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *world) git(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	for k, v := range w.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// server starts an API and configures the world to use it.
func (w *world) server(t *testing.T, script providertest.Script) *providertest.Server {
	t.Helper()
	s := providertest.NewServer(script)
	t.Cleanup(s.Close)
	w.env["SCANNER_PROVIDER_BASE_URL"], w.env["SCANNER_MODEL"] = s.URL, "m"
	return s
}

func (w *world) run(ctx context.Context, args ...string) int {
	w.stdout.Reset()
	w.stderr.Reset()
	p := &process{
		args:     append([]string{"scanner"}, args...),
		getenv:   func(name string) string { return w.env[name] },
		getwd:    func() (string, error) { return w.dir, nil },
		lookPath: func(string) (string, error) { return "", exec.ErrNotFound },
		stdin:    strings.NewReader(w.stdin),
		stdout:   &w.stdout, stderr: &w.stderr,
		size:  func(any) (int, int, bool) { return 70, 24, w.tty },
		now:   time.Now,
		proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
	}
	if w.input != nil {
		p.stdin = w.input
	}
	if w.out != nil {
		p.stdout = w.out
	}
	for k, v := range w.env {
		p.environ = append(p.environ, k+"="+v)
	}
	return run(ctx, p)
}

// eraseArea removes the live area.
const eraseArea = "\r\x1b[J"

const vulnerable = "import os\n\n\ndef run(name):\n    os.system(\"ls \" + name)\n"

func TestRunInTerminal(t *testing.T) {
	w := newWorld(t, nil)
	w.write(t, map[string]string{"a.go": "package a\n\nvar x = 1\n", "b.go": "package a\n\nvar y = 1\n"})
	w.server(t, providertest.Script{Rules: []providertest.Rule{{DelayMs: 350}}})
	w.tty = true
	if code := w.run(t.Context(), "scan"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	out := w.stdout.String()
	if !strings.Contains(out, " 0 of 2 chunks · 0 findings · 0s\x1b[K\r\n") {
		t.Errorf("no live area in %q", out)
	}
	// The text after the last erased area stays on the screen.
	last := out[strings.LastIndex(out, eraseArea)+len(eraseArea):]
	if !strings.HasPrefix(last, "\n\x1b[1mSUMMARY\x1b[0m\n") {
		t.Errorf("the live area is not gone before the summary: %q", last)
	}

	for name, env := range map[string]string{"CI": "true", "TERM": "dumb"} {
		old := w.env[name]
		w.env[name] = env
		if code := w.run(t.Context(), "scan"); code != exitOK {
			t.Errorf("exit code %d: %s", code, &w.stderr)
		}
		if strings.Contains(w.stdout.String(), "\x1b") {
			t.Errorf("%s=%s: an escape sequence in %q", name, env, &w.stdout)
		}
		w.env[name] = old
	}
	if w.run(t.Context(), "scan", "-q"); strings.Contains(w.stdout.String(), "\x1b") {
		t.Errorf("a live area with -q: %q", &w.stdout)
	}
}

func TestRunAsksBeforeItDeletesLogs(t *testing.T) {
	t.Parallel()
	const old = ".scanner/logs/0123abcd-2001-02-03T04-05-06-789Z.jsonl"
	for _, tt := range []struct {
		name, stdin string
		tty         bool
		args        []string
		asked, kept bool
	}{
		{"yes", "y\n", true, nil, true, false},
		{"in full", "YES\n", true, nil, true, false},
		{"no", "n\n", true, nil, true, true},
		{"just enter", "\n", true, nil, true, true},
		{"end of input", "", true, nil, true, true},
		{"no terminal", "y\n", false, nil, false, true},
		{"quiet", "y\n", true, []string{"-q"}, false, true},
		{"standard input is the diff", "", true, []string{"--diff-file=-"}, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{old: ""})
			w.tty, w.stdin = tt.tty, tt.stdin
			if code := w.run(t.Context(), append([]string{"scan", "--offline"}, tt.args...)...); code != exitOK {
				t.Fatalf("exit code %d: %s", code, &w.stderr)
			}
			if got := strings.Contains(w.stderr.String(), "Delete 1 log older than 30 days? [y/N] "); got != tt.asked {
				t.Errorf("asked: %v, want %v: %q", got, tt.asked, &w.stderr)
			}
			if _, err := os.Stat(filepath.Join(w.dir, old)); (err == nil) != tt.kept {
				t.Errorf("the log: %v, want kept: %v", err, tt.kept)
			}
			if !tt.kept {
				return
			}
			// A refusal is remembered, the lack of an answer is not.
			w.tty, w.stdin = true, "y\n"
			if w.run(t.Context(), "scan", "--offline"); strings.Contains(w.stderr.String(), "Delete 1 log") == tt.asked {
				t.Errorf("after it was asked (%v): %q", tt.asked, &w.stderr)
			}
		})
	}
}

// A patch is exact for a program. On a terminal nothing in it takes effect.
func TestRunShowsPatch(t *testing.T) {
	const hostile = "x = old() # \x1b[2J\u202e\u009b ##vso[task.complete]\r\n"
	w := newWorld(t, map[string]string{
		".scanner/skills/demo/SKILL.md": "---\nname: demo\ndescription: d\n---\nx\n",
		".scanner/skills/demo/patterns.toml": "[[patterns]]\nid = \"a\"\nregex = 'old'\nreplacement = 'new'\nseverity = \"low\"\nconfidence = \"low\"\n" +
			"title = \"t\"\ndescription = \"d\"\n",
	})
	w.write(t, map[string]string{"a.py": hostile})
	for _, tt := range []struct {
		tty  bool
		want string
	}{
		{false, "+" + strings.Replace(hostile, "old", "new", 1)},
		{true, "+x = new() # \\u{001B}[2J\\u{202E}\\u{009B} ## vso[task.complete]\\u{000D}\n"},
	} {
		w.tty = tt.tty
		if code := w.run(t.Context(), "scan", "--offline", "--skill=demo", "--fix", "--dry-run"); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &w.stderr)
		}
		if got := w.stdout.String(); !strings.HasSuffix(got, tt.want) {
			t.Errorf("terminal %v: got %q, want %q at the end", tt.tty, got, tt.want)
		}
	}
}

func TestRunInterruptedBeforeItBegins(t *testing.T) {
	w := newWorld(t, nil)
	w.write(t, map[string]string{"a.py": vulnerable})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := w.run(ctx, "scan", "--offline"); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if got, want := w.stderr.String(), "] scanner: interrupted\n"; !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRunUsesCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write(t, map[string]string{"a.go": "package a\n\nvar x = 1\n", "b.go": "package a\n\nvar y = 1\n"})
	s := w.server(t, providertest.Script{})
	for _, tt := range []struct {
		name     string
		args     []string
		cacheDir string
		requests int // up to then
		cached   int
	}{
		{"first", nil, "", 2, 0},
		{"again", nil, "", 2, 2},
		{"without a cache", []string{"--no-cache"}, "", 4, 0},
		{"another model", []string{"--model=n"}, "", 6, 0},
		{"cache inside of the repository", nil, filepath.Join(w.dir, ".git"), 8, 0},
		{"the same again", nil, filepath.Join(w.dir, ".git"), 10, 0},
		{"cache that cannot be written", nil, "/dev/null", 12, 0},
	} {
		w.env["XDG_CACHE_HOME"] = tt.cacheDir
		if code := w.run(t.Context(), append([]string{"scan", "-v"}, tt.args...)...); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", tt.name, code, &w.stderr)
		}
		if got := len(s.Requests()); got != tt.requests {
			t.Errorf("%s: %d requests, want %d", tt.name, got, tt.requests)
		}
		if got := strings.Count(w.stdout.String(), "(cached)"); got != tt.cached {
			t.Errorf("%s: %d chunks are shown as cached, want %d", tt.name, got, tt.cached)
		}
	}
	w.write(t, map[string]string{"b.go": "package a\n\nvar y = 2\n"})
	w.env["XDG_CACHE_HOME"] = ""
	if w.run(t.Context(), "scan"); len(s.Requests()) != 13 {
		t.Errorf("after a change of one file: %d requests, want 13", len(s.Requests()))
	}
}

func TestRunRedacts(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5F6", 3)
	w := newWorld(t, nil)
	w.write(t, map[string]string{"a.go": "package a\n\nvar key = \"" + secret + "\"\n"})
	s := w.server(t, providertest.Script{})
	for _, redacted := range []bool{true, false} {
		if !redacted {
			config := filepath.Join(w.env["HOME"], ".config", "scanner")
			if err := os.MkdirAll(config, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte("version = 1\n[provider]\nredact = false\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if code := w.run(t.Context(), "scan", "-vv", "--no-cache"); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &w.stderr)
		}
		requests := s.Requests()
		if got := !bytes.Contains(requests[len(requests)-1].Body, []byte(secret)); got != redacted {
			t.Errorf("redacted: %v, want %v", got, redacted)
		}
		if shown := w.stdout.String() + w.stderr.String(); strings.Contains(shown, secret) == redacted || !strings.Contains(shown, "var key = ") {
			t.Errorf("redacted: %v, and -vv shows:\n%s", redacted, shown)
		}
	}
}

// The first five requests are answered when all five have arrived.
func TestRunIsParallel(t *testing.T) {
	w := newWorld(t, nil)
	files := make(map[string]string)
	for i := range 3 {
		var b strings.Builder
		for j := range 3 { // of a file, which splits where functions begin
			fmt.Fprintf(&b, "func f%d() {\n%s}\n\n", j, strings.Repeat("\tdoSomethingThatMatters(1, 2, 3)\n", 180))
		}
		files[fmt.Sprintf("f%d.go", i)] = "package a\n\n" + b.String()
	}
	w.write(t, files)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var requests atomic.Int32
	arrived := make(chan struct{})
	s := w.server(t, providertest.Script{Reply: func(providertest.Request) (providertest.Rule, bool) {
		if requests.Add(1) == 5 {
			close(arrived)
		}
		select {
		case <-arrived:
		case <-ctx.Done():
		}
		return providertest.Rule{}, true
	}})
	if code := w.run(ctx, "scan", "--concurrency=5"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	if !strings.Contains(w.stdout.String(), "Found 3 changed files with 9 chunks") {
		t.Errorf("not the chunks of this test: %s", &w.stdout)
	}
	if got := s.MostAtOnce(); got != 5 {
		t.Errorf("%d requests at once, want 5", got)
	}
}

// Names and contents of files, and answers of models, are untrusted. None of them
// moves the cursor, and the report has all of them.
func TestRunWithHostileNames(t *testing.T) {
	t.Parallel()
	names := []string{"a b.py", "ä.py", "new\nline.py", "tab\t.py", "\"quoted\".py", `back\slash.py`, "esc\x1b[31m.py", "-q.py", " b/c.py", "bad\xff.py", "$(touch x).py", "💥.py"}
	w := newWorld(t, nil)
	files := make(map[string]string)
	for i, name := range names {
		files[name] = fmt.Sprintf("import os\n\n\ndef run%d(name):\n    os.system(\"ls %d\" + name)\n", i, i)
	}
	w.write(t, files)
	w.write(t, map[string]string{"latin1.py": "# caf\xe9\nimport os\nos.system('x ' + y)\n", "crlf.py": "import os\r\nos.system('x ' + y)\r\n"})
	for _, args := range [][]string{{"-v"}, {"-vv", "--color=always"}, {"--all", "-v"}, {"--output=-", "-v"}} {
		code := w.run(t.Context(), append([]string{"scan", "--offline", "--skill=security-review", "--fail-on=high"}, args...)...)
		if code != exitFindings {
			t.Fatalf("%q: exit code %d: %s", args, code, &w.stderr)
		}
		screen := w.stdout.String() + w.stderr.String()
		if args[0] == "--output=-" {
			log, err := jsonl.ReadAll(&w.stdout)
			if err != nil {
				t.Fatalf("%q: %v", args, err)
			}
			if got, want := len(log.Skills[0].Files), len(files)+2; got != want {
				t.Errorf("%q: the report has %d files, want %d", args, got, want)
			}
			screen = w.stderr.String()
		}
		for _, c := range []string{"\x1b[31m.py", "\xff", "\t"} {
			if strings.Contains(screen, c) {
				t.Errorf("%q: %q is printed:\n%q", args, c, screen)
			}
		}
		for _, name := range names {
			if !strings.Contains(screen, name) && !strings.Contains(screen, diff.QuotePath(name)) {
				t.Errorf("%q: %q is missing:\n%s", args, name, screen)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(w.dir, "x")); err == nil {
		t.Error("a file name was run as a command")
	}
}

func TestRunWithHugeFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"grows.txt": "x\n"})
	w.write(t, map[string]string{
		"big.txt":   strings.Repeat(strings.Repeat("x", 79)+"\n", 50<<20/80),
		"line.txt":  strings.Repeat("x", 5<<20),
		"long.txt":  strings.Repeat("y", 200<<10) + "\n",
		"zero.bin":  "a\x00b",
		"empty.txt": "",
		"grows.txt": strings.Repeat("x\n", 1<<20),
	})
	if err := os.Symlink("nowhere", filepath.Join(w.dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{{}, {"--all"}} {
		if code := w.run(t.Context(), append([]string{"scan", "--offline", "-v"}, args...)...); code != exitOK {
			t.Fatalf("%q: exit code %d: %s", args, code, &w.stderr)
		}
		for _, want := range []string{
			"Found 1 changed files with 1 chunks\n", "Skipped 6 files (3 too large, 1 binary, 1 symbolic link, 1 without content)\n",
			"Skipped big.txt: too large\n", "Skipped line.txt: too large\n", "Skipped zero.bin: binary\n", "Skipped link: symbolic link\n",
		} {
			if !strings.Contains(w.stdout.String(), want) {
				t.Errorf("%q: %q is missing from\n%s", args, want, &w.stdout)
			}
		}
	}
}

// BenchmarkStart measures a whole process.
func BenchmarkStart(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "scanner")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var rss int64
	for b.Loop() {
		cmd := exec.Command(bin, "--version")
		cmd.Stdout = io.Discard
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		rss = max(rss, maxRSS(cmd.ProcessState))
	}
	b.ReportMetric(float64(rss)/(1<<20), "MiB")
}
