package fix

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// newRand returns a source that depends on the name of the test alone.
func newRand(t testing.TB) *rand.Rand {
	var seed [32]byte
	copy(seed[:], t.Name())
	return rand.New(rand.NewChaCha8(seed))
}

// randomText returns n lines, many of them equal, and many that look like
// something else in a diff.
func randomText(rnd *rand.Rand, n int) []string {
	words := []string{"x", "return", "if err != nil {", "}", "", "", "\tfoo(bar)", "    indented", "äöü", "-- sql", "++ y", "+ z", "- item",
		"@@ -1 +1 @@", "--- a/x", "+++ b/x", "\xff\xfe", "a\rb", "\\ No newline at end of file", "diff --git a/x b/x", "```", " "}
	ending := "\n"
	if rnd.IntN(4) == 0 {
		ending = "\r\n"
	}
	lines := make([]string, n)
	for i := range lines {
		end := ending
		if rnd.IntN(20) == 0 {
			end = "\r\n"
		}
		lines[i] = words[rnd.IntN(len(words))] + strings.Repeat(" x", rnd.IntN(6)) + end
	}
	if n > 0 && rnd.IntN(3) == 0 {
		lines[n-1] = strings.TrimRight(lines[n-1], "\r\n") + "end"
	}
	return lines
}

// randomEdit returns text with about n places changed.
func randomEdit(rnd *rand.Rand, text []string, n int) []string {
	edited := slices.Clone(text)
	for range n {
		at := rnd.IntN(len(edited) + 1)
		cut := min(rnd.IntN(4), len(edited)-at)
		add := randomText(rnd, rnd.IntN(4))
		for i := range add {
			add[i] = strings.TrimRight(add[i], "\r\n") + fmt.Sprint(rnd.IntN(100)) + "\n"
		}
		edited = slices.Replace(edited, at, at+cut, add...)
	}
	for i := range edited {
		if i < len(edited)-1 && !strings.HasSuffix(edited[i], "\n") {
			edited[i] += "\n"
		}
	}
	return edited
}
