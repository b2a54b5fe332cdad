package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/review"
)

// workflow is the environment of a command that runs inside a workflow, for any
// code host.
type workflow struct {
	host   review.Host
	flavor review.Flavor
	event  event
	// runURL is where the host shows the run of the workflow; empty means nowhere.
	runURL string
	// annotations returns the lines by which the workflow's runner annotates code
	// without a token.
	annotations func(review.Result) []string
	// summary and output are the files for the page of the job and for later steps.
	summary, output envFile
}

// event is what started a workflow. Its texts are untrusted.
type event struct {
	name   string // as the host calls it
	action string // what happened to the pull request
	// number is the pull request; 0 if there is none, or it has to be found by its
	// head.
	number      int
	head        review.Head
	base        string
	title, body string
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
	text := fmt.Sprintf("findings-count=%d\nhigh-count=%d\n", out.counts.Total(), out.counts.High)
	if out.report != "" && !strings.ContainsAny(out.report, "\r\n") {
		text += "report-path=" + out.report + "\n"
	}
	return errors.Join(w.output.add(text), w.summary.add(summary))
}
