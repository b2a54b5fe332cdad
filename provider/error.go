package provider

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an [Error] by what the caller can do about it.
type Kind int

// The kinds of errors. The zero Kind is an error that was not classified; it is
// not retried.
const (
	KindUnknown       Kind = iota
	KindAuth               // authenticate: the key or session is not accepted, or its account has no credit; ends a run
	KindRateLimit          // wait: retried, after Error.RetryAfter if it is set
	KindTimeout            // retry: no answer in time
	KindServer             // retry: the server failed, or answered with no completion
	KindConnection         // retry: the connection failed
	KindSubprocess         // give up: the communication with an agent's process failed
	KindInvalid            // fix the request: it was refused as wrong
	KindRefusal            // give up: the model declined to answer
	KindContextLength      // split: the request is too long for the model
)

// String returns the error name that messages and logs show, for instance
// "RateLimitError".
func (k Kind) String() string {
	switch k {
	case KindAuth:
		return "AuthenticationError"
	case KindRateLimit:
		return "RateLimitError"
	case KindTimeout:
		return "TimeoutError"
	case KindServer:
		return "ServerError"
	case KindConnection:
		return "ConnectionError"
	case KindSubprocess:
		return "SubprocessError"
	case KindInvalid:
		return "InvalidRequestError"
	case KindRefusal:
		return "RefusalError"
	case KindContextLength:
		return "ContextLengthError"
	default:
		return "UnknownError"
	}
}

// Retryable reports whether the same request may succeed later.
func (k Kind) Retryable() bool {
	switch k {
	case KindRateLimit, KindTimeout, KindServer, KindConnection:
		return true
	default:
		return false
	}
}

// Error is a failed request.
//
// It is safe to show. Message and Hint are one line each, without control
// characters and credentials, even if a server or an agent returned some; the text
// of Err holds no credentials either.
type Error struct {
	Kind Kind
	// Message is what happened, in one line, without the kind's name.
	Message string
	// Hint is what to do about it; empty if there is nothing to add.
	Hint string
	// Status is the HTTP status of the answer, or the one that an error object
	// in an answer of status 200 names; zero if there was none.
	Status int
	// RetryAfter is how long the provider requests to wait; zero if it does not.
	RetryAfter time.Duration
	// Final is set when no request of this run can succeed, although the kind alone
	// does not show that: the allowance of a subscription is used up until tomorrow,
	// for instance. See [EndsRun].
	Final bool
	// Err is the cause, if there is one to unwrap.
	Err error
}

// Error returns the kind's name and the message.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Kind.String()
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the *[Error] in err's chain, or [KindUnknown].
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindUnknown
}

// EndsRun reports whether err is the error of all later requests as well, so that
// none should be made: that of refused credentials ([KindAuth]), or a final one. It
// is not retried.
func EndsRun(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Final || e.Kind == KindAuth)
}
