// Package openai is the adapter for APIs that are compatible with the chat
// completions of OpenAI: the public endpoint, Azure, OpenRouter, Ollama, vLLM,
// llama.cpp and others, chosen by [Config.BaseURL].
//
// A [Client] makes one request for one answer, without retries, and without streaming
// unless the model answers in no other way. A failure is a *[provider.Error], unless the context ended. The text of
// a server's error is in its message: one short line, without control characters
// and without the key.
//
// Requests are those of OpenAI. What a server refuses of them is an error, and package
// scanner tries the request without it. Answers are read with leniency: a field that
// nobody needs can have any type, and an answer can be a stream although none was
// requested.
package openai

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"sync/atomic"

	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/provider"
)

const (
	// DefaultBaseURL is the public endpoint.
	DefaultBaseURL = "https://api.openai.com/v1"
	// DefaultModel is the default model of the public endpoint: small, cheap, and
	// able to follow a schema.
	DefaultModel = "gpt-5-mini"
)

// ErrNoKey means that an endpoint needs a key and there is none.
var ErrNoKey = httpapi.ErrNoKey

// Config describes an API. The zero Config is not valid: the public endpoint needs
// a key.
type Config struct {
	// Name is that of the [provider.Identity]. Empty means "openai" for the public
	// endpoint, and "openai-compatible" for others.
	Name string
	// BaseURL is the address of the API; "/chat/completions" is added to its
	// path. Empty means [DefaultBaseURL]. With a key only https is accepted,
	// except for hosts on the loopback and in private networks. A query such as
	// "?api-version=2024-10-21" is sent with every request.
	BaseURL string
	// APIKey authenticates. It can be empty if the host of BaseURL is "localhost",
	// a name below it, or a loopback address. White space around it is dropped.
	APIKey string
	// Model is for requests that name none. Empty means [DefaultModel] for the
	// public endpoint; elsewhere such a request is an error.
	Model string
	// HTTPClient makes the requests; its CheckRedirect is ignored, since
	// redirects are refused. Nil means a new client, which uses Proxy.
	HTTPClient *http.Client
	// Proxy chooses the proxy of a new HTTP client, for instance
	// [http.ProxyFromEnvironment]. Nil means none.
	Proxy func(*http.Request) (*url.URL, error)
	// Prices take precedence over [provider.ListPrices]. They are for APIs that do
	// not report the cost of an answer.
	Prices provider.Prices
}

// Client sends requests to one API. It is safe for concurrent use.
type Client struct {
	name   string
	base   endpoint
	http   *httpapi.Client
	model  string
	prices provider.Prices

	streams atomic.Bool // requests are for streams
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
	base, err := parseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	client, err := httpapi.NewClient(base.Endpoint, cfg.APIKey, cfg.HTTPClient, cfg.Proxy)
	if err != nil {
		return nil, err
	}
	c := &Client{
		name:   cfg.Name,
		base:   base,
		http:   client,
		model:  cfg.Model,
		prices: cfg.Prices,
	}
	if c.model == "" && base.public() {
		c.model = DefaultModel
	}
	if c.name == "" {
		c.name = "openai-compatible"
		if base.public() {
			c.name = "openai"
		}
	}
	return c, nil
}

// Identity implements [provider.Identifier].
func (c *Client) Identity() provider.Identity {
	return provider.Identity{Name: c.name, Host: c.base.Host(), Model: c.model}
}

// Price implements [provider.Pricer].
func (c *Client) Price(model string) (provider.Price, bool) {
	return c.prices.Find(cmp.Or(model, c.model))
}

// ReportsCost implements [provider.Pricer]: OpenRouter always does, of others it is not
// known.
func (c *Client) ReportsCost() bool { return c.base.Hostname() == "openrouter.ai" }

// Complete implements [provider.Provider].
func (c *Client) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	if err := ctx.Err(); err != nil {
		return provider.Response{}, err
	}
	if req.Model == "" {
		req.Model = c.model
	}
	if req.Model == "" {
		return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Message: "no model set"}
	}
	stream := c.streams.Load()
	resp, err := c.exchange(ctx, req, stream)
	if stream || !refusesWhole(err) {
		return resp, err
	}
	// Some models answer in no other way. It is read as a whole nevertheless.
	again, second := c.exchange(ctx, req, true)
	if refusesWhole(second) {
		return resp, err
	}
	c.streams.Store(true)
	return again, second
}

var streamText = regexp.MustCompile(`(?i)\bstream`)

// refusesWhole reports whether a request was refused with a text about streams.
func refusesWhole(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && e.Kind == provider.KindInvalid && e.Status == 400 && streamText.MatchString(e.Message)
}

// exchange makes a request and reads its answer.
func (c *Client) exchange(ctx context.Context, req provider.Request, stream bool) (provider.Response, error) {
	r, err := c.request(ctx, req, stream)
	if err != nil {
		return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Message: c.http.Clean(err.Error()), Err: err}
	}
	a := c.http.Do(r)
	// The caller's own end of the request decides before anything else.
	if err := ctx.Err(); err != nil && a.Err != nil {
		return provider.Response{}, err
	}
	if a.Status < 300 {
		a.Body = unstream(a.Body)
	}
	var x completion
	if err := c.http.Decode(a, &x); err != nil {
		return provider.Response{}, err
	}
	return c.response(a, &x, req.Model)
}
