package fix

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// large returns 200 files of 500 lines and 1,000 fixes in them.
func large() (tree, []Suggestion) {
	files := make(tree)
	var all []Suggestion
	for i := range 200 {
		path := fmt.Sprintf("pkg%d/file%d.go", i%20, i)
		var b strings.Builder
		for n := range 500 {
			if n%4 == 0 {
				b.WriteString("}\n")
				continue
			}
			fmt.Fprintf(&b, "\tline %d of %d\n", n, i)
		}
		files[path] = b.String()
		lines := strings.SplitAfter(b.String(), "\n")
		for k := range 5 {
			n := 50 + 80*k
			d := fmt.Sprintf("--- a/%s\n+++ b/%[1]s\n@@ -%d,7 +%[2]d,7 @@\n", path, n+3) // a wrong line
			for j := n - 3; j <= n+3; j++ {
				if j == n {
					d += "-" + lines[j] + "+\tchanged\n"
				} else {
					d += " " + lines[j]
				}
			}
			all = append(all, suggest(path, d)...)
		}
	}
	return files, all
}

func BenchmarkPlan(b *testing.B) {
	files, all := large()
	b.ReportAllocs()
	for b.Loop() {
		p := files.plan(all)
		if n := Count(p.Outcomes).Planned; n != len(all) {
			b.Fatalf("%d of %d fixes are planned", n, len(all))
		}
	}
}

func BenchmarkPatch(b *testing.B) {
	files, all := large()
	p := files.plan(all)
	b.ReportAllocs()
	for b.Loop() {
		if len(p.Patch()) == 0 {
			b.Fatal("no patch")
		}
	}
}

// BenchmarkPlanHostile plans a fix that fits nearly everywhere.
func BenchmarkPlanHostile(b *testing.B) {
	files := tree{"main.go": strings.Repeat("x\n", 500_000)}
	d := "@@ @@\n" + strings.Repeat(" x\n", 100_000) + "-x\n-y\n"
	b.ReportAllocs()
	for b.Loop() {
		if p := files.plan(suggest("main.go", d, d, d, d)); len(p.Changes) > 0 {
			b.Fatal("it is planned")
		}
	}
}

// TestHostileTime plans what would take for ever if some part took more than
// time in proportion to its size.
func TestHostileTime(t *testing.T) {
	const n = 200_000
	file := strings.Repeat("x\n", n)
	for _, tt := range []struct{ name, diff string }{
		{"signatures", "@@ @@\n-x\n" + strings.Repeat("--\n", n)},
		{"signatures with counts", "@@ -1,9 +1,9 @@\n-x\n" + strings.Repeat("-- \n", n)},
		{"names", "@@ @@\n-x\n" + strings.Repeat("--- a\n+++ a\n", n/3)},
		{"headers", strings.Repeat("@@ -1,9 +1,9 @@\n", n/4)},
		{"blank lines", "@@ -1 +1 @@\n-x\n+y\n" + strings.Repeat("\n", n)},
		{"spaces in the names", "diff --git " + strings.Repeat("a ", n) + "\n@@ @@\n-x\n+y\n"},
		{"spaces before a time", "--- main.go" + strings.Repeat(" ", n) + "x\n+++ main.go\n@@ @@\n-x\n+y\n"},
		{"fences", strings.Repeat("```\n@@\n-x\n", n/4)},
		{"closed fences", strings.Repeat("```\n@@\n-x\n```\n", n/5)},
		{"context", "@@ @@\n" + strings.Repeat(" x\n", n/2) + "-x\n"},
		{"context that nearly fits", "@@ @@\n" + strings.Repeat(" x\n", n-1) + "-y\n"},
		{"additions", "@@ -1 +1 @@\n x\n" + strings.Repeat("+x\n", n) + " x\n"},
		{"hunks", strings.Repeat("@@ -7 +7 @@\n-x\n x\n", maxHunks)},
		{"alternating", "@@ -1 +1 @@\n" + strings.Repeat(" x\n+y\n-x\n", n/4)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := tree{"main.go": file}
			start := time.Now()
			files.plan(suggest("main.go", tt.diff))
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it takes %v", took)
			}
		})
	}
}
