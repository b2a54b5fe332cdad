package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/review"
)

// action is the command of that name: it scans what the event of a workflow is
// about, and posts the result on the code host.
func (p *process) action(ctx context.Context, o scanOptions) (outcome, error) {
	started := p.now()
	c := p.console(&o)
	defer c.Close()

	w, err := p.githubWorkflow(c)
	if err != nil {
		return outcome{}, err
	}
	if w.event.followUp {
		return outcome{}, withHint(usagef("scanner action does not handle the event %q", w.event.name),
			"scanner post posts the log of the other workflow")
	}
	dir, err := p.getwd()
	if err != nil {
		return outcome{}, fmt.Errorf("working directory: %w", err)
	}
	pr, err := p.openProject(ctx, dir, &o)
	if err != nil {
		return outcome{}, err
	}
	defer pr.close()
	r, err := p.newWorkflowScan(ctx, c, pr, w, &o)
	defer r.close()
	if err != nil {
		return outcome{}, err
	}
	if r.target == nil {
		return outcome{}, p.noSkill(c, r)
	}
	var out *output
	if o.output != "" {
		if err := pr.checkLinks(o.output); err != nil {
			return outcome{}, err
		}
		if out, err = p.openOutput(ctx, o.output); err != nil {
			return outcome{}, err
		}
		defer out.close()
	}

	s := &session{
		p: p, c: c, pr: pr, o: &o, settings: r.settings, skills: r.skills,
		target: r.target, out: out, started: started,
	}
	defer s.close()
	a := &actionRun{p: p, c: c, w: w, s: s, r: r, o: &o}
	return a.run(ctx, dir)
}

// noSkill reports that there is nothing to do for an event.
func (p *process) noSkill(c *term.Console, r *workflowScan) error {
	c.Open(version)
	event := r.trigger()
	msg := fmt.Sprintf("no skill of %s at %.7s has a trigger for %s", configName, r.from, event.Type)
	if event.Type == config.TriggerPullRequest {
		msg += " with the action " + event.Action
	}
	c.Warn(term.Quiet, msg+": nothing was analyzed")
	trigger := fmt.Sprintf("type = %q", event.Type)
	if event.Action != "" {
		trigger += fmt.Sprintf(", actions = [%q]", event.Action)
	}
	c.Hint(term.Quiet, "give skills triggers = [{ "+trigger+" }]")
	return r.w.write(outputs{}, "## Scanner: nothing was analyzed\n\n"+text.OneLine(msg)+".\n")
}

// actionRun is a run of the action.
type actionRun struct {
	p *process
	c *term.Console
	w *workflow
	s *session
	r *workflowScan
	o *scanOptions
	// policy identifies everything that decides about the result.
	policy string
	// notes are for the summary.
	notes []string
	// silent is set when the token cannot even read the state of the host, so
	// that nothing is posted.
	silent bool
}

// run recognizes a head that was reviewed before, or scans it and posts the
// result.
func (a *actionRun) run(ctx context.Context, dir string) (outcome, error) {
	s := a.s
	s.configure()
	s.opts.Chunking.Before = a.r.before
	if ev := &a.w.event; ev.number > 0 {
		s.opts.PullRequest = &scanner.PullRequest{Title: ev.title, Description: ev.body}
	}
	if err := a.selectProvider(ctx); err != nil {
		return outcome{}, err
	}
	a.policy = a.r.hash(a.o, &s.opts, s.space)
	if earlier, done, err := a.earlier(ctx); err != nil {
		return outcome{}, hostError(err)
	} else if done {
		return a.replay(earlier)
	}

	run := jsonl.NewRun(s.started, dir)
	run.HeadSHA = a.r.head
	s.open(ctx, run)
	for _, note := range a.notes {
		a.c.Warn(term.Quiet, note)
	}
	runErr := s.run(ctx)
	oc, outErr := s.finish(ctx)
	res := a.r.result(s, a.o, runErr)
	res.Policy, res.Notes = a.policy, a.notes
	var postErr error
	switch {
	case oc.interrupted: // what is known is in the log, and there will be another run
		runErr = nil
	case a.silent:
		a.annotate(&res)
	default:
		postErr = a.post(ctx, &res)
	}
	return oc, errors.Join(runError(runErr), outErr, postErr, a.w.writeResult(&res, a.report()), a.c.Err())
}

// selectProvider selects the provider. The workflow of a fork's pull request gets
// no key: then only the pattern rules run.
func (a *actionRun) selectProvider(ctx context.Context) error {
	err := a.s.choose(ctx)
	if none, ok := errors.AsType[noCredentialsError](err); ok {
		if !a.w.event.restricted {
			return withHint(none, "give the step the environment SCANNER_PROVIDER_API_KEY: ${{ secrets.SCANNER_PROVIDER_API_KEY }} "+
				"(the input api-key of the action), or run the patterns of the skills without a model: --offline")
		}
		a.notes = append(a.notes, "The workflow has no key for a model, as usual for pull requests from forks: only the pattern rules of the skills ran.")
		a.o.offline = true
		err = a.s.choose(ctx)
	}
	return err
}

// earlier looks for an earlier review of the same head, and checks that the pull
// request still has that head.
func (a *actionRun) earlier(ctx context.Context) (review.Earlier, bool, error) {
	number := a.w.event.number
	if number == 0 {
		return review.Earlier{}, false, nil
	}
	state, err := a.w.host.Read(ctx, number, a.r.head)
	if denied, ok := errors.AsType[*review.PermissionError](err); ok {
		a.silent = true
		a.c.Warn(term.Quiet, denied.Error())
		return review.Earlier{}, false, nil
	}
	if err != nil {
		return review.Earlier{}, false, err
	}
	if state.Head != a.r.head {
		return review.Earlier{}, false, review.ErrHeadMoved
	}
	earlier, done := state.Done(a.r.head, a.policy, a.r.names())
	return earlier, done, nil
}

// replay reports again what an earlier run found.
func (a *actionRun) replay(earlier review.Earlier) (outcome, error) {
	a.c.Open(version)
	msg := fmt.Sprintf("%.7s was reviewed before with the same policy: %s", a.r.head, term.Counts(earlier.Counts))
	summary := "## Scanner: " + term.Counts(earlier.Counts) + "\n\nThis commit was reviewed before with the same policy.\n"
	if earlier.URL != "" {
		msg += ", " + earlier.URL
		summary += "\n" + text.OneLine(earlier.URL) + "\n"
	}
	a.c.Earlier(earlier.Counts, msg)
	return outcome{findings: earlier.Fails}, a.w.write(outputs{counts: earlier.Counts}, summary)
}

// post posts a result. Where the token lacks the permission to make check runs,
// findings become annotations of the workflow run.
func (a *actionRun) post(ctx context.Context, res *review.Result) error {
	out, err := review.Post(ctx, a.w.host, *res, a.o.dryRun)
	if len(out.Denied) > 0 && a.w.event.restricted {
		out.Warnings = []string{"the token can only read, as usual for pull requests from forks: " +
			"findings are annotations of this workflow run, and in its summary"}
	}
	showOutcome(a.c, a.o.level, out, a.o.dryRun, err)
	if out.NoChecks {
		a.annotate(res)
	}
	return hostError(err)
}

// annotate prints findings as commands to the runner, which shows them next to
// the lines.
func (a *actionRun) annotate(res *review.Result) {
	for _, command := range a.w.annotations(*res) {
		a.c.Command(command)
	}
}

// report returns the absolute path of the report; empty if there is none.
func (a *actionRun) report() string {
	path := a.s.rec.path()
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(a.s.pr.root, filepath.FromSlash(path))
	}
	return path
}
