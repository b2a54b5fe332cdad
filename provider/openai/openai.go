// Package openai is the adapter for APIs that are compatible with the chat
// completions of OpenAI: the public endpoint, Azure, OpenRouter, Ollama, vLLM,
// llama.cpp and others, chosen by [Config.BaseURL].
//
// A [Client] makes one request for one answer, without streaming and without
// retries. A failure is a *[provider.Error], unless the context ended. The text of
// a server's error is in its message: one short line, without control characters
// and without the key.
//
// Servers differ in what they accept. The client requests JSON of the given
// schema, and less where the server refuses that; it names the limit of tokens as
// the server expects it. It remembers for each model what was accepted, so that
// only the first requests are repeated.
package openai

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	openai "github.com/sashabaranov/go-openai"

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
	api    openai.ClientConfig
	base   endpoint
	http   *httpapi.Client
	model  string
	prices provider.Prices

	mu      sync.Mutex
	dialect map[string]dialect // by model
}

var _ provider.FeatureSender = (*Client)(nil)

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
		name:    cfg.Name,
		api:     openai.DefaultConfig(client.Key),
		base:    base,
		http:    client,
		model:   cfg.Model,
		prices:  cfg.Prices,
		dialect: make(map[string]dialect),
	}
	c.api.BaseURL = base.Prefix()
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

// Complete implements [provider.Provider].
//
// It sends one request, and another one at once only when the server does not
// support a parameter of it; see the package documentation.
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
	known := c.known(req.Model)
	for d := known; ; {
		resp, answered, err := c.attempt(ctx, req, d)
		if answered {
			if d != known {
				c.learn(req.Model, d)
			}
			return resp, err
		}
		// The caller's own end of the request decides before anything else.
		if cerr := ctx.Err(); cerr != nil {
			return provider.Response{}, cerr
		}
		next, ok := d.after(err, req)
		if !ok {
			return resp, err
		}
		d = next
	}
}

// attempt sends req once, in the dialect d. It was answered if the answer is the
// model's, even if that is a refusal.
func (c *Client) attempt(ctx context.Context, req provider.Request, d dialect) (resp provider.Response, answered bool, err error) {
	x := &exchange{Client: c}
	api := c.api
	api.HTTPClient = x
	answer, err := openai.NewClientWithConfig(api).CreateChatCompletion(ctx, d.request(req))
	if err := x.failure(err); err != nil {
		return provider.Response{}, false, err
	}
	resp, err = c.response(answer, x.answer, req.Model)
	return resp, err == nil || provider.KindOf(err) == provider.KindRefusal, err
}

// known returns the dialect for model: the one that was accepted, or the best
// guess.
func (c *Client) known(model string) dialect {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.dialect[model]; ok {
		return d
	}
	return firstDialect(model, c.base)
}

// learn keeps a dialect that got an answer. It only ever becomes less demanding.
func (c *Client) learn(model string, d dialect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.dialect[model]; ok {
		d = old.merge(d)
	}
	c.dialect[model] = d
}
