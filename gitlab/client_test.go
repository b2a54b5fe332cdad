package gitlab_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/gitlab"
	"github.com/codescan-dev/scanner/internal/gitlabtest"
)

func TestParseProject(t *testing.T) {
	for _, s := range []string{"g/p", "g/sub/sub-2/p.x_y", "12345", "_g/p"} {
		if p, err := gitlab.ParseProject(s); err != nil || p.String() != s {
			t.Errorf("%q: %v, %v", s, p, err)
		}
	}
	for _, s := range []string{"", "p", "/g/p", "g/p/", "g//p", "g/../p", "-1", "0", "g/-", "g p/q", "g/p?x", "g/%2e%2e", "99999999999999999999", "g/p\n"} {
		if p, err := gitlab.ParseProject(s); err == nil {
			t.Errorf("%q: %v", s, p)
		}
	}
}

// TestAddresses reaches projects by path and number, on hosts with and without a path,
// over HTTP.
func TestAddresses(t *testing.T) {
	for _, tt := range []struct{ base, project, want string }{
		{"", "g/sub/p", "/api/v4/projects/g%2Fsub%2Fp/merge_requests/7"},
		{"/", "42", "/api/v4/projects/42/merge_requests/7"},
		{"/api/v4", "g/sub/p", "/api/v4/projects/g%2Fsub%2Fp/merge_requests/7"},
		{"/git/code/", "g/sub/p", "/git/code/api/v4/projects/g%2Fsub%2Fp/merge_requests/7"},
		{"/git/api/v4/?x#y", "g/sub/p", "/git/api/v4/projects/g%2Fsub%2Fp/merge_requests/7"},
	} {
		t.Run(tt.base+" "+tt.project, func(t *testing.T) {
			h := newHost(t)
			var paths []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				paths = append(paths, req.URL.EscapedPath())
				h.ServeHTTP(w, req)
			}))
			defer server.Close()
			c, err := gitlab.NewClient(project(t, tt.project), gitlab.Config{Token: token, BaseURL: server.URL + tt.base})
			if err != nil {
				t.Fatal(err)
			}
			if s, err := c.Read(t.Context(), 7, headSHA); err != nil || s.Account != gitlabtest.Bot || s.Head != headSHA {
				t.Errorf("%+v, %v", s, err)
			}
			if got := fmt.Sprint(paths); !strings.Contains(got, tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	for _, base := range []string{"host", "ftp://host", "https://", "http://[::1", "//host"} {
		if _, err := gitlab.NewClient(project(t, "g/p"), gitlab.Config{BaseURL: base}); err == nil {
			t.Errorf("base url %q", base)
		}
	}
	if _, err := gitlab.NewClient(gitlab.Project{}, gitlab.Config{}); err == nil {
		t.Error("no project")
	}
}

func TestFlavor(t *testing.T) {
	f := gitlab.Flavor("https://git.test/code/", project(t, "g/sub/p"))
	for got, want := range map[string]string{
		f.FileURL("abc", "a b/ü#?.go", 3, 5): "https://git.test/code/g/sub/p/-/blob/abc/a%20b/%C3%BC%23%3F.go#L3-5",
		f.FileURL("abc", "x.go", 3, 3):       "https://git.test/code/g/sub/p/-/blob/abc/x.go#L3",
		f.FileURL("abc", "x.go", 0, 0):       "https://git.test/code/g/sub/p/-/blob/abc/x.go",
		f.CommitURL("abc"):                   "https://git.test/code/g/sub/p/-/commit/abc",
		f.ChangeURL(7):                       "https://git.test/code/g/sub/p/-/merge_requests/7",
		f.Change:                             "merge request",
		f.Run:                                "job",
		f.Suggestion(1):                      "suggestion:-0+0",
		f.Suggestion(101):                    "suggestion:-100+0",
		f.Suggestion(102):                    "",
		gitlab.Flavor("", project(t, "42")).CommitURL("abc"): "https://gitlab.com/projects/42/-/commit/abc",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRedirect refuses to take the token anywhere else.
func TestRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, other.URL+"/api/v4/user", http.StatusMovedPermanently)
	}))
	defer server.Close()
	c, err := gitlab.NewClient(project(t, "g/p"), gitlab.Config{Token: token, BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(t.Context(), 7, headSHA); err == nil || !strings.Contains(err.Error(), "redirect refused") || errors.Unwrap(err) == nil {
		t.Errorf("error %v", err)
	}
}
