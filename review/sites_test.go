package review_test

import (
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
)

// number is the pull request of every site.
const number = 7

// site is a fake code host with one open pull request, as the scenarios see it. A
// host takes part in them with one type of this kind, in sites_<host>_test.go, and
// one line in [sites].
//
// It answers requests without a network, so that waits take simulated time. Its
// methods are called while no request is under way, but for those in a function
// given to before.
type site interface {
	// client returns a new client with the tool's token.
	client() review.Host
	flavor() review.Flavor
	// push moves the head to a commit with these changes.
	push(commit string, files []diff.File)
	// page returns what is on the pull request.
	page() page
	// writes returns the number of requests for changes so far, including those
	// that were refused.
	writes() int

	// reply lets a person reply to the comment with a title, with or without write
	// access to the repository.
	reply(title string, writer bool, text string)
	// resolve lets a person resolve the thread of that comment.
	resolve(title string)
	// forge makes everything that the tool posted the work of another account.
	forge()

	// deny takes a power away from the tool's token.
	deny(power)
	// refuse lets the host refuse comments on a line of the diff.
	refuse(path string, line int)
	// fail lets the n-th write from now on fail, counted from 1, and no other; 0 lets
	// none fail.
	fail(n int, f fault)
	// before calls f once, before the n-th write from now on is answered. It may
	// use the site, and make requests.
	before(n int, f func())
}

// page is what is on the pull request.
type page struct {
	// Comments are the comments on lines by the tool's account, in the order in
	// which they came.
	Comments []comment
	// Summaries are the comments on the pull request by the tool's account.
	Summaries []string
	// Checks are the results on the head by skill: whether it fails. Those of an
	// unverified result are not among them.
	Checks map[string]bool
	// Blocked is set when the tool requests changes, or has a failed status in
	// place of that.
	Blocked bool
}

// comment is a comment on a line.
type comment struct {
	Path string
	Line int // 0 when the line is no longer part of the diff
	Body string
	// Closed is set when its thread is resolved, the comment is hidden, or its text
	// is marked as no longer found.
	Closed bool
}

// power is something that a token may be allowed to do.
type power string

const (
	resolving  power = "resolve threads"
	commenting power = "write comments"
	checking   power = "write check runs or statuses"
)

// fault is a way in which a write goes wrong.
type fault string

const (
	dropped  fault = "no answer, and nothing was done"
	lost     fault = "no answer, but it was done"
	broken   fault = "a server error, but it was done"
	tooQuick fault = "a limit that resets within a minute"
	limited  fault = "a limit that lasts for hours, for all further writes too"
)

// newSite returns a site whose pull request has these changes at its head.
type newSite func(t testing.TB, head string, files []diff.File) site

// sites are the code hosts.
var sites = []struct {
	name string
	new  newSite
}{
	{"GitHub", newGitHub},
	{"GitLab", newGitLab},
}
