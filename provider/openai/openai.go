// Package openai asks language models through APIs that are compatible with the
// chat completions of OpenAI: the public endpoint, Azure, OpenRouter, Ollama,
// vLLM, llama.cpp and others, chosen by [Config.BaseURL].
//
// A [Client] makes one request for one answer, without streaming and without
// retries. Every failure comes back as a *[provider.Error] whose kind says what
// to do; what a server says about it is shown in one short line, without control
// characters and without the key.
//
// Servers differ in what they accept. The client asks for JSON of the given
// schema, and for less where the server refuses that; it names the limit of
// tokens as the server wants it. What it learned is kept for each model, so only
// the first requests pay for it.
package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/provider"
)

const (
	// DefaultBaseURL is the public endpoint.
	DefaultBaseURL = "https://api.openai.com/v1"
	// DefaultModel is the model that the public endpoint is asked for when none
	// is named: small, cheap, and able to follow a schema.
	DefaultModel = "gpt-5-mini"
)

// ErrNoKey says that an endpoint needs a key and there is none.
var ErrNoKey = errors.New("no API key")

// Config says whom to ask and how. The zero Config is not valid: the public
// endpoint needs a key.
type Config struct {
	// BaseURL is where the API is; "/chat/completions" is added to its path.
	// Empty means [DefaultBaseURL]. Only https is accepted when there is a key
	// to lose, except for hosts on the loopback and in private networks. A query
	// such as "?api-version=2024-10-21" is sent with every request.
	BaseURL string
	// APIKey authenticates. It may be empty if BaseURL is on the loopback; see
	// [IsLoopback]. White space around it is dropped.
	APIKey string
	// Model is asked when a request names none. Empty means [DefaultModel] for
	// the public endpoint; elsewhere such a request is refused.
	Model string
	// HTTPClient makes the requests; its CheckRedirect is not used, since
	// redirects are refused. Nil means a client of the package's own, which uses
	// no proxy: the package does not look at the environment.
	HTTPClient *http.Client
	// Proxy chooses the proxy of the package's own HTTP client, for instance
	// [http.ProxyFromEnvironment]. Nil means none.
	Proxy func(*http.Request) (*url.URL, error)
	// Prices go before [provider.ListPrices] where the API does not report what
	// an answer costs.
	Prices provider.Prices
}

// Client asks one API. It is safe for concurrent use.
type Client struct {
	api     openai.ClientConfig
	base    endpoint
	key     string
	model   string
	cleaner httperr.Cleaner
	client  *http.Client
	limit   int64 // of the body of an answer, in bytes
	prices  provider.Prices

	mu      sync.Mutex
	dialect map[string]dialect // what was learned, by model
}

var _ provider.Provider = (*Client)(nil)

// New returns a Client. It makes no request. The error wraps [ErrNoKey] when
// only the key is missing; no error contains the key or a password of the URL.
func New(cfg Config) (*Client, error) {
	base, err := parseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	key := strings.TrimSpace(cfg.APIKey)
	if key == "" && !base.loopback() {
		return nil, fmt.Errorf("%w for %s", ErrNoKey, base.host())
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("invalid API key: it contains white space or characters other than ASCII")
	}
	if key != "" && !base.confidential() {
		return nil, fmt.Errorf("invalid base URL: the key would travel in clear text to %s: use https", base.host())
	}
	c := &Client{
		api:     openai.DefaultConfig(key),
		base:    base,
		key:     key,
		cleaner: httperr.NewCleaner(key),
		model:   cfg.Model,
		client:  httpClient(cfg),
		limit:   maxBody,
		prices:  cfg.Prices,
		dialect: make(map[string]dialect),
	}
	c.api.BaseURL = base.prefix
	if c.model == "" && base.public() {
		c.model = DefaultModel
	}
	return c, nil
}

// Complete implements [provider.Provider].
//
// It sends one request, and another one at once only when the server refuses not
// the request but the way it was put; see the package documentation.
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

// attempt sends req once, in the dialect d. It was answered when the model had
// its say, even if that was a refusal.
func (c *Client) attempt(ctx context.Context, req provider.Request, d dialect) (resp provider.Response, answered bool, err error) {
	x := &exchange{client: c.client, base: c.base, key: c.key, limit: c.limit}
	api := c.api
	api.HTTPClient = x
	answer, err := openai.NewClientWithConfig(api).CreateChatCompletion(ctx, d.request(req))
	if err := c.failure(x, err); err != nil {
		return provider.Response{}, false, err
	}
	resp, err = c.response(answer, x.body, req.Model)
	return resp, err == nil || provider.KindOf(err) == provider.KindRefusal, err
}

// known returns the dialect for model: what was learned, or the best guess.
func (c *Client) known(model string) dialect {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.dialect[model]; ok {
		return d
	}
	return firstDialect(model, c.base)
}

// learn keeps a dialect that got an answer. What an older request learned stays:
// a dialect only ever asks for less.
func (c *Client) learn(model string, d dialect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.dialect[model]; ok {
		d = old.merge(d)
	}
	c.dialect[model] = d
}
