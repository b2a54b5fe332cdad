package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/provider"
)

// failure returns the error of an exchange that got no completion, or nil. err
// is what go-openai made of it.
func (c *Client) failure(x *exchange, err error) error {
	switch {
	case errors.Is(x.err, errBodyTooLarge):
		return &provider.Error{Kind: provider.KindServer, Message: fmt.Sprintf("the answer is larger than %d MiB", c.limit>>20), Err: x.err}
	case x.err != nil:
		return c.cleaner.Connection(c.base.host(), x.err)
	case x.status == 0:
		if err == nil {
			err = errors.New("the request was not sent")
		}
		// go-openai knows some models and refuses what they do not accept.
		return &provider.Error{Kind: provider.KindInvalid, Message: c.cleaner.Clean(err.Error()), Err: err}
	case x.status >= 300 && x.status < 400:
		return c.redirect(x)
	case x.status >= 300:
		out := c.classify(x.status, httperr.Parse(x.status, x.body))
		out.RetryAfter = httperr.RetryAfter(x.header, time.Now())
		return out
	case err != nil:
		return c.malformed(x, err)
	}
	// An error with status 200 decodes as a completion without choices.
	var top struct {
		Choices []json.RawMessage `json:"choices"`
	}
	if json.Unmarshal(x.body, &top) == nil && len(top.Choices) > 0 {
		return nil
	}
	if e, ok := httperr.ParseObject(x.body); ok {
		out := c.classify(0, e)
		out.RetryAfter = httperr.RetryAfter(x.header, time.Now())
		return out
	}
	return nil
}

// classify makes an error of what the server reports, with an HTTP status, or 0
// if it came with status 200.
func (c *Client) classify(status int, e *httperr.Error) *provider.Error {
	cause := *e
	cause.Text = c.cleaner.Line(e.Text)
	out := &provider.Error{Kind: e.Kind(), Status: status, Message: c.cleaner.Clean(e.Text), Err: &cause}
	switch line := httperr.StatusLine(status); {
	case status == 0 && out.Message == "":
		out.Message = "the answer is an error without a text"
	case status == 0:
	case strings.Contains(strings.ToLower(line), strings.ToLower(out.Message)):
		out.Message = line
	default:
		out.Message = line + ": " + out.Message
	}
	switch {
	case e.NoCredit():
		out.Hint = httperr.HintNoCredit
	case out.Kind == provider.KindAuth && e.Status == http.StatusForbidden:
		out.Hint = "check what the API key may be used for: model, project, region"
	case out.Kind == provider.KindAuth:
		out.Hint = "check the API key, and that it belongs to " + c.base.host()
	case (e.Status == http.StatusNotFound || e.Mentions("not_found")) && e.Mentions("model", "deployment"):
		out.Hint = "check the name of the model"
	case e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed:
		out.Hint = "check the base URL: many end in /v1, this one is " + c.cleaner.Clean(c.base.prefix)
	}
	return out
}

// malformed is the error for an answer of status 200 that is not a completion.
func (c *Client) malformed(x *exchange, err error) *provider.Error {
	out := &provider.Error{Kind: provider.KindServer, Status: x.status, Err: err}
	switch {
	case len(strings.TrimSpace(string(x.body))) == 0:
		out.Message = "the answer has no body"
	case errors.Is(err, io.ErrUnexpectedEOF):
		out.Message = "the answer ends in the middle"
	case json.Valid(x.body):
		if e, ok := httperr.ParseObject(x.body); ok {
			return c.classify(0, e)
		}
		out.Message = "the answer is not a chat completion"
	default:
		out.Message = "the answer is not JSON"
		if httperr.IsHTML(x.body) {
			out.Message = "the answer is a web page"
		}
		out.Hint = fmt.Sprintf("check the base URL: many end in /v1, this one is %s", c.cleaner.Clean(c.base.prefix))
	}
	return out
}

// redirect is the error for an answer that points elsewhere.
func (c *Client) redirect(x *exchange) *provider.Error {
	out := &provider.Error{
		Kind:    provider.KindInvalid,
		Status:  x.status,
		Message: httperr.StatusLine(x.status) + ": redirects are not followed",
		Hint:    "check the base URL",
	}
	if to, err := url.Parse(x.header.Get("Location")); err == nil && to.Host != "" {
		to.User, to.RawQuery, to.Fragment = nil, "", ""
		to.Path = strings.TrimSuffix(to.Path, chatPath)
		out.Hint = "if this is the right place, make it the base URL: " + c.cleaner.Clean(to.String())
	}
	return out
}
