package fix

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
)

// tree is a set of files for tests.
type tree map[string]string

func (t tree) read(path string) ([]byte, error) {
	if s, ok := t[path]; ok {
		return []byte(s), nil
	}
	return nil, errors.New("no such file")
}

func (t tree) paths() []string {
	var paths []string
	for p := range t {
		paths = append(paths, p)
	}
	return paths
}

// suggest returns one suggestion for each diff, all about a file.
func suggest(path string, diffs ...string) []Suggestion {
	var all []Suggestion
	for i, d := range diffs {
		all = append(all, Suggestion{
			Skill: "s", Finding: fmt.Sprintf("f%d", i), Path: path, Line: 1,
			Fix: scanner.SuggestedFix{Description: "d", Diff: d},
		})
	}
	return all
}

func redacted(text string) bool { return strings.Contains(text, "[REDACTED]") }

func (t tree) plan(suggestions []Suggestion) *Plan {
	return NewPlan(Input{Suggestions: suggestions, Files: t.paths(), Read: t.read, Redacted: redacted})
}

func TestPlanDiffs(t *testing.T) {
	seen := make(map[string]bool)
	for _, tt := range diffCases {
		if seen[tt.name] {
			t.Fatalf("two cases are called %q", tt.name)
		}
		seen[tt.name] = true
		t.Run(tt.name, func(t *testing.T) {
			files := tree{"main.go": tt.contents(), "other.go": "x\n"}
			p := files.plan(suggest("main.go", tt.diff))
			o := p.Outcomes[0]
			if tt.reason != "" {
				if o.Status != StatusRefused || o.Reason != tt.reason || o.Message == "" || len(p.Changes) != 0 {
					t.Errorf("outcome is %s %s %q with %d changes, want a refusal, %s", o.Status, o.Reason, o.Message, len(p.Changes), tt.reason)
				}
				return
			}
			if o.Status != StatusPlanned || len(p.Changes) != 1 {
				t.Fatalf("outcome is %s %s %q, want %s", o.Status, o.Reason, o.Message, StatusPlanned)
			}
			if d := cmp.Diff(tt.result(), string(p.Changes[0].After)); d != "" {
				t.Errorf("wrong contents (-want +got):\n%s", d)
			}
			if got := string(p.Changes[0].Before); got != tt.contents() {
				t.Errorf("Before is %q, want the file as it was", got)
			}
		})
	}
	if len(diffCases) < 60 {
		t.Errorf("only %d cases", len(diffCases))
	}
}

func (c diffCase) contents() string {
	if c.file == "" {
		return numbered
	}
	return c.file
}

func (c diffCase) result() string {
	if c.want == "\x00" {
		return ""
	}
	return c.want
}
