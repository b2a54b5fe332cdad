package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/provider/providertest"
)

const (
	before = "package a\n\nfunc f(a, b int) int {\n\treturn 0\n}\n"
	after  = "package a\n\nfunc f(a, b int) int {\n\treturn a / b\n}\n"
	fixed  = "package a\n\nfunc f(a, b int) int {\n\treturn div(a, b)\n}\n"
)

// finding is what the model answers about the change.
const finding = `[{"severity": "high", "confidence": "high", "title": "Division by zero", "description": "b can be 0.",
	"verification": null, "location": {"startLine": 4, "quote": "return a / b"},
	"suggestedFix": {"description": "Use div.", "replace": [{"old": "\treturn a / b", "new": "\treturn div(a, b)"}]}}]`

func TestScan(t *testing.T) {
	server := providertest.NewServer(providertest.Script{Rules: []providertest.Rule{{Match: "a / b", Findings: []byte(finding)}}})
	defer server.Close()
	dir, home := t.TempDir(), t.TempDir()
	env := project.Env{Dir: dir, Environ: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"SCANNER_PROVIDER_BASE_URL=" + server.URL, "SCANNER_MODEL=m",
	}}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Dir, cmd.Env = dir, env.Environ
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write("a.go", before)
	write("scanner.toml", "version = 1\n[defaults]\nfailOn = \"high\"\n")
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	git("checkout", "-q", "-b", "topic")
	write("a.go", after)
	git("commit", "-q", "-a", "-m", "second")

	var out strings.Builder
	// run returns the exit code, the log and the number of requests.
	run := func(opts project.Options) (code int, log *jsonl.Log, requests int) {
		t.Helper()
		earlier := len(server.Requests())
		out.Reset()
		result, err := scan(context.Background(), env, opts, "text", &out)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(result.Log)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if log, err = jsonl.ReadAll(f); err != nil {
			t.Fatal(err)
		}
		return project.ExitCode(result, err), log, len(server.Requests()) - earlier
	}

	if code, log, requests := run(project.Options{}); code != 0 || log.Summary == nil || requests != 0 {
		t.Errorf("without changes: exit code %d, summary %v, %d requests", code, log.Summary, requests)
	}
	code, log, requests := run(project.Options{Base: "main"})
	if code != 1 || requests == 0 {
		t.Errorf("with a base: exit code %d after %d requests, want 1", code, requests)
	}
	if len(log.Skills) != 1 || len(log.Skills[0].Findings) != 1 || log.Skills[0].Findings[0].Title != "Division by zero" {
		t.Errorf("with a base: the log has %+v", log.Skills)
	}
	if !strings.Contains(out.String(), "a.go:4") || !strings.Contains(out.String(), "Division by zero") {
		t.Errorf("with a base: the report is\n%s", &out)
	}
	if code, _, requests := run(project.Options{Base: "main"}); code != 1 || requests != 0 {
		t.Errorf("again: exit code %d after %d requests, want 1 and none", code, requests)
	}
	code, log, _ = run(project.Options{Base: "main", Fix: &project.FixOptions{}})
	if code != 0 || len(log.Skills[0].Metadata.Fixes) != 1 || log.Skills[0].Metadata.Fixes[0].Status != "applied" {
		t.Errorf("with fixes: exit code %d, fixes %+v", code, log.Skills[0].Metadata.Fixes)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.go")); err != nil || string(got) != fixed {
		t.Errorf("with fixes: the file is %q, %v", got, err)
	}
}

func TestScanFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(after), 0o644); err != nil {
		t.Fatal(err)
	}
	result, err := scan(context.Background(), project.Env{Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH")}}, project.Options{}, "text", io.Discard)
	if err == nil || !strings.Contains(err.Error(), "is not in a git repository") || project.ExitCode(result, err) != 3 {
		t.Errorf("outside of a repository: got %v, exit code %d", err, project.ExitCode(result, err))
	}
}
