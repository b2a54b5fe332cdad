package workflows

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/diff/gitdiff"
	"github.com/codescan-dev/scanner/internal/githubtest"
)

// runner plays the part of a runner of workflows: it runs the scripts of the
// action with the real go, in a checkout as actions/checkout leaves it.
type runner struct {
	t          *testing.T
	a          *action
	host       *githubtest.Host
	build      string // where the first step left the command
	workspace  string
	base, head string // commits
	env        []string
}

// buildCommand runs the first step, and returns where it left the command.
func buildCommand(t *testing.T) string {
	t.Helper()
	bash(t)
	if testing.Short() {
		t.Skip("builds the command")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	output := filepath.Join(temp, "output")
	out, code := runScript(t, t.TempDir(), readAction(t).step(t, "build").Run, append(os.Environ(),
		"RUNNER_TEMP="+temp, "GITHUB_ACTION_PATH="+root, "GITHUB_OUTPUT="+output))
	if code != 0 {
		t.Fatalf("build: exit code %d\n%s", code, out)
	}
	return outputsOf(t, output)["dir"]
}

// newRunner makes a pull request with a finding, in a repository that prepare, which can
// be nil, sets up.
func newRunner(t *testing.T, build string, prepare func(*runner)) *runner {
	t.Helper()
	r := &runner{t: t, a: readAction(t), build: build, workspace: t.TempDir()}
	const before, after = "package a\n", "package a\n\nimport \"strings\"\n\nfunc f(s string) string { return strings.Replace(s, \"a\", \"b\", 0) }\n"
	r.git("init", "-q", "-b", "main")
	if prepare != nil {
		prepare(r)
	}
	r.commit("a.go", before, "base")
	r.git("checkout", "-q", "-b", "topic")
	r.commit("a.go", after, "change")
	r.head = r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "main")
	r.commit("other.go", before, "meanwhile")
	r.base = r.git("rev-parse", "HEAD")
	// What is checked out is neither of both, but what they are together.
	r.git("checkout", "-q", "--detach")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
	r.git("branch", "-q", "-D", "topic")

	r.host = githubtest.New(r.head, r.files())
	server := httptest.NewServer(r.host)
	t.Cleanup(server.Close)
	r.env = []string{
		"CI=true", "GITHUB_ACTIONS=true", "GITHUB_REPOSITORY=" + r.host.Repo, "GITHUB_SHA=" + r.git("rev-parse", "HEAD"),
		"GITHUB_API_URL=" + server.URL, "GITHUB_GRAPHQL_URL=" + server.URL + "/graphql",
		"GITHUB_SERVER_URL=" + githubtest.WebURL, "GITHUB_RUN_ID=99", "NO_PROXY=127.0.0.1",
	}
	return r
}

// configured returns what commits a configuration.
func configured(config string) func(*runner) {
	return func(r *runner) { r.commit("scanner.toml", config, "config") }
}

// gitEnv is what git runs with. It has nothing of the environment: where git runs
// the tests, in a hook, GIT_DIR is the repository of this file.
func (r *runner) gitEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.workspace, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@host.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@host.test"}
}

func (r *runner) git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = r.workspace
	cmd.Env = r.gitEnv()
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (r *runner) commit(name, text, message string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.workspace, name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.git("add", name)
	r.git("commit", "-q", "-m", message)
}

// files returns the changes of the pull request, as the host knows them.
func (r *runner) files() []diff.File {
	r.t.Helper()
	repo, err := gitdiff.Open(r.t.Context(), r.workspace, gitdiff.Options{Env: r.gitEnv()})
	if err != nil {
		r.t.Fatal(err)
	}
	defer repo.Close()
	files, err := repo.Changes(r.t.Context(), gitdiff.Source{Base: r.base, Head: r.head})
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

// run runs the second step in a folder, for an event.
func (r *runner) run(dir, event string, payload map[string]any, inputs map[string]string) (out string, code int, outputs map[string]string) {
	r.t.Helper()
	temp := r.t.TempDir()
	data, err := json.Marshal(payload)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(temp, "event.json"), data, 0o644); err != nil {
		r.t.Fatal(err)
	}
	inputs = maps.Clone(inputs)
	inputs["github-token"] = "token"
	env := append(variables(r.t, r.a, inputs, r.build), r.env...)
	out, code = runScript(r.t, dir, r.a.step(r.t, "run").Run, append(env, "GITHUB_EVENT_NAME="+event,
		"GITHUB_EVENT_PATH="+filepath.Join(temp, "event.json"), "GITHUB_OUTPUT="+filepath.Join(temp, "output"),
		"GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary.md")))
	for _, problem := range r.host.Problems {
		r.t.Error(problem)
	}
	return out, code, outputsOf(r.t, filepath.Join(temp, "output"))
}

// pull returns the payload of a pull request that comes from a repository.
func (r *runner) pull(from string) map[string]any {
	repo := func(name string) map[string]any { return map[string]any{"full_name": name} }
	return map[string]any{
		"action": "opened", "number": r.host.Number, "repository": repo(r.host.Repo),
		"pull_request": map[string]any{
			"number": r.host.Number, "title": "Change", "user": map[string]any{"login": "alice"},
			"head": map[string]any{"sha": r.head, "ref": "topic", "repo": repo(from)},
			"base": map[string]any{"sha": r.base, "ref": "main", "repo": repo(r.host.Repo)},
		},
	}
}

// outputsOf reads the file to which a step writes what later ones can use.
func outputsOf(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	outputs := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			t.Fatalf("line %q of the outputs", line)
		}
		outputs[name] = value
	}
	return outputs
}

// TestEndToEnd runs the action, in the ways of the example workflows.
func TestEndToEnd(t *testing.T) {
	build := buildCommand(t)
	t.Run("review", func(t *testing.T) { testReview(t, newRunner(t, build, nil)) })
	t.Run("all inputs", func(t *testing.T) { testInputs(t, newRunner(t, build, configured(twoSkills))) })
	t.Run("scheduled", func(t *testing.T) { testScheduled(t, newRunner(t, build, configured(scheduledSkill))) })
	t.Run("README", func(t *testing.T) { testREADME(t, newRunner(t, build, followREADME)) })
	t.Run("fork", func(t *testing.T) { testFork(t, newRunner(t, build, nil)) })
}

// testReview is the way of review.yml.
func testReview(t *testing.T, r *runner) {
	inputs := map[string]string{"offline": "true", "fail-on": "high"}
	out, code, outputs := r.run(r.workspace, "pull_request", r.pull(r.host.Repo), inputs)
	if code != 1 || !strings.Contains(out, "a.go:5: high:") {
		t.Errorf("exit code %d, want 1 and a finding:\n%s", code, out)
	}
	for name := range r.a.Outputs {
		if outputs[name] == "" {
			t.Errorf("the output %s is empty: %q", name, outputs)
		}
	}
	if got, want := outputs["findings-count"]+" "+outputs["high-count"], "1 1"; got != want {
		t.Errorf("findings and high ones: got %s, want %s", got, want)
	}
	if _, err := os.Stat(outputs["report-path"]); err != nil {
		t.Error(err)
	}
	if len(r.host.Comments) != 1 || r.host.Comments[0].Path != "a.go" || r.host.Comments[0].Line != 5 || len(r.host.Checks) != 1 {
		t.Errorf("on the host:\n%s", r.host.Dump())
	}

	writes := len(r.host.Writes)
	if out, code, _ := r.run(r.workspace, "pull_request", r.pull(r.host.Repo), inputs); code != 1 || len(r.host.Writes) != writes {
		t.Errorf("second time: exit code %d, writes %q\n%s", code, r.host.Writes[writes:], out)
	}
}

const twoSkills = `version = 1
[[skills]]
name = "code-review"
triggers = [{ type = "pull_request" }]
[[skills]]
name = "security-review"
triggers = [{ type = "pull_request" }]
`

// newModel starts an API with a model that gives the same answer to all requests with the
// key some-key. It returns its address, and how many requests it had.
func newModel(t *testing.T, answer string) (baseURL string, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked.Add(1)
		var question struct{ Model string }
		if err := json.NewDecoder(req.Body).Decode(&question); err != nil || question.Model != "gpt-5-mini" || req.Header.Get("Authorization") != "Bearer some-key" {
			t.Errorf("asked for the model %q: %v, %q", question.Model, err, req.Header.Get("Authorization"))
		}
		message := map[string]any{"role": "assistant", "content": answer}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}},
			"usage": map[string]int{"prompt_tokens": 1000, "completion_tokens": 100}})
	}))
	t.Cleanup(api.Close)
	return api.URL + "/v1", asked
}

// testInputs sees that the command understands whatever the inputs become.
func testInputs(t *testing.T, r *runner) {
	api, asked := newModel(t, `{"findings":[]}`)
	inputs := map[string]string{
		"provider": "openai", "api-key": "some-key", "base-url": api, "model": "gpt-5-mini", "verify": "true", "concurrency": "2", "no-cache": "true",
		"max-cost": "0.50", "max-tokens": "100000", "timeout": "1h",
		"skills": "security-review, code-review", "report-on": "low", "min-confidence": "low", "max-findings": "9", "fail-on": "off",
		"output": "report.jsonl", "trust-head": "true", "dry-run": "true", "verbosity": "debug",
	}
	for name := range r.a.Inputs {
		switch name {
		case "offline", "agent", "log", "shard", "merge", "baseline", "working-directory", "github-token": // elsewhere
		default:
			if inputs[name] == "" {
				t.Errorf("the input %s is not tried", name)
			}
		}
	}
	out, code, outputs := r.run(r.workspace, "pull_request", r.pull(r.host.Repo), inputs)
	if code != 0 || asked.Load() == 0 || len(r.host.Writes) > 0 || !strings.Contains(out, "[debug]") {
		t.Errorf("exit code %d, %d questions, writes %q: want 0, some and none\n%s", code, asked.Load(), r.host.Writes, out)
	}
	if want := filepath.Join(r.workspace, "report.jsonl"); outputs["report-path"] != want {
		t.Errorf("report: got %q, want %q", outputs["report-path"], want)
	}
	for _, skill := range []string{`"security-review"`, `"code-review"`} {
		if data, err := os.ReadFile(outputs["report-path"]); err != nil || !strings.Contains(string(data), skill) {
			t.Errorf("the report has no skill %s: %v\n%s", skill, err, out)
		}
	}

	out, code, _ = r.run(r.workspace, "pull_request", r.pull(r.host.Repo), map[string]string{"agent": "no-such-agent"})
	if code == 0 || !strings.Contains(out, `"no-such-agent"`) {
		t.Errorf("an agent that there is not: exit code %d\n%s", code, out)
	}
}

const scheduledSkill = `version = 1
[[skills]]
name = "code-review"
paths = ["**"]
triggers = [{ type = "schedule" }]
`

// testScheduled is the way of scheduled.yml.
func testScheduled(t *testing.T, r *runner) {
	r.head = r.git("rev-parse", "HEAD")
	r.host.Do(func() { r.host.Push(r.head, nil) })
	shards, report := t.TempDir(), filepath.Join(t.TempDir(), "scanner.jsonl")
	event := map[string]any{"schedule": "17 4 * * 1"}
	for _, shard := range []string{"1", "2", "3"} {
		inputs := map[string]string{"offline": "true", "fail-on": "high", "shard": shard + "/3", "output": filepath.Join(shards, shard+".jsonl")}
		if out, code, outputs := r.run(r.workspace, "schedule", event, inputs); code != 0 || outputs["report-path"] == "" {
			t.Errorf("shard %s: exit code %d, outputs %q\n%s", shard, code, outputs, out)
		}
	}
	if len(r.host.Writes) > 0 {
		t.Errorf("the shards wrote to the host: %q", r.host.Writes)
	}
	if out, code, _ := r.run(t.TempDir(), "schedule", event, map[string]string{"merge": shards, "output": report}); code != 1 || !strings.Contains(out, "a.go:5: high:") {
		t.Errorf("merge: exit code %d, want 1 and a finding\n%s", code, out)
	}
	if out, code, outputs := r.run(t.TempDir(), "schedule", event, map[string]string{"log": report}); code != 0 || outputs["high-count"] != "1" {
		t.Errorf("post: exit code %d, outputs %q\n%s", code, outputs, out)
	}
	if len(r.host.Checks) != 1 || r.host.Checks[0].Conclusion != "failure" || len(r.host.Comments) > 0 {
		t.Errorf("on the host:\n%s", r.host.Dump())
	}
}

// testFork is the way of fork-review.yml and fork-post.yml.
func testFork(t *testing.T, r *runner) {
	const fork = "mallory/r"
	r.host.Pulls = []githubtest.Pull{{Number: r.host.Number, Head: r.head, HeadRef: "topic", HeadRepo: fork}}
	report := filepath.Join(t.TempDir(), "scanner.jsonl")
	r.host.ReadOnly()
	out, code, outputs := r.run(r.workspace, "pull_request", r.pull(fork), map[string]string{"offline": "true", "output": report, "fail-on": "high"})
	if code != 1 || !strings.Contains(out, "a.go:5: high:") || !strings.Contains(out, "::error ") {
		t.Errorf("exit code %d, want 1, a finding and its annotation:\n%s", code, out)
	}
	if outputs["report-path"] == "" {
		t.Errorf("outputs %q: want a report", outputs)
	}
	if len(r.host.Comments) > 0 || len(r.host.Checks) > 0 {
		t.Errorf("on the host, by a token that may only read:\n%s", r.host.Dump())
	}

	r.host.Deny = nil
	event := map[string]any{
		"action": "completed", "repository": map[string]any{"full_name": r.host.Repo},
		"workflow_run": map[string]any{
			"event": "pull_request", "head_sha": r.head, "head_branch": "topic",
			"head_repository": map[string]any{"full_name": fork}, "pull_requests": []any{},
		},
	}
	// There is no checkout.
	if out, code, _ := r.run(t.TempDir(), "workflow_run", event, map[string]string{"log": report}); code != 0 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if len(r.host.Comments) != 1 || !strings.Contains(r.host.Comments[0].Body, "Unverified") || len(r.host.Checks) != 1 || r.host.Checks[0].Conclusion != "neutral" {
		t.Errorf("on the host:\n%s", r.host.Dump())
	}
}
