package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

func TestAsk(t *testing.T) {
	for _, tt := range []struct {
		name, stdin string
		want        string // the numbers that are fixed
		questions   int
		summary     string
	}{
		{"yes to all", "y\ny\ny\n", "one two three", 3, "Fixes: 3 applied\n"},
		{"one of them", "n\nyes\nN\n", "two", 3, "Fixes: 1 applied, 2 refused (2 declined)\n"},
		{"none", "n\nn\nn\n", "", 3, "Fixes: 0 applied, 3 refused (3 declined)\n"},
		{"all", "a\n", "one two three", 1, "Fixes: 3 applied\n"},
		{"all but the first", "n\nall\n", "two three", 2, "Fixes: 2 applied, 1 refused (1 declined)\n"},
		{"quit", "y\nq\n", "one", 2, "Fixes: 1 applied, 2 refused (2 declined)\n"},
		{"help, and what is no answer", "?\n\nmaybe\nY\nQUIT\n", "one", 5, "Fixes: 1 applied, 2 refused (2 declined)\n"},
		{"the end of the input", "y\n", "one", 2, "Fixes: 1 applied, 2 refused (2 declined)\n"},
		{"an answer without a newline", "n\ny", "two", 3, "Fixes: 1 applied, 2 refused (2 declined)\n"},
		{"nothing", "", "", 1, "Fixes: 0 applied, 3 refused (3 declined)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := fixable(t, "one", "two", "three")
			w.tty, w.stdin = true, tt.stdin
			if code := w.run(t.Context(), "scan", "--offline", "--fix=ask", "--color=never"); code != exitOK {
				t.Fatalf("exit code %d: %s", code, &w.stderr)
			}
			out := w.stdout.String()
			want := "# a file\n"
			for _, n := range []string{"one", "two", "three"} {
				if strings.Contains(" "+tt.want+" ", " "+n+" ") {
					n = "new_" + n
				} else {
					n = "old_" + n
				}
				want += "call(" + n + ")\n\n"
			}
			if got := w.read(t, "a.py"); got != want {
				t.Errorf("the file is\n%s\nwant\n%s", got, want)
			}
			if got := strings.Count(out, fixQuestion); got != tt.questions {
				t.Errorf("%d questions, want %d:\n%s", got, tt.questions, out)
			}
			if !strings.Contains(out, tt.summary) {
				t.Errorf("%q is missing from\n%s", tt.summary, out)
			}
			if !strings.Contains(out, "FIX 1 of 3 a.py:2: Alpha problem\n") || !strings.Contains(out, "  -call(old_one)\n  +call(new_one)\n") {
				t.Errorf("the first fix is not shown:\n%s", out)
			}
		})
	}
}

// The patch of what was chosen goes to standard output, the conversation to
// standard error.
func TestAskDryRun(t *testing.T) {
	w := fixable(t, "one", "two")
	w.tty, w.stdin = true, "n\ny\n"
	if code := w.run(t.Context(), "scan", "--offline", "--fix=ask", "--dry-run"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	if got := strings.Count(w.stderr.String(), fixQuestion); got != 2 {
		t.Errorf("%d questions, want 2", got)
	}
	cmd := exec.Command("git", "apply")
	cmd.Dir, cmd.Stdin = w.dir, strings.NewReader(w.stdout.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, &w.stdout)
	}
	if got, want := w.read(t, "a.py"), "# a file\ncall(old_one)\n\ncall(new_two)\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A fix that was refused for the sake of one that is declined gets its turn.
func TestAskAboutWhatOverlapped(t *testing.T) {
	w := fixable(t)
	w.write(t, map[string]string{"a.py": "call(old_one, old_two)\n"})
	w.tty, w.stdin = true, "n\ny\n"
	if code := w.run(t.Context(), "scan", "--offline", "--fix=ask", "--color=never"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	first := strings.Index(w.stdout.String(), "FIX 1 of 1 a.py:1: Beta defect")
	second := strings.Index(w.stdout.String(), "FIX 2 of 2 a.py:1: Alpha problem")
	if first < 0 || second < first {
		t.Errorf("not both are asked about:\n%s", &w.stdout)
	}
	if got, want := w.read(t, "a.py"), "call(new_one, old_two)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is asked about is shown as it is, whatever it holds.
func TestAskShowsWhatHides(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "package a\n"})
	w.write(t, map[string]string{"a.go": "package a\n\nvar x = 1\n"})
	w.server(t, providertest.Script{Rules: []providertest.Rule{{Findings: []byte(`[{"severity": "low", "confidence": null, "title": "t", "description": "d",
		"verification": null, "location": {"startLine": 3, "quote": "var x = 1"}, "suggestedFix": {"description": "d\u001b[2J",
		"diff": "@@ -3 +3,45 @@\n-var x = 1\n+var x = 2 // \u202e\u001b[8m\u200b\n` + strings.Repeat(`+// more\n`, 43) + `+// the last\n"}}]`)}}})
	w.tty, w.stdin = true, "n\n"
	if code := w.run(t.Context(), "scan", "--fix=ask", "--color=never"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	_, shown, _ := strings.Cut(w.stdout.String(), "FIX 1 of 1")
	shown, _, _ = strings.Cut(shown, "SUMMARY")
	for _, want := range []string{"<U+202E><U+001B>[8m<U+200B>\n", "  +// the last\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing from\n%q", want, shown)
		}
	}
	if strings.ContainsAny(shown, "\x1b\u202e\u200b") {
		t.Errorf("control characters in %q", shown)
	}
}

// An interrupt while somebody is asked changes nothing.
func TestAskInterrupted(t *testing.T) {
	w := fixable(t, "one", "two")
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	defer out.Close()
	w.tty, w.input = true, in
	go func() {
		io.WriteString(out, "y\n")
		cancel()
	}()
	before := w.read(t, "a.py")
	if code := w.run(ctx, "scan", "--offline", "--fix=ask"); code != exitInterrupted {
		t.Errorf("exit code %d, want %d: %s", code, exitInterrupted, &w.stderr)
	}
	if got := w.read(t, "a.py"); got != before {
		t.Errorf("the file is %q", got)
	}
	if want := "Fixes: none applied, the run was interrupted\n"; !strings.Contains(w.stdout.String(), want) {
		t.Errorf("%q is missing from\n%s", want, &w.stdout)
	}
}

// One who is asked about fixes can be asked about logs too.
func TestAskTwice(t *testing.T) {
	const old = ".scanner/logs/0123abcd-2001-02-03T04-05-06-789Z.jsonl"
	w := fixable(t, "one")
	w.write(t, map[string]string{old: ""})
	w.tty, w.stdin = true, "y\ny\n"
	if code := w.run(t.Context(), "scan", "--offline", "--fix=ask"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	if _, err := os.Stat(filepath.Join(w.dir, old)); err == nil {
		t.Error("the second answer was not heard")
	}
	if got := w.read(t, "a.py"); !strings.Contains(got, "new_one") {
		t.Errorf("the first answer was not heard: %q", got)
	}
}
