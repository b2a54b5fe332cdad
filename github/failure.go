package github

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
	gh "github.com/google/go-github/v92/github"
)

// failure is a request that failed. The texts of the host and the library are not
// part of its message as they are: an answer may repeat the token.
type failure struct {
	text string
	err  error
}

func (e *failure) Error() string { return e.text }

func (e *failure) Unwrap() error { return e.err }

// failed returns an error with the reason why a request failed.
func (c *Client) failed(t task, err error) error {
	// The token may be complete only when the text is clean, and must not be cut.
	why := text.Truncate(c.redact(text.OneLine(c.redact(reason(err)))), maxReason)
	return &failure{t.doing + ": " + why, err}
}

// maxReason is in characters.
const maxReason = 400

// redact returns s without the token.
func (c *Client) redact(s string) string {
	if c.token == "" {
		return s
	}
	return strings.ReplaceAll(s, c.token, "***")
}

// reason returns why a request failed.
func reason(err error) string {
	if e, ok := errors.AsType[*gh.ErrorResponse](err); ok && e.Response != nil {
		return answerText(e)
	}
	// The address adds nothing.
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// answerText describes an answer with an error.
func answerText(e *gh.ErrorResponse) string {
	status := e.Response.StatusCode
	switch {
	case status == http.StatusNotFound:
		return "not found, or the token has no access to it"
	case status >= 500:
		return fmt.Sprintf("the code host answered with status %d", status)
	}
	answer := fmt.Sprintf("the code host refused it with status %d", status)
	parts := []string{e.Message}
	for _, d := range e.Errors {
		part := d.Message
		if part == "" {
			part = strings.TrimSpace(d.Field + " " + strings.ReplaceAll(d.Code, "_", " "))
		}
		parts = append(parts, part)
	}
	for _, part := range parts {
		if part != "" {
			answer += ": " + part
		}
	}
	return answer
}
