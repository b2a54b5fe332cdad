package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A generator of files, edits and diffs for the tests: independent of the code
// under test, and of any diff program.

// randomText returns n lines with their endings; the last may have none.
func randomText(rnd *rand.Rand, n int) []string {
	words := []string{"x", "return", "if err != nil {", "}", "", "", "\tfoo(bar)", "\t\tdeep := 1", "äöü", "-- sql", "++ y", "@@ -1 +1 @@", "\xff\xfe", "a\rb", "\\ No newline at end of file", "diff --git a/x b/x"}
	lines := make([]string, n)
	for i := range lines {
		ending := "\n"
		if rnd.IntN(10) == 0 {
			ending = "\r\n"
		}
		lines[i] = words[rnd.IntN(len(words))] + strings.Repeat(" x", rnd.IntN(12)) + ending
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
		cut := min(rnd.IntN(6), len(edited)-at)
		add := randomText(rnd, rnd.IntN(6))
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

// edit is one line of an edit script.
type edit struct {
	op   byte
	text string
}

// script returns an edit script. It is not the shortest: it looks for equal
// lines a little ahead only.
func script(a, b []string) []edit {
	var s []edit
	for len(a) > 0 || len(b) > 0 {
		if len(a) > 0 && len(b) > 0 && a[0] == b[0] {
			s = append(s, edit{' ', a[0]})
			a, b = a[1:], b[1:]
			continue
		}
		skipA, skipB := len(a), len(b)
	search:
		for d := 1; d < 24; d++ {
			for i := 0; i <= d; i++ {
				j := d - i
				if i < len(a) && j < len(b) && a[i] == b[j] && (i+1 >= len(a) || j+1 >= len(b) || a[i+1] == b[j+1]) {
					skipA, skipB = i, j
					break search
				}
			}
		}
		for _, l := range a[:skipA] {
			s = append(s, edit{'-', l})
		}
		for _, l := range b[:skipB] {
			s = append(s, edit{'+', l})
		}
		a, b = a[skipA:], b[skipB:]
	}
	return s
}

// unified returns the diff of two texts with some lines of context, as git
// would write it; empty if they are equal.
func unified(path string, a, b []string, context int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "diff --git a/%s b/%s\nindex 1111111..2222222 100644\n--- a/%s\n+++ b/%s\n", path, path, path, path)
	header := out.Len()
	s := script(a, b)
	oldLine, newLine := 1, 1
	for i := 0; i < len(s); {
		if s[i].op == ' ' {
			oldLine, newLine, i = oldLine+1, newLine+1, i+1
			continue
		}
		// The hunk ends where twice the context follows, or the text ends.
		from, end := max(i-context, 0), i
		for k := i; k < len(s) && k-end <= 2*context; k++ {
			if s[k].op != ' ' {
				end = k + 1
			}
		}
		to := min(end+context, len(s))
		oldStart, newStart := oldLine-(i-from), newLine-(i-from)
		var oldLines, newLines int
		var body strings.Builder
		for _, e := range s[from:to] {
			body.WriteByte(e.op)
			body.WriteString(e.text)
			if !strings.HasSuffix(e.text, "\n") {
				body.WriteString("\n\\ No newline at end of file\n")
			}
			if e.op != '+' {
				oldLines++
			}
			if e.op != '-' {
				newLines++
			}
		}
		side := func(start, lines int) string {
			switch lines {
			case 0:
				return fmt.Sprintf("%d,0", start-1)
			case 1:
				return fmt.Sprint(start)
			}
			return fmt.Sprintf("%d,%d", start, lines)
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@ func name%d()\n%s", side(oldStart, oldLines), side(newStart, newLines), from, body.String())
		oldLine, newLine, i = oldStart+oldLines, newStart+newLines, to
	}
	if out.Len() == header {
		return ""
	}
	return out.String()
}
