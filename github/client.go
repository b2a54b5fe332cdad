package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/review"
	gh "github.com/google/go-github/v92/github"
)

// Config is how to reach the host.
type Config struct {
	// HTTP makes the requests. Nil means a client with a timeout of a minute.
	HTTP *http.Client
	// Token authenticates. It is sent to the hosts of the two URLs only. Empty
	// means that HTTP authenticates.
	Token string
	// BaseURL is the REST API; empty means https://api.github.com/.
	BaseURL string
	// GraphQLURL is the GraphQL API; empty means the one that belongs to BaseURL.
	GraphQLURL string
	// Account is the login that the token belongs to. Empty means that the client
	// looks it up.
	Account string
	// MaxWait is the longest wait for a rate limit to reset. 0 means two minutes.
	MaxWait time.Duration
	// Log receives messages about waits and repeated requests; it may be nil.
	Log func(string)
}

// Client reads from and writes to one repository. It is not safe for concurrent
// use: the host allows one request at a time.
type Client struct {
	gh      *gh.Client
	repo    Repo
	graphQL string
	token   string
	account string
	maxWait time.Duration
	log     func(string)
}

const (
	defaultTimeout = time.Minute
	defaultMaxWait = 2 * time.Minute
	maxResponse    = 64 << 20
	userAgent      = "codescan-dev-scanner"
	accept         = "application/vnd.github+json, application/json"
)

// NewClient returns a client for a repository.
func NewClient(repo Repo, cfg Config) (*Client, error) {
	if err := repo.validate(); err != nil {
		return nil, err
	}
	base, err := baseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	graphQL := graphQLURL(base)
	if cfg.GraphQLURL != "" {
		if graphQL, err = url.Parse(cfg.GraphQLURL); err != nil || graphQL.Host == "" {
			return nil, fmt.Errorf("graphql url %q is not a url", cfg.GraphQLURL)
		}
	}
	client := http.Client{Timeout: defaultTimeout}
	if cfg.HTTP != nil {
		client = *cfg.HTTP
	}
	client.Transport = &transport{
		next: client.Transport, token: cfg.Token, hosts: []string{base.Host, graphQL.Host},
	}
	client.CheckRedirect = checkRedirect
	text := base.String()
	c := &Client{repo: repo, graphQL: graphQL.String(), token: cfg.Token, account: cfg.Account, maxWait: cfg.MaxWait, log: cfg.Log}
	// The client waits and repeats requests itself: it knows what was written.
	if c.gh, err = gh.NewClient(gh.WithHTTPClient(&client), gh.WithURLs(&text, nil), gh.WithUserAgent(userAgent), gh.WithDisableRateLimitCheck()); err != nil {
		return nil, err
	}
	if c.maxWait == 0 {
		c.maxWait = defaultMaxWait
	}
	if c.log == nil {
		c.log = func(string) {}
	}
	return c, nil
}

func baseURL(s string) (*url.URL, error) {
	if s == "" {
		s = "https://api.github.com/"
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("base url %q is not a url", s)
	}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	return u, nil
}

// graphQLURL returns the GraphQL API that belongs to a REST API: /graphql, or on a
// dedicated server /api/graphql for /api/v3/.
func graphQLURL(base *url.URL) *url.URL {
	u := *base
	if path, ok := strings.CutSuffix(u.Path, "/v3/"); ok {
		u.Path = path + "/graphql"
	} else {
		u.Path += "graphql"
	}
	return &u
}

// transport adds the token, keeps it from other hosts, and bounds answers.
type transport struct {
	next  http.RoundTripper
	token string
	hosts []string
}

var _ http.RoundTripper = (*transport)(nil)

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	req = req.Clone(req.Context())
	// The library asks for previews of what is standard today.
	req.Header.Set("Accept", accept)
	if t.token != "" && (req.URL.Host == t.hosts[0] || req.URL.Host == t.hosts[1]) {
		req.Header.Set("Authorization", "Bearer "+t.token)
	}
	resp, err := next.RoundTrip(req)
	if err == nil && resp.Body != nil {
		resp.Body = limited{io.LimitReader(resp.Body, maxResponse), resp.Body}
	}
	return resp, err
}

type limited struct {
	io.Reader
	io.Closer
}

// errRedirect is not retryable.
var errRedirect = errors.New("redirect refused")

// checkRedirect refuses redirects that leave the host or turn a write into a
// read, as happens when a repository was renamed.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch first := via[0]; {
	case len(via) > 5:
		return fmt.Errorf("%w: too many", errRedirect)
	case req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme:
		return fmt.Errorf("%w: it leaves the host", errRedirect)
	case req.Method != first.Method:
		return fmt.Errorf("%w: the repository may have moved", errRedirect)
	}
	return nil
}

// task names a request for messages.
type task struct {
	doing      string // "creating a review"
	permission string // what it needs
}

// maxAttempts bounds how often a request is made.
const maxAttempts = 5

// call makes a request, and repeats it when the host is busy. A write may have been
// done although there was no answer, or an error: written looks for it, and is nil
// for a request that can be repeated without harm.
func (c *Client) call(ctx context.Context, t task, request func() error, written func() (bool, error)) error {
	backoff := time.Second
	for attempt := 1; ; attempt++ {
		err := request()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		wait, limit := limitOf(err)
		switch {
		case limit && (wait > c.maxWait || attempt == maxAttempts):
			return &review.LimitError{Doing: t.doing, Wait: wait}
		case limit:
			c.log(fmt.Sprintf("the code host's rate limit is hit while %s: waiting %s", t.doing, wait.Round(time.Second)))
		case !transient(err):
			return c.explain(t, err)
		case attempt == maxAttempts:
			return c.failed(t, err)
		default:
			wait = backoff
			backoff *= 2
			c.log(fmt.Sprintf("no answer from the code host while %s: trying again in %s", t.doing, wait))
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		if limit || written == nil {
			continue // a request that hit a limit was not carried out
		}
		if ok, err := written(); err != nil {
			return err
		} else if ok {
			return nil
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// limitOf reports whether a limit was hit, and how long it lasts. If the host gives
// no time it is a minute, as its documentation asks for.
func limitOf(err error) (time.Duration, bool) {
	if e, ok := errors.AsType[*gh.RateLimitError](err); ok {
		return max(time.Until(e.Rate.Reset.Time), time.Second), true
	}
	if e, ok := errors.AsType[*gh.AbuseRateLimitError](err); ok {
		if e.RetryAfter != nil {
			return max(*e.RetryAfter, time.Second), true
		}
		return time.Minute, true
	}
	if e, ok := errors.AsType[*graphQLError](err); ok && e.kind == "RATE_LIMITED" {
		return time.Minute, true
	}
	resp := responseOf(err)
	if resp != nil && resp.StatusCode == http.StatusUnprocessableEntity && strings.Contains(err.Error(), "submitted too quickly") {
		return time.Minute, true
	}
	if resp == nil || resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusForbidden {
		return 0, false
	}
	if d, err := time.ParseDuration(resp.Header.Get("Retry-After") + "s"); err == nil {
		return max(d, time.Second), true
	}
	return time.Minute, resp.StatusCode == http.StatusTooManyRequests
}

// responseOf returns the host's answer to a request that it refused.
func responseOf(err error) *http.Response {
	if e, ok := errors.AsType[*gh.ErrorResponse](err); ok {
		return e.Response
	}
	return nil
}

func statusOf(err error) int {
	if resp := responseOf(err); resp != nil {
		return resp.StatusCode
	}
	return 0
}

// transient reports whether a request may succeed when it is made again.
func transient(err error) bool {
	if errors.Is(err, errRedirect) {
		return false
	}
	if e, ok := errors.AsType[*graphQLError](err); ok {
		return e.kind == ""
	}
	// Without a status there was no answer, or none that could be read.
	status := statusOf(err)
	return status == 0 || status >= 500
}

// explain returns the error that a refusal means to a caller.
func (c *Client) explain(t task, err error) error {
	switch status := statusOf(err); {
	case status == http.StatusUnauthorized:
		return fmt.Errorf("%w while %s", review.ErrUnauthorized, t.doing)
	case status == http.StatusForbidden:
		return &review.PermissionError{Doing: t.doing, Permission: t.permission}
	}
	if e, ok := errors.AsType[*graphQLError](err); ok && (e.kind == "FORBIDDEN" || e.kind == "INSUFFICIENT_SCOPES") {
		return &review.PermissionError{Doing: t.doing, Permission: t.permission}
	}
	return c.failed(t, err)
}

// errEmpty is retryable: if it counted as an answer without entries, everything
// would be posted again.
var errEmpty = errors.New("the answer is empty")

// pages collects the pages of a list.
func pages[T any](ctx context.Context, c *Client, t task, list func(gh.ListOptions) ([]T, *gh.Response, error)) ([]T, error) {
	var all []T
	opts := gh.ListOptions{PerPage: 100, Page: 1}
	for range maxPages {
		var page []T
		var next int
		err := c.call(ctx, t, func() error {
			var resp *gh.Response
			var err error
			page, resp, err = list(opts)
			switch {
			case err != nil:
				return err
			case page == nil: // the library returns no error for an empty body
				return errEmpty
			}
			next = resp.NextPage
			return nil
		}, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if next <= opts.Page {
			return all, nil
		}
		opts.Page = next
	}
	return nil, fmt.Errorf("%s: there are more than %d", t.doing, 100*maxPages)
}

const maxPages = 500
