package agent

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/provider"
)

// Info is what an agent CLI says about itself.
type Info struct {
	// Name and Path say which program it is.
	Name, Path string
	// Version is its version, for instance "2.1.329"; empty if it does not say.
	Version string
	// ToolsOff reports whether its tools can be turned off, so that hostile code
	// cannot make it act.
	ToolsOff bool
}

// Probe asks the CLI for its version and its flags. It asks once; later calls
// return what is known. It sends no request to a model.
//
// The error is the context's or a *[provider.Error]: of [provider.KindSubprocess]
// if the CLI cannot be run or does not answer, of [provider.KindInvalid] if
// the version lacks a flag that is needed, or, wrapping [ErrTools], if its tools
// cannot be turned off and [Config.AllowTools] is not set. The Info is valid in
// these cases. [Agent.Complete] returns the same errors.
func (a *Agent) Probe(ctx context.Context) (Info, error) {
	if err := ctx.Err(); err != nil {
		return Info{Name: a.Name(), Path: a.path}, a.ended(err)
	}
	k, err := a.probe(ctx)
	info := Info{Name: a.Name(), Path: a.path}
	if k != nil {
		info.Version, info.ToolsOff = k.version, k.toolsOff
	}
	return info, err
}

// probed is what is known about a CLI.
type probed struct {
	version  string
	flags    map[string]bool
	toolsOff bool
	catalog  []byte // of models, for codex
	err      error  // why it is not used
}

// probeTime is how long a CLI has to answer: a slow start takes a few seconds.
const probeTime = 30 * time.Second

// has reports whether the CLI has a flag.
func (k *probed) has(flag string) bool { return k.flags[flag] }

// probe returns what is known, and asks if nothing is.
func (a *Agent) probe(ctx context.Context) (*probed, error) {
	select {
	case <-a.probing:
	case <-ctx.Done():
		return nil, a.ended(ctx.Err())
	}
	defer func() { a.probing <- struct{}{} }()
	if a.probed == nil {
		k, err := a.ask(ctx)
		if cerr := ctx.Err(); cerr != nil {
			return nil, a.ended(cerr)
		}
		if err != nil {
			return nil, err
		}
		a.probed = k
		k.err = a.judge(k)
	}
	return a.probed, a.probed.err
}

var (
	versionText = regexp.MustCompile(`\b\d+\.\d+[0-9A-Za-z.+-]*`)
	flagsText   = regexp.MustCompile(`(?m)(?:^|[\s,])(--[a-z][a-z0-9-]*)`)
)

// ask puts the questions, all at once: a start can take a second. It does not
// wait forever: no request has begun that could run out of time.
func (a *Agent) ask(ctx context.Context) (*probed, error) {
	ctx, cancel := context.WithTimeout(ctx, a.probeTime)
	defer cancel()
	questions := [][]string{{"--version"}, a.profile.help, a.profile.extra}
	answers := make([]output, len(questions))
	errs := make([]error, len(questions))
	var wg sync.WaitGroup
	for i, args := range questions {
		if len(args) == 0 {
			continue
		}
		wg.Go(func() {
			f, err := newFolder(a.temp)
			if err != nil {
				errs[i] = a.broken("no folder to run in: "+err.Error(), err)
				return
			}
			defer f.remove()
			answers[i], errs[i] = a.run(ctx, call{args: args}, f)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, &provider.Error{
			Kind:    provider.KindSubprocess,
			Message: fmt.Sprintf("%s did not say its version and flags within %v", a.Name(), a.probeTime),
			Hint:    hintKey,
		}
	}
	for _, err := range errs {
		if err != nil {
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
		return nil, a.crashed(answers[1])
	}
	if a.profile.learn != nil {
		a.profile.learn(k, answers[2])
	}
	return k, nil
}

// judge returns why a CLI with these flags is not used, or nil.
func (a *Agent) judge(k *probed) error {
	var missing []string
	for _, flag := range a.profile.needs {
		if !k.has(flag) {
			missing = append(missing, flag)
		}
	}
	switch {
	case len(missing) > 0:
		return a.missing(missing...)
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

// version names the CLI with its version, if that is known.
func (a *Agent) version() string {
	if a.probed == nil || a.probed.version == "" {
		return a.Name()
	}
	return a.Name() + " " + a.probed.version
}
