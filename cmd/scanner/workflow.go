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
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/review"
)

// workflow is the environment of a command that runs inside a workflow, for any
// code host.
type workflow struct {
	host review.Host
	// noToken is the error of a workflow without a token, which has no host.
	noToken error
	flavor  review.Flavor
	event   event
	// runURL is where the host shows the run of the workflow; empty means nowhere.
	runURL string
	// commit is the one that the workflow runs for. It may be the result of a merge.
	commit string
	// annotations returns the lines by which the workflow's runner annotates code
	// without a token.
	annotations func(review.Result) []string
	// summary and output are the files for the page of the job and for later steps.
	summary, output envFile
	// outputName returns the name of an output in its file.
	outputName func(string) string
	hints      hints
}

// hints are texts that depend on the host.
type hints struct {
	token    string // what to do when the host refuses the token
	modelKey string // what to do when there is no key of a model
	readOnly string // where findings are when a restricted workflow cannot post them
}

// workflow reads the environment of a workflow.
func (p *process) workflow(c *term.Console) (*workflow, error) {
	if p.getenv("GITLAB_CI") == "true" {
		return p.gitlabWorkflow(c)
	}
	return p.githubWorkflow(c)
}

// hostHTTP returns a client for a code host, and its transport.
func (p *process) hostHTTP() (*http.Client, *http.Transport) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = p.proxy
	return &http.Client{Transport: transport, Timeout: time.Minute}, transport
}

// event is what started a workflow. Its texts are untrusted.
type event struct {
	name   string // as the host calls it
	action string // what happened to the pull request
	// number is the pull request; 0 if there is none, or it has to be found by its
	// head.
	number int
	head   review.Head
	base   string
	// target is the branch that the change goes into, as the clone may have it. It is
	// for hosts where base can be an old commit of it.
	target      string
	title, body string
	draft       bool
	// followUp is set for a workflow that follows another one, which may have run
	// for a fork.
	followUp bool
	// restricted is set for a workflow that gets no secrets and a token that can
	// only read.
	restricted bool
	// foreign is set for a change by somebody who cannot write to the repository.
	foreign bool
}

// envFile is a file that a variable names. Its path is empty if none does.
type envFile struct{ variable, path string }

// add adds text to the file, if there is one.
func (e envFile) add(text string) error {
	if e.path == "" {
		return nil
	}
	f, err := os.OpenFile(e.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err == nil {
		_, err = io.WriteString(f, text)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}
	if err != nil {
		return fmt.Errorf("%s: write %q: %w", e.variable, e.path, dotdir.Cause(err))
	}
	return nil
}

// outputs are the values for later steps of a workflow.
type outputs struct {
	counts scanner.SeverityCounts
	report string // a path; empty if there is none
}

// writeResult writes the outputs and the summary of a result whose report is at a
// path; empty if there is none.
func (w *workflow) writeResult(res *review.Result, report string) error {
	summary, err := review.JobSummary(*res)
	out := outputs{report: report}
	for i := range res.Skills {
		out.counts = out.counts.Add(scanner.CountSeverities(res.Skills[i].Selection.Shown))
	}
	return errors.Join(err, w.write(out, summary))
}

// write adds the outputs and the summary of the job to their files.
func (w *workflow) write(out outputs, summary string) error {
	text := fmt.Sprintf("%s=%d\n%s=%d\n", w.outputName("findings-count"), out.counts.Total(), w.outputName("high-count"), out.counts.High)
	if out.report != "" && !strings.ContainsAny(out.report, "\r\n") {
		text += w.outputName("report-path") + "=" + out.report + "\n"
	}
	return errors.Join(w.output.add(text), w.summary.add(summary))
}
