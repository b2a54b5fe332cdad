// The tests are about the action of this repository and the workflows that show how it
// is used. What they mean to the host is judged by actionlint, in .ci/run; this is about
// what is safe.
package workflows

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// self is how a workflow refers to the action of this repository.
const self = "codescan-dev/scanner"

// action is what action.yml says.
type action struct {
	Inputs  map[string]input  `yaml:"inputs"`
	Outputs map[string]output `yaml:"outputs"`
	Runs    struct {
		Using string `yaml:"using"`
		Steps []step `yaml:"steps"`
	} `yaml:"runs"`
}

type input struct {
	Description string `yaml:"description"`
	Required    bool   `yaml:"required"`
	Default     string `yaml:"default"`
}

type output struct {
	Description string `yaml:"description"`
	Value       string `yaml:"value"`
}

// workflow is what a workflow says.
type workflow struct {
	Name        string            `yaml:"name"`
	On          map[string]any    `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Concurrency struct {
		Group string `yaml:"group"`
	} `yaml:"concurrency"`
	Jobs map[string]job `yaml:"jobs"`
}

type job struct {
	If          string            `yaml:"if"`
	Timeout     int               `yaml:"timeout-minutes"`
	Permissions map[string]string `yaml:"permissions"`
	Steps       []step            `yaml:"steps"`
}

type step struct {
	ID         string            `yaml:"id"`
	Uses       yaml.Node         `yaml:"uses"` // with the comment behind it
	With       map[string]string `yaml:"with"`
	Env        map[string]string `yaml:"env"`
	Shell      string            `yaml:"shell"`
	Run        string            `yaml:"run"`
	WorkingDir string            `yaml:"working-directory"`
}

// step returns the step of the action with an id.
func (a *action) step(t *testing.T, id string) step {
	t.Helper()
	i := slices.IndexFunc(a.Runs.Steps, func(s step) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("action.yml has no step %q", id)
	}
	return a.Runs.Steps[i]
}

func readAction(t *testing.T) *action {
	t.Helper()
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	a, err := parse[action](data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func parse[T any](data []byte) (*T, error) {
	v := new(T)
	if err := yaml.Unmarshal(data, v); err != nil {
		return nil, err
	}
	return v, nil
}

// ownVersion is the version of the command, which a release is tagged with.
func ownVersion(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../cmd/scanner/version.go")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^const version = "(.+)"$`).FindSubmatch(data)
	if m == nil {
		t.Fatal("cmd/scanner/version.go names no version")
	}
	return "v" + string(m[1])
}

var (
	pinned     = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	tagged     = regexp.MustCompile(`^# v\d+\.\d+\.\d+$`)
	expression = regexp.MustCompile(`\$\{\{(.*?)\}\}`)
	reference  = regexp.MustCompile(`\b(?:github|inputs|steps|secrets|runner|env|vars|job)(?:\.[\w-]+)+`)
)

// writable are the permissions to write that scanner has a use for.
var writable = []string{"checks", "pull-requests"}

// checkWorkflow returns what is wrong with a workflow that uses the action.
func checkWorkflow(w *workflow, a *action, version string) []string {
	var wrong []string
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if w.Permissions == nil || len(w.Permissions) > 0 {
		bad("permissions of the workflow: want {}, so that every job says what it needs")
	}
	if !strings.Contains(w.Concurrency.Group, "github.workflow") {
		bad("concurrency: the group has to name the workflow")
	}
	_, privileged := w.On["workflow_run"]
	if _, ok := w.On["pull_request_target"]; ok {
		privileged = true
	}
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		j := w.Jobs[name]
		if j.Timeout == 0 {
			bad("%s: no timeout-minutes", name)
		}
		if j.Permissions == nil {
			bad("%s: no permissions", name)
		}
		for scope, access := range j.Permissions {
			if access != "read" && !slices.Contains(writable, scope) {
				bad("%s: permission %s: %s is not needed", name, scope, access)
			}
		}
		for _, s := range j.Steps {
			wrong = append(wrong, checkStep(name, s, a, version, privileged)...)
		}
	}
	slices.Sort(wrong)
	return wrong
}

// checkStep returns what is wrong with a step of a workflow, which is privileged
// when it has secrets and a token that can write while it works for a fork.
func checkStep(job string, s step, a *action, version string, privileged bool) []string {
	var wrong []string
	bad := func(format string, args ...any) { wrong = append(wrong, job+": "+fmt.Sprintf(format, args...)) }
	if strings.Contains(s.Run, "${{") {
		bad("an expression inside of a script: %q", s.Run)
	}
	for _, values := range []map[string]string{s.With, s.Env} {
		for _, value := range values {
			for _, ref := range references(value) {
				if untrusted(ref) {
					bad("%s is written by anyone", ref)
				}
			}
		}
	}
	uses := s.Uses.Value
	repo, ref, _ := strings.Cut(uses, "@")
	switch {
	case uses == "":
	case repo == self:
		if ref != version && !pinned.MatchString(uses) {
			bad("%s: want %s or a full SHA", uses, version)
		}
		for name := range s.With {
			if _, ok := a.Inputs[name]; !ok {
				bad("%s has no input %q", self, name)
			}
		}
	case !strings.HasPrefix(repo, "actions/"):
		bad("%s: from a third party", uses)
	case !pinned.MatchString(uses) || !tagged.MatchString(s.Uses.LineComment):
		bad("%s: want a full SHA, and the version as a comment", uses)
	}
	if repo == "actions/checkout" {
		if privileged {
			bad("a checkout, in a workflow that may work for a fork")
		}
		if s.With["persist-credentials"] != "false" || s.With["fetch-depth"] != "0" {
			bad("checkout: want persist-credentials: false and fetch-depth: 0")
		}
	}
	if repo == "actions/download-artifact" && !strings.HasPrefix(s.With["path"], "${{ runner.temp }}/") {
		bad("an artifact is unpacked at %q, want a folder of runner.temp", s.With["path"])
	}
	return wrong
}

// references returns the contexts that the expressions of a value refer to.
func references(value string) []string {
	var refs []string
	for _, m := range expression.FindAllStringSubmatch(value, -1) {
		refs = append(refs, reference.FindAllString(m[1], -1)...)
	}
	return refs
}

// untrusted reports whether a reference is to a text of the event: all of them
// but numbers and hashes.
func untrusted(ref string) bool {
	rest, ok := strings.CutPrefix(ref, "github.event.")
	return ref == "github.head_ref" || ok && !strings.HasSuffix(rest, ".id") && !strings.HasSuffix(rest, ".number") && !strings.HasSuffix(rest, "sha")
}

func TestWorkflows(t *testing.T) {
	a, version := readAction(t), ownVersion(t)
	// What each job may do, and no more.
	permissions := map[string]map[string]map[string]string{
		"review":      {"review": {"contents": "read", "pull-requests": "write", "checks": "write"}},
		"fork-review": {"review": {"contents": "read"}},
		"fork-post":   {"post": {"actions": "read", "pull-requests": "write", "checks": "write"}},
		"scheduled":   {"scan": {"contents": "read"}, "report": {"checks": "write"}},
	}
	files, err := filepath.Glob("[a-z]*.yml")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(files), len(permissions); got != want {
		t.Errorf("got %d workflows, want %d", got, want)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w, err := parse[workflow](data)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range checkWorkflow(w, a, version) {
				t.Error(problem)
			}
			if got, want := w.Name, strings.TrimSuffix(file, ".yml"); got != want {
				t.Errorf("name: got %q, want %q", got, want)
			}
			got := make(map[string]map[string]string)
			for name, j := range w.Jobs {
				got[name] = j.Permissions
			}
			if diff := cmp.Diff(got, permissions[w.Name]); diff != "" {
				t.Errorf("permissions (-got +want):\n%s", diff)
			}
			if _, ok := w.On["workflow_run"]; !ok {
				return
			}
			for name, j := range w.Jobs {
				for _, want := range []string{"workflow_run.event == 'pull_request'", "head_repository.full_name != github.repository"} {
					if !strings.Contains(j.If, want) {
						t.Errorf("%s: the condition lacks %q", name, want)
					}
				}
			}
		})
	}
}

// TestOwnWorkflows sees that the workflows of this repository run nothing but its own code
// and actions of the host, and that only the release can write.
func TestOwnWorkflows(t *testing.T) {
	write := map[string]string{"contents": "write", "packages": "write", "id-token": "write", "attestations": "write"}
	for name, permissions := range map[string][2]map[string]string{
		"ci":      {{"contents": "read"}, nil},
		"release": {{}, write},
	} {
		w := readWorkflow(t, "../../.github/workflows/"+name+".yml")
		if diff := cmp.Diff(w.Permissions, permissions[0]); diff != "" {
			t.Errorf("%s: permissions (-got +want):\n%s", name, diff)
		}
		for id, j := range w.Jobs {
			if diff := cmp.Diff(j.Permissions, permissions[1]); diff != "" {
				t.Errorf("%s: %s: permissions (-got +want):\n%s", name, id, diff)
			}
			for _, s := range j.Steps {
				uses := s.Uses.Value
				if uses != "" && (!strings.HasPrefix(uses, "actions/") || !pinned.MatchString(uses) || !tagged.MatchString(s.Uses.LineComment)) {
					t.Errorf("%s: %s: want an action of the host, by its full SHA, and its version as a comment", name, uses)
				}
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: an expression inside of a script: %q", name, s.Run)
				}
			}
		}
	}
	if on := readWorkflow(t, "../../.github/workflows/release.yml").On; len(on) != 1 || on["push"] == nil {
		t.Errorf("the release runs on %v, want tags", on)
	}
}

func readWorkflow(t *testing.T, file string) *workflow {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w, err := parse[workflow](data)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// find returns the step of a job that uses an action, the last of several.
func (j job) find(t *testing.T, repo string) step {
	t.Helper()
	for _, s := range slices.Backward(j.Steps) {
		if strings.HasPrefix(s.Uses.Value, repo+"@") {
			return s
		}
	}
	t.Fatalf("no step uses %s", repo)
	return step{}
}

// TestScheduled sees that the job that reports looks for what the other jobs leave.
func TestScheduled(t *testing.T) {
	w := readWorkflow(t, "scheduled.yml")
	scanJob, report := w.Jobs["scan"], w.Jobs["report"]
	scan, upload := scanJob.find(t, self), scanJob.find(t, "actions/upload-artifact")
	download, post := report.find(t, "actions/download-artifact"), report.find(t, self)
	merge := report.Steps[slices.IndexFunc(report.Steps, func(s step) bool { return s.ID == "merge" })]
	for _, pair := range [][3]string{
		{"uploaded", upload.With["path"], scan.With["output"]},
		{"downloaded", download.With["pattern"], strings.ReplaceAll(upload.With["name"], "${{ matrix.shard }}", "*")},
		{"merged", merge.With["merge"], download.With["path"]},
		{"posted", post.With["log"], merge.With["output"]},
	} {
		if pair[1] != pair[2] {
			t.Errorf("%s: got %q, want %q", pair[0], pair[1], pair[2])
		}
	}
}

// TestTwoSteps sees that the second workflow looks for what the first one leaves.
func TestTwoSteps(t *testing.T) {
	first, second := readWorkflow(t, "fork-review.yml"), readWorkflow(t, "fork-post.yml")
	review, post := first.Jobs["review"], second.Jobs["post"]
	scan, upload := review.find(t, self), review.find(t, "actions/upload-artifact")
	download, write := post.find(t, "actions/download-artifact"), post.find(t, self)

	run, _ := second.On["workflow_run"].(map[string]any)
	names, _ := run["workflows"].([]any)
	if diff := cmp.Diff(names, []any{first.Name}); diff != "" {
		t.Errorf("workflows that fork-post.yml follows (-got +want):\n%s", diff)
	}
	if got, want := upload.With["path"], scan.With["output"]; got != want {
		t.Errorf("uploaded: got %q, want the report %q", got, want)
	}
	if got, want := download.With["pattern"], upload.With["name"]; got != want {
		t.Errorf("downloaded: got %q, want %q", got, want)
	}
	if got, want := write.With["log"], download.With["path"]+"/"+filepath.Base(upload.With["path"]); got != want {
		t.Errorf("posted: got %q, want %q", got, want)
	}
	look := post.Steps[slices.IndexFunc(post.Steps, func(s step) bool { return s.ID == "report" })]
	if got, want := look.Env["REPORT"], write.With["log"]; got != want {
		t.Errorf("looked for: got %q, want what is posted: %q", got, want)
	}
	for _, name := range []string{"api-key", "base-url", "agent", "github-token"} {
		if scan.With[name] != "" {
			t.Errorf("fork-review.yml sets %s: what is changed by a fork must have no secrets", name)
		}
	}
}

// TestCheckWorkflow sees that what is unsafe is found.
func TestCheckWorkflow(t *testing.T) {
	const good = `
name: review
on: {pull_request: {types: [opened]}}
permissions: {}
concurrency: {group: "${{ github.workflow }}-${{ github.event.number }}"}
jobs:
  review:
    timeout-minutes: 5
    permissions: {contents: read, checks: write}
    steps:
      - uses: actions/checkout@0123456789012345678901234567890123456789 # v7.0.1
        with: {fetch-depth: 0, persist-credentials: false}
      - run: echo hello
      - uses: codescan-dev/scanner@v1.2.3
        with: {offline: true}
`
	tests := []struct {
		name, old, new string
		want           string // "" for nothing
	}{
		{"as it should be", "", "", ""},
		{"permissions of the workflow", "permissions: {}\n", "permissions: {contents: read}\n", "permissions of the workflow"},
		{"no permissions of the workflow", "permissions: {}\n", "", "permissions of the workflow"},
		{"no permissions of a job", "permissions: {contents: read, checks: write}", "", "review: no permissions"},
		{"too many permissions", "contents: read", "contents: write", "permission contents: write"},
		{"no timeout", "    timeout-minutes: 5\n", "", "no timeout-minutes"},
		{"one group for all workflows", "${{ github.workflow }}-", "", "the group has to name the workflow"},
		{"expression in a script", "echo hello", "echo ${{ github.sha }}", "an expression inside of a script"},
		{"title of the event", "offline: true", `model: "${{ github.event.pull_request.title }}"`, "github.event.pull_request.title is written by anyone"},
		{"name of the branch", "offline: true", `model: "${{ format('x', github.head_ref) }}"`, "github.head_ref is written by anyone"},
		{"no such input", "offline: true", "of-line: true", `no input "of-line"`},
		{"other version", "@v1.2.3", "@v1.2.4", "want v1.2.3 or a full SHA"},
		{"branch of ours", "@v1.2.3", "@main", "want v1.2.3 or a full SHA"},
		{"commit of ours", "@v1.2.3", "@0123456789012345678901234567890123456789", ""},
		{"tag", "@0123456789012345678901234567890123456789 # v7.0.1", "@v7", "want a full SHA"},
		{"short SHA", "@0123456789012345678901234567890123456789", "@0123456789", "want a full SHA"},
		{"no version", " # v7.0.1", "", "the version as a comment"},
		{"third party", "actions/checkout@", "action/checkout@", "from a third party"},
		{"credentials are kept", "persist-credentials: false", "persist-credentials: true", "want persist-credentials: false"},
		{"shallow", "fetch-depth: 0, ", "", "fetch-depth: 0"},
		{"checkout for a fork", "pull_request:", "pull_request_target:", "may work for a fork"},
		{"checkout of a run", "{pull_request: {types: [opened]}}", "{workflow_run: {workflows: [x]}}", "may work for a fork"},
		{"artifact in the workspace", "- run: echo hello", "- uses: actions/download-artifact@0123456789012345678901234567890123456789 # v8.0.1", "an artifact is unpacked"},
	}
	a := readAction(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(good, tt.old) {
				t.Fatalf("the workflow does not contain %q", tt.old)
			}
			w, err := parse[workflow]([]byte(strings.Replace(good, tt.old, tt.new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			got := checkWorkflow(w, a, "v1.2.3")
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestPage sees that docs/pull-requests.md shows the workflow that there is, and names
// what can be set.
func TestPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/pull-requests.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	_, block, ok := strings.Cut(text, "```yaml\n")
	if !ok {
		t.Fatal("the page shows no workflow")
	}
	block, _, _ = strings.Cut(block, "```")
	shown, err := parse[job]([]byte(block))
	if err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile("review.yml")
	if err != nil {
		t.Fatal(err)
	}
	w, err := parse[workflow](data)
	if err != nil {
		t.Fatal(err)
	}
	steps := func(j job) (steps []string) {
		for _, s := range j.Steps {
			if strings.HasPrefix(s.Uses.Value, "actions/cache/") {
				continue // it saves money, and works without
			}
			steps = append(steps, fmt.Sprintf("%s %q", s.Uses.Value, s.With))
		}
		return steps
	}
	if diff := cmp.Diff(steps(*shown), steps(w.Jobs["review"])); diff != "" {
		t.Errorf("steps (-page +review.yml):\n%s", diff)
	}
	if diff := cmp.Diff(shown.Permissions, w.Jobs["review"].Permissions); diff != "" {
		t.Errorf("permissions (-page +review.yml):\n%s", diff)
	}
	a := readAction(t)
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(a.Inputs)), slices.Sorted(maps.Keys(a.Outputs))) {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("the page does not name %s", name)
		}
	}
}
