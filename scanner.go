package scanner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// Options configure [Run] and [RunSkill]. The zero value of every field but
// Provider is its documented default.
type Options struct {
	// Provider answers the requests. Required, unless PatternsOnly.
	Provider provider.Provider
	// Auxiliary answers helper requests: extraction and verification. Nil means
	// Provider.
	Auxiliary provider.Provider
	// AuxiliaryModel is the model of helper requests; empty means Model.
	AuxiliaryModel string
	// PatternsOnly runs the patterns of the skills and calls no model.
	PatternsOnly bool
	// Model names the model. Empty means the provider's default.
	Model string
	// FS holds the contents of the scanned tree, for the lines around a chunk
	// and for read-only tools. Nil means the diff alone.
	FS fs.FS
	// Chunking configures what is skipped and how files are split.
	Chunking diff.Chunking
	// Concurrency is the number of requests in flight. 0 means
	// [provider.DefaultConcurrency]. With a Limiter, which is then the bound, it
	// is only the size of a batch, and 0 means the Limiter's size.
	Concurrency int
	// BatchDelay, when positive, starts chunks in batches of Concurrency with
	// this delay between the starts of batches.
	BatchDelay time.Duration
	// Limiter is shared by several calls that use the same provider. Nil means
	// a new one of size Concurrency.
	Limiter *provider.Limiter
	// Retry is the retry policy of each request.
	Retry provider.RetryPolicy
	// Timeout bounds one attempt of a request. 0 means [DefaultTimeout]; there is
	// none with [NoTimeout]. It also bounds the time that the patterns of a skill
	// take for a chunk, which is never more than 10 seconds: the chunk fails then.
	Timeout time.Duration
	// MaxCost (US dollars) and MaxTokens (input and output together) are what the
	// run may use. Before a request is sent, what it is expected to use is reserved:
	// its bytes times the tokens per byte so far, and the largest output so far; the
	// price is that of a [provider.Pricer], or what a token cost so far. A request
	// that does not fit waits for those in flight; when there are none, the run ends.
	// So what is spent exceeds a limit at most by what the requests in flight use more
	// than expected. Until one is answered, requests are sent one at a time, with 4
	// bytes to a token and 2,000 tokens of output. Chunks are sent in the order of the
	// skills and files, so the last ones are left. The run also ends when what was
	// spent is unknown. 0 means no limit.
	MaxCost   float64
	MaxTokens int64
	// PullRequest is data for the prompt; nil if there is none.
	PullRequest *PullRequest
	// Redact replaces secrets in what is about to be sent and returns how many
	// it replaced. It must keep the number of lines. Nil means none.
	Redact func(string) (string, int)
	// Cache holds the results of chunks by content. Nil means none.
	Cache Cache
	// Features holds for a week which features of requests (tools, response
	// format) the Provider refuses for a model. Nil means that every run finds
	// out; see [EventFallback].
	Features Cache
	// Verify requests a second opinion: Auxiliary checks the findings that the
	// Policies let pass, with one more request for each file, and may keep them,
	// lower their severity or confidence, or reject them; see [Verification].
	Verify bool
	// Suppress returns by id why some of the findings of a skill are not reported, for
	// instance since people marked them as fine. It is called when all chunks of a
	// skill are done, before similar findings are merged, and may be called for several
	// skills at once. Nil means that all are reported.
	Suppress func(skill string, findings []Finding, places map[string]PlaceHash) map[string]Suppression
	// NonProductCode is what rules make of tests, fixtures, examples, documentation and
	// vendored code.
	NonProductCode NonProductCode
	// Policies are the thresholds of the skills by name, those that the caller
	// uses with [Select]. They filter no report, but a skill gives up a finding
	// only if the policy of the skill that also has it shows it; see [Duplicate].
	Policies map[string]Policy
	// Shard analyzes only those files that are in a shard of the run. All skills have
	// a report, which is for [MergeShards]: its findings are neither merged nor
	// filtered. The zero value is the whole run.
	Shard Shard
	// OnEvent receives what happens. Calls are serialized, and none is made
	// after the function returned. It must not block for long: the run waits
	// for it.
	OnEvent func(Event)
}

// PullRequest is what is known of the pull request under review. Both texts are
// untrusted.
type PullRequest struct {
	Title       string
	Description string
}

// Cache holds the answers of models, so that nothing is sent twice. A key is 64
// hexadecimal digits: the hash of the whole request, with line numbers relative to the
// first line that it shows, and of what answers it; see [provider.Task]. So a chunk that
// moved within its file has the same key, and the lines of its answer move along, unless
// its texts mention them. A request whose model is unknown is not looked up. A cache must
// not be shared by providers of the same [provider.Identity] that are not the same.
//
// Only whole answers are kept. An answer that used tools is kept with their calls, and
// used as long as the tools return the same. Values are opaque; one that cannot be read
// is a miss. Implementations must be safe for concurrent use. A cache never fails a run:
// its errors are misses.
type Cache interface {
	Get(ctx context.Context, key string) (value []byte, ok bool)
	Put(ctx context.Context, key string, value []byte)
}

// What can end a run early; see RunReport.Stopped.
var (
	// ErrBudget: the next request may exceed MaxCost or MaxTokens, or what was spent is
	// unknown.
	ErrBudget = errors.New("budget reached")
	// ErrBreaker: too many chunks in a row failed for reasons of the provider.
	ErrBreaker = errors.New("provider keeps failing")
)

const (
	// DefaultTimeout bounds one attempt of a request when Options do not.
	DefaultTimeout = 5 * time.Minute
	// NoTimeout, as Options.Timeout, means that attempts are not bounded.
	NoTimeout time.Duration = -1
)

// ErrNoProvider is returned when neither a Provider nor PatternsOnly is set.
var ErrNoProvider = errors.New("no provider: set Options.Provider or Options.PatternsOnly")

// RunSkill runs one skill over files and reports what it found. It is [Run] with
// a single skill, whose report is returned even when no file is for it.
func RunSkill(ctx context.Context, skill Skill, files []diff.File, opts Options) (*SkillReport, error) {
	report, err := start(ctx, []Skill{skill}, files, opts, true)
	if report == nil || len(report.Skills) == 0 {
		return nil, err
	}
	return report.Skills[0], err
}

// Run runs several skills over files. They share one limiter, one budget and one
// breaker. Skills whose paths match none of the files have no report.
//
// A report is also returned when the run was cut short: it holds what is known
// by then, and its ledger counts what was not analyzed. The error is then the
// context's cause, or an error that every request would get ([provider.EndsRun]):
// the provider does not accept the credentials, or any request to the model. The
// failure of single chunks, a budget that was reached and a breaker that opened are
// not errors: they are in the report. For invalid arguments Run returns an error and
// no report.
//
// A panic of a provider, a cache, OnEvent or other code of the caller ends the run,
// and Run panics with it: as an error that has the stack, and wraps the value if
// that is an error. A nil pointer in an option of an interface type is nil.
//
// Run may be called concurrently. It starts no goroutine that outlives it, so it
// returns only after the requests in flight have: a provider must give up when its
// context ends.
func Run(ctx context.Context, skills []Skill, files []diff.File, opts Options) (*RunReport, error) {
	return start(ctx, skills, files, opts, false)
}

// validate reports the first thing that makes a run impossible.
func (o *Options) validate(skills []Skill) error {
	if o.Provider == nil && !o.PatternsOnly {
		return ErrNoProvider
	}
	switch {
	case o.Concurrency < 0:
		return fmt.Errorf("options: Concurrency is %d; want a number of requests, or 0 for the default (%d)", o.Concurrency, provider.DefaultConcurrency)
	case o.BatchDelay < 0:
		return fmt.Errorf("options: BatchDelay is negative: %v", o.BatchDelay)
	case !(o.MaxCost >= 0):
		return fmt.Errorf("options: MaxCost is not a positive amount: %v", o.MaxCost)
	case o.MaxTokens < 0:
		return fmt.Errorf("options: MaxTokens is negative: %d", o.MaxTokens)
	}
	if o.Timeout < 0 && o.Timeout != NoTimeout {
		return fmt.Errorf("options: Timeout is %v; want a duration, 0 for the default (%v) or NoTimeout", o.Timeout, DefaultTimeout)
	}
	switch o.NonProductCode {
	case "", NonProductLower, NonProductSame:
	default:
		return fmt.Errorf("options: NonProductCode is %q; want %s, %s or nothing", o.NonProductCode, NonProductLower, NonProductSame)
	}
	if err := cmp.Or(o.Chunking.Validate(), o.Shard.Validate()); err != nil {
		return fmt.Errorf("options: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Policies)) {
		if err := o.Policies[name].Validate(); err != nil {
			return fmt.Errorf("options: Policies[%q]: %w", name, err)
		}
	}
	if len(skills) == 0 {
		return errors.New("no skills: there is nothing to run")
	}
	names := make(map[string]bool, len(skills))
	for i := range skills {
		if err := skills[i].Validate(); err != nil {
			return err
		}
		if names[skills[i].Name] {
			return fmt.Errorf("Duplicate skill names: %s", skills[i].Name)
		}
		names[skills[i].Name] = true
	}
	return nil
}
