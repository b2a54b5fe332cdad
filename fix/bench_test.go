package fix

import (
	"fmt"
	"strings"
	"testing"
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
