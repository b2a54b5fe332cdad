package project

import (
	"fmt"
	"path/filepath"

	"github.com/codescan-dev/scanner/provider/replay"
	"github.com/codescan-dev/scanner/redact"
)

// path returns the absolute path of a name that the user gave.
func (e *Env) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// openReplay returns the provider that answers with the records of a directory.
func (p *Project) openReplay(dir string) (*selectedProvider, error) {
	player, err := replay.Open(p.env.path(dir), func(difference string) {
		p.env.warn(Normal, difference+"; --record makes new ones")
	})
	if err != nil {
		return nil, UsageError(fmt.Errorf("recorded answers: %w", err))
	}
	return &selectedProvider{Provider: player, namespace: "replay"}, nil
}

// record makes the provider keep its answers. They hold no key, also if the configuration
// turns redaction off.
func (pl *Plan) record() error {
	r, err := replay.Record(pl.p.env.path(pl.opts.Record), pl.provider.Provider, redact.New(pl.Settings.Provider.APIKey.Reveal()).Redact, pl.p.env.Now)
	if err != nil {
		return UsageError(fmt.Errorf("recorded answers: %w", err))
	}
	pl.provider.Provider = r
	return nil
}
