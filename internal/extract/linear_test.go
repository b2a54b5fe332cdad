package extract_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/codescan-dev/scanner/internal/extract"
)

// garbage is what must not take more than linear time.
var garbage = []garbageCase{
	{"brackets", "["},
	{"braces", "{"},
	{"both", `[{`},
	{"objects in objects", `{"a":`},
	{"lists in objects", `{"findings":[`},
	{"titles", `{"title":"x","a":[`},
	{"quotes", `"`},
	{"braces and quotes", `{"`},
	{"brackets and quotes", `["`},
	{"backslashes", `\`},
	{"strings of backslashes", `{"\`},
	{"empty lists", `{"findings":[]}`},
	{"empty lists in prose", `a {"findings":[]} b `},
	{"empty brackets", `[]`},
	{"quotes and spaces", "[\"          "},
	{"comments", `[/*`},
	{"line comments", "[//"},
	{"commas", `[,`},
	{"digits", `[1`},
	{"closers", `[}`},
	{"fences", "```"},
	{"tags", "<think>"},
	{"sketches", `{"findings":[...`},
	{"smart quotes", "[“"},
	{"findings", `{"title":"x","severity":"low"}`},
	{"broken lists", `{"findings":[{"title":"x","severity":"low"},{"title":x `},
	{"wrappers", `{"r":{"r":{"findings":[{"title":"x","severity":"low"}]}}} a `},
	{"encoded", `{"findings":"[{\"findings\":`},
}

type garbageCase struct{ name, unit string }

func (g garbageCase) text(size int) string { return strings.Repeat(g.unit, size/len(g.unit)) }

// Garbage of any kind is not an answer. The benchmark shows that the time it takes
// is linear in its size.
func TestFindingsGarbage(t *testing.T) {
	for _, g := range garbage {
		t.Run(g.name, func(t *testing.T) {
			text := g.text(1 << 16)
			r := Findings(text)
			if r.Err == nil && len(r.Findings) == 0 && g.name != "empty lists" && g.name != "empty brackets" {
				t.Errorf("garbage reads as a statement that there are no findings")
			}
		})
	}
}

func BenchmarkFindings(b *testing.B) {
	run := func(name, text string) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Findings(text)
			}
		})
	}
	one := `{"title":"Division by zero","severity":"high","confidence":"high","description":"The divisor is zero when the list is empty.","location":{"path":"a.go","startLine":12,"endLine":null,"quote":"\treturn a / b"}}`
	for _, n := range []int{1, 10, 100, 1000} {
		run(fmt.Sprintf("clean/%d", n), `{"findings":[`+strings.Repeat(one+",", n-1)+one+`]}`)
		run(fmt.Sprintf("salvaged/%d", n), `{"findings":[`+strings.Repeat(one+",", n)+`]}`)
	}
	for _, g := range garbage {
		for _, size := range []int{100 << 10, 1 << 20} {
			run(fmt.Sprintf("garbage/%s/%dKiB", g.name, size>>10), g.text(size))
		}
	}
}
