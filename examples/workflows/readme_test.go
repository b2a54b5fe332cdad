package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// followREADME sets up reviews by the commands of the README, typed into a shell.
func followREADME(r *runner) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		r.t.Fatal(err)
	}
	block := regexp.MustCompile("(?ms)^```sh\n(scanner init .*?)^```$").FindSubmatch(readme)
	if block == nil {
		r.t.Fatal("README.md has no block that begins with scanner init")
	}
	bin := r.t.TempDir()
	stub(r.t, filepath.Join(bin, "gh"), `[ "$*" = "secret set SCANNER_PROVIDER_API_KEY" ]`)
	env := append(r.gitEnv(), "PATH="+strings.Join([]string{bin, r.build, os.Getenv("PATH")}, ":"))
	if out, code := runScript(r.t, r.workspace, string(block[1]), env); code != 0 {
		r.t.Fatalf("exit code %d:\n%s", code, out)
	}
}

// testREADME runs the workflow that was committed.
func testREADME(t *testing.T, r *runner) {
	w, err := parse[workflow]([]byte(r.git("show", r.base+":.github/workflows/scanner.yml")))
	if err != nil || w.On["pull_request"] == nil {
		t.Fatalf("the workflow runs on %v, want pull requests: %v", w.On, err)
	}
	api, asked := newModel(t, `{"findings":[{"severity":"medium","title":"Too many parts","description":"One is enough.","location":{"startLine":3,"quote":"import \"strings\""}}]}`)
	r.env = append(r.env, "SCANNER_PROVIDER_BASE_URL="+api, "SCANNER_MODEL=gpt-5-mini") // in place of OpenAI
	inputs := w.Jobs["review"].find(t, self).With
	for name, value := range inputs {
		inputs[name] = strings.ReplaceAll(value, "${{ secrets.SCANNER_PROVIDER_API_KEY }}", "some-key")
	}

	out, code, _ := r.run(r.workspace, "pull_request", r.pull(r.host.Repo), inputs)
	if code != 1 || asked.Load() != 1 || !strings.Contains(out, "a.go:5: high:") {
		t.Errorf("exit code %d, %d requests, want 1, 1 and a finding:\n%s", code, asked.Load(), out)
	}
	dump := r.host.Dump()
	for _, want := range []string{
		`on "a.go" line 3`, "**Too many parts**", `on "a.go" line 5`, `check run "scanner/code-review"`, ": completed failure",
	} {
		if !strings.Contains(dump, want) {
			t.Errorf("the host has no %s", want)
		}
	}
	if t.Failed() {
		t.Log(dump)
	}
}
