package httperr

import (
	"net/http"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/provider"
)

// rule is one line of the table by which errors are classified.
type rule struct {
	kind provider.Kind
	// statuses are the HTTP statuses that the rule is for. Nil means all, a 0 in
	// it an error without a status.
	statuses []int
	// words are looked for in the text and in the fields of the error.
	words []string
}

// noCredit matches accounts whose quota or credit is used up. Servers send that
// with status 429, but waiting does not help: a person has to act on the account.
// So it has the kind of a bad key, which ends a run instead of failing its chunks
// one by one.
var noCredit = rule{provider.KindAuth, nil, []string{
	"insufficient_quota", "insufficient quota", "insufficient balance", "insufficient credit", "credit balance",
	"exceeded your current quota", "quota exceeded. check", "billing details", "billing_hard_limit_reached", "billing_not_active",
	"enforced_spend_limit_reached", "your specified api usage limits", // Anthropic
}}

// rules apply in order, before the status. A text about quota mentions limits too,
// and one about logging in may mention anything.
var rules = []rule{
	noCredit,
	// The model wrote something else than JSON.
	{provider.KindServer, nil, []string{"json_validate_failed"}},
	{provider.KindContextLength, nil, []string{
		"context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "input_too_large",
		// A request over the limit of tokens per minute never fits into it.
		"must be reduced", "request too large",
	}},
	{provider.KindContextLength, []int{0, 400, 413, 422, 500}, []string{
		"context length", "context_length", "context window", "context size", "context limit", "maximum context", "prompt is too long",
		"prompt too long", "input is too long", "too many tokens", "reduce the length", "input token count",
		"exceeds the model's context", "exceeds the maximum number of tokens", "exceeds the maximum length",
	}},
	{provider.KindRefusal, nil, []string{
		"content_filter", "content filter", "content_policy_violation", "moderation_blocked", "usage policy",
		"safeguards flagged", "flagged as", "was flagged", "declined to", "blocked due to safety", "safety settings",
	}},
	{provider.KindAuth, nil, []string{
		"invalid_api_key", "api_key_invalid", "authentication_error", "api key not valid", "invalid api key", "incorrect api key",
		"disabled organization", "organization has disabled", "organization has been disabled",
	}},

	// Without a status, the words are all there is. A connection may fail while a
	// session is refreshed.
	{provider.KindConnection, []int{0}, []string{
		"connection error", "connection refused", "connection dropped", "connection failed", "connection_failed",
		"econnrefused", "econnreset", "enotfound", "eai_again", "etimedout", "epipe", "fetch failed",
		"error sending request", "unable to connect", "socket connection", "network error",
		"stream disconnected before completion: transport error", "error: terminated",
	}},
	{provider.KindAuth, []int{0}, []string{
		"/login", "auth login", "codex login", "not logged in", "login again", "log in again", "sign in again", "logged out",
		"unauthorized", "authenticat", "oauth", "invalid_grant", "access token", "refresh token", "token refresh",
		"token expired", "token has expired", "session expired", "session has expired", "auth method", "gemini_api_key",
		"permission denied", "permission_denied", "permission_error", "api key is missing", "missing api key",
		"api key not found", "no credentials",
	}},
	{provider.KindRateLimit, []int{0}, []string{
		"rate limit", "rate_limit", "too many requests", "too_many_requests", "hit your limit", "usage limit",
		"limit reached", "resource has been exhausted", "resource_exhausted", "quota",
	}},
	{provider.KindServer, []int{0}, []string{
		"high demand", "overloaded", "at capacity", "server error", "internal error", "bad gateway",
		"service unavailable", "server-side issue", "stream disconnected",
	}},
	{provider.KindTimeout, []int{0}, []string{"timeout_error"}},
	{provider.KindInvalid, []int{0}, []string{
		"issue with the selected model", "model not found", "is not found", "does not exist", "unknown model",
		"model is not supported", "model_not_found", "not a valid model", "not_found_error",
		"invalid_request", "invalid_argument", "failed_precondition",
	}},
}

func (r rule) matches(e *Error) bool {
	return (r.statuses == nil || slices.Contains(r.statuses, e.Status)) && e.Mentions(r.words...)
}

// Kind classifies the error by what the caller can do about it. It is never
// [provider.KindUnknown]: an error without any sign is the server's.
func (e *Error) Kind() provider.Kind {
	for _, r := range rules {
		if r.matches(e) {
			return r.kind
		}
	}
	return kindOfStatus(e.Status)
}

// HintNoCredit is the hint for an account of which [Error.NoCredit] is true.
const HintNoCredit = "the account has no quota or credit left: check its plan and billing"

// NoCredit reports whether the account has no quota or credit left.
func (e *Error) NoCredit() bool {
	return e.Status == http.StatusPaymentRequired || noCredit.matches(e)
}

// kindOfStatus returns the kind of an error of which only the status is known.
func kindOfStatus(status int) provider.Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return provider.KindAuth
	case http.StatusRequestTimeout:
		return provider.KindTimeout
	case http.StatusConflict, http.StatusTooEarly:
		return provider.KindServer
	case http.StatusRequestEntityTooLarge:
		return provider.KindContextLength
	case http.StatusTooManyRequests:
		return provider.KindRateLimit
	}
	if status >= 500 || status < 300 {
		return provider.KindServer
	}
	return provider.KindInvalid
}

// Mentions reports whether the text or a field of the error contains one of the
// words, which are in lower case.
func (e *Error) Mentions(words ...string) bool {
	all := strings.ToLower(e.Code + "\n" + e.Type + "\n" + e.Param + "\n" + e.Text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(all, w) })
}
