package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/github"
	"github.com/codescan-dev/scanner/internal/term"
)

// maxEvent is the largest event that is read, in bytes. The host's are bounded
// by 25 MB.
const maxEvent = 32 << 20

// workflow is what the runner of a workflow says in the environment.
type workflow struct {
	event github.Event
	repo  github.Repo
	token string
	// apiURL and graphQLURL are empty where the runner does not say.
	apiURL, graphQLURL string
	webURL, runURL     string
	// summary and output are files to add to; empty if there are none.
	summary, output string
}

// workflow reads the environment of a workflow.
func (p *process) workflow() (*workflow, error) {
	const hint = "scanner scan reviews changes outside of a workflow"
	name, path := p.getenv("GITHUB_EVENT_NAME"), p.getenv("GITHUB_EVENT_PATH")
	if name == "" || path == "" {
		return nil, withHint(usagef("not in a workflow: GITHUB_EVENT_NAME and GITHUB_EVENT_PATH are not set"), hint)
	}
	payload, err := readSmall(path, maxEvent+1)
	switch {
	case err != nil:
		return nil, usagef("GITHUB_EVENT_PATH %q: %w", path, bareError(err))
	case len(payload) > maxEvent:
		return nil, usagef("GITHUB_EVENT_PATH %q: larger than %d bytes", path, maxEvent)
	}
	w := &workflow{
		token:  p.getenv("GITHUB_TOKEN"),
		apiURL: p.getenv("GITHUB_API_URL"), graphQLURL: p.getenv("GITHUB_GRAPHQL_URL"),
		webURL:  strings.TrimRight(p.getenv("GITHUB_SERVER_URL"), "/"),
		summary: p.getenv("GITHUB_STEP_SUMMARY"), output: p.getenv("GITHUB_OUTPUT"),
	}
	// Better now than when everything is done.
	if err := errors.Join(appendTo("GITHUB_OUTPUT", w.output, ""), appendTo("GITHUB_STEP_SUMMARY", w.summary, "")); err != nil {
		return nil, asUsage(err)
	}
	if w.event, err = github.ParseEvent(name, payload); err != nil {
		return nil, asUsage(err)
	}
	if w.repo = w.event.Repo; w.repo == (github.Repo{}) {
		if w.repo, err = github.ParseRepo(p.getenv("GITHUB_REPOSITORY")); err != nil {
			return nil, usagef("GITHUB_REPOSITORY: %w", err)
		}
	}
	if id := p.getenv("GITHUB_RUN_ID"); id != "" && w.webURL != "" && strings.Trim(id, "0123456789") == "" {
		w.runURL = fmt.Sprintf("%s/%s/actions/runs/%s", w.webURL, w.repo, id)
	}
	if w.token == "" {
		return nil, withHint(errors.New("no token for the code host: GITHUB_TOKEN is not set"),
			"give the step the environment GITHUB_TOKEN: ${{ github.token }}")
	}
	return w, nil
}

// client returns a client for the repository of the workflow.
func (w *workflow) client(p *process, c *term.Console) (*github.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = p.proxy
	client, err := github.NewClient(w.repo, github.Config{
		HTTP:    &http.Client{Transport: transport, Timeout: time.Minute},
		Token:   w.token,
		BaseURL: w.apiURL, GraphQLURL: w.graphQLURL,
		Log: func(msg string) { c.Warn(term.Verbose, msg) },
	})
	return client, asUsage(err)
}

// restricted reports whether the workflow of a pull request gets no secrets and a
// token that may only read, whatever its permissions say.
func (w *workflow) restricted() bool {
	ev := &w.event
	return ev.Name == github.EventPullRequest && (ev.Fork || ev.Author == "dependabot[bot]")
}

// outputs are what later steps of a workflow can go by.
type outputs struct {
	counts scanner.SeverityCounts
	report string // a path; empty if there is none
}

// tellResult tells of a result whose report is at a path; empty if there is none.
func (w *workflow) tellResult(res *github.Result, report string) error {
	summary, err := github.JobSummary(*res)
	out := outputs{report: report}
	for i := range res.Skills {
		out.counts = out.counts.Add(scanner.CountSeverities(res.Skills[i].Selection.Shown))
	}
	return errors.Join(err, w.tell(out, summary))
}

// tell adds the outputs and the summary of the job to their files, where there
// are such.
func (w *workflow) tell(out outputs, summary string) error {
	text := fmt.Sprintf("findings-count=%d\nhigh-count=%d\n", out.counts.Total(), out.counts.High)
	if out.report != "" && !strings.ContainsAny(out.report, "\r\n") {
		text += "report-path=" + out.report + "\n"
	}
	return errors.Join(appendTo("GITHUB_OUTPUT", w.output, text), appendTo("GITHUB_STEP_SUMMARY", w.summary, summary))
}

// appendTo adds text to a file that a variable names, if it does.
func appendTo(variable, path, text string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err == nil {
		_, err = io.WriteString(f, text)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}
	if err != nil {
		return fmt.Errorf("%s: write %q: %w", variable, path, bareError(err))
	}
	return nil
}
