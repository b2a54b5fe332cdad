package workflows

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/codescan-dev/scanner/internal/gitlabtest"
)

// gitlabCI is the file that shows how scanner is used in GitLab CI/CD.
const gitlabCI = ".gitlab-ci.yml"

// gitlabJob is a job of GitLab CI/CD, with the keywords that the file uses.
type gitlabJob struct {
	Extends       string            `yaml:"extends"`
	Stage         string            `yaml:"stage"`
	Image         string            `yaml:"image"`
	Timeout       string            `yaml:"timeout"`
	Variables     map[string]string `yaml:"variables"`
	Script        []string          `yaml:"script"`
	Interruptible bool              `yaml:"interruptible"`
	ResourceGroup string            `yaml:"resource_group"`
	Rules         []struct {
		If string `yaml:"if"`
	} `yaml:"rules"`
	Artifacts struct {
		When     string   `yaml:"when"`
		Paths    []string `yaml:"paths"`
		ExpireIn string   `yaml:"expire_in"`
		Reports  struct {
			CodeQuality string `yaml:"codequality"`
			Dotenv      string `yaml:"dotenv"`
		} `yaml:"reports"`
	} `yaml:"artifacts"`
}

// readGitLabCI returns the jobs of the file, and what they all extend.
func readGitLabCI(t *testing.T) (jobs map[string]gitlabJob, base gitlabJob) {
	t.Helper()
	data, err := os.ReadFile(gitlabCI)
	if err != nil {
		t.Fatal(err)
	}
	return parseGitLabCI(t, string(data))
}

func parseGitLabCI(t *testing.T, text string) (jobs map[string]gitlabJob, base gitlabJob) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&jobs); err != nil {
		t.Fatal(err)
	}
	base = jobs[".scanner"]
	delete(jobs, ".scanner")
	for name, j := range jobs {
		if j.Extends != ".scanner" || len(j.Rules) != 1 || j.ResourceGroup == "" {
			t.Errorf("%s: extends %q, %d rules, resource group %q", name, j.Extends, len(j.Rules), j.ResourceGroup)
		}
	}
	return jobs, base
}

func TestGitLabCI(t *testing.T) {
	jobs, base := readGitLabCI(t)
	if got, want := base.Image, "ghcr.io/"+self+":"+strings.TrimPrefix(ownVersion(t), "v"); got != want {
		t.Errorf("image: got %q, want %q", got, want)
	}
	if base.Variables["GIT_DEPTH"] != "0" || base.Artifacts.When != "always" || base.Artifacts.Reports.Dotenv != base.Variables["SCANNER_DOTENV_FILE"] {
		t.Errorf("variables %q, artifacts %+v", base.Variables, base.Artifacts)
	}
	if len(jobs) != 2 {
		t.Errorf("%d jobs, want 2", len(jobs))
	}
}

// TestGitLabTemplate sees that the template has the jobs of the example.
func TestGitLabTemplate(t *testing.T) {
	data, err := os.ReadFile("../../templates/scanner/template.yml")
	if err != nil {
		t.Fatal(err)
	}
	header, text, ok := strings.Cut(string(data), "\n---\n")
	if !ok || !strings.Contains(header, "/"+ownVersion(t)+"/templates/scanner/template.yml\n") {
		t.Errorf("the template begins with:\n%s", header)
	}
	var spec struct {
		Spec struct {
			Inputs map[string]struct {
				Description, Default string
				Options              []string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(header), &spec); err != nil {
		t.Fatal(err)
	}
	for name, in := range spec.Spec.Inputs {
		text = strings.ReplaceAll(text, "$[[ inputs."+name+" ]]", in.Default)
	}
	got, base := parseGitLabCI(t, text)
	if base.Stage != "test" { // the default of GitLab
		t.Errorf("stage %q, want test", base.Stage)
	}
	base.Stage = ""
	want, wantBase := readGitLabCI(t)
	if diff := cmp.Diff(base, wantBase) + cmp.Diff(got, want); diff != "" {
		t.Errorf("jobs (-template +example):\n%s", diff)
	}
}

// TestGitLabEndToEnd runs the scripts of the jobs as GitLab's runner does.
func TestGitLabEndToEnd(t *testing.T) {
	build := buildCommand(t)
	jobs, base := readGitLabCI(t)
	for name, source := range map[string]string{"scanner-review": "merge_request_event", "scanner-whole-files": "schedule"} {
		t.Run(name, func(t *testing.T) {
			job := jobs[name]
			if got, want := job.Rules[0].If, `$CI_PIPELINE_SOURCE == "`+source+`"`; got != want {
				t.Errorf("rule: got %s, want %s", got, want)
			}
			r := &runner{t: t, workspace: t.TempDir()}
			r.git("init", "-q", "-b", "main")
			r.commit("scanner.toml", "version = 1\n[[skills]]\nname = \"code-review\"\npaths = [\"**\"]\ntriggers = [{ type = \"pull_request\" }, { type = \"schedule\" }]\n", "config")
			r.commit("a.go", "package a\n", "base")
			r.base = r.git("rev-parse", "HEAD")
			r.commit("a.go", "package a\n\nimport \"strings\"\n\nfunc f(s string) string { return strings.Replace(s, \"a\", \"b\", 0) }\n", "change")
			r.head = r.git("rev-parse", "HEAD")

			host := gitlabtest.New(r.head, r.files())
			host.Token, host.Pipelines = "glpat-secret", map[string]int{r.head: 99}
			server := httptest.NewServer(host)
			defer server.Close()
			env := []string{
				"PATH=" + build + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "NO_PROXY=127.0.0.1",
				"CI=true", "GITLAB_CI=true", "CI_PIPELINE_SOURCE=" + source, "CI_COMMIT_SHA=" + r.head, "CI_PIPELINE_ID=99",
				"CI_PROJECT_ID=42", "CI_PROJECT_PATH=" + host.Project, "CI_SERVER_URL=" + gitlabtest.WebURL, "CI_API_V4_URL=" + server.URL + "/api/v4",
				"SCANNER_GITLAB_TOKEN=glpat-secret", "SCANNER_AGENT=", "CI_JOB_TOKEN=job",
			}
			if name == "scanner-review" {
				env = append(env, "CI_MERGE_REQUEST_IID=7", "CI_MERGE_REQUEST_DIFF_BASE_SHA="+r.base, "CI_MERGE_REQUEST_PROJECT_ID=42",
					"CI_MERGE_REQUEST_SOURCE_PROJECT_ID=42", "CI_MERGE_REQUEST_PROJECT_PATH="+host.Project)
			}
			for key, value := range base.Variables {
				env = append(env, key+"="+value)
			}
			script := strings.Join(base.Script, "\n")
			out, code := runScript(t, r.workspace, strings.Replace(script, "scanner action", "scanner action --offline", 1), env)
			if code != 1 || !strings.Contains(out, "a.go:5: high:") {
				t.Errorf("exit code %d, want 1 and a finding:\n%s", code, out)
			}
			for _, file := range append(base.Artifacts.Paths, base.Artifacts.Reports.Dotenv, base.Artifacts.Reports.CodeQuality) {
				if data, err := os.ReadFile(filepath.Join(r.workspace, file)); err != nil || len(data) == 0 {
					t.Errorf("artifact %s: %v, %d bytes", file, err, len(data))
				}
			}
			discussions := map[string]int{"scanner-review": 2, "scanner-whole-files": 0}[name]
			if len(host.Discussions) != discussions || len(host.Statuses) != 1 || host.Statuses[0].State != "failed" || len(host.Problems) > 0 {
				t.Errorf("on the host:\n%s", host.Dump())
			}
		})
	}
}
