package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner/provider/providertest"
)

// fixable are the files of a repository with a skill whose patterns have
// replacements: one for each of the numbers.
func fixable(t *testing.T, numbers ...string) *world {
	t.Helper()
	patterns := ""
	titles := map[string]string{"one": "Alpha problem", "two": "Beta defect", "three": "Gamma mistake"}
	for _, n := range []string{"one", "two", "three"} {
		patterns += "[[patterns]]\nid = \"" + n + "\"\nregex = '\\bold_" + n + "\\b'\nreplacement = 'new_" + n +
			"'\nseverity = \"medium\"\nconfidence = \"high\"\ntitle = \"" + titles[n] + "\"\ndescription = \"About " + n +
			".\"\nmatch = ['old_" + n + "']\nnoMatch = ['x']\n\n"
	}
	w := newWorld(t, map[string]string{
		".scanner/skills/demo/SKILL.md":      "---\nname: demo\ndescription: Replaces.\n---\nReplace.\n",
		".scanner/skills/demo/patterns.toml": patterns,
		"scanner.toml":                       "version = 1\n[[skills]]\nname = \"demo\"\n",
	})
	text := "# a file\n"
	for _, n := range numbers {
		text += "call(old_" + n + ")\n\n"
	}
	w.write(t, map[string]string{"a.py": text})
	return w
}

func (w *world) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const fixOfX = `[{"severity": "high", "confidence": null, "title": "t", "description": "d", "verification": null,
	"location": {"startLine": 3, "quote": "var x = 1"}, "suggestedFix": {"description": "d", "diff": "@@ -3 +3 @@\n-var x = 1\n+var x = 2\n"}}]`

// duringRequest runs do after the server got a request and before it answers.
func duringRequest(t *testing.T, s *providertest.Server, do func()) (wait func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 6000 {
			if len(s.Requests()) > 0 {
				do()
				return
			}
			time.Sleep(5 * time.Millisecond) // the server is looked at from the outside
		}
		t.Error("no request in half a minute")
	}()
	return func() { <-done }
}

// A file that changes during the analysis is not fixed, even if the lines of the
// fix stay the same.
func TestFixStale(t *testing.T) {
	t.Parallel()
	const was, fixed = "package a\n\nvar x = 1\n", "package a\n\nvar x = 2\n"
	for _, tt := range []struct {
		name  string
		do    func(path string) error
		want  string // of a.go
		shown string
	}{
		{"not at all", func(string) error { return nil }, fixed, "Fixes: 1 applied\n"},
		{"elsewhere in the file", func(path string) error {
			return os.WriteFile(path, []byte(was+"// edited\n"), 0o644)
		}, was + "// edited\n", "Fix not applied: a.go:3: t: stale: \"a.go\" changed since it was analyzed\n"},
		{"gone", os.Remove, "", "stale"},
		{"a link now", func(path string) error {
			os.Remove(path)
			return os.Symlink("b.go", path)
		}, was, "not applied (1 unreadable)\n"},
		{"a folder now", func(path string) error {
			os.Remove(path)
			return os.Mkdir(path, 0o755)
		}, "", "not applied (1 unreadable)\n"},
		{"only its time", func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) }, fixed, "Fixes: 1 applied\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.go": "package a\n", "b.go": was})
			w.write(t, map[string]string{"a.go": was})
			path := filepath.Join(w.dir, "a.go")
			s := w.server(t, providertest.Script{Rules: []providertest.Rule{{DelayMs: 300, Findings: []byte(fixOfX)}}})
			wait := duringRequest(t, s, func() {
				if err := tt.do(path); err != nil {
					t.Error(err)
				}
			})
			if code := w.run(t.Context(), "scan", "--fix", "-v"); code != exitOK {
				t.Errorf("exit code %d: %s", code, &w.stderr)
			}
			wait()
			if got, _ := os.ReadFile(path); string(got) != tt.want {
				t.Errorf("the file is %q, want %q", got, tt.want)
			}
			if got := w.read(t, "b.go"); got != was {
				t.Errorf("another file is %q", got)
			}
			if !strings.Contains(w.stdout.String(), tt.shown) {
				t.Errorf("%q is missing from\n%s", tt.shown, &w.stdout)
			}
		})
	}
}

// An interrupted run changes no file.
func TestFixInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write(t, map[string]string{"a.go": "package a\n\nvar x = 1\n", "b.go": "package a\n\nvar y = 1\n"})
	s := w.server(t, providertest.Script{Rules: []providertest.Rule{
		{Match: "var x = 1", Findings: []byte(fixOfX)}, {DelayMs: 60_000},
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for len(s.Requests()) < 2 && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	if code := w.run(ctx, "scan", "--fix"); code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, &w.stderr)
	}
	if got := w.read(t, "a.go"); got != "package a\n\nvar x = 1\n" {
		t.Errorf("the file is %q", got)
	}
	if want := "Fixes: none applied, the run was interrupted\n"; !strings.Contains(w.stdout.String(), want) {
		t.Errorf("%q is missing from\n%s", want, &w.stdout)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".scanner", "fixes")); err == nil {
		t.Error("traces of fixes")
	}
}

// A run whose credentials are refused changes no file.
func TestFixFailedRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write(t, map[string]string{"a.go": "package a\n\nvar x = 1\n", "b.go": "package a\n\nvar y = 1\n"})
	w.server(t, providertest.Script{Rules: []providertest.Rule{{Match: "var x = 1", Findings: []byte(fixOfX)}, {DelayMs: 200, Status: 401}}})
	if code := w.run(t.Context(), "scan", "--fix"); code != exitFailed {
		t.Errorf("exit code %d: %s", code, &w.stderr)
	}
	if got := w.read(t, "a.go"); got != "package a\n\nvar x = 1\n" {
		t.Errorf("the file is %q", got)
	}
	if want := "Fixes: none applied, the run failed\n"; !strings.Contains(w.stdout.String(), want) {
		t.Errorf("%q is missing from\n%s", want, &w.stdout)
	}
}

// The placeholder of a secret is never written over the secret.
func TestFixRedacted(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5F6", 3)
	text := "package a\n\nvar key = \"" + secret + "\" // x\n"
	w := newWorld(t, nil)
	w.write(t, map[string]string{"a.go": text})
	config := filepath.Join(w.env["HOME"], ".config", "scanner")
	if err := os.MkdirAll(config, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte("version = 1\n[provider]\nredact = true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.server(t, providertest.Script{Rules: []providertest.Rule{{Findings: []byte(`[{"severity": "high", "confidence": null, "title": "t", "description": "d",
		"verification": null, "location": {"startLine": 3, "quote": ""}, "suggestedFix": {"description": "d",
		"replace": [{"old": "var key = \"[REDACTED:github-token]\" // x", "new": "var key = \"[REDACTED:github-token]\""}]}}]`)}}})
	if code := w.run(t.Context(), "scan", "--fix", "-v"); code != exitOK {
		t.Errorf("exit code %d: %s", code, &w.stderr)
	}
	if got := w.read(t, "a.go"); got != text {
		t.Errorf("the file is %q", got)
	}
	if want := "Discarded, in whole or in part: 1 finding (1 with a fix that cannot be placed)"; !strings.Contains(w.stdout.String(), want) {
		t.Errorf("%q is missing from\n%s", want, &w.stdout)
	}
}

// A file keeps its mode, its line endings and its missing newline; one that is
// read-only is changed like any other that can be replaced.
func TestFixKeepsFiles(t *testing.T) {
	t.Parallel()
	w := fixable(t)
	text := "\ufeff# a file\r\ncall(old_one)\r\nlast"
	w.write(t, map[string]string{"a.py": text})
	path := filepath.Join(w.dir, "a.py")
	if err := os.Chmod(path, 0o555); err != nil {
		t.Fatal(err)
	}
	if code := w.run(t.Context(), "scan", "--offline", "--fix"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	if got, want := w.read(t, "a.py"), strings.Replace(text, "old", "new", 1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A directory that cannot be written to is an error, and no file is changed, also
// not in other directories.
func TestFixReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() <= 0 {
		t.Skip("permissions do not count for this user")
	}
	w := fixable(t, "one")
	w.write(t, map[string]string{"z/b.py": "call(old_two)\n"})
	dir := filepath.Join(w.dir, "z")
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	if code := w.run(t.Context(), "scan", "--offline", "--fix"); code != exitFailed {
		t.Errorf("exit code %d: %s", code, &w.stderr)
	}
	if !strings.Contains(w.stderr.String(), "scanner: apply fixes: fixes for \"z/b.py\": permission denied") {
		t.Errorf("stderr: %s", &w.stderr)
	}
	if got := w.read(t, "a.py"); strings.Contains(got, "new") {
		t.Errorf("a file was changed: %q", got)
	}
}

// A terminal shows a status while checks run.
func TestFixCheckStatus(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	w := fixable(t, "one")
	w.tty = true
	if code := w.run(t.Context(), "scan", "--offline", "--fix", "--fix-check=sleep 0.3"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	out := w.stdout.String()
	if !strings.Contains(out, " checking fixes · try 1 · 0s") {
		t.Errorf("no status in %q", out)
	}
	if last := out[strings.LastIndex(out, eraseArea):]; strings.Contains(last, "checking") || !strings.Contains(last, "Fixes: 1 applied\n") {
		t.Errorf("the status is not gone before the summary: %q", last)
	}
}
