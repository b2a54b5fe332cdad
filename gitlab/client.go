package gitlab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/internal/posting"
	"github.com/codescan-dev/scanner/review"
	gl "gitlab.com/gitlab-org/api/client-go"
)

// Config is how to reach the host.
type Config struct {
	// HTTP makes the requests. Nil means a client with a timeout of a minute.
	HTTP *http.Client
	// Token authenticates: a personal, project or group access token, or one of
	// OAuth. Empty means that HTTP authenticates.
	Token string
	// JobToken is set when Token is that of a job.
	JobToken bool
	// BaseURL is the API or the address of the host; empty means
	// https://gitlab.com/api/v4.
	BaseURL string
	// PipelineID is the pipeline that commit statuses are added to; 0 means the
	// latest of the commit.
	PipelineID int64
	// Log receives messages about waits and repeated requests; it may be nil.
	Log func(string)
}

// Client reads from and writes to one project. It is not safe for concurrent use:
// what it writes depends on what it read.
type Client struct {
	gl      *gl.Client
	project Project
	cfg     Config
	web     string // the address of the host's pages
	call    posting.Caller
	writers map[int64]bool // whether an account can write to the project
}

var _ review.Host = (*Client)(nil)

// NewClient returns a client for a project.
func NewClient(project Project, cfg Config) (*Client, error) {
	if project.name == "" {
		return nil, errors.New("no project")
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = "https://gitlab.com"
	}
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("base url: %q is not a url", cfg.BaseURL)
	}
	u.RawQuery, u.Fragment = "", ""
	web := strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/api/v4")
	client := http.Client{Timeout: time.Minute}
	if cfg.HTTP != nil {
		client = *cfg.HTTP
	}
	client.Transport = &transport{client.Transport, cfg}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return errRedirect }
	// The client waits and repeats requests itself: it knows what was written.
	api, err := gl.NewAuthSourceClient(gl.Unauthenticated{}, gl.WithHTTPClient(&client), gl.WithBaseURL(web),
		gl.WithoutRetries(), gl.WithCustomLimiter(noLimit{}), gl.WithUserAgent("codescan-dev-scanner"))
	if err != nil {
		return nil, err
	}
	c := &Client{gl: api, project: project, cfg: cfg, web: web, writers: make(map[int64]bool)}
	c.call = posting.Caller{Judge: c.judge, Clean: httperr.NewCleaner(cfg.Token), Log: cfg.Log}
	return c, nil
}

// errRedirect is not retryable. A redirect would turn a write into a read, or take
// the token to another host.
var errRedirect = errors.New("redirect refused: the project may have moved")

// noLimit waits for nothing: the host refuses what is too much.
type noLimit struct{}

func (noLimit) Wait(context.Context) error { return nil }

// transport adds the token to every request.
type transport struct {
	next http.RoundTripper
	cfg  Config
}

var _ http.RoundTripper = (*transport)(nil)

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	req = req.Clone(req.Context())
	switch {
	case t.cfg.Token == "":
	case t.cfg.JobToken:
		req.Header.Set("JOB-TOKEN", t.cfg.Token)
	default:
		req.Header.Set("Authorization", "Bearer "+t.cfg.Token)
	}
	return next.RoundTrip(req)
}
