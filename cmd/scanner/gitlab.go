package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/gitlab"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/review"
)

// maxAuthorities is the largest file of certificates that is read, in bytes.
const maxAuthorities = 1 << 20

// gitlabWorkflow reads the environment of a job of GitLab CI/CD. The variables are
// those of https://docs.gitlab.com/ci/variables/predefined_variables/.
func (p *process) gitlabWorkflow(c *term.Console) (*workflow, error) {
	w := &workflow{
		runURL: p.getenv("CI_JOB_URL"),
		commit: p.getenv("CI_COMMIT_SHA"),
		output: envFile{"SCANNER_DOTENV_FILE", p.getenv("SCANNER_DOTENV_FILE")},
		// In a report of type dotenv, names have letters, digits and underscores alone:
		// https://docs.gitlab.com/ci/yaml/artifacts_reports/#artifactsreportsdotenv.
		outputName: func(name string) string {
			return "SCANNER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		},
		hints: hints{
			token:    "check SCANNER_GITLAB_TOKEN, or GITLAB_TOKEN: it may have expired, or have been revoked",
			modelKey: "add the masked CI/CD variable SCANNER_PROVIDER_API_KEY (a protected one is not set for merge requests of unprotected branches)",
			readOnly: "the job has no token that can write, as usual for merge requests from forks: findings are in the log of this job",
		},
	}
	if err := w.output.replace(); err != nil {
		return nil, project.UsageError(err)
	}
	var err error
	if w.event, err = p.gitlabEvent(); err != nil {
		return nil, err
	}
	own := p.getenv("CI_PROJECT_PATH")
	target := cmp.Or(p.getenv("CI_MERGE_REQUEST_PROJECT_PATH"), own)
	name, err := gitlab.ParseProject(target)
	if err != nil {
		return nil, usagef("CI_PROJECT_PATH: %w", err)
	}
	w.flavor = gitlab.Flavor(p.getenv("CI_SERVER_URL"), name)
	token := cmp.Or(p.getenv("SCANNER_GITLAB_TOKEN"), p.getenv("GITLAB_TOKEN"))
	if token == "" {
		// The token of a job is no help, it can neither comment nor set a commit status:
		// https://docs.gitlab.com/ci/jobs/fine_grained_permissions/.
		w.noToken = project.WithHint(errors.New("no token for the code host: neither SCANNER_GITLAB_TOKEN nor GITLAB_TOKEN is set, and CI_JOB_TOKEN cannot comment"),
			"create a project access token with the role Developer and the scope api, and add it as the masked CI/CD variable SCANNER_GITLAB_TOKEN "+
				"(a protected one is not set for merge requests of unprotected branches)")
		return w, nil
	}
	client, err := p.gitlabHTTP()
	if err != nil {
		return nil, err
	}
	cfg := gitlab.Config{
		HTTP: client, Token: token, JobToken: token == p.getenv("CI_JOB_TOKEN"), BaseURL: p.getenv("CI_API_V4_URL"),
		Log: func(msg string) { c.Warn(term.Verbose, msg) },
	}
	// Otherwise the pipeline is of another commit or project than the status.
	if (w.event.number == 0 || w.event.head.Commit == w.commit) && target == own {
		cfg.PipelineID, _ = strconv.ParseInt(p.getenv("CI_PIPELINE_ID"), 10, 64)
	}
	w.host, err = gitlab.NewClient(name, cfg)
	return w, project.UsageError(err)
}

// draftTitle matches the titles that mark a draft:
// https://docs.gitlab.com/user/project/merge_requests/drafts/.
var draftTitle = regexp.MustCompile(`(?i)^\s*(\[draft\]|\(draft\)|draft:)`)

// gitlabEvent returns what started the pipeline.
func (p *process) gitlabEvent() (event, error) {
	source, number := p.getenv("CI_PIPELINE_SOURCE"), p.getenv("CI_MERGE_REQUEST_IID")
	ev := event{name: source}
	if number == "" {
		switch source {
		case "schedule", "web", "api", "trigger":
			return ev, nil
		}
		return ev, project.WithHint(usagef("pipelines of the source %q are not supported: want merge_request_event, schedule, web, api or trigger", source),
			`give the job rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }]`)
	}
	var err error
	if ev.number, err = strconv.Atoi(number); err != nil || ev.number <= 0 {
		return ev, usagef("CI_MERGE_REQUEST_IID %q is not a number above 0", number)
	}
	// A pipeline of the merged result, or of a merge train, runs for a merge commit that
	// GitLab made, and only there are the commits of the two branches set.
	head := cmp.Or(p.getenv("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"), p.getenv("CI_COMMIT_SHA"))
	ev.base = cmp.Or(p.getenv("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"), p.getenv("CI_MERGE_REQUEST_DIFF_BASE_SHA"))
	if !review.IsCommit(head) || !review.IsCommit(ev.base) {
		return ev, usagef("CI_COMMIT_SHA %q or CI_MERGE_REQUEST_DIFF_BASE_SHA %q is not a commit", head, ev.base)
	}
	ev.action = "synchronize" // GitLab does not distinguish it from "opened"
	ev.head = review.Head{Commit: head, Repo: p.getenv("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH"), Ref: p.getenv("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME")}
	ev.title, ev.body = p.getenv("CI_MERGE_REQUEST_TITLE"), p.getenv("CI_MERGE_REQUEST_DESCRIPTION")
	// GitLab sets the variable since version 17.10.
	ev.draft = p.getenv("CI_MERGE_REQUEST_DRAFT") == "true" || draftTitle.MatchString(ev.title)
	if p.getenv("CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED") == "true" {
		ev.body += " [...]"
	}
	// The pipeline runs in the fork, with its variables; or a member of the project
	// started it there, with those that are not protected:
	// https://docs.gitlab.com/ci/pipelines/merge_request_pipelines/#use-with-forked-projects.
	ev.foreign = p.getenv("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != p.getenv("CI_MERGE_REQUEST_PROJECT_ID")
	ev.restricted = ev.foreign
	if p.getenv("CI_PROJECT_ID") == p.getenv("CI_MERGE_REQUEST_PROJECT_ID") {
		ev.target = "refs/remotes/origin/" + p.getenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
	}
	return ev, nil
}

// gitlabHTTP returns a client that also trusts the certificate authority that the
// runner is configured with, which servers of one's own may need.
func (p *process) gitlabHTTP() (*http.Client, error) {
	client, transport := p.hostHTTP()
	name := p.getenv("CI_SERVER_TLS_CA_FILE")
	if name == "" {
		return client, nil
	}
	data, err := readFile(name, maxAuthorities)
	if err != nil {
		return nil, usagef("CI_SERVER_TLS_CA_FILE %q: %w", name, err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	pool.AppendCertsFromPEM(data)
	transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	return client, nil
}

// replace makes the file a new and empty one. It is in the checkout, where artifacts
// are collected from: the author of a change could have written its text, or made it
// a link to another file.
func (e envFile) replace() error {
	if e.path == "" {
		return nil
	}
	if e.path != filepath.Base(e.path) {
		return fmt.Errorf("%s: %q is not the name of a file in the working directory", e.variable, e.path)
	}
	err := os.Remove(e.path)
	if err == nil || errors.Is(err, os.ErrNotExist) {
		var f *os.File
		if f, err = os.OpenFile(e.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("%s: write %q: %w", e.variable, e.path, dotdir.Cause(err))
	}
	return nil
}
