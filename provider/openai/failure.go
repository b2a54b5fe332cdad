package openai

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

// failure returns the error of an exchange that got no completion, or nil. err
// is what go-openai made of it.
func (c *Client) failure(x *exchange, err error) error {
	switch {
	case x.err != nil:
		return c.connection(x.err)
	case x.status == 0:
		if err == nil {
			err = errors.New("the request was not sent")
		}
		// go-openai knows some models and refuses what they do not accept.
		return &provider.Error{Kind: provider.KindInvalid, Message: c.clean(err.Error()), Err: err}
	case x.status >= 300 && x.status < 400:
		return c.redirect(x)
	case x.status >= 300:
		e := parseError(x.body)
		e.status = x.status
		out := c.classify(e)
		out.RetryAfter = retryAfter(x.header, time.Now())
		return out
	case err != nil:
		return c.garbled(x, err)
	}
	// An error with status 200 decodes as a completion without choices.
	var top struct {
		Choices []json.RawMessage `json:"choices"`
	}
	if json.Unmarshal(x.body, &top) == nil && len(top.Choices) > 0 {
		return nil
	}
	if e, ok := parseObject(x.body); ok {
		out := c.classify(e)
		out.RetryAfter = retryAfter(x.header, time.Now())
		return out
	}
	return nil
}

// connection classifies an error of the connection, before or in the answer.
func (c *Client) connection(err error) *provider.Error {
	var timeout net.Error
	isTimeout := errors.As(err, &timeout) && timeout.Timeout()
	// The text of a url.Error shows the whole URL; that of an OpError has
	// addresses that tell nobody anything.
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	out := &provider.Error{Kind: provider.KindConnection, Err: err}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		err = op.Err
	}
	out.Message = c.base.host() + ": " + c.clean(err.Error())

	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	_, dns := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, errBodyTooLarge):
		out.Kind = provider.KindServer
		out.Message = fmt.Sprintf("the answer is larger than %d MiB", c.limit>>20)
	case badCertificate:
		out.Kind = provider.KindInvalid
		out.Hint = "the server's certificate is not trusted: check the base URL, and the certificates and clock of this machine"
	case noTLS || errors.Is(err, http.ErrSchemeMismatch):
		out.Kind = provider.KindInvalid
		out.Hint = "the server does not speak https: check the base URL"
	case isTimeout:
		out.Kind = provider.KindTimeout
	case dns:
		out.Hint = "check the host of the base URL, and the network"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		out.Message = c.base.host() + ": the connection ended before the answer was complete"
	}
	return out
}

// garbled is the error for an answer of status 200 that is no completion.
func (c *Client) garbled(x *exchange, err error) *provider.Error {
	out := &provider.Error{Kind: provider.KindServer, Status: x.status, Err: err}
	switch {
	case len(strings.TrimSpace(string(x.body))) == 0:
		out.Message = "the answer has no body"
	case errors.Is(err, io.ErrUnexpectedEOF):
		out.Message = "the answer ends in the middle"
	case json.Valid(x.body):
		if e, ok := parseObject(x.body); ok {
			return c.classify(e)
		}
		out.Message = "the answer is no chat completion"
	default:
		out.Message = "the answer is not JSON"
		if looksLikeHTML(x.body) {
			out.Message = "the answer is a web page"
		}
		out.Hint = fmt.Sprintf("check the base URL: many end in /v1, this one is %s", c.clean(c.base.prefix))
	}
	return out
}

// redirect is the error for an answer that points elsewhere.
func (c *Client) redirect(x *exchange) *provider.Error {
	out := &provider.Error{
		Kind:    provider.KindInvalid,
		Status:  x.status,
		Message: statusLine(x.status) + ": redirects are not followed",
		Hint:    "check the base URL",
	}
	if to, err := url.Parse(x.header.Get("Location")); err == nil && to.Host != "" {
		to.User, to.RawQuery, to.Fragment = nil, "", ""
		to.Path = strings.TrimSuffix(to.Path, chatPath)
		out.Hint = "if this is the right place, make it the base URL: " + c.clean(to.String())
	}
	return out
}

// maxText is the number of runes that messages show of a text from outside.
const maxText = 300

// clean makes a text from outside fit for a message: one line, without control
// characters, escape sequences and the key, and not long.
func (c *Client) clean(s string) string {
	return shorten(c.redact(text.OneLine(s)), maxText)
}

// redact removes the key, which some servers echo. Shorter ones are not secret,
// and would tear words apart.
func (c *Client) redact(text string) string {
	if len(c.key) < 4 {
		return text
	}
	return strings.ReplaceAll(text, c.key, "[redacted]")
}

// shorten cuts text to n runes, the last of which shows that it was cut.
func shorten(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// statusLine names an HTTP status.
func statusLine(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("HTTP %d %s", status, text)
	}
	return fmt.Sprintf("HTTP %d", status)
}

// maxRetryAfter bounds what is read, so that no header overflows a duration.
const maxRetryAfter = 24 * time.Hour

// retryAfter returns how long the server asks to wait, or zero. A date counts
// from the server's own, so that clocks need not agree.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return seconds(ms / 1000)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(until.Sub(now), 0), maxRetryAfter)
}

// seconds returns s as a duration within bounds; NaN is zero.
func seconds(s float64) time.Duration {
	switch {
	case !(s > 0):
		return 0
	case s >= maxRetryAfter.Seconds():
		return maxRetryAfter
	}
	return time.Duration(s * float64(time.Second))
}
