package github

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
)

const (
	bot    = githubtest.Bot
	person = "alice"
)

// newHost returns a host on which nothing was posted yet. The test fails when a
// client asks for what no client should.
func newHost(t testing.TB, files []diff.File) *githubtest.Host {
	h := githubtest.New(headSHA, files)
	h.Token = "secret"
	h.Commits = append(h.Commits, nextSHA)
	t.Cleanup(func() {
		for _, p := range h.Problems {
			t.Error(p)
		}
	})
	return h
}

// clientOf returns a client of a host. Its requests are recorded.
func clientOf(t testing.TB, h http.RoundTripper) *Client {
	t.Helper()
	c, err := NewClient(Repo{"o", "r"}, Config{
		HTTP: &http.Client{Transport: recording{h}}, Token: "secret", BaseURL: "http://host.test/api/v3", Log: func(s string) { t.Log(s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type recording struct{ next http.RoundTripper }

func (r recording) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := record(req); err != nil {
		return nil, err
	}
	return r.next.RoundTrip(req)
}

// titles returns the inline comments' first lines, sorted.
func titles(h *githubtest.Host) []string {
	var list []string
	for _, c := range h.Comments {
		first, _, _ := strings.Cut(c.Body, "\n")
		list = append(list, first)
	}
	slices.Sort(list)
	return list
}

func readAll(req *http.Request) (string, error) {
	data, err := io.ReadAll(req.Body)
	req.Body = io.NopCloser(strings.NewReader(string(data)))
	return string(data), err
}

func respond(req *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: io.NopCloser(strings.NewReader(body)), Request: req,
	}
}

func isLimitError(err error) bool {
	_, ok := errors.AsType[*review.LimitError](err)
	return ok
}
