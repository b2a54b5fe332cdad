package fix_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/fix"
)

const numbered = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		edits      []scanner.Edit
		want       string
	}{
		{"replacement", "a\nb\nc\n", []scanner.Edit{edit(2, "b", "B")}, "a\nB\nc\n"},
		{"more lines", "a\nb\nc\n", []scanner.Edit{edit(2, "b", "B|BB")}, "a\nB\nBB\nc\n"},
		{"deletion", "a\nb\nc\n", []scanner.Edit{edit(2, "b|c", "")}, "a\n"},
		{"deletion of everything", "a\nb\n", []scanner.Edit{edit(1, "a|b", "")}, ""},
		{"insertion", "a\nb\n", []scanner.Edit{edit(2, "", "x|y")}, "a\nx\ny\nb\n"},
		{"insertion at the beginning", "a\nb\n", []scanner.Edit{edit(1, "", "x")}, "x\na\nb\n"},
		{"insertion at the end", "a\nb\n", []scanner.Edit{edit(3, "", "x")}, "a\nb\nx\n"},
		{"insertion into an empty file", "", []scanner.Edit{edit(1, "", "x")}, "x\n"},
		{"several edits", numbered, []scanner.Edit{edit(2, "two", "2|2.5"), edit(4, "", "3.5"), edit(9, "nine", "")},
			"one\n2\n2.5\nthree\n3.5\nfour\nfive\nsix\nseven\neight\nten\n"},
		{"no final newline", "a\nb", []scanner.Edit{edit(2, "b", "B|C")}, "a\nB\nC"},
		{"no final newline, an edit elsewhere", "a\nb", []scanner.Edit{edit(1, "a", "A")}, "A\nb"},
		{"no final newline, insertion at the end", "a\nb", []scanner.Edit{edit(3, "", "c")}, "a\nb\nc"},
		{"no final newline, a single line", "a", []scanner.Edit{edit(1, "a", "A|B")}, "A\nB"},
		{"CRLF", "a\r\nb\r\n", []scanner.Edit{edit(2, "b", "B|C")}, "a\r\nB\r\nC\r\n"},
		{"CRLF, insertion at the beginning", "a\r\nb\r\n", []scanner.Edit{edit(1, "", "x")}, "x\r\na\r\nb\r\n"},
		{"CRLF, insertion at the end", "a\r\nb", []scanner.Edit{edit(3, "", "c|d")}, "a\r\nb\r\nc\r\nd"},
		{"CRLF, the last line", "a\r\nb", []scanner.Edit{edit(2, "b", "B|C")}, "a\r\nB\r\nC"},
		{"CRLF in the edit", "a\nb\n", []scanner.Edit{edit(2, "b\r", "B\r|C\r")}, "a\nB\nC\n"},
		{"mixed line ends", "a\r\nb\nc\r\n", []scanner.Edit{edit(2, "b", "B"), edit(3, "c", "C")}, "a\r\nB\nC\r\n"},
		{"byte order mark", "\ufeffa\nb\n", []scanner.Edit{edit(2, "b", "B")}, "\ufeffa\nB\n"},
		{"not UTF-8", "\xff\nb\n", []scanner.Edit{edit(2, "b", "\xfe")}, "\xff\n\xfe\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := tree{"main.go": tt.file}
			p := files.plan(suggest("main.go", tt.edits...))
			if o := p.Outcomes[0]; o.Status != fix.StatusPlanned || o.By != -1 {
				t.Fatalf("outcome is %+v", o)
			}
			ch := p.Changes[0]
			if string(ch.Before) != tt.file || ch.Path != "main.go" || !slices.Equal(ch.Fixes, []int{0}) {
				t.Errorf("change is %+v", ch)
			}
			if d := cmp.Diff(tt.want, string(ch.After)); d != "" {
				t.Errorf("contents (-want +got):\n%s", d)
			}
			checkPatch(t, files, p)
		})
	}
}

// checkPatch applies the patch of a plan with git, and undoes it.
func checkPatch(t *testing.T, files tree, p *fix.Plan) {
	t.Helper()
	dir := t.TempDir()
	files.write(t, dir)
	git(t, dir, string(p.Patch()), "apply", "--whitespace=nowarn", "-")
	if d := cmp.Diff(files.after(p), readTree(t, dir)); d != "" {
		t.Errorf("forward (-want +got):\n%s\n%s", d, p.Patch())
	}
	git(t, dir, string(p.Patch()), "apply", "-R", "--whitespace=nowarn", "-")
	if d := cmp.Diff(files, readTree(t, dir)); d != "" {
		t.Errorf("backward (-want +got):\n%s\n%s", d, p.Patch())
	}
}

func TestPlanRefuses(t *testing.T) {
	old := edit(2, "two", "TWO")
	for _, tt := range []struct {
		name, path string
		edits      []scanner.Edit
		want       fix.Reason
	}{
		{"no edits", "main.go", nil, fix.ReasonUnplaced},
		{"no location", "", []scanner.Edit{old}, fix.ReasonUnplaced},
		{"placeholder in the new lines", "main.go", []scanner.Edit{edit(2, "two", "key = [REDACTED]")}, fix.ReasonRedacted},
		{"placeholder in the old lines", "main.go", []scanner.Edit{old, edit(3, "[REDACTED]", "x")}, fix.ReasonRedacted},
		{"other text", "main.go", []scanner.Edit{edit(2, "zwei", "TWO")}, fix.ReasonStale},
		{"other white space", "main.go", []scanner.Edit{edit(2, "two ", "TWO")}, fix.ReasonStale},
		{"another line", "main.go", []scanner.Edit{edit(3, "two", "TWO")}, fix.ReasonStale},
		{"one of two edits is wrong", "main.go", []scanner.Edit{old, edit(5, "fünf", "5")}, fix.ReasonStale},
		{"beyond the end", "main.go", []scanner.Edit{edit(10, "ten|eleven", "x")}, fix.ReasonStale},
		{"insertion beyond the end", "main.go", []scanner.Edit{edit(12, "", "x")}, fix.ReasonStale},
		{"line 0", "main.go", []scanner.Edit{edit(0, "", "x")}, fix.ReasonStale},
		{"negative line", "main.go", []scanner.Edit{edit(-1, "one", "x")}, fix.ReasonStale},
		{"edits in the wrong order", "main.go", []scanner.Edit{edit(5, "five", "5"), old}, fix.ReasonStale},
		{"edits of the same line", "main.go", []scanner.Edit{old, edit(2, "two", "2")}, fix.ReasonStale},
		{"not scanned", "other.go", []scanner.Edit{old}, fix.ReasonNotScanned},
		{"another case", "MAIN.go", []scanner.Edit{old}, fix.ReasonNotScanned},
		{"..", "../main.go", []scanner.Edit{old}, fix.ReasonPath},
		{".. that stays inside", "dir/../main.go", []scanner.Edit{old}, fix.ReasonPath},
		{"absolute", "/etc/passwd", []scanner.Edit{old}, fix.ReasonPath},
		{"not the shortest form", "./main.go", []scanner.Edit{old}, fix.ReasonPath},
		{"the root", ".", []scanner.Edit{old}, fix.ReasonPath},
		{"not UTF-8", "\xff.go", []scanner.Edit{old}, fix.ReasonPath},
		{"git", ".git/config", []scanner.Edit{old}, fix.ReasonPath},
		{"git in upper case", ".GIT/config", []scanner.Edit{old}, fix.ReasonPath},
		{"git of a submodule", "sub/.git/config", []scanner.Edit{old}, fix.ReasonPath},
		{"the file of a worktree", ".git", []scanner.Edit{old}, fix.ReasonPath},
		{"scanner", ".scanner/skills/s/SKILL.md", []scanner.Edit{old}, fix.ReasonPath},
		{"scanner in another case", ".Scanner/x", []scanner.Edit{old}, fix.ReasonPath},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := tree{"main.go": numbered}
			if tt.want == fix.ReasonPath {
				files[tt.path] = numbered // also when the scan looked at it
			}
			p := files.plan(suggest(tt.path, tt.edits...))
			o := p.Outcomes[0]
			if o.Status != fix.StatusRefused || o.Reason != tt.want || o.Message == "" || len(p.Changes) != 0 {
				t.Errorf("outcome is %+v, want it refused for %s", o, tt.want)
			}
			if strings.ContainsFunc(o.Message, func(r rune) bool { return r < ' ' }) {
				t.Errorf("message %q has control characters", o.Message)
			}
		})
	}
}

func TestPlanRead(t *testing.T) {
	calls := 0
	e := edit(1, "x", "y")
	p := fix.NewPlan(fix.Input{
		Suggestions: []fix.Suggestion{suggest("a.go", e), suggest("a.go", e), suggest("b.go", e), suggest("b.go", e)},
		Files:       []string{"a.go", "b.go", "c.go"},
		Read: func(path string) ([]byte, error) {
			calls++
			if path == "a.go" {
				return nil, errors.New("permission denied")
			}
			return nil, fmt.Errorf("read: %w", fix.ErrStale)
		},
	})
	if d := cmp.Diff([]string{"refused unreadable", "refused unreadable", "refused stale", "refused stale"}, summary(p.Outcomes)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if calls != 2 || !strings.Contains(p.Outcomes[0].Message, "permission denied") {
		t.Errorf("%d calls of Read, message %q", calls, p.Outcomes[0].Message)
	}
}

func TestPlanOverlaps(t *testing.T) {
	type fixes = [][]scanner.Edit
	one := func(e scanner.Edit) []scanner.Edit { return []scanner.Edit{e} }
	two, eight := edit(2, "two", "TWO"), edit(8, "eight", "EIGHT")
	for _, tt := range []struct {
		name  string
		fixes fixes
		want  []string
	}{
		{"apart", fixes{one(two), one(eight)}, []string{"planned", "planned"}},
		{"the same line", fixes{one(two), one(edit(2, "two", "zwei"))}, []string{"planned", "refused overlap by 0"}},
		{"neighboring lines", fixes{one(two), one(edit(3, "three", "THREE"))}, []string{"planned", "planned"}},
		{"equal", fixes{one(two), one(two)}, []string{"planned", "covered by 0"}},
		{"part of a larger fix", fixes{{two, eight}, one(eight)}, []string{"planned", "covered by 0"}},
		{"larger than an earlier fix", fixes{one(eight), {two, eight}}, []string{"planned", "refused overlap by 0"}},
		{"equal to two earlier fixes", fixes{one(eight), one(two), {two, eight}}, []string{"planned", "planned", "covered by 0"}},
		{"one of two edits overlaps", fixes{one(eight), {two, edit(8, "eight", "acht")}}, []string{"planned", "refused overlap by 0"}},
		{"insertions at the same place", fixes{one(edit(3, "", "x")), one(edit(3, "", "y"))}, []string{"planned", "refused overlap by 0"}},
		{"insertion before a changed line", fixes{one(edit(3, "three", "3")), one(edit(3, "", "x"))}, []string{"planned", "refused overlap by 0"}},
		{"insertion after a changed line", fixes{one(two), one(edit(3, "", "x"))}, []string{"planned", "refused overlap by 0"}},
		{"insertion inside removed lines", fixes{one(edit(2, "two|three|four", "")), one(edit(3, "", "x"))}, []string{"planned", "refused overlap by 0"}},
		{"insertion elsewhere", fixes{one(two), one(edit(4, "", "x"))}, []string{"planned", "planned"}},
		{"a refused fix is in nobody's way", fixes{one(two), one(edit(2, "two|three", "x")), one(edit(3, "three", "3"))},
			[]string{"planned", "refused overlap by 0", "planned"}},
		{"earlier fixes move lines", fixes{one(edit(2, "", "x|y")), one(edit(5, "five", "")), one(edit(9, "nine", "9"))}, []string{"planned", "planned", "planned"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var all []fix.Suggestion
			for _, edits := range tt.fixes {
				all = append(all, suggest("main.go", edits...))
			}
			files := tree{"main.go": numbered}
			p := files.plan(all...)
			if d := cmp.Diff(tt.want, summary(p.Outcomes)); d != "" {
				t.Fatalf("outcomes (-want +got):\n%s", d)
			}
			// What is planned does the same without the other fixes.
			var planned []fix.Suggestion
			for i, o := range p.Outcomes {
				if o.Status == fix.StatusPlanned {
					planned = append(planned, all[i])
				}
			}
			if d := cmp.Diff(files.after(files.plan(planned...)), files.after(p)); d != "" {
				t.Errorf("contents (-want +got):\n%s", d)
			}
			checkPatch(t, files, p)
		})
	}
}

// oddNames are hard to write down in a diff.
var oddNames = []string{
	"a/x.go", "b/x.go", "a b.go", "x b/y.go", "q\"uote.go", "back\\slash.go", "ümlaut.go", "日本/語.go",
	"- dash.go", "trailing .go", "[glob]*.go", "a/b/c/d.go", "$(x).go", "'single'.go", "new\nline.go", "\x1b[2J.go",
}

// TestPlanRandom makes random fixes of many files, and lets git apply and undo
// the patch.
func TestPlanRandom(t *testing.T) {
	skipOddNames(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	words := []string{"x", "return", "}", "", "", "\tfoo(bar) \t", "äöü", "-- sql", "++ y", "- item", "@@ -1 +1 @@", "--- a/x",
		"\xff\xfe", "a\rb", `\ No newline at end of file`, "diff --git a/x b/x", " "}
	text := func(n int) []string {
		var lines []string
		for range n {
			lines = append(lines, words[rnd.IntN(len(words))])
		}
		return lines
	}
	rounds, planned, overlapping := 12, 0, 0
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		files := make(tree)
		var all []fix.Suggestion
		for _, name := range oddNames {
			lines := append(text(rnd.IntN(60)), "end")
			end := []string{"\n", "\r\n"}[rnd.IntN(2)]
			files[name] = strings.Join(lines, end) + []string{"", end}[rnd.IntN(2)]
			for range rnd.IntN(8) {
				at := rnd.IntN(len(lines) + 1)
				cut := min(rnd.IntN(4), len(lines)-at)
				e := scanner.Edit{Line: at + 1, Old: lines[at : at+cut], New: append(text(rnd.IntN(4)), fmt.Sprint("new", rnd.IntN(3)))}
				all = append(all, suggest(name, e))
			}
		}
		p := files.plan(all...)
		for i, o := range p.Outcomes {
			switch {
			case o.Status == fix.StatusPlanned:
				planned++
			case o.Reason == fix.ReasonOverlap:
				overlapping++
			case o.Status != fix.StatusCovered:
				t.Fatalf("%+v: %s for %q", o, o.Message, files[all[i].Path])
			}
		}
		checkPatch(t, files, p)
	}
	if planned < 10*rounds || overlapping < rounds {
		t.Errorf("only %d fixes were planned, and %d overlapped", planned, overlapping)
	}
}
