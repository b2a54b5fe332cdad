package openai

import (
	"strings"

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
