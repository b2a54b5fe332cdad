package fix

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gitIn runs git in a folder, with no configuration but its own.
func gitIn(t testing.TB, dir, stdin string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir), "LC_ALL=C"}
	cmd.Stdin = strings.NewReader(stdin)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %q: %w: %s", args, err, errOut.String())
	}
	return out.String(), nil
}

// write makes the files of a tree in a folder.
func (t tree) write(tb testing.TB, dir string) {
	tb.Helper()
	for path, data := range t {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

// readTree reads what is in a folder: contents, "-> target" for links, other
// things by their type. Folders, and what the tool itself leaves in .scanner,
// are passed over.
func readTree(tb testing.TB, dir string) tree {
	tb.Helper()
	files := make(tree)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() || strings.Contains(rel, ".scanner/fixes/") || strings.HasSuffix(rel, ".scanner/.gitignore"):
		case d.Type().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files[rel] = string(data)
		case d.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(name)
			files[rel] = "-> " + target
		default:
			files[rel] = d.Type().String()
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// after returns the tree as the plan leaves it.
func (t tree) after(p *Plan) tree {
	files := maps.Clone(t)
	for _, ch := range p.Changes {
		files[ch.Path] = string(ch.After)
	}
	return files
}

// TestGitApply compares the planner with git: what git apply takes comes out
// the same, or is refused.
func TestGitApply(t *testing.T) {
	accepted := 0
	for _, tt := range diffCases {
		t.Run(tt.name, func(t *testing.T) {
			files := tree{"main.go": tt.contents(), "other.go": "x\n"}
			dir := t.TempDir()
			files.write(t, dir)
			_, err := gitIn(t, dir, tt.diff, "apply", "-")
			if err != nil {
				if tt.applies {
					t.Errorf("git refuses the diff: %v", err)
				}
				return
			}
			accepted++
			p := files.plan(suggest("main.go", tt.diff))
			if tt.applies && len(p.Changes) == 0 {
				t.Errorf("git takes the diff, but it is refused: %s", p.Outcomes[0].Message)
			}
			if len(p.Changes) == 0 {
				return
			}
			if d := cmp.Diff(readTree(t, dir), files.after(p)); d != "" {
				t.Errorf("git makes something else of it (-git +ours):\n%s", d)
			}
		})
	}
	if accepted < 20 {
		t.Errorf("git took only %d diffs", accepted)
	}
}

// oddNames are names that are hard to write down in a diff.
var oddNames = []string{
	"a/x.go", "b/x.go", "a b.go", "x b/y.go", "q\"uote.go", "back\\slash.go", "ümlaut.go", "日本/語.go",
	"- dash.go", "tab?.go", "trailing .go", "[glob]*.go", "a/b/c/d.go", "$(x).go", "'single'.go",
}

// TestPatchOfPlan applies the patch of whole plans with git, and takes it back.
func TestPatchOfPlan(t *testing.T) {
	rnd := newRand(t)
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		files := make(tree)
		var suggestions []Suggestion
		for i, name := range oddNames {
			text := randomText(rnd, 1+rnd.IntN(60))
			files[name] = strings.Join(text, "")
			for range rnd.IntN(4) {
				edited := randomEdit(rnd, text, 1+rnd.IntN(2))
				e := edit{path: name, start: 0, end: len(text), text: strings.Join(edited, "")}
				var b strings.Builder
				writePatch(&b, name, newContent(files[name]), smaller(newContent(files[name]), e))
				suggestions = append(suggestions, suggest(name, b.String())[0])
			}
			_ = i
		}
		p := files.plan(suggestions)
		dir := t.TempDir()
		files.write(t, dir)
		patch := string(p.Patch())
		if patch == "" {
			t.Fatal("nothing planned")
		}
		if _, err := gitIn(t, dir, patch, "apply", "--whitespace=nowarn", "-"); err != nil {
			t.Fatalf("round %d: %v\n%s", round, err, patch)
		}
		if d := cmp.Diff(files.after(p), readTree(t, dir)); d != "" {
			t.Fatalf("round %d: forward (-want +git):\n%s\n%s", round, d, patch)
		}
		if _, err := gitIn(t, dir, patch, "apply", "--whitespace=nowarn", "-R", "-"); err != nil {
			t.Fatalf("round %d: %v\n%s", round, err, patch)
		}
		if d := cmp.Diff(files, readTree(t, dir)); d != "" {
			t.Fatalf("round %d: backward (-want +git):\n%s\n%s", round, d, patch)
		}
	}
}

// TestGitDiff shows that the diff that git makes of two files makes the one out
// of the other.
func TestGitDiff(t *testing.T) {
	rnd := newRand(t)
	n := 400
	if testing.Short() {
		n = 100
	}
	before, after := make(tree), make(tree)
	for i := range n {
		text := randomText(rnd, 1+rnd.IntN(80))
		edited := randomEdit(rnd, text, 1+rnd.IntN(4))
		path := fmt.Sprintf("f%03d.go", i)
		before[path], after[path] = strings.Join(text, ""), strings.Join(edited, "")
	}
	dir := t.TempDir()
	before.write(t, filepath.Join(dir, "a"))
	after.write(t, filepath.Join(dir, "b"))
	for _, tt := range []struct {
		args  []string
		exact bool // nothing may be refused
	}{
		{[]string{"-U3"}, true},
		{[]string{"-U1"}, true},
		{[]string{"-U0"}, false},
		{[]string{"-U10", "--minimal"}, true},
		{[]string{"-U3", "--diff-algorithm=histogram", "--inter-hunk-context=4"}, true},
	} {
		endings := strings.NewReplacer()
		if !tt.exact {
			// Where a diff shows nothing of the file, the endings are those
			// of the file.
			endings = strings.NewReplacer("\r\n", "\n")
		}
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			args := append([]string{"-c", "diff.suppressBlankEmpty=true", "diff", "--no-index", "--no-prefix", "--text", "--no-color"}, tt.args...)
			out, err := gitIn(t, dir, "", append(args, "a", "b")...)
			if out == "" {
				t.Fatal(err)
			}
			planned := 0
			for _, section := range strings.SplitAfter(out, "\ndiff --git ") {
				section = strings.TrimSuffix(section, "diff --git ")
				_, rest, ok := strings.Cut(section, "\n+++ b/")
				if !ok {
					continue
				}
				path, _, _ := strings.Cut(rest, "\n")
				section = section[strings.Index(section, "\n--- ")+1:]
				p := before.plan(suggest(path, section))
				if len(p.Changes) == 0 {
					o := p.Outcomes[0]
					if tt.exact || o.Reason != ReasonAmbiguous && o.Reason != ReasonNoChange {
						t.Errorf("%s: %s\n%s\nof\n%q", o.Reason, o.Message, section, before[path])
					}
					continue
				}
				planned++
				if d := cmp.Diff(endings.Replace(after[path]), endings.Replace(string(p.Changes[0].After))); d != "" {
					t.Errorf("%s: (-want +got):\n%s\n%s", path, d, section)
				}
			}
			if planned < n/2 {
				t.Errorf("only %d of %d diffs were taken", planned, n)
			}
		})
	}
}

// smaller splits an edit into those that are needed, by a plain comparison of
// lines.
func smaller(c *content, e edit) []edit {
	e = e.trim(c)
	var added []string
	for l := range strings.Lines(e.text) {
		added = append(added, l)
	}
	// Split at the first line that both have, if it is not the last.
	for i := e.start; i < e.end; i++ {
		k := slices.Index(added, c.lines[i])
		if k < 0 || i == e.end-1 || k == len(added)-1 || i == e.start || k == 0 {
			continue
		}
		head := edit{e.path, e.start, i, strings.Join(added[:k], "")}
		tail := edit{e.path, i + 1, e.end, strings.Join(added[k+1:], "")}
		return append([]edit{head}, smaller(c, tail)...)
	}
	if e.start == e.end && e.text == "" {
		return nil
	}
	return []edit{e}
}
