package extract_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "github.com/codescan-dev/scanner/internal/extract"
)

// prose are pieces of text that come around answers and into their strings.
var prose = []string{
	"Here is what I found", "\n", "\n\n", " ", "```", "```json\n", "```go\nfunc f() { return map[string]int{\"a\": 1} }\n```\n",
	"{", "}", "[", "]", "{}", "[]", "[1]", "{x}", "\"", "'", "`", "don't", "m[\"key\"]", "a[i]", "if (x) { y(); }",
	"[link](https://example.com/a{b})", "// note", "/* note", "*/", "\\", "\\\"", "...", "…", "“quoted”", "- [ ] task", "{{ .Name }}",
	"${HOME}", "x => { return [1, 2", "{\"a\": \"b\"}", "{\"a\": ", "[\"x\", ", "<b>", "</think>", "null", "\u2028", "\xff",
}

func someProse(rnd *rand.Rand, pieces int) string {
	var b strings.Builder
	for range rnd.IntN(pieces + 1) {
		b.WriteString(prose[rnd.IntN(len(prose))])
		if rnd.IntN(2) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// With any text around an answer and in its strings, its findings come out as
// they were written.
func TestFindingsInProse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	lost := 0
	const rounds = 5000
	for range rounds {
		var want []string
		var findings []map[string]any
		for range 1 + rnd.IntN(4) {
			title := strings.ToValidUTF8(someProse(rnd, 5), "?") + "."
			want = append(want, title)
			findings = append(findings, map[string]any{
				"title": title, "severity": "low", "description": strings.ToValidUTF8(someProse(rnd, 10), "?"), "location": nil,
			})
		}
		answer, err := json.Marshal(map[string]any{"findings": findings})
		if err != nil {
			t.Fatal(err)
		}
		before, after := someProse(rnd, 8), someProse(rnd, 8)
		text := before + "\n" + string(answer) + "\n" + after

		r := Findings(text)
		if r.Err != nil {
			lost++
			t.Logf("%v in:\n%s", r.Err, text)
			continue
		}
		if diff := cmp.Diff(titles(t, r.Findings), want); diff != "" {
			lost++
			t.Logf("%s(-got +want):\n%s", text, diff)
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d answers were not read right", lost, rounds)
	}
}
