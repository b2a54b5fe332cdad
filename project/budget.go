package project

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/codescan-dev/scanner/internal/tomlfile"
	"github.com/codescan-dev/scanner/provider"
)

// checkPrices returns an error if maxCost is set and the price of a model that may be
// used is unknown, unless the provider reports the cost of each answer.
func (pl *Plan) checkPrices() error {
	s := pl.Settings
	pricer, ok := pl.provider.Provider.(provider.Pricer)
	if s.Runner.MaxCost == 0 || ok && pricer.ReportsCost() {
		return nil
	}
	for _, sk := range pl.Skills {
		if sk.Instructions == "" {
			continue
		}
		main := cmp.Or(sk.Model, s.Provider.Model)
		for _, model := range []string{main, cmp.Or(s.Provider.AuxiliaryModel, main)} {
			if ok {
				if _, ok := pricer.Price(model); ok {
					continue
				}
			}
			model = cmp.Or(model, provider.Identify(pl.provider.Provider).Model)
			err := usagef("%s needs a price of the model %q, which is not known", s.Origin("runner.maxCost"), model)
			if model == "" {
				return WithHint(err, "name a model with --model")
			}
			file := filepath.Join(cmp.Or(pl.p.env.configDir(), "$XDG_CONFIG_HOME/scanner"), "config.toml")
			return WithHint(err, fmt.Sprintf("add it to %s, in US dollars per million tokens: provider.prices.%s = { input = 1.00, output = 4.00 }",
				file, tomlfile.QuoteKey(model)))
		}
	}
	return nil
}

// timeLimitError is the cause of the end of a context by the timeout.
type timeLimitError time.Duration

func (d timeLimitError) Error() string {
	return fmt.Sprintf("the time limit of %v was reached", time.Duration(d))
}

// withTimeout returns the context of a run that d limits, 0 meaning not, and the cause of
// its end by the timeout.
func (p *Project) withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc, error) {
	if d <= 0 {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, cancel, nil
	}
	cause := timeLimitError(d)
	ctx, cancel := context.WithDeadlineCause(ctx, time.Now().Add(d-p.env.Now().Sub(p.started)), cause)
	return ctx, cancel, cause
}
