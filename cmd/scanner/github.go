package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/github"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/output"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/review"
)

// maxEvent is the largest event that is read, in bytes. GitHub limits its events
// to 25 MB.
const maxEvent = 32 << 20

// githubWorkflow reads the environment of a workflow of GitHub.
func (p *process) githubWorkflow(c *term.Console) (*workflow, error) {
	name, path := p.getenv("GITHUB_EVENT_NAME"), p.getenv("GITHUB_EVENT_PATH")
	if name == "" || path == "" {
		return nil, project.WithHint(usagef("not in a workflow: neither GITLAB_CI nor GITHUB_EVENT_NAME and GITHUB_EVENT_PATH are set"),
			"scanner scan reviews changes outside of a workflow")
	}
	payload, err := readFile(path, maxEvent)
	if err != nil {
		return nil, usagef("GITHUB_EVENT_PATH %q: %w", path, err)
	}
	w := &workflow{
		commit:      p.getenv("GITHUB_SHA"),
		annotations: output.WorkflowCommands,
		summary:     envFile{"GITHUB_STEP_SUMMARY", p.getenv("GITHUB_STEP_SUMMARY")},
		output:      envFile{"GITHUB_OUTPUT", p.getenv("GITHUB_OUTPUT")},
		outputName:  func(name string) string { return name },
		hints: hints{
			token: "check GITHUB_TOKEN: ${{ github.token }} is valid until the job ends",
			modelKey: "give the step the environment SCANNER_PROVIDER_API_KEY: ${{ secrets.SCANNER_PROVIDER_API_KEY }} " +
				"(the input api-key of the action)",
			readOnly: "the token can only read, as usual for pull requests from forks: " +
				"findings are annotations of this workflow run, and in its summary",
		},
	}
	// Better now than when everything is done.
	if err := errors.Join(w.output.add(""), w.summary.add("")); err != nil {
		return nil, project.UsageError(err)
	}
	ev, err := github.ParseEvent(name, payload)
	if err != nil {
		return nil, project.UsageError(err)
	}
	repo := ev.Repo
	if repo == (github.Repo{}) {
		if repo, err = github.ParseRepo(p.getenv("GITHUB_REPOSITORY")); err != nil {
			return nil, usagef("GITHUB_REPOSITORY: %w", err)
		}
	}
	w.event = event{
		name: name, action: ev.Action, number: ev.Number, base: ev.Base, title: ev.Title, body: ev.Body, draft: ev.Draft,
		head:     review.Head{Commit: ev.Head, Repo: ev.HeadRepo.String(), Ref: ev.HeadRef},
		followUp: name == github.EventWorkflowRun,
		// Such a workflow gets no secrets, and a token that can only read.
		foreign:    ev.Fork || ev.Author == "dependabot[bot]",
		restricted: name == github.EventPullRequest && (ev.Fork || ev.Author == "dependabot[bot]"),
	}
	web := strings.TrimRight(p.getenv("GITHUB_SERVER_URL"), "/")
	w.flavor = github.Flavor(web, repo)
	if id := p.getenv("GITHUB_RUN_ID"); id != "" && web != "" && strings.Trim(id, "0123456789") == "" {
		w.runURL = fmt.Sprintf("%s/%s/actions/runs/%s", web, repo, id)
	}
	token := p.getenv("GITHUB_TOKEN")
	if token == "" {
		return nil, project.WithHint(errors.New("no token for the code host: GITHUB_TOKEN is not set"),
			"give the step the environment GITHUB_TOKEN: ${{ github.token }}")
	}
	client, _ := p.hostHTTP()
	w.host, err = github.NewClient(repo, github.Config{
		HTTP:    client,
		Token:   token,
		BaseURL: p.getenv("GITHUB_API_URL"), GraphQLURL: p.getenv("GITHUB_GRAPHQL_URL"),
		Log: func(msg string) { c.Warn(term.Verbose, msg) },
	})
	return w, project.UsageError(err)
}
