package workflows

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	inputExpression  = regexp.MustCompile(`^\$\{\{ inputs\.([\w-]+) \}\}$`)
	outputExpression = regexp.MustCompile(`^\$\{\{ steps\.([\w-]+)\.outputs\.([\w-]+) \}\}$`)
	variable         = regexp.MustCompile(`\bINPUT_\w+`)
)

// TestAction sees that action.yml is whole: no input without a use, no value in a
// script, no code of others.
func TestAction(t *testing.T) {
	a := readAction(t)
	if got, want := a.Runs.Using, "composite"; got != want {
		t.Errorf("using: got %q, want %q", got, want)
	}
	used := make(map[string]bool)
	for i, s := range a.Runs.Steps {
		if s.Uses.Value != "" || s.Shell != "bash" || s.Run == "" {
			t.Errorf("step %d: uses %q, shell %q: want a script for bash", i, s.Uses.Value, s.Shell)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %d: an expression inside of the script", i)
		}
		for name, value := range s.Env {
			m := inputExpression.FindStringSubmatch(value)
			if m == nil {
				continue
			}
			used[m[1]] = true
			want := "INPUT_" + strings.ToUpper(strings.ReplaceAll(m[1], "-", "_"))
			if name != "GITHUB_TOKEN" && (name != want || !strings.Contains(s.Run, name)) {
				t.Errorf("step %d: input %s is the variable %s: want %s, and the script to use it", i, m[1], name, want)
			}
		}
		for _, name := range variable.FindAllString(s.Run, -1) {
			if _, ok := s.Env[name]; !ok {
				t.Errorf("step %d: the script uses %s, which is not set", i, name)
			}
		}
		if m := inputExpression.FindStringSubmatch(s.WorkingDir); m != nil {
			used[m[1]] = true
		}
	}
	for name := range used {
		if _, ok := a.Inputs[name]; !ok {
			t.Errorf("input %s is used, and not declared", name)
		}
	}
	for name, in := range a.Inputs {
		if !used[name] {
			t.Errorf("input %s is not used", name)
		}
		if !strings.HasSuffix(in.Description, ".") || in.Required {
			t.Errorf("input %s: want a description in sentences, and not to be required", name)
		}
	}
	for name, out := range a.Outputs {
		m := outputExpression.FindStringSubmatch(out.Value)
		if m == nil || m[1] != "run" || m[2] != name || !strings.HasSuffix(out.Description, ".") {
			t.Errorf("output %s: value %q, description %q", name, out.Value, out.Description)
		}
	}
	if got, want := slices.Sorted(maps.Keys(a.Outputs)), []string{"findings-count", "high-count", "report-path"}; !slices.Equal(got, want) {
		t.Errorf("outputs: got %q, want %q", got, want)
	}
	want := map[string]string{"ACTION_REF": "${{ github.action_ref }}", "ACTION_REPOSITORY": "${{ github.action_repository }}"}
	if env := a.step(t, "build").Env; !maps.Equal(env, want) {
		t.Errorf("the step that gets the command is given %q, want %q: no secret may be among it", env, want)
	}
}

// bash returns the path of bash, or skips the test.
func bash(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("bash")
	if runtime.GOOS == "windows" || err != nil {
		t.Skip("needs bash, with the paths of a POSIX system")
	}
	return path
}

// runScript runs a script as the host does.
func runScript(t *testing.T, dir, script string, env []string) (out string, code int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.sh")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bash(t), "--noprofile", "--norc", "-eo", "pipefail", file)
	cmd.Dir, cmd.Env = dir, env
	data, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(data), cmd.ProcessState.ExitCode()
}

// stub writes a program made of a script.
func stub(t *testing.T, path, script string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!"+bash(t)+"\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// variables returns the environment of the second step, for the given inputs.
func variables(t *testing.T, a *action, inputs map[string]string, build string) []string {
	t.Helper()
	for name := range inputs {
		if _, ok := a.Inputs[name]; !ok {
			t.Fatalf("the action has no input %q", name)
		}
	}
	var env []string
	for name, value := range a.step(t, "run").Env {
		switch m := inputExpression.FindStringSubmatch(value); {
		case value == "${{ steps.build.outputs.dir }}":
			value = build
		case m == nil:
			t.Fatalf("%s is %q, want an input", name, value)
		default:
			var ok bool
			if value, ok = inputs[m[1]]; !ok {
				value = a.Inputs[m[1]].Default
			}
		}
		env = append(env, name+"="+value)
	}
	return append(env, "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir())
}

// TestRunScript sees what the command is called with.
func TestRunScript(t *testing.T) {
	bash(t)
	a := readAction(t)
	dir := t.TempDir()
	report := filepath.Join(dir, "-report $(touch hit).jsonl")
	if err := os.WriteFile(report, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.jsonl")
	if err := os.Symlink(report, link); err != nil {
		t.Fatal(err)
	}
	const hostile = "--help \"'`touch hit`$(touch hit);touch hit\n::error::forged\n*"
	tests := []struct {
		name   string
		inputs map[string]string
		args   []string // nil: the command is not called
		env    []string // what it must find
		out    string   // must be printed
	}{
		{"nothing set", nil, []string{"action"}, nil, ""},
		{"all inputs", map[string]string{
			"offline": "true", "verify": "true", "no-cache": "true", "trust-head": "true", "dry-run": "true",
			"model": "m", "concurrency": "3", "max-cost": "0.5", "max-tokens": "7", "timeout": "5m", "report-on": "low", "min-confidence": "medium", "max-findings": "9",
			"fail-on": "high", "baseline": "old.jsonl", "output": "out dir/report.jsonl", "skills": "a", "verbosity": "debug",
			"api-key": "key", "base-url": "http://localhost:1/v1", "agent": "claude", "github-token": "token",
		}, []string{
			"action", "--skill=a", "--model=m", "--concurrency=3", "--max-cost=0.5", "--max-tokens=7", "--timeout=5m", "--report-on=low", "--min-confidence=medium", "--max-findings=9",
			"--fail-on=high", "--baseline=old.jsonl", "--output=out dir/report.jsonl", "--offline", "--verify", "--no-cache", "--trust-head", "--dry-run", "-vv",
		}, []string{"SCANNER_PROVIDER_API_KEY=key", "SCANNER_PROVIDER_BASE_URL=http://localhost:1/v1", "SCANNER_AGENT=claude", "GITHUB_TOKEN=token"}, ""},
		{"skills", map[string]string{"skills": " code-review,\tsecurity-review\r\n\nhttp timeouts ,,*\n"},
			[]string{"action", "--skill=code-review", "--skill=security-review", "--skill=http timeouts", "--skill=*"}, nil, ""},
		{"skills, none", map[string]string{"skills": " ,\n"}, []string{"action"}, nil, ""},
		{"skill like a flag", map[string]string{"skills": "--trust-head\n-- \\"}, []string{"action", "--skill=--trust-head", `--skill=-- \`}, nil, ""},
		{"hostile model", map[string]string{"model": hostile}, []string{"action", "--model=" + hostile}, nil, ""},
		{"hostile threshold", map[string]string{"fail-on": "-n", "report-on": "$IFS"}, []string{"action", "--report-on=$IFS", "--fail-on=-n"}, nil, ""},
		{"hostile key", map[string]string{"api-key": "$(touch hit) -n"}, []string{"action"}, []string{"SCANNER_PROVIDER_API_KEY=$(touch hit) -n"}, ""},
		{"hostile output", map[string]string{"output": "-"}, []string{"action", "--output=-"}, nil, ""},
		{"empty booleans", map[string]string{"offline": "", "dry-run": ""}, []string{"action"}, nil, ""},
		{"booleans that are false", map[string]string{"offline": "false", "dry-run": "false"}, []string{"action"}, nil, ""},
		{"neither true nor false", map[string]string{"offline": "yes"}, nil, nil, "::error title=scanner::input offline: got yes, want true or false\n"},
		{"upper case", map[string]string{"dry-run": "True"}, nil, nil, "input dry-run: got True"},
		{"a pattern", map[string]string{"verify": "*"}, nil, nil, `input verify: got \*, want`},
		{"hostile boolean", map[string]string{"trust-head": hostile}, nil, nil, `\n::error::forged\n`},
		{"hostile verbosity", map[string]string{"verbosity": "v\n::stop-commands::x"}, nil, nil, `input verbosity: got $'v\n::stop-commands::x', want`},
		{"quiet", map[string]string{"verbosity": "quiet"}, []string{"action", "-q"}, nil, ""},
		{"verbose", map[string]string{"verbosity": "verbose"}, []string{"action", "-v"}, nil, ""},
		{"normal", map[string]string{"verbosity": ""}, []string{"action"}, nil, ""},

		{"shard", map[string]string{"shard": "2/8"}, []string{"action", "--shard=2/8"}, nil, ""},
		{"merge", map[string]string{"merge": dir, "output": "out.jsonl"},
			[]string{"merge", "--output=out.jsonl", "--", report, link}, nil, ""},
		{"merge, nothing", map[string]string{"merge": "no\n::error::forged"}, nil, nil, `input merge: no *.jsonl in $'no\n::error::forged'`},
		{"merge and report", map[string]string{"merge": dir, "log": report}, nil, nil, "inputs merge and log: merge in one step, and post in the next"},

		{"report", map[string]string{"log": report}, []string{"post", "--", report}, nil, ""},
		{"report like a flag", map[string]string{"log": filepath.Base(report), "dry-run": "true", "verbosity": "verbose"},
			[]string{"post", "--dry-run", "-v", "--", filepath.Base(report)}, nil, ""},
		{"report that is not there", map[string]string{"log": "no\n::error::forged"}, nil, nil, `input log: $'no\n::error::forged' is not a regular file`},
		{"report that is a link", map[string]string{"log": link}, nil, nil, "is not a regular file"},
		{"report that is a folder", map[string]string{"log": dir}, nil, nil, "is not a regular file"},
		{"report and scanning", map[string]string{"log": report, "skills": "a", "model": "m\n::error::forged", "offline": "true"}, nil, nil,
			"::error title=scanner::input log: a report is posted and nothing is scanned, so leave out skill model offline\n"},
		{"report and a key", map[string]string{"log": report, "api-key": "key"}, nil, nil, "leave out agent, api-key and base-url\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			build, args, env := t.TempDir(), filepath.Join(t.TempDir(), "args"), filepath.Join(t.TempDir(), "env")
			stub(t, filepath.Join(build, "scanner"), fmt.Sprintf("printf '%%s\\0' \"$@\" >%q\nenv -0 >%q\nexit 4\n", args, env))
			out, code := runScript(t, dir, a.step(t, "run").Run, variables(t, a, tt.inputs, build))
			if _, err := os.Stat(filepath.Join(dir, "hit")); err == nil {
				t.Fatal("an input was run")
			}
			if !strings.Contains(out, tt.out) || tt.out == "" && out != "" {
				t.Errorf("printed %q, want %q", out, tt.out)
			}
			if strings.Contains(out, "\n::") {
				t.Errorf("printed %q: an input became a command to the runner", out)
			}
			want := 4 // what the command says
			if tt.args == nil {
				want = 2
			}
			if code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			if diff := cmp.Diff(fields(t, args), tt.args); diff != "" {
				t.Errorf("arguments (-got +want):\n%s", diff)
			}
			got := fields(t, env)
			for _, want := range tt.env {
				if !slices.Contains(got, want) {
					t.Errorf("the environment lacks %q: %q", want, got)
				}
			}
			for _, v := range got {
				if strings.HasPrefix(v, "INPUT_API_KEY=") || len(tt.env) == 0 && strings.HasPrefix(v, "SCANNER_") {
					t.Errorf("the environment has %q", v)
				}
			}
		})
	}
}

// fields returns the fields of a file, which end in a NUL; nil if there is no file.
func fields(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	s := strings.Split(string(data), "\x00")
	return s[:len(s)-1]
}

// TestRunScriptKeepsEnvironment sees that what the job has set is not taken away
// by inputs that are not.
func TestRunScriptKeepsEnvironment(t *testing.T) {
	bash(t)
	a := readAction(t)
	build, env := t.TempDir(), filepath.Join(t.TempDir(), "env")
	stub(t, filepath.Join(build, "scanner"), fmt.Sprintf("env -0 >%q\n", env))
	want := []string{"SCANNER_PROVIDER_API_KEY=of the job", "SCANNER_PROVIDER_BASE_URL=http://localhost/", "SCANNER_AGENT=codex", "SCANNER_MODEL=m"}
	if out, code := runScript(t, t.TempDir(), a.step(t, "run").Run, append(variables(t, a, nil, build), want...)); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	got := fields(t, env)
	for _, v := range want {
		if !slices.Contains(got, v) {
			t.Errorf("the environment lacks %q: %q", v, got)
		}
	}
}

// TestBuildScript sees how go is called.
func TestBuildScript(t *testing.T) {
	tests := []struct {
		name, stub string // "" for no go at all
		code       int
		out        string
	}{
		{"it builds", `pwd >"$LOG"; printf '%s\n' "$@" "CGO_ENABLED=$CGO_ENABLED" "GOFLAGS=$GOFLAGS" "GOOS=$GOOS" "GOTOOLCHAIN=$GOTOOLCHAIN" "GOWORK=$GOWORK" >>"$LOG"`, 0, ""},
		{"it does not build", `[ "$1" = version ] && echo go version go1.20 && exit; exit 1`, 3, "::error title=scanner::go version go1.20 cannot build scanner, see above: Go 1.21 or later"},
		{"no go", "", 3, "::error title=scanner::no go on the PATH of this runner, which builds scanner: add a step with actions/setup-go"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			if tt.stub != "" {
				m.stub("go", tt.stub)
			}
			got, code := m.run("", "", "GOFLAGS=-tags=x", "GOOS=plan9", "GOWORK=/go.work", "GOTOOLCHAIN=local")
			if code != tt.code || !strings.Contains(got, tt.out) || tt.out == "" && got != "" {
				t.Errorf("exit code %d, printed %q\nwant      %d, %q", code, got, tt.code, tt.out)
			}
			if tt.code != 0 {
				return
			}
			called, err := os.ReadFile(m.log)
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%s\nbuild\n-trimpath\n-buildvcs=false\n-o\n%s/\n./cmd/scanner\nCGO_ENABLED=0\nGOFLAGS=-mod=readonly\nGOOS=\nGOTOOLCHAIN=auto\nGOWORK=off\n", m.source, m.dir())
			if diff := cmp.Diff(string(called), want); diff != "" {
				t.Errorf("go was called (-got +want):\n%s", diff)
			}
		})
	}
}

// TestShellcheck has shellcheck judge the scripts, where it is installed.
func TestShellcheck(t *testing.T) {
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	for _, s := range readAction(t).Runs.Steps {
		// What the runner sets is not set by the script.
		cmd := exec.CommandContext(t.Context(), shellcheck, "--shell=bash", "--exclude=SC2154", "-")
		cmd.Stdin = strings.NewReader("set -e -o pipefail\n" + s.Run)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", s.ID, err, out)
		}
	}
}
