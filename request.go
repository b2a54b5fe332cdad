package scanner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/fallback"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/internal/tools"
	"github.com/codescan-dev/scanner/provider"
)

// largePrompt is the number of characters above which the event of a prompt has
// Large set.
const largePrompt = 100_000

// request has the model analyze a chunk, in the form in which it may be sent, and
// returns the findings of its answers as it wrote them. With an error it returns
// those that could be read all the same.
func (a *analysis) request(ctx context.Context, chunk diff.Chunk, text diff.Text) ([]answer, error) {
	in := prompt.UserInput{Chunk: &chunk, Text: text, WholeFile: a.s.plans[a.file].File.Load != nil, PullRequestTitle: a.title, PullRequestDescription: a.description}
	a.in = &in
	whole, err := a.answer(ctx, in)
	if err != nil && ctx.Err() == nil && a.mayBeTooLong(err, in) {
		if halves, ok := halve(&chunk, text); ok {
			return a.requestHalves(ctx, in, halves, err)
		}
	}
	return []answer{whole}, err
}

// longPrompt is the number of characters above which a request may have been refused
// for its length, although the refusal does not mention that.
const longPrompt = 8_000

// mayBeTooLong reports whether a request for a chunk failed because it is too long for
// the model.
func (a *analysis) mayBeTooLong(err error, in prompt.UserInput) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && !errors.Is(err, ErrExtraction) && (e.Kind == provider.KindContextLength ||
		e.Kind == provider.KindInvalid && (e.Status == 400 || e.Status == 422) && !provider.EndsRun(err) &&
			a.s.systemChars+utf8.RuneCountInString(prompt.User(in)) > longPrompt)
}

// newTemplate returns the requests of a skill without their messages.
func (r *run) newTemplate(s *skillRun) provider.Request {
	req := provider.Request{
		Model:  cmp.Or(s.skill.Model, r.opts.Model),
		System: r.system(s.skill, s.tools != nil),
		Schema: prompt.Schema(),
	}
	if s.tools != nil {
		req.Tools = s.tools.Definitions()
	}
	return req
}

// system returns the system text of a skill, for requests with its tools or without any.
func (r *run) system(s *Skill, withTools bool) string {
	in := prompt.SystemInput{SkillName: s.Name, SkillDescription: s.Description, Instructions: s.Instructions, ReadFiles: withTools && s.reads()}
	resources, _ := s.Inlined()
	if in.ReadFiles {
		resources = s.Resources
	}
	for _, f := range resources {
		r.redactAll(&f.Name, &f.Text)
		in.Files = append(in.Files, prompt.File(f))
	}
	return prompt.System(in)
}

// reads reports whether tools can read the resources of s.
func (s *Skill) reads() bool { return slices.Contains(s.AllowedTools, tools.Read) }

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

// bounded returns what a provider reports, so that the sums of a run can be counted and
// recorded.
func bounded(u Usage) Usage {
	for _, n := range []*int64{&u.InputTokens, &u.OutputTokens, &u.CacheReadInputTokens, &u.CacheCreationInputTokens} {
		*n = min(max(*n, 0), 1<<40)
	}
	if u.CostUSD != nil && !(*u.CostUSD >= 0 && *u.CostUSD <= 1e9) {
		u.CostUSD = nil
	}
	return u
}

// backend is a provider and what the run knows about it.
type backend struct {
	provider.Provider
	forms *fallback.Forms
}

// newBackend returns the backend of a provider. The store may be nil.
func (r *run) newBackend(p provider.Provider, store Cache) *backend {
	return &backend{p, fallback.New(p, store, func(l fallback.Lesser) { r.emit(EventFallback(l)) })}
}

// complete makes one request for a chunk, with its retries. What was spent is
// also returned with an error.
func (r *run) complete(ctx context.Context, j job, b *backend, req provider.Request) (completion, error) {
	var c completion
	var refused error
	answered := false // by the last request
	system, offered := req.System, len(req.Tools)
	send := func(ctx context.Context, req provider.Request) (provider.Response, error) {
		answered = false
		if len(req.Tools) < offered && req.System != "" { // they were refused, and this is no test
			req.System = j.s.withoutTools
			system = req.System
		}
		if err := r.stopReason(ctx); err != nil {
			return provider.Response{}, err
		}
		r.emit(EventRequest{Chunk: j.ref(), Role: req.Task.Role})
		actx := ctx
		if r.timeout > 0 {
			var cancel context.CancelFunc
			actx, cancel = context.WithTimeout(ctx, r.timeout)
			defer cancel()
		}
		resp, err := b.Complete(actx, req)
		resp.Usage = bounded(resp.Usage)
		if err == nil && resp.Usage.IsZero() {
			resp.Usage.Unreported = true
		}
		answered = err == nil
		c.spent = c.spent.Add(resp.Usage)
		r.guard.spend(resp.Usage, req.Size())
		switch {
		case err != nil && ctx.Err() == nil && actx.Err() != nil && provider.KindOf(err) == provider.KindUnknown:
			err = &provider.Error{Kind: provider.KindTimeout, Message: fmt.Sprintf("no answer within %v", r.timeout), Err: err}
		case err == nil && resp.Stop != provider.StopLength && strings.TrimSpace(resp.Text) == "" && (len(resp.ToolCalls) == 0 || len(req.Tools) == 0):
			err = &provider.Error{Kind: provider.KindServer, Message: "the answer is empty"}
		}
		return resp, err
	}
	j.turn.wait(ctx)
	call := b.forms.Begin(ctx, req)
	defer call.End()
	reserved := r.guard.reserve(b.Provider, req)
	admit := func() bool {
		ok := reserved.take()
		if ok {
			j.turn.pass()
		}
		return ok
	}
	attempt := func(ctx context.Context) (err error) {
		defer reserved.free()
		if reserved.err != nil {
			r.guard.end(reserved.err)
		}
		c.Response, err = call.Try(ctx, send)
		if provider.EndsRun(err) && ctx.Err() == nil {
			// Before the slot is free, so that no request is made in between.
			refused = err
			r.guard.refused(err)
		}
		return err
	}
	notify := func(n, max int, delay time.Duration, err error) {
		r.emit(EventRetry{Chunk: j.ref(), Attempt: n, Max: max, Delay: delay, Err: err})
	}
	var err error
	policy := r.opts.Retry
	policy.First = req.Task.Role != roleAnalyze // so that what a limit ends has answers
	c.retries, err = policy.Retry(ctx, r.limiter, admit, attempt, notify)
	switch {
	case refused != nil:
		return c, refused
	case isStop(err) || ctx.Err() != nil:
		return c, err
	case answered:
		// An empty answer, too, comes from a provider that works. A text that
		// makes a model fall silent must not end the run for all others.
		r.guard.completed(nil)
	default:
		r.guard.completed(err)
	}
	r.emit(EventExchange{
		Chunk: j.ref(), Role: req.Task.Role, System: system, Err: err, run: r, sent: req.Messages,
		answer: provider.Message{Role: provider.RoleAssistant, Text: c.Text, ToolCalls: c.ToolCalls},
	})
	return c, err
}
