package main

import (
	"errors"
	"fmt"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/openai"
)

// hintOffline is for those who have no credentials.
const hintOffline = "scanner scan --offline runs the patterns of the skills without a model"

// provider returns who answers the requests of a run.
func (p *process) provider(s *config.Settings, skills []scanner.Skill) (provider.Provider, error) {
	if agent := s.Provider.Agent; agent != "" {
		return nil, withHint(fmt.Errorf("agent CLI %q (chosen by %s): agent CLIs are not supported by this version",
			agent, s.Origin("provider.agent")), "set SCANNER_PROVIDER_API_KEY instead, or use --offline")
	}
	prices := make(provider.Prices, len(s.Provider.Prices))
	for model, price := range s.Provider.Prices {
		prices[model] = provider.Price{
			InputPerMTok: *price.Input, OutputPerMTok: *price.Output,
			CacheReadPerMTok: price.CacheRead, CacheWritePerMTok: price.CacheWrite,
		}
	}
	client, err := openai.New(openai.Config{
		BaseURL: s.Provider.BaseURL,
		APIKey:  s.Provider.APIKey.Reveal(),
		Model:   s.Provider.Model,
		Proxy:   p.proxy,
		Prices:  prices,
	})
	switch {
	case errors.Is(err, openai.ErrNoKey):
		return nil, withHint(p.noProvider(s), hintOffline)
	case err != nil:
		return nil, asUsage(err)
	}
	if !openai.IsPublic(s.Provider.BaseURL) {
		for _, sk := range skills {
			if sk.Model == "" && s.Provider.Model == "" {
				return nil, withHint(usagef("no model set"), "name one with --model, SCANNER_MODEL or provider.model")
			}
		}
	}
	return client, nil
}

// agents are the agent CLIs that are looked for.
var agents = [...]string{"claude", "codex", "gemini", "opencode"}

// noProvider says that there is neither a key nor an agent CLI.
func (p *process) noProvider(s *config.Settings) error {
	if s.Provider.BaseURL != "" && !openai.IsPublic(s.Provider.BaseURL) {
		return errors.New("no API key: set SCANNER_PROVIDER_API_KEY")
	}
	for _, name := range agents {
		if _, err := p.lookPath(name); err == nil {
			return fmt.Errorf("no API key: set SCANNER_PROVIDER_API_KEY (%s is on the PATH, but agent CLIs are not supported by this version)", name)
		}
	}
	return fmt.Errorf("%s CLI not found on the PATH; install it or set an API key in SCANNER_PROVIDER_API_KEY", agents[0])
}

// runError words an error that ended a run.
func runError(err error) error {
	var p *provider.Error
	if !errors.As(err, &p) || p.Kind != provider.KindAuth {
		return err
	}
	hint := "check SCANNER_PROVIDER_API_KEY, and that it belongs to the API that is asked"
	if p.Message != "" {
		hint += " (" + p.Message + ")"
	}
	return withHint(errUnauthorized{}, hint)
}

// errUnauthorized is the error of a run whose credentials were refused.
type errUnauthorized struct{}

func (errUnauthorized) Error() string { return "Authentication failed: unauthorized" }
