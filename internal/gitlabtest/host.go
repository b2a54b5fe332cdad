// Package gitlabtest is GitLab for tests: it keeps in memory what is posted on one merge
// request, and refuses what the real host refuses.
//
// A [Host] answers over HTTP, as an [http.Handler], and without any, as an
// [http.RoundTripper]. A test sets up what is there, lets a client work, and looks at the
// state, at the logs of requests and of writes, or at [Host.Dump].
package gitlabtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/hosttest"
)

// Bot is the account of a project's token.
const Bot = "project_42_bot_1a2b3c"

// WebURL is where the host claims to show its pages.
const WebURL = "https://gitlab.test/git"

// The roles of members.
const (
	Guest      = 10
	Reporter   = 20
	Developer  = 30
	Maintainer = 40
)

// BaseSHA and StartSHA are what every version of the merge request is compared with.
const (
	BaseSHA  = "ba5eba5eba5eba5eba5eba5eba5eba5eba5eba5e"
	StartSHA = "57a2757a2757a2757a2757a2757a2757a2757a27"
)

// Host is GitLab with one project. Its API is at /api/v4/, also below a path.
//
// It answers requests one at a time and is safe for concurrent use. Its fields may be
// used as those of [hosttest.Traffic].
type Host struct {
	hosttest.Traffic

	// Project is the path of the project, and ProjectID its number.
	Project   string
	ProjectID int64
	// Projects are the numbers of others.
	Projects map[string]int64
	// ResolveOutdated lets a push resolve the discussions whose line it changes.
	ResolveOutdated bool
	// Number is the merge request whose discussions and files are kept.
	Number int
	// Token is what requests must be authorized with. Empty means that anything, but
	// not nothing, is accepted. A job's token is sent in a header of its own.
	Token string
	// Account is the user that the token belongs to.
	Account string
	// Author is the user that opened the merge request.
	Author string
	// Roles are the roles of users in the project. Others are not members.
	Roles map[string]int
	// Head is the head of the merge request; Commits are all that it had, and those of
	// the project.
	Head    string
	Commits []string
	// Detached are the commits that are in no branch of the project and in no pipeline,
	// as those of a fork.
	Detached []string
	// Pipelines are the pipelines of commits.
	Pipelines map[string]int
	// Files are the changes of the merge request. Comments can be made on their hunks
	// only.
	Files []diff.File
	// Merges are the merge requests that can be found. The head of the one with Number
	// is always Head.
	Merges []Merge

	Discussions []*Discussion
	Statuses    []*Status
	// Commands are the quick actions that notes had. They are not part of the note.
	Commands []string

	// Deny holds what the token cannot do: the scopes "api" and "read_api"; "read
	// statuses", where a project has no pipelines; and "comment", "status" and "resolve",
	// where a lock, a protected branch or a role do not allow it.
	Deny map[string]bool
	// RefuseLine reports whether the host refuses a discussion on a line; nil means that
	// it takes all that are part of the diff.
	RefuseLine func(path string, line int) bool
}

// Merge is a merge request.
type Merge struct {
	Number int
	Title  string
	// Head is the commit, Branch the branch and Source the number of the project that it
	// comes from.
	Head, Branch string
	Source       int64
	Closed       bool
}

// Discussion is a thread, or a single note.
type Discussion struct {
	ID    string
	Notes []*Note
}

// Note is a text in a discussion.
type Note struct {
	ID   int64
	User string
	Body string
	// System is set for what the host writes itself.
	System bool
	// Position is that of the first note on lines; nil for any other.
	Position   *Position
	Resolved   bool
	ResolvedBy string
}

// Position is where a discussion is.
type Position struct {
	Base, Start, Head string
	OldPath, NewPath  string
	OldLine, NewLine  int // 0 if there is none
	// From is the first of several lines on the new side; 0 if there is one.
	From int
}

// Status is a commit status.
type Status struct {
	ID                     int64
	User                   string
	SHA, Ref               string
	Name, State            string
	Description, TargetURL string
}

// New returns a host with the merge request 7 of the project g/sub/p, written to by
// [Bot], which is a Developer.
func New(head string, files []diff.File) *Host {
	return &Host{
		Project: "g/sub/p", ProjectID: 42, Projects: make(map[string]int64), Number: 7, Account: Bot, Author: "author",
		Roles: map[string]int{Bot: Developer, "author": Developer}, Head: head, Commits: []string{head}, Files: files,
		Merges: []Merge{{Number: 7, Branch: "topic", Source: 42, Title: "A change"}},
		Deny:   make(map[string]bool), Traffic: hosttest.Traffic{RetryAfter: "30"},
	}
}

// Push moves the head. As on the real host, discussions move along to where their line
// is now, and stay where they were if it is gone. It is meant to be called where fields
// may be used.
func (h *Host) Push(sha string, files []diff.File) {
	before := h.Files
	h.Head, h.Files = sha, files
	if !slices.Contains(h.Commits, sha) {
		h.Commits = append(h.Commits, sha)
	}
	for _, d := range h.Discussions {
		if len(d.Notes) > 0 && d.Notes[0].Position != nil {
			d.Notes[0].Position.trace(before, h)
			if n := d.Notes[0]; h.ResolveOutdated && n.Position.Head != sha && !n.Resolved {
				n.Resolved, n.ResolvedBy = true, h.Author
			}
		}
	}
}

// trace moves a position to the line with the same text that is nearest, in the same
// file or one that it was renamed to.
func (p *Position) trace(before []diff.File, h *Host) {
	var text string
	for _, l := range linesOf(before, p.NewPath) {
		if l.newLine == p.NewLine {
			text = l.text
		}
	}
	for i := range h.Files {
		if f := &h.Files[i]; f.Status == diff.Renamed && f.OldPath == p.NewPath {
			p.OldPath, p.NewPath = f.OldPath, f.Path
		}
	}
	best := -1
	for _, l := range linesOf(h.Files, p.NewPath) {
		if l.text == text && l.newLine > 0 && (best < 0 || abs(l.newLine-p.NewLine) < abs(best-p.NewLine)) {
			best = l.newLine
		}
	}
	if best > 0 && text != "" {
		if p.From > 0 {
			p.From += best - p.NewLine
		}
		p.NewLine, p.Head = best, h.Head
	}
}

func abs(n int) int { return max(n, -n) }

// PushAfter lets the head move, with the same files, before request n from now.
func (h *Host) PushAfter(n int, sha string) { h.Before(n, func() { h.Push(sha, h.Files) }) }

// Reply adds a reply to a discussion.
func (h *Host) Reply(to *Discussion, user, body string) {
	to.Notes = append(to.Notes, &Note{ID: h.NextID(), User: user, Body: body})
}

// Add adds a discussion with a note, on a line if there is a position.
func (h *Host) Add(user, body string, at *Position) *Discussion {
	d := &Discussion{ID: fmt.Sprintf("%040x", h.NextID()), Notes: []*Note{{ID: h.NextID(), User: user, Body: body, Position: at}}}
	h.Discussions = append(h.Discussions, d)
	return d
}

// UserID returns the number of a user.
func UserID(name string) int64 {
	n := int64(1)
	for _, c := range []byte(name) {
		n = n*31 + int64(c)
		n %= 1_000_000_007
	}
	return n
}

// diffLine is a line of a hunk. A number is 0 on the side that it is not on; old is then
// the number of the next line there.
type diffLine struct {
	newLine, oldLine, old int
	text                  string
}

// linesOf returns the lines of a file's hunks.
func linesOf(files []diff.File, path string) (list []diffLine) {
	for i := range files {
		if files[i].Path != path {
			continue
		}
		for _, k := range files[i].Hunks {
			n, o := k.NewStart, k.OldStart
			for line := range strings.Lines(k.Body) {
				l := diffLine{old: o, text: strings.TrimSuffix(line[1:], "\n")}
				switch line[0] {
				case '+':
					l.newLine = n
				case '-':
					l.oldLine = o
				case ' ':
					l.newLine, l.oldLine = n, o
				default:
					continue
				}
				if l.newLine > 0 {
					n++
				}
				if l.oldLine > 0 {
					o++
				}
				list = append(list, l)
			}
		}
	}
	return list
}

// URL returns the address of a discussion's first note.
func (h *Host) URL(d *Discussion) string {
	return fmt.Sprintf("%s/%s/-/merge_requests/%d#note_%d", WebURL, h.Project, h.Number, d.Notes[0].ID)
}
