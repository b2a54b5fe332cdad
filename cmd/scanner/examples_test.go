package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/provider/providertest"
)

// examples are those whose exit code is not 0, or whose output is checked.
var examples = map[string]struct {
	code int
	want string // a regular expression for the output
}{
	"scanner scan": {0, `src/div\.go:4: high: Division by zero`},
	"scanner ignore bb3605ec2a69 --reason='only for tests' --until=2099-01-31": {0, `added to`},
	"scanner explain src/div.go:4":                                             {0, `(?s)skill code-review.*4\+\|\treturn a / b`},
	"scanner explain --finding=bb3605ec2a69":                                   {0, `(?s)outcome: reported.*line: found by the rule`},
	"scanner scan --staged --offline --fail-on=high":                           {1, `src/run\.py:6: high: `},
	"scanner scan --all --skill=security-review --fail-on=high":                {1, `src/run\.py:5: high: `},
	"git diff v1 v2 | scanner scan --diff-file=-":                              {0, `Found 1 changed files`},
	"scanner scan --output=- | jq '.findings[]? | {severity, title}'":          {0, `"severity": "high",\s*"title": "Division by zero"`},
	"scanner scan --fix --fix-check='make test'":                               {0, `Fixes: 1 applied`},
	"scanner scan --all --plan":                                                {0, `test-model`},
	"scanner skills test --live --model=test-model":                            {0, `test-model, \d{4}-\d\d-\d\d: precision 100% \(1 of 1\)`},
	"scanner skills test":                                                      {1, `1 not run: .*\s+No fixture was run`},
	"scanner skills test ./skills/sql":                                         {1, `1 not run`},
	"scanner report --fail-on=high last.jsonl":                                 {1, `Division by zero`},
	"scanner skills add --name=http-timeouts acme/skills":                      {2, `--yes writes without a question`},
	"scanner skills update":                                                    {2, `scanner skills add adds skills`},
	"scanner skills update http-timeouts":                                      {2, `scanner skills add adds skills`},
}

var exampleLine = regexp.MustCompile(`(?m)^   (.*?)(?: +# .*)?$`)

// Each example of each help is run as it is typed in a shell, in a repository in which it
// has something to do.
func TestHelpExamples(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	server := providertest.NewServer(providertest.Script{Rules: []providertest.Rule{
		{Match: "return a / b", Findings: json.RawMessage(`[{"severity": "high", "confidence": "high", "title": "Division by zero",
			"description": "b may be 0", "location": {"startLine": 4, "quote": "return a / b"},
			"suggestedFix": {"description": "d", "replace": [{"old": "\treturn a / b", "new": "\treturn div(a, b)"}]}}]`)},
		{Findings: json.RawMessage(`[]`)},
	}})
	t.Cleanup(server.Close)
	template := exampleRepo(t, server)
	seen := 0
	for name, text := range helps(t) {
		_, section, _ := strings.Cut(text, "\nEXAMPLES:\n")
		section, _, _ = strings.Cut(section, "\n\n")
		for _, m := range exampleLine.FindAllStringSubmatch(section, -1) {
			t.Run(strings.TrimSpace("scanner "+name)+": "+m[1], func(t *testing.T) {
				t.Parallel()
				for _, tool := range []string{"jq", "make"} {
					if _, err := exec.LookPath(tool); err != nil && regexp.MustCompile(`\b`+tool+`\b`).MatchString(m[1]) {
						t.Skip(err)
					}
				}
				want := examples[m[1]]
				out, err := template.shell(t, m[0])
				code := 0
				if exit, ok := errors.AsType[*exec.ExitError](err); ok {
					code = exit.ExitCode()
				} else if err != nil {
					t.Fatal(err)
				}
				if code != want.code || !regexp.MustCompile(want.want).MatchString(out) {
					t.Errorf("exit code %d, want %d, and output that matches %q:\n%s", code, want.code, want.want, out)
				}
			})
			if _, ok := examples[m[1]]; ok {
				seen++
			}
		}
	}
	if seen < len(examples) {
		t.Errorf("%d examples are not in the help any more", len(examples)-seen)
	}
}

// foreignSkills makes a repository of skills next to the current directory, which git takes
// for acme/skills of two hosts.
const foreignSkills = `
mkdir -p "$HOME" ../acme/skills/http-timeouts ../acme/skills/retries
for host in github.com example.com; do git config --global --add url."$(cd .. && pwd)/".insteadOf https://$host/; done
printf 'Look at timeouts.\n' >../acme/skills/http-timeouts/SKILL.md
printf 'Look at retries.\n' >../acme/skills/retries/SKILL.md
(cd ../acme/skills && git init -q -b main && git add . && git commit -qm one && git tag v2)
`

// exampleWorld is the repository that the examples of the help are about.
type exampleWorld struct {
	dir string // with repo, origin.git and home
	env []string
}

func exampleRepo(t *testing.T, server *providertest.Server) *exampleWorld {
	w := &exampleWorld{t.TempDir(), []string{
		"PATH=" + os.Getenv("PATH"), "TERM=dumb", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"SCANNER_PROVIDER_BASE_URL=" + server.URL, "SCANNER_PROVIDER_API_KEY=sk-secret", "SCANNER_MODEL=test-model",
	}}
	if err := os.MkdirAll(filepath.Join(w.dir, "repo"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := w.run(t, w.dir, `
git init -q -b main . && mkdir -p src skills/sql/tests/div .scanner/skills
printf 'Look at the queries.\n' >skills/sql/SKILL.md
printf 'return a / b // want "zero"\nnext\n\n\n' >skills/sql/tests/div/a.go
cp -r skills/sql .scanner/skills
printf 'package a\n' >src/math.go
printf 'test:\n\ttrue\n' >Makefile
printf '.scanner/logs\n*.jsonl\n' >.gitignore
git add . && git commit -qm one && git tag v1
printf 'package a\n' >src/a.go
git add . && git commit -qm two && git tag v2
git init -q --bare ../origin.git && git remote add origin ../origin.git && git push -q origin main
git switch -qc topic
printf 'package a\n\nvar topic = 1\n' >src/topic.go
git add . && git commit -qm three
printf 'package a\n\nfunc f(a, b int) int {\n\treturn a / b\n}\n' >src/div.go
printf 'import os\n\n\ndef run(name):\n    os.system("ls " + name)\n    if name == "a" or "b":\n        return 1\n' >src/run.py
git add .
scanner scan --all --shard=1/2 --output=1.jsonl
scanner scan --all --shard=2/2 --output=2.jsonl
scanner scan -v --output=last.jsonl
`+foreignSkills)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return w
}

// shell runs a line in a copy of the repository.
func (w *exampleWorld) shell(t *testing.T, line string) (string, error) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	return w.run(t, dir, line)
}

func (w *exampleWorld) run(t *testing.T, dir, line string) (string, error) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = filepath.Join(dir, "repo"), append([]string{"HOME=" + filepath.Join(dir, "home")}, w.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
