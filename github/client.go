package github

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/internal/posting"
	gh "github.com/google/go-github/v92/github"
)

// Config is how to reach the host.
type Config struct {
	// HTTP makes the requests. Nil means a client with a timeout of a minute.
	HTTP *http.Client
	// Token authenticates. Empty means that HTTP authenticates.
	Token string
	// BaseURL is the REST API; empty means https://api.github.com/.
	BaseURL string
	// GraphQLURL is the GraphQL API; empty means the one that belongs to BaseURL.
	GraphQLURL string
	// Log receives messages about waits and repeated requests; it may be nil.
	Log func(string)
}

// Client reads from and writes to one repository. It is not safe for concurrent
// use: the host allows one request at a time.
type Client struct {
	gh      *gh.Client
	repo    Repo
	graphQL string
	call    posting.Caller
	writers map[string]bool // whether an account can write to the repository
}

// NewClient returns a client for a repository.
func NewClient(repo Repo, cfg Config) (*Client, error) {
	if err := repo.validate(); err != nil {
		return nil, err
	}
	base, err := parseURL(cfg.BaseURL, "https://api.github.com/")
	if err != nil {
		return nil, fmt.Errorf("base url: %w", err)
	}
	base.Path = strings.TrimRight(base.Path, "/") + "/"
	// A dedicated server has /api/v3/ and /api/graphql.
	graphQL, err := parseURL(cfg.GraphQLURL, strings.TrimSuffix(base.String(), "v3/")+"graphql")
	if err != nil {
		return nil, fmt.Errorf("graphql url: %w", err)
	}
	client := http.Client{Timeout: time.Minute}
	if cfg.HTTP != nil {
		client = *cfg.HTTP
	}
	client.Transport = &transport{client.Transport, cfg.Token}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return errRedirect }
	c := &Client{
		repo: repo, graphQL: graphQL.String(), writers: make(map[string]bool),
		call: posting.Caller{Judge: judge, Clean: httperr.NewCleaner(cfg.Token), Log: cfg.Log},
	}
	rest := base.String()
	// The client waits and repeats requests itself: it knows what was written.
	c.gh, err = gh.NewClient(gh.WithHTTPClient(&client), gh.WithURLs(&rest, nil), gh.WithUserAgent("codescan-dev-scanner"), gh.WithDisableRateLimitCheck())
	return c, err
}

// parseURL returns the URL s, or else the default, without query and fragment.
func parseURL(s, otherwise string) (*url.URL, error) {
	if s == "" {
		s = otherwise
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%q is not a url", s)
	}
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// errRedirect is not retryable. A redirect would turn a write into a read, or take
// the token to another host.
var errRedirect = errors.New("redirect refused: the repository may have moved")

// transport adds the token to every request.
type transport struct {
	next  http.RoundTripper
	token string
}

var _ http.RoundTripper = (*transport)(nil)

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	req = req.Clone(req.Context())
	// The library asks for previews of what is standard today.
	req.Header.Set("Accept", "application/vnd.github+json, application/json")
	if t.token != "" {
		req.Header.Set("Authorization", "Bearer "+t.token)
	}
	return next.RoundTrip(req)
}
