package httpapi

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Endpoint is a valid base URL.
type Endpoint struct {
	url    url.URL
	method string // what requests add to the path, as in "/chat/completions"
}

// ParseEndpoint validates and normalizes a base URL. Empty means fallback. Requests
// add method to its path; people who copied the address of a request instead of the
// base get the same Endpoint. No error shows a password of the URL.
func ParseEndpoint(base, fallback, method string) (Endpoint, error) {
	base = strings.TrimSpace(base)
	if base == "" {
		base = fallback
	}
	u, err := url.Parse(base)
	if err != nil {
		// The text of a url.Error shows the whole URL, maybe with a password.
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return Endpoint{}, fmt.Errorf("invalid base URL: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return Endpoint{}, fmt.Errorf("invalid base URL: scheme %q; want http or https, as in %s", u.Scheme, fallback)
	case u.Hostname() == "":
		return Endpoint{}, fmt.Errorf("invalid base URL: no host; want one as in %s", fallback)
	case u.User != nil:
		return Endpoint{}, errors.New("invalid base URL: it contains a user name or password; keys do not belong there")
	case u.Fragment != "":
		return Endpoint{}, errors.New("invalid base URL: it contains a fragment (#)")
	}
	u.Path = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(u.Path, "/"), method), "/")
	u.RawPath, u.ForceQuery = "", false
	return Endpoint{url: *u, method: method}, nil
}

// WithPath returns the endpoint with another path.
func (e Endpoint) WithPath(path string) Endpoint {
	e.url.Path = path
	return e
}

// Path returns the path, without a slash at its end.
func (e Endpoint) Path() string { return e.url.Path }

// Prefix returns the URL without its query. A request adds the method.
func (e Endpoint) Prefix() string {
	e.url.RawQuery = ""
	return e.url.String()
}

// RawQuery returns the query, which is sent with every request.
func (e Endpoint) RawQuery() string { return e.url.RawQuery }

// Host returns the host and port, the part of the URL for messages.
func (e Endpoint) Host() string { return e.url.Host }

// Hostname returns the host's name in lower case, without a final dot.
func (e Endpoint) Hostname() string {
	return strings.ToLower(strings.TrimSuffix(e.url.Hostname(), "."))
}

// loopback reports whether e is on this machine.
func (e Endpoint) loopback() bool {
	name := e.Hostname()
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

// Confidential reports whether a key may be sent to e: over https, or to this
// machine, or inside a private network.
func (e Endpoint) Confidential() bool {
	if e.url.Scheme == "https" || e.loopback() {
		return true
	}
	name := e.Hostname()
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
