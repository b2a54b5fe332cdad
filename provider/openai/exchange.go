package openai

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/codescan-dev/scanner/internal/httpapi"
)

// chatPath is what requests add to a base URL.
const chatPath = "/chat/completions"

// endpoint is the base URL of an API that is compatible with that of OpenAI.
type endpoint struct{ httpapi.Endpoint }

// parseBaseURL validates and normalizes a base URL.
func parseBaseURL(s string) (endpoint, error) {
	parsed, err := httpapi.ParseEndpoint(s, DefaultBaseURL, chatPath)
	e := endpoint{parsed}
	if err == nil && e.azure() && e.Path() == "" {
		e.Endpoint = e.WithPath("/openai/v1")
	}
	return e, err
}

// public reports whether e is the public endpoint of OpenAI.
func (e endpoint) public() bool { return e.Hostname() == "api.openai.com" }

// azure reports whether e is a resource of Azure, which has its own header for the
// key.
func (e endpoint) azure() bool {
	name := e.Hostname()
	return strings.HasSuffix(name, ".openai.azure.com") ||
		strings.HasSuffix(name, ".cognitiveservices.azure.com") ||
		strings.HasSuffix(name, ".services.ai.azure.com")
}

// IsPublic reports whether baseURL is the public endpoint of OpenAI, for which
// there is a [DefaultModel]. The empty URL is.
func IsPublic(baseURL string) bool {
	e, err := parseBaseURL(baseURL)
	return err == nil && e.public()
}

// exchange makes one HTTP request for go-openai and keeps the answer. The library
// drops the body, which holds the cost and the errors with status 200, and the
// difference between a failed connection and a bad body.
type exchange struct {
	*Client
	answer httpapi.Answer
}

var _ openai.HTTPDoer = (*exchange)(nil)

// Do implements [openai.HTTPDoer].
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if x.base.azure() && x.http.Key != "" {
		req.Header.Del("Authorization")
		req.Header.Set(openai.AzureAPIKeyHeader, x.http.Key)
	}
	x.answer = x.http.Do(req)
	if x.answer.Err != nil {
		return nil, x.answer.Err
	}
	return &http.Response{
		StatusCode: x.answer.Status, Header: x.answer.Header, Request: req,
		Body: io.NopCloser(bytes.NewReader(x.answer.Body)),
	}, nil
}
