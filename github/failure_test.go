package github

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/codescan-dev/scanner/internal/posting"
)

// TestFailures has all kinds of answers of a host, some with the token.
func TestFailures(t *testing.T) {
	const refused = "reading the pull request: the code host refused it with status "
	tests := []struct {
		name   string
		status int
		body   string
		err    error
		want   string
	}{
		{"not found", 404, `{"message":"Not Found Bearer secret","errors":[{"resource":"r","field":"f"}]}`, nil, "reading the pull request: not found, or the token has no access to it"},
		{"invalid", 422, `{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"},{"code":"custom","message":"No \u001b[31msecret\nhere"}]}`, nil, refused + "422: Validation Failed: title missing field: No [redacted] here"},
		{"gone", 410, `{"message":"secret"}`, nil, refused + "410: [redacted]"},
		{"no JSON", 400, `<html>secret</html>`, nil, refused + "400"},
		{"split", 409, `{"message":"sec\u200bret"}`, nil, refused + "409: [redacted]"},
		{"long", 409, `{"message":"` + strings.Repeat("secret ", 1000) + `"}`, nil, refused + "409: [redacted] [redacted]"},
		{"busy", 503, `{"message":"secret"}`, nil, "reading the pull request: the code host answered with status 503"},
		{"no answer", 0, "", errors.New("dial tcp secret: refused"), "reading the pull request: dial tcp [redacted]: refused"},
		{"unreadable", 200, `<secret`, nil, "reading the pull request: invalid character"},
		{"unauthorized", 401, `{"message":"secret"}`, nil, "the code host refused the token while reading the pull request"},
		{"without a permission", 403, `{"message":"Resource not accessible by secret"}`, nil, "the token permissions are insufficient for reading the pull request: add `pull-requests: write` (Resource not accessible by [redacted])"},
		{"locked", 403, `{"message":"Unable to create comment because issue is locked."}`, nil, refused + "403: Unable to create comment because issue is locked."},
		{"single sign-on", 403, `{"message":"Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization."}`, nil, refused + "403: Resource protected by organization SAML enforcement."},
		{"a list of addresses", 403, `{"message":"Although you appear to have the correct authorization credentials, the ` + "`o`" + ` organization has an IP allow list enabled, and your IP address is not permitted to access this resource."}`, nil, refused + "403: Although you appear to have the correct authorization credentials, the `o` organization has an IP allow list enabled"},
		{"forbidden", 403, `{"message":"secret"}`, nil, refused + "403: [redacted]"},
		{"limit", 429, `{"message":"secret"}`, nil, "the code host's rate limit is used up while reading the pull request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rt := roundTrip(func(req *http.Request) (*http.Response, error) {
					if tt.err != nil {
						return nil, tt.err
					}
					return respond(req, tt.status, tt.body), nil
				})
				var logged []string
				c, err := NewClient(Repo{"o", "r"}, Config{
					Token: "secret", HTTP: &http.Client{Transport: rt}, Log: func(s string) { logged = append(logged, s) },
				})
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.pull(t.Context(), 7)
				if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
					t.Fatalf("error %q, want %q", err, tt.want)
				}
				text := fmt.Sprint(err, logged)
				if strings.Contains(text, "secret") || strings.Contains(text, "GET ") || strings.ContainsAny(text, "\n\x1b\u200b") || len(text) > 2000 {
					t.Errorf("%q", text)
				}
				// The cause is still there.
				if posting.IsFailure(err) && statusOf(err) != tt.status && tt.status != 200 {
					t.Errorf("status %d", statusOf(err))
				}
			})
		})
	}
}

// TestFailuresOfQueries has the token in an error of the GraphQL API, and in an
// address that it redirects to.
func TestFailuresOfQueries(t *testing.T) {
	for _, tt := range []struct{ body, location, want string }{
		{`{"errors":[{"type":"NOT_FOUND","message":"no secret"}]}`, "", "resolving a review thread: graphql: no [redacted]"},
		{`{"data":null}`, "", "resolving a review thread: the answer is empty"},
		{`{}`, "https://evil.test/secret", "resolving a review thread: redirect refused: the repository may have moved"},
	} {
		c, err := NewClient(Repo{"o", "r"}, Config{Token: "secret", HTTP: &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			resp := respond(req, 200, tt.body)
			if tt.location != "" {
				resp = respond(req, 307, tt.body)
				resp.Header.Set("Location", tt.location)
			}
			return resp, nil
		})}})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.mutate(t.Context(), resolveThread, "x"); err == nil || err.Error() != tt.want {
			t.Errorf("error %q, want %q", err, tt.want)
		}
	}
}
