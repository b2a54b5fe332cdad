package review

import (
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
)

// State is what the host shows of a pull request or commit.
type State struct {
	// Account is the login that the token belongs to. Only what this account
	// wrote counts as written by an earlier run.
	Account string
	// Head is the head of the pull request now.
	Head string
	// Summaries are the comments on the pull request as a whole that end with a
	// marker, of any account.
	Summaries []Posted
	// Threads are the inline comments with their replies.
	Threads []Thread
	// Reviews are the reviews, of any account.
	Reviews []Review
	// NoReviews is set when the host has no requests for changes: there a check run
	// that fails is in their place.
	NoReviews bool
	// Checks are the check runs of the head.
	Checks []CheckRun
	// MakesChecks is set when the account is of a kind that can make check runs,
	// if the token has the permission.
	MakesChecks bool
	// Denied are the permissions that the token lacks for reading.
	Denied []*PermissionError
	// Warnings describe what else could not be read.
	Warnings []string
	// NoChecks is set when the token lacks the permission to read check runs.
	NoChecks bool
	// NoPull is set when the token lacks the permission to read the pull request.
	// Then Head is the argument of [Host.Read], and only check runs are known.
	NoPull bool
	// Comments and LineComments are how many there were before the state was read, of
	// any account. When there are more, the state is out of date; see [ErrStale].
	Comments, LineComments int
}

// Posted is a text on the host.
type Posted struct {
	ID     int64
	Author string
	Body   string
	URL    string
}

// Thread is an inline comment with its replies.
type Thread struct {
	Posted
	// Path is the file, which need not be the one that the comment was made on: some
	// hosts let threads follow a renamed file.
	Path string
	// Line is where the thread is now; 0 when that is no longer part of the diff.
	Line int
	// Node is the id of the thread; empty when it is not known. Then neither are
	// Resolved and PersonResolved.
	Node     string
	Resolved bool
	// PersonResolved is set when another account resolved it.
	PersonResolved bool
	// MayResolve is set when the token may resolve the thread and undo that.
	MayResolve bool
	// Hidden is set when the comment is hidden, which a host may offer where the token
	// cannot resolve. MayHide is set when the token may do that and undo it.
	Hidden, MayHide bool
	// CommentNode is the id of the comment for that.
	CommentNode string
	// Replies are what people replied, in order: not bots, and not earlier runs, whose
	// texts end with a marker.
	Replies []Reply
}

// Reply is a reply to a comment. Its text is untrusted.
type Reply struct {
	Posted
	// MayWrite is set when the host confirms that the author can write to the
	// repository. Only then the reply decides anything. It is false where the token
	// cannot find out.
	MayWrite bool
}

// answered reports whether a person with write access replied.
func (t *Thread) answered() bool {
	return slices.ContainsFunc(t.Replies, func(r Reply) bool { return r.MayWrite })
}

// Review is a review on the host.
type Review struct {
	Posted
	// State is CHANGES_REQUESTED, COMMENTED, APPROVED, DISMISSED or PENDING.
	State string
}

// CheckRun is a check run on the host.
type CheckRun struct {
	ID          int64
	Name        string
	ExternalID  string // see [Check]
	Author      string
	Completed   bool
	Annotations int
	URL         string
}

// mine reports whether the account wrote something. An account that is not known
// wrote nothing.
func (s *State) mine(author string) bool {
	return s.Account != "" && strings.EqualFold(author, s.Account)
}

// summary returns the account's summary comment; nil if there is none. If there
// are several, it is the first.
func (s *State) summary() (*Posted, summaryMarker) {
	var m summaryMarker
	list := s.summaries()
	if len(list) == 0 {
		return nil, m
	}
	readMarker(list[0].Body, markerSummary, &m)
	return list[0], m
}

// summaries returns the account's summary comments. Two runs at once can make two.
func (s *State) summaries() []*Posted {
	var list []*Posted
	for i := range s.Summaries {
		if p := &s.Summaries[i]; s.mine(p.Author) && readMarker(p.Body, markerSummary, new(summaryMarker)) {
			list = append(list, p)
		}
	}
	return list
}

// Earlier is the result of a review that was posted before.
type Earlier struct {
	// Fails is set when findings reached failOn.
	Fails bool
	// Counts are the findings that were shown.
	Counts scanner.SeverityCounts
	// URL is the summary comment; empty if there is none.
	URL string
}

// Done reports whether a head was reviewed with a policy (see [Result.Policy]),
// completely, and everything was posted. Then there is nothing left to do, and no
// need to call a model. skills are the names of the skills that would run.
//
// The summary comment is written last, so it decides. Where there is none because
// nothing was found, the check runs of all skills decide. A later review with
// another policy and one of the skills replaces an earlier one.
func (s *State) Done(head, policy string, skills []string) (Earlier, bool) {
	key := hash(16, policy)
	if p, m := s.summary(); p != nil {
		i := slices.IndexFunc(m.Done, func(d done) bool { return d.Policy == key })
		if m.Head != head || m.Untrusted || i < 0 || !s.confirmedByCheckRun(key, skills) {
			return Earlier{}, false
		}
		d := m.Done[i]
		return Earlier{
			Fails:  d.Fails,
			Counts: scanner.SeverityCounts{High: d.High, Medium: d.Medium, Low: d.Low},
			URL:    p.URL,
		}, true
	}
	return Earlier{}, s.Head == head && len(skills) > 0 && !s.unfinished() && s.show(skills, key, stateSilent)
}

// confirmedByCheckRun reports whether check runs agree with a summary comment by
// which a review is done. The account of a workflow is that of all workflows of a
// repository, and one of them may repeat what anybody writes, including a marker;
// but text cannot become a check run. An account that cannot make any needs none.
func (s *State) confirmedByCheckRun(policy string, skills []string) bool {
	return s.NoChecks || !s.MakesChecks || s.show(skills, policy, stateComplete, stateSilent)
}

// show reports whether the check runs that the host shows for skills belong to that
// policy, and ended in one of the states.
func (s *State) show(skills []string, policy string, states ...string) bool {
	return !slices.ContainsFunc(skills, func(skill string) bool {
		c := s.latest(checkName(skill, false), idPrefix(false))
		return c == nil || !c.Completed || !slices.ContainsFunc(states, func(state string) bool {
			return strings.HasPrefix(c.ExternalID, idPrefix(false)+state+":"+policy+":")
		})
	})
}

// latest returns the last check run of the account with that name and prefix of
// the external id; nil if there is none. It is the one that the host shows.
func (s *State) latest(name, prefix string) *CheckRun {
	var last *CheckRun
	for i := range s.Checks {
		c := &s.Checks[i]
		if c.Name == name && s.mine(c.Author) && strings.HasPrefix(c.ExternalID, prefix) && (last == nil || c.ID > last.ID) {
			last = c
		}
	}
	return last
}

// unfinished reports whether an earlier run left something that a run without
// findings would resolve.
func (s *State) unfinished() bool {
	for _, t := range s.ownThreads() {
		if !t.Resolved && !t.Gone {
			return true
		}
	}
	return len(s.requests()) > 0
}

// request is a request for changes by an earlier run.
type request struct {
	*Review
	reviewMarker
}

// requests returns the requests for changes by earlier runs.
func (s *State) requests() []request {
	var list []request
	for i := range s.Reviews {
		r := request{Review: &s.Reviews[i]}
		if r.State == "CHANGES_REQUESTED" && s.mine(r.Author) && readMarker(r.Body, markerReview, &r.reviewMarker) {
			list = append(list, r)
		}
	}
	return list
}

// ownThread is a thread that an earlier run posted a finding with.
type ownThread struct {
	*Thread
	findingMarker
}

// ownThreads returns the threads that earlier runs posted. A marker in a comment
// of another account is ignored. It may name another file: after a rename, either the
// thread has the new name or a text that was edited since.
func (s *State) ownThreads() []ownThread {
	var list []ownThread
	for i := range s.Threads {
		t := ownThread{Thread: &s.Threads[i]}
		if s.mine(t.Author) && readMarker(t.Body, markerFinding, &t.findingMarker) {
			list = append(list, t)
		}
	}
	return list
}
