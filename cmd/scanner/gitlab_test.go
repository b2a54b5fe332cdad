package main

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/review"
)

// TestGitLabEvent maps the variables of a pipeline, as GitLab's documentation describes
// them for each kind, to what is reviewed.
func TestGitLabEvent(t *testing.T) {
	const merge = "refs/remotes/origin/main"
	id := func(c string) string { return strings.Repeat(c, 40) }
	// A merge request pipeline runs on the contents of the source branch only.
	detached := map[string]string{
		"CI_PIPELINE_SOURCE": "merge_request_event", "CI_COMMIT_SHA": id("a"),
		"CI_PROJECT_ID": "1", "CI_PROJECT_PATH": "group/sub/project",
		"CI_MERGE_REQUEST_EVENT_TYPE": "detached", "CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA": id("b"),
		"CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_MERGE_REQUEST_PROJECT_PATH": "group/sub/project",
		"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1", "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "group/sub/project",
		"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
		"CI_MERGE_REQUEST_TITLE": "Title", "CI_MERGE_REQUEST_DESCRIPTION": "Text.", "CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED": "false",
	}
	want := event{
		name: "merge_request_event", action: "synchronize", number: 7,
		head: review.Head{Commit: id("a"), Repo: "group/sub/project", Ref: "topic"},
		base: id("b"), target: merge, title: "Title", body: "Text.",
	}
	tests := []struct {
		name string
		env  map[string]string // differences
		want func(*event)
		err  string
	}{
		{"detached", nil, func(e *event) {}, ""},
		{"merged result", map[string]string{
			"CI_COMMIT_SHA": id("c"), "CI_MERGE_REQUEST_EVENT_TYPE": "merged_result",
			"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": id("a"), "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": id("d"),
		}, func(e *event) { e.base = id("d") }, ""},
		{"fork, in the fork", map[string]string{
			"CI_PROJECT_ID": "2", "CI_PROJECT_PATH": "fork/project",
			"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2", "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "fork/project",
		}, func(e *event) { e.head.Repo, e.target, e.foreign, e.restricted = "fork/project", "", true, true }, ""},
		{"fork, started in the project", map[string]string{
			"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2", "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "fork/project",
		}, func(e *event) { e.head.Repo, e.foreign, e.restricted = "fork/project", true, true }, ""},
		{"source project gone", map[string]string{"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "", "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": ""},
			func(e *event) { e.head.Repo, e.foreign, e.restricted = "", true, true }, ""},
		{"draft", map[string]string{"CI_MERGE_REQUEST_DRAFT": "true"}, func(e *event) { e.draft = true }, ""},
		{"draft, before GitLab 17.10", map[string]string{"CI_MERGE_REQUEST_TITLE": "Draft: x"}, func(e *event) { e.title, e.draft = "Draft: x", true }, ""},
		{"draft in brackets", map[string]string{"CI_MERGE_REQUEST_TITLE": "[draft] x"}, func(e *event) { e.title, e.draft = "[draft] x", true }, ""},
		{"not a draft", map[string]string{"CI_MERGE_REQUEST_TITLE": "Draft a letter"}, func(e *event) { e.title = "Draft a letter" }, ""},
		{"truncated description", map[string]string{"CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED": "true"}, func(e *event) { e.body = "Text. [...]" }, ""},
		{"child pipeline", map[string]string{"CI_PIPELINE_SOURCE": "parent_pipeline"}, func(e *event) { e.name = "parent_pipeline" }, ""},
		{"schedule", map[string]string{"CI_PIPELINE_SOURCE": "schedule", "CI_MERGE_REQUEST_IID": ""}, func(e *event) { *e = event{name: "schedule"} }, ""},
		{"by hand", map[string]string{"CI_PIPELINE_SOURCE": "web", "CI_MERGE_REQUEST_IID": ""}, func(e *event) { *e = event{name: "web"} }, ""},
		{"push", map[string]string{"CI_PIPELINE_SOURCE": "push", "CI_MERGE_REQUEST_IID": ""}, nil, `pipelines of the source "push" are not supported`},
		{"no number", map[string]string{"CI_MERGE_REQUEST_IID": "!7"}, nil, `CI_MERGE_REQUEST_IID "!7" is not a number above 0`},
		{"no base", map[string]string{"CI_MERGE_REQUEST_DIFF_BASE_SHA": ""}, nil, `CI_MERGE_REQUEST_DIFF_BASE_SHA "" is not a commit`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := maps.Clone(detached)
			maps.Copy(env, tt.env)
			p := &process{getenv: func(name string) string { return env[name] }}
			got, err := p.gitlabEvent()
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || project.ExitCode(nil, err) != 2 {
					t.Errorf("error %v, want one of usage with %q", err, tt.err)
				}
				return
			}
			want := want
			tt.want(&want)
			if diff := cmp.Diff(got, want, cmp.AllowUnexported(event{})); err != nil || diff != "" {
				t.Errorf("error %v, event (-got +want):\n%s", err, diff)
			}
		})
	}
}

// The certificate authority of the runner's configuration is trusted, and no other than
// those of the system.
func TestGitLabAuthority(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	server.Config.ErrorLog = nil
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, ""} {
		p := &process{getenv: func(string) string { return name }}
		client, err := p.gitlabHTTP()
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Get(server.URL)
		if err == nil {
			res.Body.Close()
		}
		var unknown *tls.CertificateVerificationError
		if trusted := err == nil; trusted != (name != "") || err != nil && !errors.As(err, &unknown) {
			t.Errorf("CI_SERVER_TLS_CA_FILE=%q: %v", name, err)
		}
	}
}

// Files in the checkout are new: neither their text nor a link in their place has an
// effect.
func TestEnvFileReplace(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, prepare := range map[string]func() error{
		"text": func() error { return os.WriteFile("scanner.env", []byte("PATH=/evil\n"), 0o644) },
		"link": func() error {
			return os.Symlink(filepath.Join(t.TempDir(), "target"), "scanner.env")
		},
		"nothing": func() error { return nil },
	} {
		if err := prepare(); err != nil {
			t.Fatal(err)
		}
		e := envFile{"SCANNER_DOTENV_FILE", "scanner.env"}
		if err := e.replace(); err != nil {
			t.Fatal(name, err)
		}
		if err := e.add("A=1\n"); err != nil {
			t.Fatal(name, err)
		}
		info, err := os.Lstat("scanner.env")
		if data, _ := os.ReadFile("scanner.env"); err != nil || !info.Mode().IsRegular() || string(data) != "A=1\n" {
			t.Errorf("%s: %v, %q", name, err, data)
		}
		os.Remove("scanner.env")
	}
	for _, path := range []string{"dir/scanner.env", "../scanner.env", filepath.Join(t.TempDir(), "x"), "..", "."} {
		if err := (envFile{"SCANNER_DOTENV_FILE", path}).replace(); err == nil {
			t.Errorf("%q is accepted", path)
		}
	}
}
