// Package githubtest is a code host for tests: it keeps in memory what is posted on
// one pull request, and refuses what the real host refuses.
//
// A [Host] answers over HTTP, as an [http.Handler], and without any, as an
// [http.RoundTripper]. A test sets up what is there, lets a client work, and
// looks at the state, at the logs of requests and of writes, or at [Host.Dump].
// Requests can be denied by permission, and [hosttest.Fault] lets them fail in the ways in
// which requests fail: before and after the write was done.
package githubtest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/hosttest"
)

// Bot is the account of a workflow's token.
const Bot = "github-actions[bot]"

// WebURL is where the host claims to show comments and check runs.
const WebURL = "https://host.test"

// Host is a code host with one repository. Its REST API is at / and at /api/v3/, its GraphQL API at /graphql and /api/graphql.
//
// It answers requests one at a time and is safe for concurrent use. Its fields may
// be used as those of [hosttest.Traffic].
type Host struct {
	hosttest.Traffic

	// Repo is the full name of the repository.
	Repo string
	// Number is the pull request whose comments, reviews and files are kept.
	Number int
	// Token is what requests must be authorized with. Empty means that anything,
	// but not nothing, is accepted.
	Token string
	// Account is the login that the token belongs to. One that ends in "[bot]"
	// is an app: it can make check runs.
	Account string
	// Head is the head of the pull request; Commits are all that it had, and
	// those of the repository.
	Head    string
	Commits []string
	// Files are the changes of the pull request. Comments can be made on their
	// hunks only.
	Files []diff.File
	// Pulls are the pull requests that can be found. The head of the one with
	// Number is always Head.
	Pulls []Pull

	// IssueComments are the comments on the pull request.
	IssueComments []*Comment
	// Comments are the inline comments, replies among them.
	Comments []*Comment
	// Threads are the threads by the id of their first comment.
	Threads map[int64]*Thread
	Reviews []*Review
	Checks  []*Check

	// Permissions are those of accounts: "admin", "write", "read" or "none". Others
	// are not known to the host.
	Permissions map[string]string

	// Deny holds the permissions that the token lacks: "pull-requests: write",
	// "checks: write", "checks: read", "contents: write" (without which a thread
	// cannot be resolved), "pull-requests: read", "metadata: read". See
	// [Host.ReadOnly].
	Deny map[string]bool

	// Refuse returns the message with which a request is refused, with status 403; empty
	// means that it is not. It may be nil.
	Refuse func(req *http.Request) string
	// GraphQLError returns the message with which the GraphQL API fails; empty means that
	// it does not. It may be nil.
	GraphQLError func(query string) string
	// RefuseLine reports whether the host refuses comments on a line that the diff
	// shows; nil means that it refuses none.
	RefuseLine func(path string, line int) bool
}

// Pull is a pull request.
type Pull struct {
	Number      int
	Title, Body string
	// Head is the commit, HeadRef the branch and HeadRepo the repository that it
	// comes from, "owner/name".
	Head, HeadRef, HeadRepo string
	Closed                  bool
}

// Comment is a comment on the pull request or on a line.
type Comment struct {
	ID   int64
	User string
	Body string
	// Path, Line and StartLine are those of an inline comment. Line is 0 when
	// the line is no longer part of the diff.
	Path            string
	Line, StartLine int
	// InReplyTo is the first comment of the thread; 0 for that itself.
	InReplyTo int64
}

// Thread is what the GraphQL API knows about a thread.
type Thread struct {
	Resolved bool
	// ResolvedBy is a login, without the "[bot]" of an app.
	ResolvedBy string
	// Minimized is set when its first comment is hidden.
	Minimized bool
}

// Review is a review of the pull request.
type Review struct {
	ID     int64
	User   string
	Body   string
	State  string // COMMENTED, CHANGES_REQUESTED, DISMISSED, ...
	Commit string
}

// Check is a check run.
type Check struct {
	ID                   int64
	Name, Head, External string
	// App is the short name of the app that made it.
	App                string
	Status, Conclusion string
	Title, Summary     string
	Annotations        []map[string]any
}

// New returns a host with the pull request 7 of the repository o/r, written to
// by [Bot].
func New(head string, files []diff.File) *Host {
	return &Host{
		Repo: "o/r", Number: 7, Account: Bot, Head: head, Commits: []string{head}, Files: files,
		Pulls:   []Pull{{Number: 7, HeadRef: "topic", HeadRepo: "o/r"}},
		Threads: make(map[int64]*Thread), Deny: make(map[string]bool), Traffic: hosttest.Traffic{RetryAfter: "30", IsWrite: IsWrite},
	}
}

// Push moves the head. It is meant to be called where fields may be used.
func (h *Host) Push(sha string, files []diff.File) {
	h.Head, h.Files = sha, files
	if !slices.Contains(h.Commits, sha) {
		h.Commits = append(h.Commits, sha)
	}
}

// PushAfter lets the head move, with the same files, before request n from now.
func (h *Host) PushAfter(n int, sha string) { h.Before(n, func() { h.Push(sha, h.Files) }) }

// ReadOnly denies every write, as the token of a fork's workflow does.
func (h *Host) ReadOnly() {
	for _, p := range []string{"pull-requests: write", "checks: write", "contents: write"} {
		h.Deny[p] = true
	}
}

// Reply adds a reply to an inline comment.
func (h *Host) Reply(to *Comment, login, body string) {
	h.Comments = append(h.Comments, &Comment{ID: h.NextID(), User: login, Body: body, Path: to.Path, Line: to.Line, InReplyTo: to.ID})
}

// IsWrite reports whether a request asks for a change.
func IsWrite(req *http.Request) bool {
	if !isGraphQL(req) {
		return req.Method != http.MethodGet
	}
	data, err := io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(data))
	return err == nil && bytes.Contains(data, []byte(`"mutation`))
}

// route returns the path of a request below the root of the REST API.
func route(req *http.Request) string {
	path := strings.TrimPrefix(req.URL.Path, "/")
	return strings.TrimPrefix(path, "api/v3/")
}

func isGraphQL(req *http.Request) bool {
	path := strings.TrimPrefix(req.URL.Path, "/")
	return path == "graphql" || path == "api/graphql"
}
