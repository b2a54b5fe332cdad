// Package agent is the adapter for agent CLIs that people have installed and logged
// in to: claude, codex, gemini and opencode. It is for those who have a
// subscription and no API key.
//
// An [Agent] runs its CLI once for each request, as a function from a prompt to a
// text. But agents are made to act, and their input here is hostile: code, file
// names and pull request texts of strangers. So each run is isolated:
//
//   - The prompt goes over standard input, the system prompt through a private
//     file. Neither is an argument, which other users of the machine could read.
//   - The working directory is a new one without anything of the repository, so
//     that no settings, hooks, servers or instructions of the repository are
//     loaded. Agents look for such files in all directories above it as well:
//     see [Config.Dir]. Temporary files of the agent go next to it, and both are
//     removed afterwards.
//   - Its tools are turned off, also those that act without the model: claude, for
//     instance, would attach any file that a prompt mentions as @/path, and run
//     "/command" at its beginning. An agent whose tools cannot be turned off is
//     refused with [ErrTools], unless [Config.AllowTools] is set.
//   - Of the environment it gets an allow-list: variables that any program needs,
//     and those of its own configuration and login (for claude CLAUDE_CONFIG_DIR
//     and ANTHROPIC_API_KEY, for instance). It gets variables of scanner, of the
//     code host or of clouds only if [Config.AllowEnv] lists them. See
//     [Environment].
//   - Its processes form a group, which is ended with the context; their output is
//     read up to a limit. If the program that uses this package is killed, Linux
//     kills the agent, but not what it started.
//
// The agent makes one attempt: its own retries are turned off, or it is ended at
// the first failure, since the retry loop is in package provider.
//
// Code goes where the user set the CLI up to send it, or nowhere: isolation must not
// make a CLI forget a gateway and use the vendor's public host. [New] reads the user's
// configuration of the CLI, never that of a repository:
//
//   - claude: env, apiKeyHelper and model of the settings are passed on, and none of
//     the other keys.
//   - codex: the model, the address and the provider of config.toml are passed on,
//     with the variables that the provider names. A profile in it is refused.
//   - gemini and opencode read their own configuration; opencode gets the variables
//     that it names.
//   - Amazon Bedrock, Google Vertex AI, Microsoft Foundry and the like need variables
//     of a cloud. Where they are selected, New returns an error unless
//     [Config.AllowEnv] lists each of those variables that is set.
//
// Otherwise the user's settings stay in force only where they cannot be turned off:
// instructions for all of their projects (codex, gemini, opencode), and servers for
// tools, which opencode starts although their tools are off. Opencode also keeps a
// record of each session in the user's home directory; the records of gemini are
// removed.
//
// The flags of these programs change with their versions. An Agent queries the
// version and the flags of its CLI once, before its first request, and reports what is
// missing. The profiles
// are based on recordings of real versions; see testdata.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/provider"
)

// ErrTools means that an agent has tools that cannot be turned off.
var ErrTools = errors.New("the tools of the agent cannot be turned off")

// Config selects and configures a CLI.
type Config struct {
	// Name is the name of the CLI, one of [Profiles]. Required.
	Name string
	// Path is the absolute path of the program; see [Find]. Required.
	Path string
	// Env is the caller's environment, in the form of [os.Environ]. The agent gets
	// the variables that [Environment] selects.
	Env []string
	// AllowEnv are the names of variables that the agent gets in addition. A name
	// that ends in "*" is a prefix.
	AllowEnv []string
	// Dir is for the directories of requests and the kept answers to probes; required. It is made private: it
	// is created if it is missing, and must belong to the user and not be a
	// symbolic link. No other user must be able to write to a directory above it:
	// agents look there for settings that redirect requests. Nothing is run
	// otherwise. It should be below the user's cache directory; directories below
	// /tmp are refused.
	Dir string
	// Model is for requests that name none. Empty means the CLI's default.
	Model string
	// AllowTools permits an agent whose tools cannot be turned off. The reviewed
	// code can then make it read any file that its user can read.
	AllowTools bool
	// Prices take precedence over [provider.ListPrices]. They are for CLIs that do
	// not report the cost of an answer.
	Prices provider.Prices
}

// Agent sends requests to one agent CLI. It is safe for concurrent use.
type Agent struct {
	profile profile
	path    string
	route   *route
	cleaner httperr.Cleaner
	dir     string
	model   string
	tools   bool
	prices  provider.Prices

	probing   chan struct{} // holds one token; taken while probed is made
	probeTime time.Duration
	probed    *probed
}

var (
	_ provider.FeatureSender = (*Agent)(nil)
	_ provider.Pricer        = (*Agent)(nil)
)

// SendsFeatures implements [provider.FeatureSender].
func (a *Agent) SendsFeatures() bool { return false }

// New returns an Agent. It runs nothing, but reads the user's configuration of the CLI:
// the error is a *[provider.Error] of [provider.KindInvalid], with a hint, if requests
// would go to another place than when the user runs the CLI.
func New(cfg Config) (*Agent, error) {
	i := slices.IndexFunc(profiles[:], func(p profile) bool { return p.name == cfg.Name })
	if i < 0 {
		return nil, fmt.Errorf("unknown agent CLI %q: want one of %s", cfg.Name, strings.Join(names(), ", "))
	}
	if !filepath.IsAbs(cfg.Path) {
		// It is run in another directory, and a program of the scanned
		// repository must never be run.
		return nil, fmt.Errorf("path of the agent CLI is %q: want an absolute path", cfg.Path)
	}
	if cfg.Dir == "" {
		return nil, errors.New("no directory for the agent CLI")
	}
	r, err := profiles[i].newRoute(cfg)
	if err != nil {
		return nil, err
	}
	a := &Agent{
		profile: profiles[i],
		path:    cfg.Path,
		route:   r,
		cleaner: httperr.NewCleaner(secrets(slices.Concat(cfg.Env, r.vars))...),
		dir:     cfg.Dir,
		model:   cfg.Model,
		tools:   cfg.AllowTools,
		prices:  cfg.Prices,
		probing: make(chan struct{}, 1),

		probeTime: probeTime,
	}
	a.probing <- struct{}{}
	return a, nil
}

// Identity implements [provider.Identifier].
func (a *Agent) Identity() provider.Identity {
	return provider.Identity{Name: a.profile.name, Host: a.route.host(a.profile), Model: cmp.Or(a.model, a.route.model)}
}

// Price implements [provider.Pricer].
func (a *Agent) Price(model string) (provider.Price, bool) {
	return a.prices.Find(cmp.Or(model, a.model))
}

// ReportsCost implements [provider.Pricer].
func (a *Agent) ReportsCost() bool { return a.profile.reportsCost }

// Files returns the paths of the user's configuration of the CLI, whether the files
// exist or not.
func (a *Agent) Files() []string { return slices.Clone(a.route.files) }

// Find returns the first of the [Profiles] whose program lookPath finds, and its
// path. In the environment env, opencode must have a model, a provider or a login:
// otherwise it sends code to a hosted model that nobody chose.
func Find(env []string, lookPath func(name string) (path string, err error)) (name, path string, ok bool) {
	for _, p := range profiles {
		path, err := lookPath(p.name)
		if err != nil || !filepath.IsAbs(path) {
			continue
		}
		if r := (&route{env: Environment(p.name, env)}); p.name != opencode.name || routeOpencode(r, Config{Env: env}) == nil && r.configured {
			return p.name, path, true
		}
	}
	return "", "", false
}

// Name returns the name of the CLI, for instance "claude".
func (a *Agent) Name() string { return a.profile.name }

// Complete implements [provider.Provider].
//
// The schema of a request is passed on where the CLI takes one. Tools of a request
// are not offered: no CLI takes any. A conversation of several messages becomes one
// text with the roles named in it.
func (a *Agent) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	if err := ctx.Err(); err != nil {
		return provider.Response{}, err
	}
	if req.Model == "" {
		req.Model = a.model
	}
	known, err := a.probe(ctx)
	if err != nil {
		return provider.Response{}, err
	}
	f, err := a.newWorkDir()
	if err != nil {
		return provider.Response{}, a.dirError(err)
	}
	defer f.remove()
	c, err := a.profile.call(known, req, f)
	if provider.EndsRun(err) {
		return provider.Response{}, err
	}
	if err != nil {
		return provider.Response{}, a.startError("cannot be given the request", err)
	}
	c.stdin = conversation(req.Messages)

	out, err := a.run(ctx, c, f)
	if cerr := ctx.Err(); cerr != nil {
		return provider.Response{}, cerr
	}
	if err != nil {
		return provider.Response{}, err
	}
	resp, err := a.result(out, req)
	if resp.Usage.CostUSD == nil {
		resp.Usage.CostUSD = a.prices.Cost(resp.Usage, req.Model, resp.Model)
	}
	return resp, err
}

// result reads the output of a run. The agent's own report of a failure takes
// precedence over how its process ended.
func (a *Agent) result(out output, req provider.Request) (provider.Response, error) {
	if out.tooLarge {
		return provider.Response{}, &provider.Error{
			Kind:    provider.KindServer,
			Message: fmt.Sprintf("the answer of %s is larger than %d MiB", a.Name(), maxOutput>>20),
		}
	}
	resp, fail, ok := a.profile.read(out)
	switch {
	case ok && fail != nil:
		return resp, a.classify(*fail)
	case out.stdin != nil:
		// An answer to half a prompt does not count.
		return provider.Response{Usage: resp.Usage}, a.exitError(out)
	case !ok:
		return resp, a.exitError(out)
	case strings.TrimSpace(resp.Text) == "" && resp.Stop != provider.StopLength:
		return resp, &provider.Error{Kind: provider.KindServer, Message: "the answer of " + a.Name() + " is empty"}
	}
	if resp.Model == "" {
		resp.Model = req.Model
	}
	return resp, nil
}

// conversation returns the messages as one text.
func conversation(messages []provider.Message) string {
	var text string
	if len(messages) == 1 {
		text = messages[0].Text
	} else {
		var b strings.Builder
		for i, m := range messages {
			if i > 0 {
				b.WriteString("\n\n")
			}
			fmt.Fprintf(&b, "[%s]\n%s", m.Role, m.Text)
			for _, c := range m.ToolCalls {
				fmt.Fprintf(&b, "\n(calls %s with %s)", c.Name, c.Arguments)
			}
		}
		text = b.String()
	}
	// At the very beginning of its input, an agent may take these for commands.
	if text != "" && strings.ContainsRune("/!#@$", rune(text[0])) {
		text = "\n" + text
	}
	return text
}
