package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

// failure is an agent's report about a failed request.
type failure struct {
	text   string
	status int           // HTTP status of its API; 0 if unknown
	kind   provider.Kind // if the agent names the cause; otherwise the text decides
	wait   time.Duration // that the API requests; 0 if unknown
}

// hintKey is the hint for agents that do not work at all.
const hintKey = "set SCANNER_PROVIDER_API_KEY to use an API key instead of an agent CLI"

// classify makes an error of f by what the caller can do about it.
func (a *Agent) classify(f failure) *provider.Error {
	f.text = f.text[:min(len(f.text), 2*maxTail)]
	e := unwrap(f.text)
	e.Status = cmp.Or(f.status, statusIn(f.text), e.Status)
	out := &provider.Error{
		Kind:       f.kind,
		Status:     e.Status,
		RetryAfter: f.wait,
		Message:    a.Name() + ": " + a.cleaner.Clean(e.Text),
		Err:        errors.New(a.cleaner.Clean(e.Text)),
	}
	if out.Kind == provider.KindUnknown {
		out.Kind = e.Kind()
	}
	if f.kind == provider.KindUnknown && out.Kind != provider.KindAuth && isUsageLimit(e.Status, f.text) {
		out.Kind, out.Final, out.Hint = provider.KindRateLimit, true, hintKey
	}
	switch {
	case out.Kind == provider.KindAuth && e.NoCredit():
		out.Hint = httperr.HintNoCredit
	case out.Kind == provider.KindAuth:
		out.Hint = "log in again: " + a.profile.login
	case out.Kind == provider.KindInvalid && (e.Status == http.StatusNotFound || e.Mentions("model")):
		out.Hint = "check the name of the model, and that " + a.Name() + " may use it"
	}
	if out.Kind == provider.KindRateLimit && out.RetryAfter == 0 {
		out.RetryAfter = waitIn(f.text)
	}
	return out
}

// unwrap returns the error that a text contains, with the body of an API's answer
// in it replaced by its message.
func unwrap(s string) *httperr.Error {
	i := strings.IndexByte(s, '{')
	if i < 0 {
		return &httperr.Error{Text: s}
	}
	var body json.RawMessage
	dec := json.NewDecoder(strings.NewReader(s[i:]))
	if dec.Decode(&body) != nil {
		return &httperr.Error{Text: s}
	}
	e, ok := httperr.ParseObject(body)
	if !ok || e.Text == "" {
		return &httperr.Error{Text: s}
	}
	e.Text = s[:i] + e.Text + s[i+int(dec.InputOffset()):]
	return e
}

var (
	statusText = regexp.MustCompile(`(?i)(?:API Error:|status:?|"code":|"?statusCode"?:|HTTP)\s*\(?([45]\d\d)\b`)
	waitText   = regexp.MustCompile(`(?i)(?:try again|retry|reset) (?:in|after) (\d{1,6}(?:\.\d{1,6})?)\s*(ms|s|sec|seconds?|m|min|minutes?)\b`)
)

// statusIn returns the HTTP status that a text names, or 0.
func statusIn(text string) int {
	if m := statusText.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}

// waitIn returns how long to wait according to a text, or 0.
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

// limitText matches messages about the allowance of a subscription, rateText those
// about requests or tokens in a short time.
var (
	limitText = regexp.MustCompile(`(?i)\b(?:hit|reached|exceeded|exhausted) your (?:[^\s.]+ ){0,4}?(?:limits?|cap|quota|capacity)\b|` +
		`\b(?:session|hour|daily|weekly|monthly) limit\b|usage[ _]?(?:limit|credit|allocation|exceeded)|include usage\b|` +
		`\bout of (?:[a-z]+ )?(?:usage|credits)\b|with your ChatGPT plan`)
	rateText = regexp.MustCompile(`(?i)rate.limit|per.(?:second|minute)`)
)

// isUsageLimit reports whether a text is about a subscription whose allowance is used
// up, so that no retry of this run can succeed. One that comes back within the longest
// wait for a retry is a rate limit like any other.
func isUsageLimit(status int, text string) bool {
	wait := waitIn(text)
	return status < 500 && limitText.MatchString(text) && !rateText.MatchString(text) && (wait == 0 || wait > time.Minute)
}

// flagText finds the flag that a CLI does not know, in the messages of commander,
// clap and yargs.
var flagText = regexp.MustCompile(`(?:unknown option '|unexpected argument '|Unknown arguments?: )(-{0,2}[A-Za-z][A-Za-z0-9-]*)`)

// exitError is the error for a process that ended without an answer, or before it
// had read the prompt.
func (a *Agent) exitError(out output) *provider.Error {
	if m := flagText.FindStringSubmatch(text.OneLine(out.stderr)); m != nil {
		_ = os.Remove(a.keptFile()) // it is of another version
		return a.missingFlags("--" + strings.TrimLeft(m[1], "-"))
	}
	if out.gaveUp != "" {
		return a.classify(failure{text: out.gaveUp})
	}
	if out.exit > 0 {
		printed := &httperr.Error{Text: printed(out)}
		final := a.classify(failure{text: printed.Text})
		switch {
		case printed.Mentions("input_too_large", "input exceeds the maximum length"):
			return a.classify(failure{kind: provider.KindContextLength, text: a.stderrTail(out)})
		case printed.Mentions("database is locked", "sqlite_busy"): // by another run of the CLI
			return a.classify(failure{kind: provider.KindServer, text: a.stderrTail(out)})
		case provider.EndsRun(final):
			return final
		}
	}
	var message string
	switch {
	case errors.Is(out.stdin, syscall.ECONNRESET), strings.Contains(out.stderr, "ECONNRESET"):
		message = "ECONNRESET: "
	case out.stdin != nil, strings.Contains(out.stderr, "EPIPE"):
		message = "EPIPE: "
	}
	switch {
	case out.stdin != nil:
		message += a.Name() + " did not read the prompt"
	case out.exit < 0:
		message += a.Name() + " was ended by a signal"
	case out.exit == 0:
		message += a.Name() + " ended without an answer"
	default:
		message += fmt.Sprintf("%s ended with exit code %d", a.Name(), out.exit)
	}
	if tail := a.stderrTail(out); tail != "" {
		message += ": " + tail
	}
	return &provider.Error{Kind: provider.KindSubprocess, Message: message, Hint: hintKey, Err: out.stdin}
}

// maxPrinted is the number of bytes of a message that a CLI prints in place of an
// answer.
const maxPrinted = 2 << 10

// printed returns the message that a CLI printed in place of an answer: the end of
// standard error, and of standard output what is too short for an answer and contains
// no part of one.
func printed(out output) string {
	text := out.stderr[max(0, len(out.stderr)-maxPrinted):]
	if len(out.stdout) <= maxPrinted && !bytes.ContainsRune(out.stdout, '{') {
		text += "\n" + string(out.stdout)
	}
	return strings.TrimSpace(text)
}

// startError is the error for an agent that could not be run.
func (a *Agent) startError(problem string, err error) *provider.Error {
	cause := errors.New(a.cleaner.Clean(err.Error()))
	return &provider.Error{Kind: provider.KindSubprocess, Message: a.Name() + " " + problem + ": " + cause.Error(), Hint: hintKey, Err: cause}
}

// dirError is the error for an agent without a private directory.
func (a *Agent) dirError(err error) *provider.Error {
	e := a.startError("has no private directory to run in", err)
	e.Hint = "set XDG_CACHE_HOME to a directory that no other user can write to, nor to those above it; or " + hintKey
	return e
}

// missingFlags is the error for a version without flags that are needed.
func (a *Agent) missingFlags(flags ...string) *provider.Error {
	return &provider.Error{
		Kind:    provider.KindInvalid,
		Message: fmt.Sprintf("%s has no %s", a.version(), strings.Join(flags, ", ")),
		Hint:    "update it: " + a.profile.install(),
	}
}

// stderrTail returns the end of standard error, or of standard output if there is
// nothing else.
func (a *Agent) stderrTail(out output) string {
	end := out.stderr
	if strings.TrimSpace(end) == "" {
		end = string(out.stdout[max(0, len(out.stdout)-maxTail):])
	}
	return a.cleaner.CleanEnd(end)
}
