package httpapi

import (
	"bytes"
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

// Decode reads the JSON of an answer with status 2xx into v. A field of an odd type
// stays empty. The error is that of an exchange without JSON of status 2xx; the
// context's own end comes before it and is up to the caller.
func (c *Client) Decode(a Answer, v any) error {
	switch {
	case errors.Is(a.Err, errBodyTooLarge):
		return &provider.Error{Kind: provider.KindServer, Message: fmt.Sprintf("the answer is larger than %d MiB", MaxBody>>20), Err: a.Err}
	case a.Err != nil:
		return c.Connection(c.Host(), a.Err)
	case a.Status >= 300 && a.Status < 400:
		return c.redirect(a)
	case a.Status >= 300:
		return c.Classify(a, httperr.Parse(a.Status, a.Body))
	}
	err := json.NewDecoder(bytes.NewReader(a.Body)).Decode(v)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd || err == nil {
		return nil
	}
	out := &provider.Error{Kind: provider.KindServer, Status: a.Status, Err: err}
	switch {
	case len(bytes.TrimSpace(a.Body)) == 0:
		out.Message = "the answer has no body"
	case errors.Is(err, io.ErrUnexpectedEOF):
		out.Message = "the answer ends in the middle"
	default:
		out.Message = "the answer is not JSON"
		if httperr.IsHTML(a.Body) {
			out.Message = "the answer is a web page"
		}
		out.Hint = c.hintBaseURL()
	}
	return out
}

// Classify returns the error for what an answer reports: its body, if it has an
// error status, or an error object in a body of status 2xx.
func (c *Client) Classify(a Answer, e *httperr.Error) *provider.Error {
	cause := *e
	cause.Text = c.Line(e.Text)
	out := &provider.Error{Kind: e.Kind(), Status: e.Status, Message: c.Clean(e.Text), Err: &cause, RetryAfter: httperr.RetryAfter(a.Header, time.Now())}
	switch line := httperr.StatusLine(a.Status); {
	case a.Status < 300 && out.Message == "":
		out.Message = "the answer is an error without a text"
	case a.Status < 300:
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
		out.Hint = "check the API key, and that it belongs to " + c.Host()
	case (e.Status == http.StatusNotFound || e.Mentions("not_found")) && e.Mentions("model", "deployment"):
		out.Hint = "check the name of the model"
	case e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed:
		out.Hint, out.Final = c.hintBaseURL(), e.Status == http.StatusMethodNotAllowed
	}
	return out
}

func (c *Client) hintBaseURL() string {
	return "check the base URL: many end in /v1, this one is " + c.Clean(c.Prefix())
}

// redirect is the error for an answer that points elsewhere.
func (c *Client) redirect(a Answer) *provider.Error {
	out := &provider.Error{
		Kind:    provider.KindInvalid,
		Status:  a.Status,
		Message: httperr.StatusLine(a.Status) + ": redirects are not followed",
		Hint:    "check the base URL",
		Final:   true,
	}
	if to, err := url.Parse(a.Header.Get("Location")); err == nil && to.Host != "" {
		to.User, to.RawQuery, to.Fragment = nil, "", ""
		to.Path = strings.TrimSuffix(to.Path, c.method)
		out.Hint = "if this is the right place, make it the base URL: " + c.Clean(to.String())
	}
	return out
}
