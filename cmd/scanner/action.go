package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/github"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/jsonl"
)

// action is the command of that name: it scans what the event of a workflow is
// about, and says on the code host what it found.
func (p *process) action(ctx context.Context, o scanOptions) (outcome, error) {
	started := p.now()
	c := p.console(&o)
	defer c.Close()

	w, err := p.workflow()
	if err != nil {
		return outcome{}, err
	}
	if w.event.Name == github.EventWorkflowRun {
		return outcome{}, withHint(usagef("event %q is not for action: it does not scan what another workflow ran for", w.event.Name),
			"scanner post posts the log of the other workflow")
	}
	client, err := w.client(p, c)
	if err != nil {
		return outcome{}, err
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
	r, err := p.newReview(ctx, c, pr, w, &o)
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
	a := &actor{p: p, c: c, w: w, client: client, s: s, r: r, o: &o}
	return a.act(ctx, dir)
}

// noSkill says that there is nothing to do for an event.
func (p *process) noSkill(c *term.Console, r *review) error {
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
	return r.w.tell(outputs{}, "## Scanner: nothing was analyzed\n\n"+text.OneLine(msg)+".\n")
}

// actor carries out a review.
type actor struct {
	p      *process
	c      *term.Console
	w      *workflow
	client *github.Client
	s      *session
	r      *review
	o      *scanOptions
	// policy stands for all that decides about the result.
	policy string
	// notes are said in the summary.
	notes []string
	// silent is set when the token may not even read what is on the host, so
	// that nothing is posted.
	silent bool
}

// act recognizes a head that was reviewed before, or scans it and posts the
// result.
func (a *actor) act(ctx context.Context, dir string) (outcome, error) {
	s := a.s
	s.configure()
	s.opts.Chunking.Before = a.r.before
	if ev := &a.w.event; ev.Number > 0 {
		s.opts.PullRequest = &scanner.PullRequest{Title: ev.Title, Description: ev.Body}
	}
	if err := a.choose(ctx); err != nil {
		return outcome{}, err
	}
	a.policy = a.r.hash(a.o, &s.opts, s.space)
	if earlier, done, err := a.earlier(ctx); err != nil {
		return outcome{}, hostError(err)
	} else if done {
		return a.repeat(earlier)
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
	return oc, errors.Join(runError(runErr), outErr, postErr, a.w.tellResult(&res, a.report()), a.c.Err())
}

// choose decides who answers. The workflow of a fork's pull request gets no key:
// then the patterns are all there is.
func (a *actor) choose(ctx context.Context) error {
	err := a.s.choose(ctx)
	if none, ok := errors.AsType[noCredentialsError](err); ok {
		if !a.w.restricted() {
			return withHint(none, "give the step the environment SCANNER_PROVIDER_API_KEY: ${{ secrets.SCANNER_PROVIDER_API_KEY }} "+
				"(the input api-key of the action), or run the patterns of the skills without a model: --offline")
		}
		a.notes = append(a.notes, "The workflow has no key for a model, as is the rule for pull requests from forks: only the patterns of the skills ran.")
		a.o.offline = true
		err = a.s.choose(ctx)
	}
	return err
}

// earlier looks for an earlier review of the same head, and sees that the head
// has not moved on.
func (a *actor) earlier(ctx context.Context) (github.Earlier, bool, error) {
	number := a.w.event.Number
	if number == 0 {
		return github.Earlier{}, false, nil
	}
	state, err := a.client.Read(ctx, number, a.r.head)
	if denied, ok := errors.AsType[*github.PermissionError](err); ok {
		a.silent = true
		a.c.Warn(term.Quiet, denied.Error())
		return github.Earlier{}, false, nil
	}
	if err != nil {
		return github.Earlier{}, false, err
	}
	if state.Head != a.r.head {
		return github.Earlier{}, false, github.ErrHeadMoved
	}
	earlier, done := state.Done(a.r.head, a.policy, a.r.names())
	return earlier, done, nil
}

// repeat says again what an earlier run found.
func (a *actor) repeat(earlier github.Earlier) (outcome, error) {
	a.c.Open(version)
	msg := fmt.Sprintf("%.7s was reviewed before with the same policy: %s", a.r.head, term.Counts(earlier.Counts))
	summary := "## Scanner: " + term.Counts(earlier.Counts) + "\n\nThis commit was reviewed before with the same policy.\n"
	if earlier.URL != "" {
		msg += ", " + earlier.URL
		summary += "\n" + text.OneLine(earlier.URL) + "\n"
	}
	a.c.Earlier(earlier.Counts, msg)
	return outcome{findings: earlier.Fails}, a.w.tell(outputs{counts: earlier.Counts}, summary)
}

// post posts a result. Where the token may not make check runs, findings become
// annotations of the workflow run.
func (a *actor) post(ctx context.Context, res *github.Result) error {
	out, err := a.client.Post(ctx, *res, a.o.dryRun)
	if len(out.Denied) > 0 && a.w.restricted() {
		out.Warnings = []string{"the token may only read, as is the rule for pull requests from forks: " +
			"findings are annotations of this workflow run, and in its summary"}
	}
	showOutcome(a.c, a.o.level, out, a.o.dryRun, err)
	if slices.Contains(out.Denied, "checks: write") {
		a.annotate(res)
	}
	return hostError(err)
}

// annotate prints findings as commands to the runner, which shows them beside
// the lines.
func (a *actor) annotate(res *github.Result) {
	for _, command := range github.WorkflowCommands(*res) {
		a.c.Command(command)
	}
}

// report returns the absolute path of the report; empty if there is none.
func (a *actor) report() string {
	path := a.s.rec.path()
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(a.s.pr.root, filepath.FromSlash(path))
	}
	return path
}
