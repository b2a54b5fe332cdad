package fix

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// summary returns one line for each outcome.
func summary(outcomes []Outcome) []string {
	var lines []string
	for _, o := range outcomes {
		s := string(o.Status)
		if o.Reason != "" {
			s += " " + string(o.Reason)
		}
		if o.By >= 0 {
			s += fmt.Sprintf(" by %d", o.By)
		}
		lines = append(lines, s)
	}
	return lines
}

func TestPlanOverlaps(t *testing.T) {
	change := func(line, to string) string { return fmt.Sprintf("-%s\n+%s\n", line, to) }
	for _, tt := range []struct {
		name  string
		diffs []string
		want  []string
		after string
	}{
		{
			name:  "apart",
			diffs: []string{change("two", "TWO"), change("eight", "EIGHT")},
			want:  []string{"planned", "planned"},
			after: with("two", "TWO", "eight", "EIGHT"),
		},
		{
			name:  "the same line",
			diffs: []string{change("two", "TWO"), change("two", "zwei")},
			want:  []string{"planned", "refused overlap by 0"},
			after: with("two", "TWO"),
		},
		{
			name:  "neighboring lines",
			diffs: []string{change("two", "TWO"), change("three", "THREE")},
			want:  []string{"planned", "planned"},
			after: with("two", "TWO", "three", "THREE"),
		},
		{
			name:  "context that another fix changes",
			diffs: []string{change("two", "TWO"), " two\n-three\n+THREE\n four\n"},
			want:  []string{"planned", "planned"},
			after: with("two", "TWO", "three", "THREE"),
		},
		{
			name:  "equal",
			diffs: []string{change("two", "TWO"), change("two", "TWO")},
			want:  []string{"planned", "covered by 0"},
			after: with("two", "TWO"),
		},
		{
			name:  "equal but for what they show",
			diffs: []string{"@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n", "@@ @@\n-two\n-three\n+TWO\n+three\n"},
			want:  []string{"planned", "covered by 0"},
			after: with("two", "TWO"),
		},
		{
			name:  "part of a larger one",
			diffs: []string{"@@ @@\n-two\n+TWO\n@@ @@\n-eight\n+EIGHT\n", change("eight", "EIGHT")},
			want:  []string{"planned", "covered by 0"},
			after: with("two", "TWO", "eight", "EIGHT"),
		},
		{
			name:  "larger than one before",
			diffs: []string{change("eight", "EIGHT"), "@@ @@\n-two\n+TWO\n@@ @@\n-eight\n+EIGHT\n"},
			want:  []string{"planned", "refused overlap by 0"},
			after: with("eight", "EIGHT"),
		},
		{
			name:  "one of two hunks overlaps",
			diffs: []string{change("eight", "EIGHT"), "@@ @@\n-two\n+TWO\n@@ @@\n-eight\n+acht\n"},
			want:  []string{"planned", "refused overlap by 0"},
			after: with("eight", "EIGHT"),
		},
		{
			name:  "insertions at the same place",
			diffs: []string{" two\n+2.3\n", " two\n+2.6\n"},
			want:  []string{"planned", "refused overlap by 0"},
			after: with("three", "2.3\nthree"),
		},
		{
			name:  "the same insertion, from both sides",
			diffs: []string{" two\n+2.5\n", "+2.5\n three\n"},
			want:  []string{"planned", "covered by 0"},
			after: with("three", "2.5\nthree"),
		},
		{
			name:  "insertion before a changed line",
			diffs: []string{change("three", "THREE"), " two\n+2.5\n"},
			want:  []string{"planned", "refused overlap by 0"},
			after: with("three", "THREE"),
		},
		{
			name:  "change of the line before an insertion",
			diffs: []string{" two\n+2.5\n", change("two", "TWO")},
			want:  []string{"planned", "refused overlap by 0"},
			after: with("three", "2.5\nthree"),
		},
		{
			name:  "insertion inside of removed lines",
			diffs: []string{"-two\n-three\n-four\n", " three\n+3.5\n"},
			want:  []string{"planned", "refused overlap by 0"},
			after: with("two\nthree\nfour\n", ""),
		},
		{
			name:  "the loser makes no room for others",
			diffs: []string{change("two", "TWO"), "-two\n-three\n+x\n", change("three", "THREE")},
			want:  []string{"planned", "refused overlap by 0", "planned"},
			after: with("two", "TWO", "three", "THREE"),
		},
		{
			name:  "earlier fixes move lines",
			diffs: []string{" one\n+1.3\n+1.6\n", "@@ -5,1 +5,0 @@\n-five\n", "@@ -9,1 +9,1 @@\n-nine\n+NINE\n"},
			want:  []string{"planned", "planned", "planned"},
			after: with("two", "1.3\n1.6\ntwo", "five\n", "", "nine", "NINE"),
		},
		{
			name:  "a fix whose text an earlier one makes is not found",
			diffs: []string{change("two", "TWO"), change("TWO", "Two")},
			want:  []string{"planned", "refused not-found"},
			after: with("two", "TWO"),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := tree{"main.go": numbered}.plan(suggest("main.go", tt.diffs...))
			if d := cmp.Diff(tt.want, summary(p.Outcomes)); d != "" {
				t.Fatalf("outcomes (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.after, string(p.Changes[0].After)); d != "" {
				t.Errorf("contents (-want +got):\n%s", d)
			}
		})
	}
}

// TestPlanSeveralFiles shows that a fix over several files is applied as a
// whole or not at all.
func TestPlanSeveralFiles(t *testing.T) {
	files := tree{"a.go": numbered, "b.go": numbered, "c.go": numbered}
	in := func(path, from, to string) string {
		return fmt.Sprintf("--- a/%s\n+++ b/%[1]s\n@@ @@\n-%s\n+%s\n", path, from, to)
	}
	p := files.plan(suggest("a.go",
		in("a.go", "one", "ONE")+in("b.go", "one", "ONE"),
		in("a.go", "two", "TWO")+in("b.go", "zwei", "TWO"),
		in("a.go", "three", "THREE")+in("b.go", "one", "eins")+in("c.go", "one", "ONE"),
		in("b.go", "four", "FOUR"),
		in("a.go", "five", "FIVE")+in("d.go", "five", "FIVE"),
	))
	want := []string{"planned", "refused not-found", "refused overlap by 0", "refused other-file", "refused not-scanned"}
	if d := cmp.Diff(want, summary(p.Outcomes)); d != "" {
		t.Errorf("outcomes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"a.go", "b.go", "c.go"}, p.Outcomes[2].Files); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if len(p.Changes) != 2 || p.Changes[0].Path != "a.go" || p.Changes[1].Path != "b.go" {
		t.Errorf("changes are %+v", p.Changes)
	}
}

// TestPlanNoLocation plans fixes of findings that are about no place.
func TestPlanNoLocation(t *testing.T) {
	files := tree{"a/x.go": numbered, "y.go": numbered}
	p := files.plan(suggest("",
		"--- a/y.go\n+++ b/y.go\n@@ @@\n-one\n+ONE\n",
		"--- a/x.go\n+++ a/x.go\n@@ @@\n-one\n+ONE\n",
		"--- a/a/x.go\n+++ b/a/x.go\n@@ @@\n-two\n+TWO\n",
		"@@ @@\n-three\n+THREE\n",
		"--- a/x.go\n+++ b/x.go\n@@ @@\n-four\n+FOUR\n",
	))
	want := []string{"planned", "planned", "planned", "refused other-file", "refused not-scanned"}
	if d := cmp.Diff(want, summary(p.Outcomes)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestPlanRandom plans random fixes, many of which overlap, and looks at what
// is planned one by one.
func TestPlanRandom(t *testing.T) {
	rnd := newRand(t)
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	planned, overlapping := 0, 0
	for round := range rounds {
		text := randomText(rnd, 5+rnd.IntN(40))
		files := tree{"main.go": strings.Join(text, "")}
		c := newContent(files["main.go"])
		var diffs []string
		for range 8 {
			e := edit{end: len(text), text: strings.Join(randomEdit(rnd, text, 1), "")}
			var b strings.Builder
			writePatch(&b, "main.go", c, smaller(c, e))
			diffs = append(diffs, b.String())
		}
		p := files.plan(suggest("main.go", diffs...))
		owner := make(map[int]int) // by original line, and by the gap before it
		for i, o := range p.Outcomes {
			if o.Status != StatusPlanned {
				if o.Reason == ReasonOverlap {
					overlapping++
				}
				continue
			}
			planned++
			for _, e := range p.fixes[i].edits {
				for k := 2 * e.start; k <= 2*e.end; k++ {
					// Even numbers are gaps. Edits may share one only if both
					// replace lines.
					if k%2 == 0 && e.start < e.end && (k == 2*e.start || k == 2*e.end) {
						continue
					}
					if other, ok := owner[k]; ok {
						t.Fatalf("round %d: fixes %d and %d change the same place", round, other, i)
					}
					owner[k] = i
				}
			}
		}
		// Each planned fix does in the whole what it does alone.
		if len(p.Changes) == 0 {
			continue
		}
		var all []edit
		for _, i := range p.Changes[0].Fixes {
			all = append(all, p.fixes[i].edits...)
		}
		slices.SortFunc(all, compareEdits)
		if got, want := string(p.Changes[0].After), c.replace(all); got != want {
			t.Fatalf("round %d: contents are %q, want %q", round, got, want)
		}
		checkRoundTrip(t, files, p)
	}
	if planned < rounds || overlapping < rounds {
		t.Errorf("only %d fixes were planned, and %d overlapped", planned, overlapping)
	}
}

// checkRoundTrip plans the patch of a plan, which must do the same, and turned
// around must undo it.
func checkRoundTrip(t *testing.T, files tree, p *Plan) {
	t.Helper()
	after := files.after(p)
	for _, ch := range p.Changes {
		var forward, backward strings.Builder
		c := newContent(string(ch.Before))
		writePatch(&forward, ch.Path, c, ch.edits)
		writePatch(&backward, ch.Path, newContent(string(ch.After)), inverse(c, ch.edits))
		for _, tt := range []struct {
			from, to tree
			diff     string
		}{{files, after, forward.String()}, {after, files, backward.String()}} {
			q := tt.from.plan(suggest(ch.Path, tt.diff))
			if len(q.Changes) != 1 {
				o := q.Outcomes[0]
				t.Fatalf("our own patch is refused: %s: %s\n%s\nof %q", o.Reason, o.Message, tt.diff, tt.from[ch.Path])
			}
			if d := cmp.Diff(tt.to[ch.Path], string(q.Changes[0].After)); d != "" {
				t.Fatalf("our own patch does something else (-want +got):\n%s\n%s", d, tt.diff)
			}
		}
	}
}

// inverse returns the edits that undo edits.
func inverse(c *content, edits []edit) []edit {
	var back []edit
	shift := 0
	for _, e := range edits {
		n := len(newContent(e.text).lines)
		back = append(back, edit{e.path, e.start + shift, e.start + shift + n, strings.Join(c.lines[e.start:e.end], "")})
		shift += n - (e.end - e.start)
	}
	return back
}
