package project

import (
	"cmp"
	"context"
	"slices"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/provider"
)

// Estimate is what a run is going to analyze, and what that is expected to use.
type Estimate struct {
	// Files are those with at least one chunk, Skipped those that no skill analyzes.
	Files   []FileEstimate        `json:"files"`
	Skipped []scanner.SkippedFile `json:"skippedFiles"`
	Skills  []SkillEstimate       `json:"skills"`
}

// FileEstimate is a file and the number of its chunks.
type FileEstimate struct {
	Path   string `json:"path"`
	Chunks int    `json:"chunks"`
}

// SkillEstimate is the part of a skill.
type SkillEstimate struct {
	Skill string `json:"skill"`
	// Model is the model of the skill; empty if it is unknown, or none is used.
	Model string `json:"model"`
	// Chunks counts the chunks of the skill, Cached those that the cache answers.
	Chunks int `json:"chunks"`
	Cached int `json:"cached"`
	// Usage is what one answer about each of the others is expected to use, without
	// calls of tools, second opinions and retries; see [provider.ExpectedUsage].
	Usage scanner.Usage `json:"usage"`
}

// Estimate returns what Run is going to do. It sends nothing, stores nothing and writes
// no log.
func (pl *Plan) Estimate(ctx context.Context) (*Estimate, error) {
	pl.warn()
	e := &Estimate{Files: []FileEstimate{}, Skipped: []scanner.SkippedFile{}, Skills: []SkillEstimate{}}
	if len(pl.Files) == 0 {
		return e, ctx.Err()
	}
	report, err := pl.dryRun(ctx, func(opts *scanner.Options) {
		opts.OnEvent = func(event scanner.Event) {
			if planned, ok := event.(scanner.EventPlanned); ok {
				for _, f := range planned.Files {
					e.Files = append(e.Files, FileEstimate{f.Path, f.Chunks})
				}
				e.Skipped = append(e.Skipped, planned.Skipped...)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, s := range report.Skills {
		skill := SkillEstimate{Skill: s.Skill, Model: s.Model, Chunks: s.Chunks.Total, Cached: s.Chunks.Cached}
		if s.Usage != nil {
			skill.Usage = *s.Usage
		}
		e.Skills = append(e.Skills, skill)
	}
	return e, nil
}

// dryRun does what Run does, without a second opinion, with stored answers, and with
// none in place of all others. It sends nothing to the model, and stores nothing.
func (pl *Plan) dryRun(ctx context.Context, adapt func(*scanner.Options)) (*scanner.RunReport, error) {
	r := &runner{Plan: pl, scanOptions: pl.scanOptions(), dry: true}
	defer r.openCache(ctx)()
	opts := r.scanOptions
	d := &dryProvider{prices: prices(pl.Settings)}
	if pl.provider != nil {
		d.Provider = pl.provider.Provider
	}
	opts.Provider, opts.Features = d, nil
	if opts.Cache != nil {
		opts.Cache = readOnly{opts.Cache}
	}
	opts.MaxCost, opts.MaxTokens, opts.BatchDelay, opts.Verify = 0, 0, 0, false
	adapt(&opts)
	skills := slices.Clone(pl.Skills)
	for i := range skills {
		skills[i].Verify = false
	}
	return scanner.Run(ctx, skills, pl.Files, opts)
}

// dryProvider takes the place of a provider and sends nothing. To the cache it is the same:
// requests have the keys that they have in a run.
type dryProvider struct {
	provider.Wrapper // of nothing if there are no credentials
	prices           provider.Prices
}

// Complete returns an answer without findings, with the usage that is expected.
func (d *dryProvider) Complete(_ context.Context, req provider.Request) (provider.Response, error) {
	u := provider.ExpectedUsage(req.Size())
	u.CostUSD = d.prices.Cost(u, cmp.Or(req.Model, d.Identity().Model))
	return provider.Response{Text: `{"findings": []}`, Stop: provider.StopEnd, Usage: u}, nil
}

// readOnly is a cache that learns nothing.
type readOnly struct{ scanner.Cache }

func (readOnly) Put(context.Context, string, []byte) {}
