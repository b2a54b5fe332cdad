package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/agent"
	"github.com/codescan-dev/scanner/provider/openai"
)

// hintOffline is for those who have no credentials.
const hintOffline = "scanner scan --offline runs the patterns of the skills without a model"

// answerer is who answers the requests of a run.
type answerer struct {
	provider.Provider
	// agent is set for an agent CLI.
	agent bool
	// space keeps its answers apart from those of others in the cache.
	space string
}

// provider returns who answers the requests of a run: the agent CLI that was
// chosen, else an API if there is a key for it or none is needed, else the first
// agent CLI on the PATH.
func (p *process) provider(ctx context.Context, s *config.Settings, skills []scanner.Skill, allowTools bool) (answerer, error) {
	if name := s.Provider.Agent; name != "" {
		return p.agent(ctx, s, name, allowTools)
	}
	client, err := openai.New(openai.Config{
		BaseURL: s.Provider.BaseURL,
		APIKey:  s.Provider.APIKey.Reveal(),
		Model:   s.Provider.Model,
		Proxy:   p.proxy,
		Prices:  prices(s),
	})
	switch {
	case errors.Is(err, openai.ErrNoKey):
		if !openai.IsPublic(s.Provider.BaseURL) {
			return answerer{}, withHint(noCredentialsError("no API key: set SCANNER_PROVIDER_API_KEY"), hintOffline)
		}
		if name, _, ok := agent.Find(p.lookPath); ok {
			return p.agent(ctx, s, name, allowTools)
		}
		return answerer{}, notFound(agent.Profiles()[0])
	case err != nil:
		return answerer{}, asUsage(err)
	}
	if !openai.IsPublic(s.Provider.BaseURL) {
		for _, sk := range skills {
			if sk.Model == "" && s.Provider.Model == "" {
				return answerer{}, withHint(usagef("no model set"), "name one with --model, SCANNER_MODEL or provider.model")
			}
		}
	}
	return answerer{Provider: client, space: cmp.Or(s.Provider.BaseURL, openai.DefaultBaseURL)}, nil
}

// agent returns an agent CLI that has said of itself that it will do.
func (p *process) agent(ctx context.Context, s *config.Settings, name string, allowTools bool) (answerer, error) {
	a, err := agent.New(agent.Config{
		Name:       name,
		LookPath:   p.lookPath,
		Env:        p.environ,
		TempDir:    p.tempDir(),
		Model:      s.Provider.Model,
		AllowTools: allowTools,
		Prices:     prices(s),
	})
	switch {
	case errors.Is(err, agent.ErrNotFound):
		for _, profile := range agent.Profiles() {
			if profile.Name == name {
				return answerer{}, notFound(profile)
			}
		}
		return answerer{}, err
	case err != nil:
		return answerer{}, err
	}
	info, err := a.Probe(ctx)
	switch {
	case errors.Is(err, agent.ErrTools):
		return answerer{}, withHint(err, "choose another agent or an API key; --allow-agent-tools runs it with its tools, "+
			"which the code under review may then talk it into using")
	case err != nil:
		return answerer{}, err
	}
	return answerer{Provider: a, agent: true, space: "agent " + info.Name}, nil
}

// notFound says that there is neither a key nor an agent CLI.
func notFound(p agent.Profile) error {
	return withHint(noCredentialsError(p.Name+" CLI not found on the PATH; install it or set an API key in SCANNER_PROVIDER_API_KEY"),
		hintOffline+"; "+p.Install+" installs the CLI")
}

// noCredentialsError says that there is no way to a model.
type noCredentialsError string

func (e noCredentialsError) Error() string { return string(e) }

// prices returns the prices of the user's own.
func prices(s *config.Settings) provider.Prices {
	prices := make(provider.Prices, len(s.Provider.Prices))
	for model, price := range s.Provider.Prices {
		prices[model] = provider.Price{
			InputPerMTok: price.Input, OutputPerMTok: price.Output,
			CacheReadPerMTok: price.CacheRead, CacheWritePerMTok: price.CacheWrite,
		}
	}
	return prices
}

// runError words an error that ended a run.
func runError(err error) error {
	var p *provider.Error
	if !errors.As(err, &p) || p.Kind != provider.KindAuth {
		return err
	}
	// The provider does not know where its key is from.
	hint := strings.Replace(p.Hint, "the API key", "SCANNER_PROVIDER_API_KEY", 1)
	if hint == "" {
		hint = "check SCANNER_PROVIDER_API_KEY, and that it belongs to the API that is asked"
	}
	if p.Message != "" {
		hint += " (" + p.Message + ")"
	}
	return withHint(errUnauthorized{}, hint)
}

// errUnauthorized is the error of a run whose credentials were refused.
type errUnauthorized struct{}

func (errUnauthorized) Error() string { return "Authentication failed: unauthorized" }
