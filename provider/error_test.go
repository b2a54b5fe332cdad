package provider

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestKind(t *testing.T) {
	for _, tt := range []struct {
		kind      Kind
		name      string
		retryable bool
	}{
		{KindUnknown, "UnknownError", false},
		{KindAuth, "AuthenticationError", false},
		{KindRateLimit, "RateLimitError", true},
		{KindTimeout, "TimeoutError", true},
		{KindServer, "ServerError", true},
		{KindConnection, "ConnectionError", true},
		{KindSubprocess, "SubprocessError", false},
		{KindInvalid, "InvalidRequestError", false},
		{KindRefusal, "RefusalError", false},
		{KindContextLength, "ContextLengthError", false},
		{Kind(99), "UnknownError", false},
		{Kind(-1), "UnknownError", false},
	} {
		if got := tt.kind.String(); got != tt.name {
			t.Errorf("Kind(%d).String() = %q, want %q", int(tt.kind), got, tt.name)
		}
		if got := tt.kind.Retryable(); got != tt.retryable {
			t.Errorf("%v.Retryable() = %t, want %t", tt.kind, got, tt.retryable)
		}
	}
}

func TestError(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  *Error
		want string
	}{
		{"kind alone", &Error{Kind: KindRateLimit}, "RateLimitError"},
		{"message", &Error{Kind: KindServer, Message: "boom", Hint: "wait", Status: 500}, "ServerError: boom"},
		{"zero", &Error{}, "UnknownError"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%s: Error() = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	server := &Error{Kind: KindServer, Err: io.ErrUnexpectedEOF}
	for _, tt := range []struct {
		name string
		err  error
		want Kind
	}{
		{"nil", nil, KindUnknown},
		{"other", io.EOF, KindUnknown},
		{"itself", server, KindServer},
		{"wrapped", fmt.Errorf("chunk 1: %w", server), KindServer},
		{"joined", errors.Join(io.EOF, server), KindServer},
		{"outermost", &Error{Kind: KindTimeout, Err: server}, KindTimeout},
	} {
		if got := KindOf(tt.err); got != tt.want {
			t.Errorf("%s: KindOf = %v, want %v", tt.name, got, tt.want)
		}
	}
	if !errors.Is(server, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
}
