package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/codescan-dev/scanner/provider"
)

// Probe queries the version and the flags of the CLI. It runs the CLI once; later
// calls return the same. The answers are kept in [Config.Dir] for a day, as long as the
// program and the user's configuration of the CLI do not change. It sends no request to
// a model.
//
// The error is the context's or a *[provider.Error]: of [provider.KindSubprocess]
// if the CLI cannot be run or does not answer, of [provider.KindInvalid] if
// the version lacks a flag that is needed, or, wrapping [ErrTools], if its tools
// cannot be turned off and [Config.AllowTools] is not set. [Agent.Complete], which
// makes the probe if there was none, returns the same errors. They are final, unless
// they are retryable.
func (a *Agent) Probe(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := a.probe(ctx)
	return err
}

// Version returns the version that the CLI reports, which may be empty. The error is as
// that of [Agent.Probe]. It does not ask for the models, for which codex sends a request,
// nor whether the tools can be turned off.
func (a *Agent) Version(ctx context.Context) (string, error) {
	k, err := a.runProbe(ctx, nil)
	if err != nil {
		return "", err
	}
	return k.version, a.checkUsable(k)
}

// probed is the outcome of a probe.
type probed struct {
	version  string
	flags    map[string]bool
	toolsOff bool
	catalog  []byte // of models, for codex
	err      error  // why it cannot be used
}

// probeTime is how long a CLI has to answer: a slow start takes a few seconds.
const probeTime = 30 * time.Second

// has reports whether the CLI has a flag.
func (k *probed) has(flag string) bool { return k.flags[flag] }

// probe returns the outcome of the first successful probe, and makes one if there
// is none.
func (a *Agent) probe(ctx context.Context) (*probed, error) {
	select {
	case <-a.probing:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { a.probing <- struct{}{} }()
	if a.probed == nil {
		k, err := a.runProbe(ctx, a.profile.extra)
		if cerr := ctx.Err(); cerr != nil {
			return nil, cerr
		}
		if err != nil {
			return nil, final(err)
		}
		a.probed = k
		k.err = final(a.checkUsable(k))
	}
	return a.probed, a.probed.err
}

// final returns the error of a CLI that cannot be used, which ends a run.
func final(err error) error {
	if e, ok := errors.AsType[*provider.Error](err); ok {
		e.Final = !e.Kind.Retryable()
	}
	return err
}

var (
	versionText = regexp.MustCompile(`\b\d+\.\d+[0-9A-Za-z.+-]*`)
	flagsText   = regexp.MustCompile(`(?m)(?:^|[\s,])(--[a-z][a-z0-9-]*)`)
)

// runProbe runs the CLI for all questions at the same time, since a start can take
// a second. It has its own deadline, since the caller's is for requests. Without the
// extra question of the profile, nothing is learned from its answer.
func (a *Agent) runProbe(ctx context.Context, extra []string) (*probed, error) {
	ctx, cancel := context.WithTimeout(ctx, a.probeTime)
	defer cancel()
	questions := [][]string{{"--version"}, a.profile.help, extra}
	key := a.probeKey(questions)
	answers, kept := a.keptAnswers(key, len(questions))
	if !kept {
		var err error
		if answers, err = a.answers(ctx, questions); err != nil {
			return nil, err
		}
	}
	k := &probed{
		version:  a.cleaner.Clean(versionText.FindString(string(answers[0].stdout))),
		flags:    make(map[string]bool),
		toolsOff: true,
	}
	// Some print their help to standard error.
	for _, m := range flagsText.FindAllStringSubmatch(string(answers[1].stdout)+"\n"+answers[1].stderr, -1) {
		k.flags[m[1]] = true
	}
	if len(k.flags) == 0 {
		return nil, a.exitError(answers[1])
	}
	if len(extra) > 0 {
		a.profile.learn(k, answers[2])
	}
	if !kept && k.toolsOff {
		a.keepAnswers(key, answers)
	}
	return k, nil
}

// answers runs the CLI for all questions at the same time.
func (a *Agent) answers(ctx context.Context, questions [][]string) ([]output, error) {
	answers := make([]output, len(questions))
	g, gctx := errgroup.WithContext(ctx)
	for i, args := range questions {
		if len(args) == 0 {
			continue
		}
		g.Go(func() error {
			f, err := a.newWorkDir()
			if err != nil {
				return a.dirError(err)
			}
			defer f.remove()
			answers[i], err = a.run(gctx, call{args: args}, f)
			return err
		})
	}
	err := g.Wait()
	if ctx.Err() != nil {
		return nil, &provider.Error{
			Kind:    provider.KindSubprocess,
			Message: fmt.Sprintf("%s did not report its version and flags within %v", a.Name(), a.probeTime),
			Hint:    hintKey,
		}
	}
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// checkUsable returns why a CLI with these flags cannot be used, or nil.
func (a *Agent) checkUsable(k *probed) error {
	var missing []string
	for _, flag := range a.profile.needs {
		if !k.has(flag) {
			missing = append(missing, flag)
		}
	}
	switch {
	case len(missing) > 0:
		return a.missingFlags(missing...)
	case !k.toolsOff && !a.tools:
		return &provider.Error{
			Kind:    provider.KindInvalid,
			Message: fmt.Sprintf("the tools of %s cannot be turned off", a.version()),
			Hint:    fmt.Sprintf("update it: %s; or let it use its tools with --allow-agent-tools", a.profile.install()),
			Err:     ErrTools,
		}
	}
	return nil
}

// version returns the name of the CLI, with its version if that is known.
func (a *Agent) version() string {
	if a.probed == nil || a.probed.version == "" {
		return a.Name()
	}
	return a.Name() + " " + a.probed.version
}
