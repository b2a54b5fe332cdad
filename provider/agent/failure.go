package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

// failure is what an agent says about a request that it got no answer to.
type failure struct {
	text   string
	status int           // the HTTP status that its API answered with; 0 if it does not say
	kind   provider.Kind // if the agent names the cause; else the text decides
	wait   time.Duration // how long the API asks to wait; 0 if it does not say
	word   string        // what the API calls it, for instance "rate_limit_error"
}

// hints of errors of several kinds.
const (
	hintKey     = "set SCANNER_PROVIDER_API_KEY to use an API key instead of an agent CLI"
	hintBilling = "the account has no quota or credit left: check its plan and billing"
)

// classify makes an error of f by what the caller has to do.
func (a *Agent) classify(f failure) *provider.Error {
	if len(f.text) > 2*maxTail {
		f.text = f.text[:2*maxTail] // more of it says nothing more
	}
	status := f.status
	if status == 0 {
		status = statusIn(f.text)
	}
	f.text, f.word = unwrap(f.text)
	out := &provider.Error{
		Kind:       f.kind,
		Status:     status,
		RetryAfter: f.wait,
		Message:    a.Name() + ": " + a.clean(f.text),
		Err:        errors.New(a.clean(f.text)),
	}
	if out.Kind == provider.KindUnknown {
		out.Kind = kindOfText(f.text + "\n" + f.word)
	}
	if out.Kind == provider.KindUnknown {
		out.Kind = kindOfStatus(status)
	}
	if out.Kind == provider.KindUnknown && saysOneOf(f.word, invalid) {
		out.Kind = provider.KindInvalid
	}
	if out.Kind == provider.KindUnknown {
		// The agent ran and its API did not answer, for a reason of its own.
		out.Kind = provider.KindServer
	}
	switch {
	case out.Kind == provider.KindAuth && saysOneOf(f.text+"\n"+f.word, noCredit):
		out.Hint = hintBilling
	case out.Kind == provider.KindAuth:
		out.Hint = "log in again: " + a.profile.login
	case out.Kind == provider.KindInvalid && (status == 404 || saysOneOf(f.text, []string{"model"})):
		out.Hint = "check the name of the model, and that " + a.Name() + " may use it"
	}
	if out.Kind == provider.KindRateLimit && out.RetryAfter == 0 {
		out.RetryAfter = waitIn(f.text)
	}
	return out
}

// unwrap replaces the body of an API's answer that a text contains by what it
// says, and returns what it calls the error.
func unwrap(text string) (unwrapped, word string) {
	i := strings.IndexByte(text, '{')
	if i < 0 {
		return text, ""
	}
	var body struct {
		Error struct {
			Message string          `json:"message"`
			Type    string          `json:"type"`
			Status  string          `json:"status"`
			Code    json.RawMessage `json:"code"` // a word, a status or null
		} `json:"error"`
	}
	dec := json.NewDecoder(strings.NewReader(text[i:]))
	if dec.Decode(&body) != nil || body.Error.Message == "" {
		return text, ""
	}
	return text[:i] + body.Error.Message + text[i+int(dec.InputOffset()):], body.Error.Type + " " + body.Error.Status + " " + string(body.Error.Code)
}

// The words of failures, in lower case. What is looked for first stands first: a
// text about quota mentions limits too, and one about logging in may mention
// anything.
var (
	noCredit = []string{"credit balance", "quota exceeded. check", "insufficient_quota", "insufficient quota", "billing"}
	tooLong  = []string{"prompt is too long", "context window", "context_length", "context length", "maximum context",
		"input is too long", "request too large", "too many tokens", "input token count", "exceeds the maximum number of tokens"}
	refused = []string{"usage policy", "safeguards flagged", "flagged as", "was flagged", "content filter", "content_filter",
		"violat", "declined to", "blocked due to safety", "safety settings"}
	notLoggedIn = []string{"/login", "not logged in", "invalid api key", "incorrect api key", "api key not valid", "api_key_invalid",
		"failed to authenticate", "unauthorized", "unauthenticated", "authentication", "oauth token", "token expired",
		"token has expired", "session expired", "session has expired", "sign in again", "log in again", "logged out",
		"auth method", "gemini_api_key", "permission denied", "permission_denied", "api key is missing", "no credentials"}
	limited = []string{"rate limit", "rate_limit", "too many requests", "hit your limit", "usage limit", "limit reached",
		"resource has been exhausted", "resource_exhausted", "quota"}
	connection = []string{"connection error", "connection refused", "connection dropped", "connection failed", "connection_failed",
		"econnrefused", "econnreset", "enotfound", "eai_again", "etimedout", "epipe", "fetch failed", "error sending request",
		"unable to connect", "socket connection", "network error", "stream disconnected before completion: transport error", "stream disconnected before completion: error sending",
		"error: terminated"}
	serverFailed = []string{"high demand", "overloaded", "at capacity", "server error", "internal error", "bad gateway",
		"service unavailable", "server-side issue", "stream disconnected"}
	unknownModel = []string{"issue with the selected model", "model not found", "is not found", "does not exist", "unknown model",
		"model is not supported", "model_not_found", "not a valid model"}
	invalid = []string{"invalid_request_error", "invalid_argument", "failed_precondition"}
)

// kindOfText returns the kind of failure that a text is about. Limits and
// refusals are told by words also where there is a status, since APIs have
// different ones for them.
func kindOfText(text string) provider.Kind {
	for _, c := range []struct {
		kind  provider.Kind
		words []string
	}{
		{provider.KindAuth, noCredit},
		{provider.KindContextLength, tooLong},
		{provider.KindRefusal, refused},
		{provider.KindAuth, notLoggedIn},
		{provider.KindRateLimit, limited},
		{provider.KindConnection, connection},
		{provider.KindServer, serverFailed},
		{provider.KindInvalid, unknownModel},
	} {
		if saysOneOf(text, c.words) {
			return c.kind
		}
	}
	return provider.KindUnknown
}

func saysOneOf(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// kindOfStatus returns the kind of an error of which only the status is known.
func kindOfStatus(status int) provider.Kind {
	switch {
	case status == 401 || status == 403 || status == 402:
		return provider.KindAuth
	case status == 429:
		return provider.KindRateLimit
	case status == 408:
		return provider.KindTimeout
	case status == 413:
		return provider.KindContextLength
	case status >= 500:
		return provider.KindServer
	case status >= 400:
		return provider.KindInvalid
	}
	return provider.KindUnknown
}

var (
	statusText = regexp.MustCompile(`(?i)(?:API Error:|status:?|"code":|"?statusCode"?:|HTTP)\s*\(?([45]\d\d)\b`)
	waitText   = regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) (\d{1,6}(?:\.\d{1,6})?)\s*(ms|s|sec|seconds?|m|min|minutes?)\b`)
)

// statusIn returns the HTTP status that a text names, or 0.
func statusIn(text string) int {
	if m := statusText.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}

// waitIn returns how long a text asks to wait, or 0.
func waitIn(text string) time.Duration {
	m := waitText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	unit := time.Second
	switch strings.ToLower(m[2]) {
	case "ms":
		unit = time.Millisecond
	case "m", "min", "minute", "minutes":
		unit = time.Minute
	}
	return time.Duration(n * float64(unit))
}

// flagText finds the flag that a CLI does not know, as commander, clap and yargs
// word it.
var flagText = regexp.MustCompile(`(?:unknown option '|unexpected argument '|Unknown arguments?: )(-{0,2}[A-Za-z][A-Za-z0-9-]*)`)

// crashed is the error for a run that said nothing.
func (a *Agent) crashed(out output) *provider.Error {
	if m := flagText.FindStringSubmatch(text.OneLine(out.stderr)); m != nil {
		return a.missing("--" + strings.TrimLeft(m[1], "-"))
	}
	if out.gaveUp != "" {
		return a.classify(failure{text: out.gaveUp})
	}
	if out.exit > 0 {
		for _, c := range []struct {
			kind  provider.Kind
			words []string
		}{
			{provider.KindContextLength, []string{"input_too_large", "input exceeds the maximum length"}},
			{provider.KindAuth, []string{"not logged in", "/login", a.Name() + " login", "auth login"}},
		} {
			if saysOneOf(out.stderr, c.words) {
				return a.classify(failure{kind: c.kind, text: a.said(out)})
			}
		}
	}
	var message string
	for _, name := range []string{"EPIPE", "ECONNRESET"} {
		if strings.Contains(out.stderr, name) {
			message = name + ": "
			break
		}
	}
	switch {
	case out.exit < 0:
		message += a.Name() + " was ended by a signal"
	case out.exit == 0:
		message += a.Name() + " ended without an answer"
	default:
		message += fmt.Sprintf("%s ended with exit code %d", a.Name(), out.exit)
	}
	if said := a.said(out); said != "" {
		message += ": " + said
	}
	return &provider.Error{Kind: provider.KindSubprocess, Message: message, Hint: hintKey}
}

// pipe is the error for an agent that ended before it had read the prompt.
func (a *Agent) pipe(out output) *provider.Error {
	name := "EPIPE"
	if errors.Is(out.stdin, syscall.ECONNRESET) {
		name = "ECONNRESET"
	}
	message := name + ": " + a.Name() + " did not read the prompt"
	if said := a.said(out); said != "" {
		message = name + ": " + said
	}
	if m := flagText.FindStringSubmatch(text.OneLine(out.stderr)); m != nil {
		return a.missing("--" + strings.TrimLeft(m[1], "-"))
	}
	return &provider.Error{Kind: provider.KindSubprocess, Message: message, Hint: hintKey, Err: out.stdin}
}

// broken is the error for an agent that could not be run.
func (a *Agent) broken(message string, err error) *provider.Error {
	return &provider.Error{Kind: provider.KindSubprocess, Message: a.clean(message), Hint: hintKey, Err: errors.New(a.clean(err.Error()))}
}

// missing is the error for a version that does not have what is needed.
func (a *Agent) missing(flags ...string) *provider.Error {
	return &provider.Error{
		Kind:    provider.KindInvalid,
		Message: fmt.Sprintf("%s has no %s", a.version(), strings.Join(flags, ", ")),
		Hint:    "update it: " + a.profile.install(),
	}
}

// said returns the end of what the agent wrote to standard error, or to standard
// output if that is all there is.
func (a *Agent) said(out output) string {
	end := out.stderr
	if strings.TrimSpace(end) == "" {
		end = string(out.stdout[max(0, len(out.stdout)-maxTail):])
	}
	line := a.redact(text.OneLine(end))
	if over := utf8.RuneCountInString(line) - maxText; over > 0 {
		line = "…" + string([]rune(line)[over+1:])
	}
	return line
}

// maxText is the number of runes that messages show of a text from outside.
const maxText = 400

// clean makes a text from outside fit for a message: one line, without control
// characters, escape sequences and credentials, and not long.
func (a *Agent) clean(s string) string {
	line := a.redact(text.OneLine(s))
	if utf8.RuneCountInString(line) > maxText {
		line = string([]rune(line)[:maxText-1]) + "…"
	}
	return line
}

// keyShape finds what looks like a credential, wherever it came from.
var keyShape = regexp.MustCompile(`\b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}|\bAIza[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{20,}|` +
	`\bgithub_pat_[A-Za-z0-9_]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bya29\.[A-Za-z0-9_-]{20,}|` +
	`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?|(?i:\bbearer\s+)[A-Za-z0-9._~+/-]{16,}=*`)

// redact removes credentials: those of the environment, and all that look like one.
func (a *Agent) redact(text string) string {
	for _, secret := range a.secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return keyShape.ReplaceAllString(text, "[redacted]")
}
