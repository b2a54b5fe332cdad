// Package scanner runs analysis skills over changed code.
package scanner

import (
	"context"
	"errors"
	"io/fs"
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
	// PatternsOnly runs the patterns of the skills and asks no model.
	PatternsOnly bool
	// Model names the model. Empty means the provider's default.
	Model string
	// FS holds the contents of the scanned tree, for the lines around a chunk
	// and for read-only tools. Nil means the diff alone.
	FS fs.FS
	// Chunking says what is skipped and how files are split.
	Chunking diff.Chunking
	// Concurrency is the number of requests in flight. 0 means
	// [provider.DefaultConcurrency].
	Concurrency int
	// BatchDelay, when positive, starts chunks in batches of Concurrency with
	// this delay between the starts of batches.
	BatchDelay time.Duration
	// Limiter is shared by several calls that use the same provider. Nil means
	// one of this call's own, of Concurrency.
	Limiter *provider.Limiter
	// Retry is the retry policy of each request.
	Retry provider.RetryPolicy
	// Timeout bounds one attempt of a request. 0 means 5 minutes, -1 none.
	Timeout time.Duration
	// MaxCost (US dollars) and MaxTokens (input and output together) end the
	// run before the next chunk when what was spent reaches them. 0 means no
	// limit.
	MaxCost   float64
	MaxTokens int64
	// PullRequest is data for the prompt; nil if there is none.
	PullRequest *PullRequest
	// Redact replaces secrets in what is about to be sent and returns how many
	// it replaced. It must keep the number of lines. Nil means none.
	Redact func(string) (string, int)
	// Cache holds the results of chunks by content. Nil means none.
	Cache Cache
	// Verify asks for a second opinion on the findings.
	Verify bool
	// OnEvent is told what happens. Calls are serialized, and none is made
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

// Cache holds results of chunks by content. Implementations must be safe for
// concurrent use. A cache never fails a run: errors are misses.
type Cache interface {
	Get(ctx context.Context, key string) ([]byte, bool)
	Put(ctx context.Context, key string, value []byte)
}

// What can end a run early; see RunReport.Stopped.
var (
	// ErrBudget: MaxCost or MaxTokens was reached.
	ErrBudget = errors.New("budget reached")
	// ErrBreaker: too many chunks in a row failed for reasons of the provider.
	ErrBreaker = errors.New("provider keeps failing")
)

// ErrNoProvider is returned when neither a Provider nor PatternsOnly is set.
var ErrNoProvider = errors.New("no provider: set Options.Provider or Options.PatternsOnly")
