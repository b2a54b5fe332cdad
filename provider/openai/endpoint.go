package openai

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// endpoint is a valid base URL.
type endpoint struct {
	url    *url.URL
	prefix string // of the URL of a request, before "/chat/completions"
}

// chatPath is what requests add to a base URL.
const chatPath = "/chat/completions"

// parseBaseURL validates and normalizes a base URL.
func parseBaseURL(s string) (endpoint, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		s = DefaultBaseURL
	}
	u, err := url.Parse(s)
	if err != nil {
		// The text of a url.Error shows the whole URL, maybe with a password.
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return endpoint{}, fmt.Errorf("invalid base URL: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return endpoint{}, fmt.Errorf("invalid base URL: scheme %q; want http or https, as in %s", u.Scheme, DefaultBaseURL)
	case u.Hostname() == "":
		return endpoint{}, fmt.Errorf("invalid base URL: no host; want one as in %s", DefaultBaseURL)
	case u.User != nil:
		return endpoint{}, errors.New("invalid base URL: it contains a user name or password; keys do not belong there")
	case u.Fragment != "":
		return endpoint{}, errors.New("invalid base URL: it contains a fragment (#)")
	}
	// People copy the address of a request instead of the base.
	u.Path = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(u.Path, "/"), chatPath), "/")
	u.RawPath = ""
	e := endpoint{url: u}
	if u.Path == "" && e.azure() {
		u.Path = "/openai/v1"
	}
	prefix := *u
	prefix.RawQuery = ""
	prefix.ForceQuery = false
	e.prefix = prefix.String()
	return e, nil
}

// host returns the host and port, the part of the URL for messages.
func (e endpoint) host() string { return e.url.Host }

// name returns the host's name in lower case, without a final dot.
func (e endpoint) name() string {
	return strings.ToLower(strings.TrimSuffix(e.url.Hostname(), "."))
}

// public reports whether e is the public endpoint of OpenAI.
func (e endpoint) public() bool { return e.name() == "api.openai.com" }

// azure reports whether e is a resource of Azure, which has its own header for the
// key.
func (e endpoint) azure() bool {
	name := e.name()
	return strings.HasSuffix(name, ".openai.azure.com") ||
		strings.HasSuffix(name, ".cognitiveservices.azure.com") ||
		strings.HasSuffix(name, ".services.ai.azure.com")
}

// loopback reports whether e is on this machine.
func (e endpoint) loopback() bool {
	name := e.name()
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

// confidential reports whether a key may be sent to e: over https, or to this
// machine, or inside a private network.
func (e endpoint) confidential() bool {
	if e.url.Scheme == "https" || e.loopback() {
		return true
	}
	name := e.name()
	if addr, err := netip.ParseAddr(name); err == nil {
		addr = addr.Unmap()
		return addr.IsPrivate() || addr.IsLinkLocalUnicast()
	}
	if !strings.Contains(name, ".") {
		return true // a service in a container network, or a host of the same network
	}
	for _, suffix := range []string{".local", ".internal", ".lan", ".home.arpa", ".svc"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// IsPublic reports whether baseURL is the public endpoint of OpenAI, for which
// there is a [DefaultModel]. The empty URL is.
func IsPublic(baseURL string) bool {
	e, err := parseBaseURL(baseURL)
	return err == nil && e.public()
}
