package scanner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/extract"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/internal/tools"
	"github.com/codescan-dev/scanner/provider"
)

// extractionAttempts is how often a model is asked to extract the findings of an
// answer that could not be read.
const extractionAttempts = 5

// largePrompt is the number of characters above which a prompt is warned of.
const largePrompt = 100_000

// ErrExtraction is the error of a chunk whose answer held no findings that could
// be read, and no statement that there are none.
var ErrExtraction = errors.New("ExtractionError")

// result is what became of a chunk.
type result struct {
	outcome    Outcome
	tools      tools.Stats
	found      []located
	discards   discardList
	usage      Usage // of the chunk's own requests
	extraction Usage // of the helper requests
	redacted   int
	model      string
	retries    int
	elapsed    time.Duration
	err        error
	extractErr bool // the failure is one of extraction
}

// fail sets the outcome of a chunk that ended with err.
func (r *result) fail(err error) {
	r.outcome, r.err = OutcomeFailed, err
}

func (r *result) findings() []Finding {
	findings := make([]Finding, len(r.found))
	for i := range r.found {
		findings[i] = r.found[i].Finding
	}
	return findings
}

// analyze looks at one chunk: with the patterns of the skill, and with the model
// unless it is not to be asked.
func (r *run) analyze(ctx context.Context, j job) result {
	var res result
	if err := ctx.Err(); err != nil {
		r.leave(ctx, &res, err)
		return res
	}
	chunk := j.diffChunk()
	text, err := chunk.Text()
	if err != nil {
		res.fail(err)
		return res
	}

	shown := newAnchor(text, chunk.StartLine)
	for _, f := range matchRules(j.s.rules, chunk.Path, text) {
		res.found = append(res.found, located{Finding: f, path: chunk.Path, surroundings: shown.around(f.Location.StartLine)})
	}
	if !r.usesModel(j.s.skill) {
		return res
	}
	// Whatever keeps the model from being asked, the patterns cost nothing.
	if err := r.stopReason(ctx); err != nil {
		r.leave(ctx, &res, err)
		return res
	}

	sent, original := *chunk, text
	if r.opts.Redact != nil {
		if text, res.redacted, err = redact(&sent, text, r.opts.Redact); err != nil {
			res.fail(err)
			return res
		}
		if res.redacted > 0 {
			shown = newAnchor(text, chunk.StartLine)
		}
	}
	raw, err := r.ask(ctx, j, sent, text, &res)
	if err != nil {
		r.leave(ctx, &res, err)
	}
	r.place(chunk, text, original, shown, raw, &res)
	return res
}

// stopReason returns why no request must be made any more; nil if they may be.
func (r *run) stopReason(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.guard.blocked(); err != nil {
		return &stopError{err}
	}
	return nil
}

// stopError is why a request was not made. It does not unwrap: the kind of its
// cause belongs to another request.
type stopError struct{ cause error }

func (e *stopError) Error() string { return e.cause.Error() }

// leave sets the outcome of a chunk that could not be analyzed: what an
// interrupt, a budget or refused credentials left is not analyzed; everything
// else, what the breaker left included, failed.
func (r *run) leave(ctx context.Context, res *result, err error) {
	res.fail(err)
	res.extractErr = errors.Is(err, ErrExtraction)
	if stop, ok := errors.AsType[*stopError](err); ok {
		res.err = stop.cause
		if !errors.Is(stop.cause, ErrBreaker) {
			res.outcome = OutcomeNotAnalyzed
		}
		return
	}
	// The chunk whose credentials were refused was asked about, and failed.
	if ctx.Err() != nil && provider.KindOf(err) != provider.KindAuth {
		res.outcome = OutcomeNotAnalyzed
	}
}

// ask has the model analyze a chunk, in the form in which it may be sent, and
// returns the findings of its answer as it wrote them. With an error it returns
// what could be read all the same.
func (r *run) ask(ctx context.Context, j job, chunk diff.Chunk, text diff.Text, res *result) ([]json.RawMessage, error) {
	s := j.s
	in := prompt.UserInput{Chunk: &chunk, Text: text, WholeFile: s.plans[j.file].File.Load != nil, Files: r.files}
	if pr := r.opts.PullRequest; pr != nil {
		in.PullRequestTitle, in.PullRequestDescription = pr.Title, pr.Description
	}
	if r.opts.Redact != nil {
		for _, t := range []*string{&in.PullRequestTitle, &in.PullRequestDescription} {
			var n int
			*t, n = r.opts.Redact(*t)
			res.redacted += n
		}
	}
	req := r.request(s, prompt.User(in))
	key := ""
	if r.opts.Cache != nil {
		own := in
		own.Files = nil // an edit elsewhere does not change the answer
		key = r.cacheKey(req, prompt.User(own))
	}
	if raw, ok := r.cached(ctx, key); ok {
		res.outcome = OutcomeCached
		return raw, nil
	}
	if r.opts.OnEvent != nil {
		system, user := utf8.RuneCountInString(req.System), utf8.RuneCountInString(req.Messages[0].Text)
		r.emit(EventPrompt{Chunk: j.ref(), SystemChars: system, UserChars: user, Large: system+user > largePrompt})
	}

	resp, used, err := r.converse(ctx, j, req, res)
	if err != nil {
		if halves, ok := halve(&chunk, text); ok && provider.KindOf(err) == provider.KindContextLength && ctx.Err() == nil {
			return r.askHalves(ctx, j, in, halves, res)
		}
		return nil, err
	}
	raw, err := r.extract(ctx, j, resp, res)
	if err == nil && used == 0 { // what tools found is not part of the key
		r.keep(ctx, key, raw)
	}
	return raw, err
}

// request returns the request for a chunk of a skill.
func (r *run) request(s *skillRun, user string) provider.Request {
	req := provider.Request{
		Model:    cmp.Or(s.skill.Model, r.opts.Model),
		System:   s.system,
		Messages: []provider.Message{{Role: provider.RoleUser, Text: user}},
		Schema:   prompt.Schema(),
	}
	if s.tools != nil {
		req.Tools = s.tools.Definitions()
	}
	return req
}

// complete makes one request, with its retries.
func (r *run) complete(ctx context.Context, j job, p provider.Provider, req provider.Request) (resp provider.Response, retries int, usage Usage, err error) {
	answered := false
	var refused error
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
		var err error
		resp, err = p.Complete(actx, req)
		if err == nil && resp.Usage.IsZero() {
			resp.Usage.Unreported = true
		}
		answered = err == nil
		usage = usage.Add(resp.Usage)
		r.guard.spend(resp.Usage)
		if provider.KindOf(err) == provider.KindAuth && ctx.Err() == nil {
			// Before the slot is given back, so that nobody asks in between.
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
		if r.opts.OnEvent != nil {
			r.emit(EventRetry{Chunk: j.ref(), Attempt: n, Max: max, Delay: delay, Err: err})
		}
	}
	retries, err = r.opts.Retry.Retry(ctx, r.limiter, attempt, notify)
	if refused != nil {
		return resp, retries, usage, refused
	}
	if _, stopped := errors.AsType[*stopError](err); !stopped && ctx.Err() == nil {
		if answered {
			// An empty answer, too, comes from a provider that works. A text that
			// makes a model fall silent must not end the run for all others.
			r.guard.completed(nil)
		} else {
			r.guard.completed(err)
		}
	}
	return resp, retries, usage, err
}

// extract reads the findings of an answer: by pattern, then by a model. With an
// error it returns those that are whole in an answer that breaks off.
func (r *run) extract(ctx context.Context, j job, resp provider.Response, res *result) ([]json.RawMessage, error) {
	got := extract.Findings(resp.Text)
	emit := func(method string, n int) {
		if r.opts.OnEvent != nil {
			r.emit(EventExtracted{Chunk: j.ref(), Method: method, Findings: n})
		}
	}
	switch cut := resp.Stop == provider.StopLength; {
	case got.Err == nil && !got.Truncated:
		emit(got.Method, len(got.Findings))
		return got.Findings, nil
	case got.Truncated, cut:
		// What is missing cannot be had from what is there.
		emit(cmp.Or(got.Method, methodNone), len(got.Findings))
		why := "the answer breaks off"
		if cut {
			why = "the answer was cut off by the token limit"
		}
		return got.Findings, fmt.Errorf("%w: %s; %d whole findings were kept", ErrExtraction, why, len(got.Findings))
	}

	last := got.Err
	p := cmp.Or(r.opts.Auxiliary, r.opts.Provider)
	system, user := prompt.Extraction(resp.Text)
	req := provider.Request{
		Model:    cmp.Or(r.opts.AuxiliaryModel, j.s.skill.Model, r.opts.Model),
		System:   system,
		Messages: []provider.Message{{Role: provider.RoleUser, Text: user}},
		Schema:   prompt.ExtractionSchema(),
	}
	for range extractionAttempts {
		answer, _, usage, err := r.complete(ctx, j, p, req)
		res.extraction = res.extraction.Add(usage)
		if err != nil {
			_, stopped := errors.AsType[*stopError](err)
			if stopped || ctx.Err() != nil {
				return nil, err
			}
			last = err
			continue
		}
		got := extract.Findings(answer.Text)
		if got.Err == nil && !got.Truncated {
			emit(methodModel, len(got.Findings))
			return got.Findings, nil
		}
		if last = cmp.Or(got.Err, extract.ErrTruncated); errors.Is(got.Err, extract.ErrUnstated) {
			break // the answer says nothing, and asking again does not change that
		}
	}
	emit(methodNone, 0)
	return nil, fmt.Errorf("%w: %w", ErrExtraction, last)
}

// The methods of extraction beside those of package extract; see
// EventExtracted.
const (
	methodModel = "model"
	methodNone  = "none"
)

// place turns what the model wrote of a chunk into findings with a place in it:
// path, then quote, then rule 8 of the processing rules.
func (r *run) place(chunk *diff.Chunk, sent, original diff.Text, shown *anchor, raw []json.RawMessage, res *result) {
	for _, message := range raw {
		discard := func(reason, format string, args ...any) {
			d := Discard{Reason: reason, Detail: fmt.Sprintf(format, args...), Raw: string(message)}
			r.withhold(&d.Detail, &d.Raw)
			res.discards.add(d)
		}
		d, err := extract.Decode(message)
		if err != nil {
			discard(discardInvalid, "%v", err)
			continue
		}
		f := Finding{
			Title:        d.Title,
			Description:  d.Description,
			Verification: d.Verification,
		}
		r.withhold(&f.Title, &f.Description, &f.Verification)
		if err := f.Severity.UnmarshalText([]byte(d.Severity)); err != nil {
			discard(discardInvalid, "%v", err)
			continue
		}
		if err := f.Confidence.UnmarshalText([]byte(d.Confidence)); err != nil {
			f.Confidence = "" // as good as none given
		}
		if !r.inChunk(d.Path, chunk) {
			discard(discardPath, "it is in the chunk of %q and names %q", chunk.Path, d.Path)
			continue
		}
		first, last, ok := shown.locate(d.Quote, d.StartLine, d.EndLine)
		if !ok {
			discard(discardQuote, "the quoted code is not in the chunk")
			continue
		}
		if first > 0 {
			f.Location = &Location{Path: chunk.Path, StartLine: first}
			if last > first {
				f.Location.EndLine = last
			}
		}
		if len(FilterHunk([]Finding{f}, chunk.StartLine, chunk.EndLine)) == 0 {
			discard(discardOutside, "line %d is outside the chunk, which is lines %d to %d", first, chunk.StartLine, chunk.EndLine)
			continue
		}
		related := newPlaces(f)
		for _, l := range d.Additional {
			if p := r.knownPath(l.Path, chunk); p != "" && l.StartLine > 0 && (l.EndLine == 0 || l.EndLine >= l.StartLine) {
				related.add(Location{Path: p, StartLine: l.StartLine, EndLine: l.EndLine})
			} else {
				discard(discardLocation, "the additional location %q, line %d, is not in a scanned file", l.Path, l.StartLine)
			}
		}
		f.AdditionalLocations = related.list
		if d.Fix != nil {
			f.SuggestedFix, d.FixErr = r.suggestedFix(&f, d.Fix, sent, original)
		}
		if d.FixErr != nil {
			discard(discardFix, "%v", d.FixErr)
		}
		res.found = append(res.found, located{
			Finding: f, path: chunk.Path, fromModel: true, surroundings: shown.around(first),
		})
	}
}

// withhold replaces secrets in what a model wrote. What is sent holds none, but
// who answers knows the key that came with it, and must not be able to have it
// printed and logged.
func (r *run) withhold(texts ...*string) {
	if r.opts.Redact == nil {
		return
	}
	for _, text := range texts {
		*text, _ = r.opts.Redact(*text)
	}
}

// inChunk reports whether a path that a model wrote may stand for the file of
// the chunk: it does, unless it names another file of the scan.
func (r *run) inChunk(name string, chunk *diff.Chunk) bool {
	known := r.knownPath(name, chunk)
	return known == "" || known == chunk.Path
}

// knownPath returns the file of the scan that a path stands for; empty if it is
// none. No path stands for the chunk's own file. Odd paths are quoted in prompts.
func (r *run) knownPath(name string, chunk *diff.Chunk) string {
	if unquoted, err := diff.UnquotePath(name); err == nil {
		name = unquoted
	}
	switch clean := cleanPath(name); {
	case name == "":
		return chunk.Path
	case r.paths[name]:
		return name
	case r.paths[clean]:
		return clean
	}
	return ""
}

// cleanPath undoes what models do to paths they copy from a diff.
func cleanPath(name string) string {
	if after, ok := strings.CutPrefix(name, "b/"); ok {
		name = after
	} else if after, ok := strings.CutPrefix(name, "a/"); ok {
		name = after
	}
	return path.Clean(name)
}

// redact replaces secrets in what is sent of a chunk: in all the lines of its
// text at once, since one may span lines, and with them in the heading of its
// section, which is a line from above; then in its paths, which it sets in the
// chunk along with the heading. A replacement that changes the number of lines is
// refused: nothing is sent then.
func redact(chunk *diff.Chunk, text diff.Text, replace func(string) (string, int)) (diff.Text, int, error) {
	all := slices.Concat(text.Before, text.Lines, text.After)
	var b strings.Builder
	b.WriteString(chunk.Section)
	for _, l := range all {
		b.WriteByte('\n')
		b.WriteString(l.Text)
	}
	replaced, n := replace(b.String())
	if n > 0 {
		lines := strings.Split(replaced, "\n")
		heading := strings.Count(chunk.Section, "\n") + 1
		if len(lines) != heading+len(all) {
			return diff.Text{}, n, fmt.Errorf("redaction changed the number of lines from %d to %d: nothing was sent", heading+len(all), len(lines))
		}
		chunk.Section = strings.Join(lines[:heading], "\n")
		for i := range all {
			all[i].Text = lines[heading+i]
		}
		before, own := len(text.Before), len(text.Before)+len(text.Lines)
		text = diff.Text{Before: all[:before:before], Lines: all[before:own:own], After: all[own:]}
	}
	for _, path := range []*string{&chunk.Path, &chunk.OldPath} {
		var more int
		*path, more = replace(*path)
		n += more
	}
	return text, n, nil
}
