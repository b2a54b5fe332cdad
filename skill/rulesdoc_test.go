package skill

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/internal/weakness"
)

const rulesHead = `# Rules

The built-in rules. ` + "`go generate ./skill`" + ` writes this page from their ` + "`patterns.toml`" + `. A rule
needs no model. It reads added lines, and the statements that they are part of; what it
finds names it, as in ` + "`security-review/private-key`" + `. ` + "`scanner rules`" + ` lists all rules, and with a
name describes that one.

**Severity** is high for what can be exploited or breaks in normal use. **Confidence** is
high if hardly anything else looks like that, and medium if it depends on code that the
rule does not see. In tests, fixtures, examples, documentation and vendored code, rules
about TLS, debugging and permissions are one severity lower, in tests and fixtures those
about secrets, and in vendored code those about values of unknown origin, all with medium
confidence at most.
` + "`nonProductCode = \"same\"`" + ` below ` + "`[defaults]`" + ` turns that off.

## How to ignore a rule

- For some files: ` + "`ignorePaths`" + ` below ` + "`[defaults]`" + `, or in the ` + "`[[skills]]`" + ` table of its skill.
- By weight: ` + "`reportOn`" + ` and ` + "`minConfidence`" + `, for all skills or for one. What ` + "`reportOn`" + ` hides
  is counted by rule, in the summary and in the log (` + "`metadata.hidden.rules`" + `).
- One finding: ` + "`scanner ignore <id> --reason=...`" + `, with the id that ` + "`-v`" + ` shows; or a comment
  in the code, ` + "`scanner:ignore[security-review/private-key] why`" + `, on its line or the one above.
- One rule: ` + "`disabledRules = [\"security-review/private-key\"]`" + ` in the ` + "`[[skills]]`" + ` table of
  its skill.
- What is there already: ` + "`--baseline=<report>`" + `.
- A whole skill: name those that you want in ` + "`[[skills]]`" + `, or with ` + "`--skill`" + `.
- To change rules: a skill of the same name in ` + "`.scanner/skills`" + ` takes the place of the
  built-in one. Copy it, and edit its ` + "`patterns.toml`" + `.
`

const figuresHead = `## Figures

How many problems the rules find in code that others labeled, the test cases of bandit,
brakeman, gosec and semgrep-rules, and how often they report a line that is labeled as
good. On the line are problems that their line alone proves; for the others values must be
followed, which a rule does over a few lines at most. The classes are groups of weaknesses
of the CWE. ` + "`internal/judge`" + ` measures this; its ` + "`figures.txt`" + ` has each language.

| class | rules | languages | found | on the line | alarms |
|---|---|---|---|---|---|
`

// TestRulesDocument: docs/rules.md describes the built-in rules as they are, with the
// figures as they were measured last.
func TestRulesDocument(t *testing.T) {
	rules := builtinRules(t)
	var b strings.Builder
	b.WriteString(rulesHead + "\n" + figuresHead + figureLines(t, rules))
	for _, skill := range builtinNames {
		fmt.Fprintf(&b, "\n## %s\n", skill)
		for i := range rules[skill] {
			describeRule(&b, skill, &rules[skill][i])
		}
	}
	name := filepath.Join("..", "docs", "rules.md")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Error("docs/rules.md is out of date: go generate ./skill")
	}
}

func describeRule(b *strings.Builder, skill string, r *scanner.Pattern) {
	fmt.Fprintf(b, "\n### %s/%s\n\n**%s.** %s\n\n", skill, r.ID, prose(r.Title), prose(r.Description))
	b.WriteString(DescribeRule(r) + "\n")
	for _, examples := range []struct {
		title string
		list  []string
	}{{"Reported", r.Match}, {"Not reported", r.NoMatch}} {
		examples.list = slices.DeleteFunc(slices.Clone(examples.list), func(e string) bool { return strings.TrimSpace(e) == "" })
		if len(examples.list) > 0 {
			fmt.Fprintf(b, "\n%s:\n\n%s", examples.title, codeBlock(examples.list))
		}
	}
}

// codeBlock returns a fenced block, with blank lines around examples of several lines.
func codeBlock(examples []string) string {
	fence := "```"
	var b strings.Builder
	several := false
	for i, e := range examples {
		was := several
		if several = strings.Contains(e, "\n"); i > 0 && (several || was) {
			b.WriteString("\n")
		}
		for line := range strings.SplitSeq(strings.TrimRight(e, "\n"), "\n") {
			b.WriteString(strings.TrimRight(text.Visible(strings.TrimRight(line, "\r")), " \t") + "\n")
		}
	}
	for strings.Contains(b.String(), fence) {
		fence += "`"
	}
	return fence + "\n" + b.String() + fence + "\n"
}

// prose escapes what has a meaning in Markdown.
func prose(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "|", `\|`).Replace(strings.Join(strings.Fields(s), " "))
}

// figureLines sums the figures of each class that a rule is about over the sources. A
// class without figures is not claimed.
func figureLines(t *testing.T, rules map[string][]scanner.Pattern) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "internal", "judge", "figures.txt"))
	if err != nil {
		t.Fatal(err)
	}
	const (
		bad = iota
		found
		evident
		evidentFound
		good
		alarms
		columns
	)
	type figures struct {
		languages map[string]bool
		sum       [columns]int
	}
	byClass := make(map[string]*figures)
	at := make(map[string]int) // the columns by their title, from the left
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(at) == 0 {
			for i, title := range f {
				if _, ok := at[title]; !ok || title == "found" { // the first recall, the second found
					if ok {
						title = "evidentFound"
					}
					at[title] = i
				}
			}
			continue
		}
		class := byClass[f[at["class"]]]
		if class == nil {
			class = &figures{languages: make(map[string]bool)}
			byClass[f[at["class"]]] = class
		}
		class.languages[f[at["language"]]] = true
		for i, title := range [columns]string{"bad", "found", "evident", "evidentFound", "good", "alarms"} {
			n, err := strconv.Atoi(f[at[title]])
			if err != nil {
				t.Fatalf("figures.txt: %q: %v", line, err)
			}
			class.sum[i] += n
		}
	}
	number := make(map[string]int) // of the rules
	for _, list := range rules {
		for i := range list {
			number[weakness.Class(list[i].CWE)]++
		}
	}
	share := func(n, of int) string {
		if of == 0 {
			return "–"
		}
		return fmt.Sprintf("%.0f %% of %d", 100*float64(n)/float64(of), of)
	}
	var lines strings.Builder
	for _, class := range slices.SortedFunc(maps.Keys(byClass), func(a, b string) int {
		return cmp.Or(cmp.Compare(byClass[b].sum[bad], byClass[a].sum[bad]), cmp.Compare(a, b))
	}) {
		f := byClass[class]
		if number[class] == 0 {
			continue
		}
		fmt.Fprintf(&lines, "| %s | %d | %s | %s | %s | %s |\n", class, number[class], strings.Join(slices.Sorted(maps.Keys(f.languages)), ", "),
			share(f.sum[found], f.sum[bad]), share(f.sum[evidentFound], f.sum[evident]), share(f.sum[alarms], f.sum[good]))
	}
	return lines.String()
}
