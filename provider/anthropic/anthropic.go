// Package anthropic is the adapter for the messages API of Anthropic, and for
// gateways that offer it, chosen by [Config.BaseURL].
//
// A [Client] makes one request for one answer, without streaming and without
// retries. A failure is a *[provider.Error], unless the context ended. The text of
// a server's error is in its message: one short line, without control characters
// and without the key.
//
// The tools and the system prompt, which all chunks of a skill share, are marked for
// the API's prompt cache. Models decide by themselves how much they think; thoughts
// are not in the answer, and count as output.
package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/provider"
)

const (
	// DefaultBaseURL is the public endpoint.
	DefaultBaseURL = "https://api.anthropic.com/v1"
	// DefaultModel is the default model: small, cheap, and able to follow a schema.
	DefaultModel = "claude-haiku-5-5"
)

// ErrNoKey means that an endpoint needs a key and there is none.
var ErrNoKey = httpapi.ErrNoKey

// messagesPath is what requests add to a base URL.
const messagesPath = "/messages"

// version is the version of the API, the only one since 2023; see
// https://platform.claude.com/docs/en/api/versioning.
const version = "2023-06-01"

// Config describes an API. The zero Config is not valid: the public endpoint needs
// a key.
type Config struct {
	// BaseURL is the address of the API; "/messages" is added to its path, and
	// before that "/v1" where it is missing: gateways document their address as
	// the SDKs take it, without. Empty means [DefaultBaseURL]. With a key only
	// https is accepted, except for hosts on the loopback and in private networks.
	BaseURL string
	// APIKey authenticates. It can be empty if the host of BaseURL is on the
	// loopback. White space around it is dropped.
	APIKey string
	// Model is for requests that name none. Empty means [DefaultModel].
	Model string
	// HTTPClient makes the requests; its CheckRedirect is ignored, since
	// redirects are refused. Nil means a new client, which uses Proxy.
	HTTPClient *http.Client
	// Proxy chooses the proxy of a new HTTP client, for instance
	// [http.ProxyFromEnvironment]. Nil means none.
	Proxy func(*http.Request) (*url.URL, error)
	// Prices take precedence over [provider.ListPrices].
	Prices provider.Prices
}

// Client sends requests to one API. It is safe for concurrent use.
type Client struct {
	http   *httpapi.Client
	model  string
	prices provider.Prices
}

var (
	_ provider.FeatureSender = (*Client)(nil)
	_ provider.Pricer        = (*Client)(nil)
)

// SendsFeatures implements [provider.FeatureSender].
func (c *Client) SendsFeatures() bool { return true }

// New returns a Client. It makes no request. The error wraps [ErrNoKey] when
// only the key is missing; no error contains the key or a password of the URL.
func New(cfg Config) (*Client, error) {
	base, err := httpapi.ParseEndpoint(cfg.BaseURL, DefaultBaseURL, messagesPath)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(base.Path(), "/v1") {
		base = base.WithPath(base.Path() + "/v1")
	}
	client, err := httpapi.NewClient(base, cfg.APIKey, cfg.HTTPClient, cfg.Proxy)
	if err != nil {
		return nil, err
	}
	c := &Client{http: client, model: cfg.Model, prices: cfg.Prices}
	if c.model == "" {
		c.model = DefaultModel
	}
	return c, nil
}

// Identity implements [provider.Identifier].
func (c *Client) Identity() provider.Identity {
	return provider.Identity{Name: "anthropic", Host: c.http.Host(), Model: c.model}
}

// Price implements [provider.Pricer].
func (c *Client) Price(model string) (provider.Price, bool) {
	return c.prices.Find(cmp.Or(model, c.model))
}

// ReportsCost implements [provider.Pricer]: the API does not.
func (c *Client) ReportsCost() bool { return false }

// Complete implements [provider.Provider].
func (c *Client) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	if err := ctx.Err(); err != nil {
		return provider.Response{}, err
	}
	if req.Model == "" {
		req.Model = c.model
	}
	body, err := encode(req)
	if err != nil {
		return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Message: c.http.Clean(err.Error()), Err: err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.http.Prefix()+messagesPath, bytes.NewReader(body))
	if err != nil {
		return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Message: c.http.Clean(err.Error()), Err: err}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Anthropic-Version", version)
	if c.http.Key != "" {
		r.Header.Set("X-Api-Key", c.http.Key)
	}
	a := c.http.Do(r)
	// The caller's own end of the request decides before anything else.
	if err := ctx.Err(); err != nil && a.Err != nil {
		return provider.Response{}, err
	}
	var x answer
	if err := c.http.Decode(a, &x); err != nil {
		return provider.Response{}, err
	}
	return c.response(a, &x, req.Model)
}
