package project

import (
	"context"
	"slices"
	"sync"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// rehearsal is what a run would do with some files, and what it finds with rules and
// stored answers alone.
type rehearsal struct {
	*Plan
	planned scanner.EventPlanned
	chunks  []scanner.EventChunk // of all skills, each in the order of a file
	// found are all findings with their ids, not merged, by the names of the skills.
	found map[string][]scanner.Finding
}

// rehearse runs the scan of some files dry. If the options do not choose what is scanned,
// it is the uncommitted changes or, if those are not enough, whole files.
func (p *Project) rehearse(ctx context.Context, opts Options, paths []string, enough func(*rehearsal) bool) (*rehearsal, error) {
	opts.Estimate, opts.Paths = true, nil
	warn := p.env.Warn
	defer func() { p.env.Warn = warn }()
	for {
		pl, err := p.Plan(ctx, opts)
		if err != nil {
			return nil, err
		}
		h := &rehearsal{Plan: pl, found: make(map[string][]scanner.Finding)}
		if err := h.run(ctx, paths); err != nil || enough(h) || opts.Staged || opts.All || opts.Base != "" {
			return h, err
		}
		opts.All = true
		p.env.Warn = func(Warning) {} // they would be the same
	}
}

func (h *rehearsal) run(ctx context.Context, paths []string) error {
	h.foreign = true // the cache of the team is on another machine
	for i := range h.Files {
		if f := &h.Files[i]; !slices.Contains(paths, f.Path) {
			*f = diff.File{Path: f.Path, Skip: diff.ReasonPaths} // findings can refer to the file
		}
	}
	var mu sync.Mutex // skills may end at the same time
	_, err := h.dryRun(ctx, func(opts *scanner.Options) {
		suppress := opts.Suppress
		opts.Suppress = func(skill string, findings []scanner.Finding, places map[string]scanner.PlaceHash) map[string]scanner.Suppression {
			mu.Lock()
			h.found[skill] = findings
			mu.Unlock()
			return suppress(skill, findings, places)
		}
		opts.OnEvent = func(e scanner.Event) {
			switch e := e.(type) {
			case scanner.EventPlanned:
				h.planned = e
			case scanner.EventChunk:
				h.chunks = append(h.chunks, e)
			}
		}
	})
	slices.SortStableFunc(h.chunks, func(a, b scanner.EventChunk) int { return a.Chunk.Index - b.Chunk.Index })
	return err
}
