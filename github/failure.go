package github

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v92/github"
)

// failure is a request that failed, in words. What the host and the library say
// is never printed as it is: an answer may repeat the token.
type failure struct {
	text string
	err  error
}

func (e *failure) Error() string { return e.text }

func (e *failure) Unwrap() error { return e.err }

// failed says that a request failed, and why.
func (c *Client) failed(t task, err error) error {
	return &failure{t.doing + ": " + c.secret(oneLine(c.secret(reason(err)), maxReason)), err}
}

// maxReason is in characters.
const maxReason = 400

// secret returns s without the token.
func (c *Client) secret(s string) string {
	if c.token == "" {
		return s
	}
	return strings.ReplaceAll(s, c.token, "***")
}

// reason says why a request failed.
func reason(err error) string {
	if e, ok := errors.AsType[*gh.ErrorResponse](err); ok && e.Response != nil {
		return answerText(e)
	}
	// The address says nothing that is not known.
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// answerText says what an answer with an error means.
func answerText(e *gh.ErrorResponse) string {
	status := e.Response.StatusCode
	switch {
	case status == http.StatusNotFound:
		return "not found, or the token may not see it"
	case status >= 500:
		return fmt.Sprintf("the code host answered with status %d", status)
	}
	text := fmt.Sprintf("the code host refused it with status %d", status)
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
			text += ": " + part
		}
	}
	return text
}
