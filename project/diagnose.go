package project

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/diff/gitdiff"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/agent"
)

// How long [Diagnose] waits for an answer. An agent CLI has to start before.
const (
	apiPatience   = 15 * time.Second
	agentPatience = time.Minute
)

// Check is the outcome of one check of [Diagnose]. Its texts hold no credentials, but
// are untrusted: they must be cleaned before they are shown.
type Check struct {
	Name string // what was checked
	Text string // the outcome; it may have several lines
	Hint string // what the user can do; it may be empty
	// Err is the error that a run would fail with, see [ExitCode]; nil if it would not.
	Err error
	// Warning is set if a run works all the same.
	Warning bool
}

// Diagnose checks what a run with these options needs, and reports each outcome. After a
// failure, what depends on it is left out. Unless opts.Offline is set, agent CLIs on the
// PATH are started to query their versions, and a short request is sent to the model and
// another to the cache of a team; opts.Timeout is how long it waits for each. When ctx
// ends, it returns.
func Diagnose(ctx context.Context, env Env, opts Options, report func(Check)) {
	d := &diagnosis{opts: opts, report: func(c Check) {
		if ctx.Err() != nil {
			return // it is a consequence
		}
		if c.Err != nil {
			c.Text, c.Hint = c.Err.Error(), Hint(c.Err)
		}
		if c.Warning {
			c.Err = nil
		}
		report(c)
	}}
	env.Warn = func(w Warning) {
		if w.Importance > Detail {
			d.report(Check{Name: "skills", Text: w.Text, Warning: true})
		}
	}
	version, gitErr := gitdiff.Version(ctx, gitdiff.Options{Env: env.Environ})
	d.need("git", version, gitError(gitErr))
	var err error
	if d.p, err = Open(ctx, env); err != nil {
		d.need("repository", "", err)
		return
	}
	defer d.p.Close()
	if gitErr == nil {
		d.repository(ctx)
	}
	settings, files, err := d.p.settings(ctx, &opts)
	if err == nil {
		_, err = readEntries(d.p.tree.FS())
	}
	if d.need("configuration", cmp.Or(strings.Join(files, ", "), "defaults; scanner init writes a "+configName), err); err != nil {
		return
	}
	d.model(ctx, settings)
	d.agents(ctx, settings)
	d.cache(ctx)
}

// diagnosis is one call of Diagnose.
type diagnosis struct {
	p      *Project
	opts   Options
	report func(Check)
}

// need reports what no run works without: text, or an error.
func (d *diagnosis) need(name, text string, err error) {
	d.report(Check{Name: name, Text: text, Err: err})
}

// want reports what runs also work without.
func (d *diagnosis) want(name, text string, err error) {
	d.report(Check{Name: name, Text: text, Err: err, Warning: err != nil})
}

func (d *diagnosis) repository(ctx context.Context) {
	if d.p.repo == nil {
		d.need("repository", "", d.p.noRepo)
		return
	}
	c, err := d.p.repo.Clone(ctx)
	out := Check{Name: "repository", Text: d.p.root}
	switch {
	case err != nil:
		d.need("repository", "", gitError(err))
		return
	case c.Shallow:
		out.Text += " is a shallow clone, which may lack the merge base for --base"
		out.Hint, out.Warning = "git fetch --unshallow; in a workflow, fetch-depth: 0 for actions/checkout, or GIT_DEPTH: 0 for GitLab", true
	case c.Partial:
		out.Text += " is a partial clone, which may lack what --base compares with"
		out.Hint, out.Warning = "git fetch --refetch --no-filter; in a workflow, no filter for actions/checkout", true
	case c.Default != "":
		out.Text += "; --base=" + c.Default + " scans a branch"
	case c.OriginHost != "":
		out.Text += "; the default branch of origin is not known"
		out.Hint = "git remote set-head origin --auto"
	}
	d.report(out)
}

// model checks the skills and the provider that a run would use.
func (d *diagnosis) model(ctx context.Context, s *config.Settings) {
	skills, err := d.p.skills(ctx, d.p.tree.FS(), d.p.env.skillDirs(), s, false)
	var names []string
	for i := range skills {
		names = append(names, fmt.Sprintf("%s (%s)", skills[i].Name, format.Count(len(skills[i].Patterns), "rule", "rules")))
	}
	d.need("skills", text.Truncate(strings.Join(names, ", "), 400), err)

	env := config.ReadEnv(d.p.env.getenv)
	var keys []string
	for _, v := range append([]config.Vendor{{Key: env.APIKey, KeyName: "SCANNER_PROVIDER_API_KEY"}}, env.Vendors...) {
		if v.Key.Reveal() != "" {
			keys = append(keys, v.KeyName)
		}
	}
	d.want("keys", cmp.Or(strings.Join(keys, ", "), "none is set"), nil)

	pl := &Plan{p: d.p, Settings: s, Skills: skills, opts: d.opts}
	if pl.provider, err = d.p.selectProvider(ctx, s, skills, d.opts.AgentTools); err == nil {
		pl.preferModels()
		err = pl.checkPrices()
	}
	check := d.need
	if d.opts.Offline {
		check = d.want
	}
	if err != nil {
		check("provider", "", err)
		return
	}
	deciding := []string{"provider.kind", "provider.apiKey", "provider.baseURL"}
	if pl.provider.agent {
		deciding = []string{"provider.agent"}
	}
	var chosen []string
	for _, key := range deciding {
		if from := s.Origin(key); from != "default" {
			chosen = append(chosen, from)
		}
	}
	check("provider", fmt.Sprintf("%s (%s)", provider.Identify(pl.provider.Provider),
		cmp.Or(strings.Join(format.Distinct(chosen), ", "), "the first agent CLI on the PATH")), nil)
	if !d.opts.Offline {
		d.answer(ctx, pl)
		d.sharedCache(ctx, pl)
	}
}

// answer sends a short request to the model of the first skill.
func (d *diagnosis) answer(ctx context.Context, pl *Plan) {
	patience := apiPatience
	if pl.provider.agent {
		patience = agentPatience
	}
	patience = cmp.Or(d.opts.Timeout, patience)
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req := provider.Request{
		Messages:  []provider.Message{{Role: provider.RoleUser, Text: "Answer with the word ok."}},
		MaxTokens: 256, // thoughts included
	}
	if len(pl.Skills) > 0 {
		req.Model = pl.Skills[0].Model
	}
	start, id := time.Now(), provider.Identify(pl.provider.Provider)
	resp, err := pl.provider.Complete(limited, req)
	if ctx.Err() != nil {
		return
	}
	kind := provider.KindOf(err)
	switch err = pl.runError(err); {
	case limited.Err() != nil:
		err = WithHint(fmt.Errorf("%s did not answer within %v", cmp.Or(id.Host, id.Name), patience),
			"check the network, and HTTPS_PROXY; --timeout=2m waits longer, for a model that is still being loaded")
	case kind == provider.KindRateLimit && !provider.EndsRun(err):
		d.want("answer", "", WithHint(err, "the key is accepted: wait, or send fewer requests at a time with runner.concurrency"))
		return
	case kind.Retryable() && Hint(err) == "":
		err = WithHint(err, "check the network, or try again later")
	}
	d.need("answer", fmt.Sprintf("%s, after %s: %s input, %s output, %s", cmp.Or(resp.Model, req.Model, id.Model, id.Name),
		format.Duration(time.Since(start)), format.Tokens(resp.Usage.InputTokens), format.Tokens(resp.Usage.OutputTokens), format.Cost(resp.Usage.CostUSD)), err)
}

// sharedCache checks the cache of a team: whether it is set up, and whether it answers.
func (d *diagnosis) sharedCache(ctx context.Context, pl *Plan) {
	if pl.Settings.Cache.URL == "" {
		return
	}
	if err := pl.checkSharedCache(); err != nil {
		d.need("team cache", "", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(d.opts.Timeout, apiPatience))
	defer cancel()
	store, err := pl.openShared(nil)
	if err == nil {
		defer store.Close()
		err = WithHint(store.Check(ctx), "check SCANNER_CACHE_URL and SCANNER_CACHE_TOKEN")
	}
	d.want("team cache", "it answers", err)
}

// agents reports the versions of the agent CLIs on the PATH.
func (d *diagnosis) agents(ctx context.Context, s *config.Settings) {
	for _, profile := range agent.Profiles() {
		path, err := d.p.env.LookPath(profile.Name)
		if err != nil {
			continue
		}
		text := profile.Name
		selected, err := d.p.selectAgent(ctx, s, profile.Name, path, true)
		if err == nil && !d.opts.Offline { // what it sends is not known
			var version string
			version, err = selected.Provider.(*agent.Agent).Version(ctx)
			text += " " + cmp.Or(version, "of an unknown version")
		}
		d.want("agent", fmt.Sprintf("%s (%s)", text, path), err)
	}
}

// cache checks whether answers are kept.
func (d *diagnosis) cache(ctx context.Context) {
	u, err := d.p.Cache(ctx, false)
	if err == nil && d.p.repo != nil && d.p.Contains(u.Dir) {
		err = fmt.Errorf("%q is inside of the repository, so that answers are not kept", u.Dir)
	}
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(u.Dir, "check-*"); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	d.want("cache", fmt.Sprintf("%s: %s", u.Dir, u), err)
}
