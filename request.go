package scanner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/provider"
)

// largePrompt is the number of characters above which the event of a prompt has
// Large set.
const largePrompt = 100_000

// request has the model analyze a chunk, in the form in which it may be sent, and
// returns the findings of its answer as it wrote them. With an error it returns
// those that could be read all the same.
func (a *analysis) request(ctx context.Context, chunk diff.Chunk, text diff.Text) ([]json.RawMessage, error) {
	in := prompt.UserInput{Chunk: &chunk, Text: text, WholeFile: a.s.plans[a.file].File.Load != nil, Files: a.files, PullRequestTitle: a.title, PullRequestDescription: a.description}
	req := a.newRequest(prompt.User(in))
	key := ""
	if a.opts.Cache != nil {
		own := in
		own.Files = nil // an edit elsewhere does not change the answer
		key = a.cacheKey(req, prompt.User(own))
	}
	if raw, ok := a.cached(ctx, key); ok {
		a.outcome = OutcomeCached
		return raw, nil
	}
	system, user := utf8.RuneCountInString(req.System), utf8.RuneCountInString(req.Messages[0].Text)
	a.emit(EventPrompt{Chunk: a.ref(), SystemChars: system, UserChars: user, Large: system+user > largePrompt})

	resp, calls, err := a.converse(ctx, req)
	if err != nil {
		if halves, ok := halve(&chunk, text); ok && provider.KindOf(err) == provider.KindContextLength && ctx.Err() == nil {
			return a.requestHalves(ctx, in, halves)
		}
		return nil, err
	}
	raw, err := a.extract(ctx, resp)
	if err == nil && calls == 0 { // what tools found is not part of the key
		a.keep(ctx, key, raw)
	}
	return raw, err
}

// newRequest returns the request with a prompt for the chunk.
func (a *analysis) newRequest(user string) provider.Request {
	req := provider.Request{
		Model:    cmp.Or(a.s.skill.Model, a.opts.Model),
		System:   a.s.system,
		Messages: []provider.Message{{Role: provider.RoleUser, Text: user}},
		Schema:   prompt.Schema(),
	}
	if a.s.tools != nil {
		req.Tools = a.s.tools.Definitions()
	}
	return req
}

// auxiliaryRequest returns a helper request for a skill.
func (r *run) auxiliaryRequest(s *skillRun, system, user string, schema *provider.Schema) provider.Request {
	return provider.Request{
		Model:    cmp.Or(r.opts.AuxiliaryModel, s.skill.Model, r.opts.Model),
		System:   system,
		Messages: []provider.Message{{Role: provider.RoleUser, Text: user}},
		Schema:   schema,
	}
}

// completion is the outcome of a request with all of its attempts.
type completion struct {
	provider.Response
	retries int
	spent   Usage
}

// complete makes one request for a chunk, with its retries. What was spent is
// also returned with an error.
func (r *run) complete(ctx context.Context, j job, p provider.Provider, req provider.Request) (completion, error) {
	var c completion
	var refused error
	answered := false // by the last attempt
	attempt := func(ctx context.Context) error {
		answered = false
		if err := r.stopReason(ctx); err != nil {
			return err
		}
		actx := ctx
		if r.timeout > 0 {
			var cancel context.CancelFunc
			actx, cancel = context.WithTimeout(ctx, r.timeout)
			defer cancel()
		}
		resp, err := p.Complete(actx, req)
		if err == nil && resp.Usage.IsZero() {
			resp.Usage.Unreported = true
		}
		answered = err == nil
		c.Response, c.spent = resp, c.spent.Add(resp.Usage)
		r.guard.spend(resp.Usage)
		if provider.KindOf(err) == provider.KindAuth && ctx.Err() == nil {
			// Before the slot is free, so that no request is made in between.
			refused = err
			r.guard.refused(err)
		}
		switch {
		case err != nil && ctx.Err() == nil && actx.Err() != nil && provider.KindOf(err) == provider.KindUnknown:
			return &provider.Error{Kind: provider.KindTimeout, Message: fmt.Sprintf("no answer within %v", r.timeout), Err: err}
		case err == nil && resp.Stop != provider.StopLength && strings.TrimSpace(resp.Text) == "" && (len(resp.ToolCalls) == 0 || len(req.Tools) == 0):
			return &provider.Error{Kind: provider.KindServer, Message: "the answer is empty"}
		}
		return err
	}
	notify := func(n, max int, delay time.Duration, err error) {
		r.emit(EventRetry{Chunk: j.ref(), Attempt: n, Max: max, Delay: delay, Err: err})
	}
	var err error
	c.retries, err = r.opts.Retry.Retry(ctx, r.limiter, attempt, notify)
	switch {
	case refused != nil:
		return c, refused
	case isStop(err) || ctx.Err() != nil:
	case answered:
		// An empty answer, too, comes from a provider that works. A text that
		// makes a model fall silent must not end the run for all others.
		r.guard.completed(nil)
	default:
		r.guard.completed(err)
	}
	return c, err
}
