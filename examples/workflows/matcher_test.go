package workflows

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProblemMatcher sees that the matcher finds the findings in what the command
// prints, and nothing else. A path with a colon and a space is not found: in a title, that
// would be taken for a place.
func TestProblemMatcher(t *testing.T) {
	r := &runner{t: t, workspace: t.TempDir()}
	build := buildCommand(t)
	r.git("init", "-q")
	write := func(name, text string) {
		file := filepath.Join(r.workspace, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const title = "Bad: b.go:7: high: of c.go:8: (low)"
	severities := [][2]string{{"high", "error"}, {"medium", "warning"}, {"low", "notice"}}
	var rules string
	for _, s := range severities {
		rules += fmt.Sprintf("[[patterns]]\nid = %[1]q\nconfidence = \"high\"\nregex = 'bad-%[1]s'\nseverity = %[1]q\ntitle = '%[2]s'\n"+
			"description = 'Lines such as x.go:5: high: y'\nmatch = ['bad-%[1]s']\nnoMatch = ['good']\n", s[0], title)
	}
	write(".scanner/skills/own/SKILL.md", "---\nname: own\ndescription: d\n---\nLook.\n")
	write(".scanner/skills/own/patterns.toml", rules)
	var want []string
	for path, shown := range map[string]string{
		"a.txt": "a.txt", "dir with space/b c.txt": "dir with space/b c.txt", "ü/日本.txt": "ü/日本.txt", "-n.txt": "-n.txt",
		"a:3:b.txt": "a:3:b.txt", "[x] y.txt": "[x] y.txt", `q"uote.txt`: `"q\"uote.txt"`, "tab\t.txt": `"tab\t.txt"`,
	} {
		write(path, "good\nbad-high\nbad-medium\nbad-low\n")
		for i, s := range severities {
			want = append(want, fmt.Sprintf("%s %s %d %s (own)", s[1], shown, i+2, title))
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(build, "scanner"), "scan", "--offline", "--skill=own")
	cmd.Dir, cmd.Env = r.workspace, r.gitEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	data, err := os.ReadFile("problem-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		ProblemMatcher []struct {
			Owner, Severity string
			Pattern         []struct {
				Regexp              string
				File, Line, Message int
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		for _, m := range file.ProblemMatcher {
			p := m.Pattern[0]
			if v := regexp.MustCompile(p.Regexp).FindStringSubmatch(strings.TrimSuffix(line, "\n")); v != nil {
				got = append(got, fmt.Sprintf("%s %s %s %s", m.Severity, v[p.File], v[p.Line], v[p.Message]))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("problems (-got +want):\n%s", diff)
	}
}
