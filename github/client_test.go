package github

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner/internal/posting"
	"github.com/codescan-dev/scanner/review"
)

// roundTrip is a host made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestURLs(t *testing.T) {
	tests := []struct{ base, rest, graphQL string }{
		{"", "https://api.github.com/", "https://api.github.com/graphql"},
		{"https://api.github.com", "https://api.github.com/", "https://api.github.com/graphql"},
		{"https://ghe.test/api/v3", "https://ghe.test/api/v3/", "https://ghe.test/api/graphql"},
		{"https://ghe.test/api/v3/?x#y", "https://ghe.test/api/v3/", "https://ghe.test/api/graphql"},
		{"https://api.octo.ghe.com", "https://api.octo.ghe.com/", "https://api.octo.ghe.com/graphql"},
	}
	for _, tt := range tests {
		c, err := NewClient(Repo{"o", "r"}, Config{BaseURL: tt.base})
		if err != nil {
			t.Fatal(err)
		}
		if c.gh.BaseURL() != tt.rest || c.graphQL != tt.graphQL {
			t.Errorf("%q: %s, %s", tt.base, c.gh.BaseURL(), c.graphQL)
		}
	}
	for _, bad := range []string{"api.github.com", "ftp://x/", "://", "http://"} {
		if _, err := NewClient(Repo{"o", "r"}, Config{BaseURL: bad}); err == nil {
			t.Errorf("base url %q: no error", bad)
		}
	}
	if _, err := NewClient(Repo{"o", ".."}, Config{}); err == nil {
		t.Error("repository o/..: no error")
	}
}

// TestTokenStays shows that the token goes to no other host, and that a write is
// not turned into a read by a redirect.
func TestTokenStays(t *testing.T) {
	var requests []string
	redirect := ""
	rt := roundTrip(func(req *http.Request) (*http.Response, error) {
		requests = append(requests, req.Method+" "+req.URL.Host+" "+req.Header.Get("Authorization"))
		resp := respond(req, 301, `{}`)
		resp.Header.Set("Location", redirect)
		return resp, nil
	})
	c, err := NewClient(Repo{"o", "r"}, Config{Token: "secret", HTTP: &http.Client{Transport: rt}})
	if err != nil {
		t.Fatal(err)
	}
	redirect = "https://evil.test/"
	if _, err := c.pull(t.Context(), 7); !errors.Is(err, errRedirect) {
		t.Errorf("error %v", err)
	}
	redirect = "http://api.github.com/repositories/1"
	if _, err := c.pull(t.Context(), 7); !errors.Is(err, errRedirect) {
		t.Errorf("error %v", err)
	}
	redirect = "https://api.github.com/repositories/1"
	if err := c.mutate(t.Context(), resolveThread, "x"); !errors.Is(err, errRedirect) {
		t.Errorf("error %v", err)
	}
	for _, r := range requests {
		if !strings.HasSuffix(r, " api.github.com Bearer secret") {
			t.Errorf("request %q", r)
		}
	}
	if len(requests) != 3 {
		t.Errorf("requests %q", requests)
	}
}

func TestWaits(t *testing.T) {
	limit := `{"message":"slow down","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`
	tests := []struct {
		name    string
		status  int
		body    string
		header  [2]string
		times   int // the answer is given so often, then there is a good one
		want    time.Duration
		wantErr bool
	}{
		{"none", 200, "", [2]string{}, 0, 0, false},
		{"secondary limit", 403, limit, [2]string{"Retry-After", "7"}, 2, 14 * time.Second, false},
		{"secondary limit without a time", 403, limit, [2]string{}, 1, time.Minute, false},
		{"too many requests", 429, `{}`, [2]string{"Retry-After", "3"}, 1, 3 * time.Second, false},
		{"too many requests without a time", 429, `{}`, [2]string{}, 1, time.Minute, false},
		{"too long", 403, limit, [2]string{"Retry-After", "3600"}, 1, 0, true},
		{"never ends", 403, limit, [2]string{"Retry-After", "1"}, 99, 15 * time.Second, true},
		{"server error", 502, `<html>`, [2]string{}, 3, 7 * time.Second, false},
		{"server error that stays", 500, `{}`, [2]string{}, 99, 15 * time.Second, true},
		{"not found", 404, `{}`, [2]string{}, 1, 0, true},
		{"no JSON", 200, `<html>`, [2]string{}, 1, time.Second, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				rt := roundTrip(func(req *http.Request) (*http.Response, error) {
					if n++; n > tt.times {
						return respond(req, 200, `{"head":{"sha":"x"}}`), nil
					}
					resp := respond(req, tt.status, tt.body)
					if tt.header[0] != "" {
						resp.Header.Set(tt.header[0], tt.header[1])
					}
					return resp, nil
				})
				c, err := NewClient(Repo{"o", "r"}, Config{HTTP: &http.Client{Transport: rt}})
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				_, err = c.pull(t.Context(), 7)
				if got := time.Since(start); got != tt.want || (err != nil) != tt.wantErr {
					t.Errorf("waited %s, want %s; error %v", got, tt.want, err)
				}
				if _, ok := errors.AsType[*review.LimitError](err); ok != (tt.wantErr && tt.status == 403) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

func isGraphQL(err error) bool {
	_, ok := errors.AsType[*graphQLError](err)
	return ok
}

func TestGraphQLErrors(t *testing.T) {
	tests := []struct {
		kind, message string
		check         func(error) bool
	}{
		{"FORBIDDEN", "Resource not accessible by integration", posting.IsDenied},
		{"FORBIDDEN", "the organization has an IP allow list", isGraphQL},
		{"INSUFFICIENT_SCOPES", "your token needs repo", posting.IsDenied},
		{"undefinedField", "no\\nway", isGraphQL},
		{"NOT_FOUND", "no\\nway", isGraphQL},
		{"RATE_LIMITED", "no\\nway", isLimitError},
		{"", "no\\nway", isGraphQL},
	}
	for _, tt := range tests {
		t.Run(tt.kind+" "+tt.message, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rt := roundTrip(func(req *http.Request) (*http.Response, error) {
					return respond(req, 200, `{"data":null,"errors":[{"type":"`+tt.kind+`","message":"`+tt.message+`"}]}`), nil
				})
				c, err := NewClient(Repo{"o", "r"}, Config{HTTP: &http.Client{Transport: rt}})
				if err != nil {
					t.Fatal(err)
				}
				if err := c.mutate(t.Context(), resolveThread, "x"); !tt.check(err) {
					t.Errorf("error %v (%T)", err, err)
				}
			})
		})
	}
}
