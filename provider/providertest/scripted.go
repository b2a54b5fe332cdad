package providertest

import (
	"context"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/provider"
)

// Answer is the answer of a [Scripted] provider to one request.
type Answer struct {
	// Response is the answer. With Err set, only its Usage matters.
	Response provider.Response
	// Err fails the request.
	Err error
	// Delay comes before the answer. It ends early, with the context's error,
	// when the request's context ends.
	Delay time.Duration
}

// Text returns an Answer that is complete and consists of text. Its usage counts
// one token for four bytes of text, and has no cost.
func Text(text string) Answer {
	return Answer{Response: provider.Response{
		Text:  text,
		Stop:  provider.StopEnd,
		Usage: provider.Usage{OutputTokens: int64(len(text)+3) / 4},
	}}
}

// Fail returns an Answer that is an error of the given kind.
func Fail(kind provider.Kind, message string) Answer {
	return Answer{Err: &provider.Error{Kind: kind, Message: message}}
}

// Scripted is a provider with prepared answers, which keeps the requests. It is
// safe for concurrent use.
type Scripted struct {
	reply func(n int, req provider.Request) Answer

	mu       sync.Mutex
	requests []provider.Request
	running  int
	most     int
}

var _ provider.Provider = (*Scripted)(nil)

// Answers returns a Scripted that gives the answers in turn. Further requests
// fail with [provider.KindInvalid], so that a test notices them.
func Answers(answers ...Answer) *Scripted {
	return Func(func(n int, _ provider.Request) Answer {
		if n < len(answers) {
			return answers[n]
		}
		return Fail(provider.KindInvalid, "the script has no more answers")
	})
}

// Func returns a Scripted that calls reply for the answer to request n, counting
// from 0 in the order of arrival. Calls of reply run concurrently.
func Func(reply func(n int, req provider.Request) Answer) *Scripted {
	return &Scripted{reply: reply}
}

// Complete implements [provider.Provider].
func (s *Scripted) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	if err := ctx.Err(); err != nil {
		return provider.Response{}, err
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, req)
	s.running++
	s.most = max(s.most, s.running)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
	}()

	a := s.reply(n, req)
	if a.Delay > 0 {
		timer := time.NewTimer(a.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return provider.Response{}, ctx.Err()
		}
	}
	return a.Response, a.Err
}

// Requests returns the requests so far, in the order of arrival.
func (s *Scripted) Requests() []provider.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]provider.Request(nil), s.requests...)
}

// MostAtOnce returns the largest number of requests that were being answered at
// the same time.
func (s *Scripted) MostAtOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}
