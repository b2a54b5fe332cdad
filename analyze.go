package scanner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/internal/tools"
	"github.com/codescan-dev/scanner/provider"
)

// ErrExtraction is the error of a chunk whose answer held no findings that could
// be read, and no statement that there are none.
var ErrExtraction = errors.New("ExtractionError")

// result is the outcome of a chunk.
type result struct {
	outcome    Outcome
	err        error
	found      []located
	discards   discardList
	usage      Usage // of the chunk's own requests
	extraction Usage // of the helper requests
	tools      tools.Stats
	redacted   int
	model      string
	retries    int
	rules      int               // that ran
	in         *prompt.UserInput // of the request, until the event of the chunk; nil if there is none
	unread     string            // the beginning of an answer that could not be read
	elapsed    time.Duration
}

func (r *result) findings() []Finding {
	findings := make([]Finding, len(r.found))
	for i := range r.found {
		findings[i] = r.found[i].Finding
	}
	return findings
}

// analysis is that of one chunk. Its methods add to the result what they find and
// spend.
type analysis struct {
	*run
	job
	result
	title, description string // of the pull request, as they may be sent
	unredacted         string // what is sent of the chunk
	sent               bool   // a request was sent: not all of the answer was stored
}

// analyze matches the patterns of the skill with a chunk, and sends it to the
// model.
func (r *run) analyze(ctx context.Context, j job) result {
	a := analysis{run: r, job: j}
	if err := a.analyze(ctx); err != nil {
		a.outcome, a.err = outcomeOf(ctx, err)
	}
	return a.result
}

func (a *analysis) analyze(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	chunk := a.diffChunk()
	original, err := a.code.text()
	if err != nil {
		return err
	}
	rules := a.s.rulesFor(&a.s.plans[a.file].File, analyzedScopes...)
	a.rules = len(rules)
	matched, err := matchRules(ctx, a.patternLimit(), rules, a.code)
	a.found = ofRules(matched, original, chunk)
	if err != nil || !a.usesModel(a.s.skill) {
		return err
	}
	// After the patterns, which cost nothing.
	if err := a.stopReason(ctx); err != nil {
		return err
	}

	sent, text := *chunk, original
	if pr := a.opts.PullRequest; pr != nil {
		a.title, a.description = pr.Title, pr.Description
	}
	if a.opts.Redact != nil {
		a.unredacted = joinText(original, a.title, a.description)
		text, a.redacted, err = redactChunk(&sent, original, a.opts.Redact, &a.title, &a.description)
		if err != nil {
			return err
		}
	}
	answers, err := a.request(ctx, sent, text)
	for i := range answers {
		a.resolveFindings(&answers[i], text, original)
	}
	a.unite(ctx, len(matched), original)
	if err == nil && !a.sent {
		a.outcome = OutcomeCached
	}
	return err
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

func isStop(err error) bool {
	_, ok := errors.AsType[*stopError](err)
	return ok
}

// outcomeOf returns the outcome of a chunk that ended with err, and the error to
// report: what an interrupt, a budget or refused credentials left is not analyzed;
// everything else, what the breaker left included, failed.
func outcomeOf(ctx context.Context, err error) (Outcome, error) {
	if stop, ok := errors.AsType[*stopError](err); ok {
		if errors.Is(stop.cause, ErrBreaker) {
			return OutcomeFailed, stop.cause
		}
		return OutcomeNotAnalyzed, stop.cause
	}
	// The chunk whose error ended the run was sent, and failed.
	if ctx.Err() != nil && !provider.EndsRun(err) {
		return OutcomeNotAnalyzed, err
	}
	return OutcomeFailed, err
}

// redactAll replaces secrets in what a model wrote. What is sent holds none, but
// the server that answers knows the key that came with it, and must not be able to
// have it printed and logged.
func (r *run) redactAll(texts ...*string) {
	if r.opts.Redact == nil {
		return
	}
	for _, text := range texts {
		*text, _ = r.opts.Redact(*text)
	}
}

// joinText returns the lines of a text, and others after them.
func joinText(text diff.Text, others ...string) string {
	var b strings.Builder
	for _, l := range slices.Concat(text.Before, text.Lines, text.After) {
		b.WriteString(l.Text + "\n")
	}
	return b.String() + "\n" + strings.Join(others, "\n\n")
}

// redactChunk replaces secrets in what is sent of a chunk: in all the lines of its
// text at once, since one may span lines, and with them in the heading of its
// section, which is a line from above, and in others, because a secret that only
// the code gives away is replaced in all of them; then in its paths, which it sets
// in the chunk along with the heading. A replacement that changes the number of
// lines is refused: nothing is sent then.
func redactChunk(chunk *diff.Chunk, text diff.Text, replace func(string) (string, int), others ...*string) (diff.Text, int, error) {
	all := slices.Concat(text.Before, text.Lines, text.After)
	heads := append(others, &chunk.Section)
	var lines []string
	for i, h := range heads {
		if i > 0 {
			lines = append(lines, "") // what is in one does not explain the next
		}
		lines = append(lines, strings.Split(*h, "\n")...)
	}
	for _, l := range all {
		lines = append(lines, l.Text)
	}
	replaced, n := replace(strings.Join(lines, "\n"))
	if n > 0 {
		before := len(lines)
		if lines = strings.Split(replaced, "\n"); len(lines) != before {
			return diff.Text{}, n, fmt.Errorf("redaction changed the number of lines from %d to %d: nothing was sent", before, len(lines))
		}
		code := len(lines) - len(all)
		for i := range all {
			all[i].Text = lines[code+i]
		}
		for at, i := 0, 0; i < len(heads); i++ {
			end := at + strings.Count(*heads[i], "\n") + 1
			*heads[i], at = strings.Join(lines[at:end], "\n"), end+1
		}
		first, own := len(text.Before), len(text.Before)+len(text.Lines)
		text = diff.Text{Before: all[:first:first], Lines: all[first:own:own], After: all[own:]}
	}
	for _, path := range []*string{&chunk.Path, &chunk.OldPath} {
		var more int
		*path, more = replace(*path)
		n += more
	}
	return text, n, nil
}
