package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/agent"
	"github.com/codescan-dev/scanner/provider/anthropic"
	"github.com/codescan-dev/scanner/provider/openai"
)

// hintOffline is for users without credentials.
const hintOffline = "scanner scan --offline runs the patterns of the skills without a model"

// selectedProvider is the provider of a run.
type selectedProvider struct {
	provider.Provider
	agent bool // it is an agent CLI
	// namespace separates its answers from those of other providers in the cache.
	namespace string
}

// The API of Gemini that is compatible with OpenAI's, see
// https://ai.google.dev/gemini-api/docs/openai, and its default model: small, cheap,
// and able to follow a schema.
const (
	geminiBaseURL = "https://generativelanguage.googleapis.com/v1beta/openai"
	geminiModel   = "gemini-3.5-flash-lite"
)

// selectProvider returns the provider of a run: the agent CLI or the vendor that was
// chosen, else an API if there is a key for it or it needs none, else the first agent
// CLI on the PATH.
func (p *Project) selectProvider(ctx context.Context, s *config.Settings, skills []scanner.Skill, allowTools bool) (*selectedProvider, error) {
	if name := s.Provider.Agent; name != "" {
		path, err := p.env.LookPath(name)
		i := slices.IndexFunc(agent.Profiles(), func(p agent.Profile) bool { return p.Name == name })
		if err != nil && i >= 0 {
			return nil, WithHint(&NoCredentialsError{s.Origin("provider.agent") + ": " + notFound(agent.Profiles()[i])},
				"without that choice, a key or another agent CLI is used; "+agent.Profiles()[i].Install+" installs the CLI")
		}
		return p.selectAgent(ctx, s, name, path, allowTools)
	}
	selected, err := p.newAPI(s)
	kind, public := s.Provider.Kind, openai.IsPublic(s.Provider.BaseURL)
	switch {
	case errors.Is(err, httpapi.ErrNoKey) && kind == "" && public:
		if name, path, ok := agent.Find(p.env.Environ, p.env.LookPath); ok {
			return p.selectAgent(ctx, s, name, path, allowTools)
		}
		return nil, p.nothingChosen()
	case errors.Is(err, httpapi.ErrNoKey):
		names := "SCANNER_PROVIDER_API_KEY"
		for _, v := range config.ReadEnv(p.env.getenv).Vendors {
			if v.Kind == kind {
				names = v.KeyName + " or " + names
			}
		}
		return nil, WithHint(&NoCredentialsError{"no API key: set " + names}, hintOffline)
	case err != nil:
		return nil, UsageError(err)
	}
	if kind == "" && !public {
		for _, sk := range skills {
			if sk.Model == "" && s.Provider.Model == "" {
				return nil, WithHint(usagef("no model set"), "name one with --model, SCANNER_MODEL or provider.model")
			}
		}
	}
	return selected, nil
}

// newAPI returns the API of the vendor that was chosen or, without a choice, one
// that is compatible with OpenAI's. The key and the code are sent to the vendor, or
// to the base URL of the settings, and nowhere else.
func (p *Project) newAPI(s *config.Settings) (*selectedProvider, error) {
	base, model, key := s.Provider.BaseURL, s.Provider.Model, s.Provider.APIKey.Reveal()
	switch s.Provider.Kind {
	case "anthropic":
		c, err := anthropic.New(anthropic.Config{BaseURL: base, APIKey: key, Model: model, Proxy: p.env.Proxy, Prices: prices(s)})
		return &selectedProvider{Provider: c, namespace: "anthropic " + cmp.Or(base, anthropic.DefaultBaseURL)}, err
	case "gemini":
		base, model = cmp.Or(base, geminiBaseURL), cmp.Or(model, geminiModel)
	case "openai":
		model = cmp.Or(model, openai.DefaultModel)
	}
	c, err := openai.New(openai.Config{Name: s.Provider.Kind, BaseURL: base, APIKey: key, Model: model, Proxy: p.env.Proxy, Prices: prices(s)})
	return &selectedProvider{Provider: c, namespace: cmp.Or(base, openai.DefaultBaseURL)}, err
}

// selectAgent returns an agent CLI. The first chunk that needs the model starts it.
func (p *Project) selectAgent(ctx context.Context, s *config.Settings, name, path string, allowTools bool) (*selectedProvider, error) {
	if err := checkOpencode(s, name); err != nil {
		return nil, err
	}
	dir := p.env.cacheDir()
	a, err := agent.New(agent.Config{
		Name:       name,
		Path:       path,
		Env:        p.env.Environ,
		AllowEnv:   s.Provider.AgentEnv,
		Dir:        filepath.Join(dir, "agents"),
		Model:      s.Provider.Model,
		AllowTools: allowTools,
		Prices:     prices(s),
	})
	if e, ok := errors.AsType[*provider.Error](err); ok {
		return nil, WithHint(errors.New(e.Message), e.Hint) // about the set-up, not about a request
	}
	switch {
	case err != nil:
		return nil, err
	case dir == "":
		return nil, WithHint(fmt.Errorf("%s has no private directory to run in: there is no cache directory", name), "set HOME or XDG_CACHE_HOME")
	case p.repo != nil && p.Contains(dir):
		return nil, WithHint(fmt.Errorf("%s has no private directory to run in: %q is inside of the repository, which could configure it", name, dir),
			"set XDG_CACHE_HOME to a directory outside of the repository")
	}
	for _, name := range append(a.Files(), path) {
		if err := p.checkUserFile(ctx, name); err != nil {
			return nil, err
		}
	}
	return &selectedProvider{Provider: a, agent: true, namespace: "agent " + name}, nil
}

// claudeModel is a full name of one of Anthropic's models, as its API takes it. It names
// no place: a region, an account or a vendor behind a gateway.
var claudeModel = regexp.MustCompile(`^claude-[a-z0-9.-]+$`)

// preferModels sets the models that skills prefer, where nobody chose another and the
// provider is Anthropic's. A repository can have any name there, and some names decide
// where code is sent; those that are not known to be plain ones are ignored with a warning.
func (pl *Plan) preferModels() {
	vendor := provider.Identify(pl.provider.Provider).Name
	var ignored []string
	for i := range pl.Skills {
		s := &pl.Skills[i]
		name := s.PreferredModel
		short := name == "haiku" || name == "sonnet" || name == "opus"
		switch {
		case name == "" || s.Model != "":
		case claudeModel.MatchString(name) && (vendor == "claude" || vendor == "anthropic"), short && vendor == "claude":
			s.Model = name
		default:
			ignored = append(ignored, fmt.Sprintf("%q of %s", text.Truncate(name, 80), s.Name))
		}
	}
	if len(ignored) > 0 {
		pl.p.env.warn(Normal, "models that skills name are ignored: "+strings.Join(ignored, ", ")+
			" (the claude CLI takes haiku, sonnet, opus and claude-…, Anthropic's API full names, other providers none); skills[].model in "+configName+" chooses one")
	}
}

// checkOpencode returns an error if scanner.toml chose opencode or a model of it. Models
// of opencode decide about the host, and some of its hosts need no login: a repository
// could send its readers' code to a place that they never chose.
func checkOpencode(s *config.Settings, name string) error {
	if name != "opencode" {
		return nil
	}
	keys := []string{"provider.agent", "provider.model", "provider.auxiliaryModel"}
	for _, sk := range s.Skills {
		keys = append(keys, sk.Key("model"))
	}
	for _, key := range keys {
		if s.FromProject(key) {
			return WithHint(fmt.Errorf("%s: a repository cannot choose where opencode sends code", s.Origin(key)),
				"choose yourself with SCANNER_AGENT and SCANNER_MODEL, or remove the line")
		}
	}
	return nil
}

// notFound is the message for an agent CLI that is not there.
func notFound(p agent.Profile) string {
	return p.Name + " CLI not found on the PATH; install it or set an API key in SCANNER_PROVIDER_API_KEY"
}

// nothingChosen returns the error for a run without any choice, with the lines that
// make the keys work that are there. A vendor's key is not used by itself: nobody
// may have meant it for code.
func (p *Project) nothingChosen() error {
	first := agent.Profiles()[0]
	text := notFound(first)
	for _, v := range config.ReadEnv(p.env.getenv).Vendors {
		if v.Key.Reveal() != "" {
			text += "\n" + v.KeyName + " is set; to use it: export SCANNER_PROVIDER=" + v.Kind
		}
	}
	return WithHint(&NoCredentialsError{text}, hintOffline+"; "+first.Install+" installs the CLI")
}

// NoCredentialsError is the error of a plan that needs a model and finds neither
// a key nor an agent CLI.
type NoCredentialsError struct{ text string }

func (e *NoCredentialsError) Error() string { return e.text }

// prices returns the prices of the user's configuration.
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
