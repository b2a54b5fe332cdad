package fix

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestGitApplyMutated damages good diffs in the ways that models do. Whatever
// git apply makes of them, we make the same or nothing.
func TestGitApplyMutated(t *testing.T) {
	rnd := newRand(t)
	rounds := 250
	if testing.Short() {
		rounds = 60
	}
	both, gitOnly, oursOnly := 0, 0, 0
	for round := range rounds {
		// Few different lines make many places that are alike.
		text := randomText(rnd, 4+rnd.IntN(40))
		if rnd.IntN(2) == 0 {
			for i := range text {
				text[i] = strings.Repeat("x", rnd.IntN(3)) + "\n"
			}
		}
		before := strings.Join(text, "")
		edited := strings.Join(randomEdit(rnd, text, 1+rnd.IntN(3)), "")
		c := newContent(before)
		var b strings.Builder
		writePatch(&b, "main.go", c, smaller(c, edit{end: len(text), text: edited}))
		d := b.String()
		for range 1 + rnd.IntN(3) {
			d = mutations[rnd.IntN(len(mutations))](rnd, d)
		}
		files := tree{"main.go": before}
		dir := t.TempDir()
		files.write(t, dir)
		_, err := gitIn(t, dir, d, "apply", "--whitespace=nowarn", "-")
		p := files.plan(suggest("main.go", d))
		switch ours := len(p.Changes) > 0; {
		case err == nil && ours:
			both++
			if got, want := files.after(p)["main.go"], readTree(t, dir)["main.go"]; got != want {
				t.Errorf("round %d: git makes something else of\n%s\ngit  %q\nours %q\nof   %q", round, d, want, got, before)
			}
		case err == nil:
			gitOnly++
		case ours:
			oursOnly++
		}
	}
	t.Logf("both %d, git alone %d, planner alone %d", both, gitOnly, oursOnly)
	if both < rounds/8 || oursOnly == 0 {
		t.Error("the mutations do too much or too little damage")
	}
}

var rangeLine = regexp.MustCompile(`(?m)^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@`)

var mutations = []func(*rand.Rand, string) string{
	// Move all hunks, or one side of them.
	func(rnd *rand.Rand, d string) string {
		n, sides := rnd.IntN(9)-4, 1+rnd.IntN(3)
		return rangeLine.ReplaceAllStringFunc(d, func(h string) string {
			m := rangeLine.FindStringSubmatch(h)
			return fmt.Sprintf("@@ -%d%s +%d%s @@", moved(m[1], n*(sides&1)), m[2], moved(m[3], n*(sides>>1)), m[4])
		})
	},
	// Lose a line.
	func(rnd *rand.Rand, d string) string {
		lines := strings.SplitAfter(d, "\n")
		i := rnd.IntN(len(lines))
		return strings.Join(append(lines[:i:i], lines[i+1:]...), "")
	},
	// Lose a line of context and count right.
	func(rnd *rand.Rand, d string) string {
		lines := strings.SplitAfter(d, "\n")
		header := -1
		for i, l := range lines {
			if strings.HasPrefix(l, "@@") {
				header = i
			}
			if header < 0 || !strings.HasPrefix(l, " ") || rnd.IntN(4) > 0 {
				continue
			}
			m := rangeLine.FindStringSubmatch(lines[header])
			if m == nil || m[2] == "" || m[4] == "" {
				continue
			}
			at := 0
			if i == header+1 {
				at = 1
			}
			lines[header] = fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", moved(m[1], at), moved(m[2][1:], -1), moved(m[3], at), moved(m[4][1:], -1))
			lines[i] = ""
			break
		}
		return strings.Join(lines, "")
	},
	// Take the space from empty lines.
	func(_ *rand.Rand, d string) string { return strings.ReplaceAll(d, "\n \n", "\n\n") },
	// Text around it.
	func(_ *rand.Rand, d string) string { return "Fix:\n\n" + d + "\nDone.\n" },
	func(_ *rand.Rand, d string) string { return d + "\n\n" },
	// Lose the header of git.
	func(_ *rand.Rand, d string) string { return d[max(strings.Index(d, "--- a/"), 0):] },
	// Turn a hunk around: what is added is there.
	func(_ *rand.Rand, d string) string {
		return strings.NewReplacer("\n-x", "\n+x", "\n+x", "\n-x").Replace(d)
	},
}

func moved(s string, n int) int {
	v, _ := strconv.Atoi(s)
	return max(v+n, 0)
}
