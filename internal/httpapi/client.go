// Package httpapi is what the adapters for APIs over HTTP share: the base URL and
// the key of an API ([Client]), one exchange of a request and an answer
// ([Client.Do]), and the JSON of answers or their errors ([Client.Decode]).
//
// A key travels only to the host of the base URL, and only where nobody can read it
// on its way. Redirects are refused, answers have a limit, and messages show neither
// the key nor control characters.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/httperr"
)

// MaxBody is the largest body of an answer that is read, in bytes: a hundred times
// the longest answer that a model gives.
const MaxBody = 16 << 20

// ErrNoKey means that an endpoint needs a key and there is none.
var ErrNoKey = errors.New("no API key")

// Client makes requests to one API. It is safe for concurrent use.
type Client struct {
	Endpoint
	httperr.Cleaner // knows the key
	// Key is the key without white space around it; empty if there is none.
	Key string

	http *http.Client
}

// NewClient returns a client. A key is required unless the endpoint is on the
// loopback; without one the error wraps [ErrNoKey]. No error contains the key.
//
// Requests are made by client, whose CheckRedirect is ignored. Nil means a new one
// that uses proxy, which may be nil, too.
func NewClient(e Endpoint, key string, client *http.Client, proxy func(*http.Request) (*url.URL, error)) (*Client, error) {
	key = strings.TrimSpace(key)
	switch {
	case key == "" && !e.loopback():
		return nil, fmt.Errorf("%w for %s", ErrNoKey, e.Host())
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("invalid API key: it contains white space or characters other than ASCII")
	case key != "" && !e.Confidential():
		return nil, fmt.Errorf("invalid base URL: the key would travel in clear text to %s: use https", e.Host())
	}
	c := &Client{Endpoint: e, Cleaner: httperr.NewCleaner(key), Key: key}
	if client != nil {
		c.http = new(*client)
	} else {
		c.http = &http.Client{Transport: &http.Transport{
			Proxy:                 proxy,
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			MaxIdleConnsPerHost:   64, // as many as requests may be in flight
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   30 * time.Second,
			ExpectContinueTimeout: time.Second,
			OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
				if resp.StatusCode == http.StatusOK {
					return nil
				}
				return &net.OpError{Op: httperr.ProxyOp, Err: errors.New(httperr.StatusLine(resp.StatusCode))}
			},
		}}
	}
	// A redirect would turn the request into a GET, or carry the key and the code to
	// another host.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// CloseIdleConnections closes the connections that are not in use.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// Answer is what came back for a request. The zero Answer is that of a request that
// was not sent.
type Answer struct {
	Status int // zero if no answer came
	Header http.Header
	Body   []byte
	Err    error // of the connection, or of reading the body
}

// errBodyTooLarge ends the reading of a body.
var errBodyTooLarge = errors.New("the answer is too large")

// Do sends a request and reads the whole answer. The request's URL gets the query of
// the base URL.
func (c *Client) Do(req *http.Request) Answer {
	req.URL.RawQuery = c.RawQuery()
	req.Header.Set("User-Agent", "scanner")
	resp, err := c.http.Do(req)
	if err != nil {
		return Answer{Err: err}
	}
	defer resp.Body.Close()
	a := Answer{Status: resp.StatusCode, Header: resp.Header}
	a.Body, a.Err = io.ReadAll(io.LimitReader(resp.Body, MaxBody+1))
	if a.Err == nil && len(a.Body) > MaxBody {
		a.Err = errBodyTooLarge
	}
	return a
}
