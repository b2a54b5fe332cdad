package github

import (
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
)

// State is what is on the host, as far as it matters.
type State struct {
	// Account is the login that the token belongs to. Only what it wrote counts
	// as written by an earlier run.
	Account string
	// Head is the head of the pull request now.
	Head string
	// Summaries are the comments on the pull request that end with a marker of a
	// summary, of whatever account.
	Summaries []Posted
	// Threads are the inline comments with their replies.
	Threads []Thread
	// Reviews are the reviews, of whatever account.
	Reviews []Review
	// Checks are the check runs of the head whose name is one of ours.
	Checks []CheckRun
	// NoChecks is set when the token may not read check runs.
	NoChecks bool
	// NoPull is set when the token may not read the pull request. Then Head is
	// the one that was asked for, and only check runs are known.
	NoPull bool
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
	Path string
	// Line is the line it stands on now; 0 when that is no longer part of the
	// diff.
	Line int
	// Node is the id of the thread; empty when it is not known. Then neither are
	// Resolved and ResolvedBy.
	Node     string
	Resolved bool
	// ResolvedBy is a login, without the "[bot]" of an app. It may be empty.
	ResolvedBy string
	// MayResolve is set when the token may resolve the thread and undo that.
	MayResolve bool
	// PersonReplied is set when somebody else than the account and bots replied.
	PersonReplied bool
}

// Review is a review on the host.
type Review struct {
	Posted
	// State is CHANGES_REQUESTED, COMMENTED, APPROVED, DISMISSED or PENDING.
	State string
}

// CheckRun is a check run on the host.
type CheckRun struct {
	ID         int64
	Name       string
	ExternalID string
	// App is the short name of the app that made it.
	App         string
	Completed   bool
	Annotations int
	URL         string
}

// mine reports whether the account wrote something. An account that is not known
// wrote nothing.
func (s *State) mine(author string) bool {
	return s.Account != "" && strings.EqualFold(author, s.Account)
}

// resolvedByMe reports whether a resolved thread was not resolved by a person.
func (s *State) resolvedByMe(t *Thread) bool {
	return t.ResolvedBy == "" || strings.EqualFold(strings.TrimSuffix(s.Account, "[bot]"), strings.TrimSuffix(t.ResolvedBy, "[bot]"))
}

// summary returns the account's summary comment of a trusted or an untrusted
// result; nil if there is none. If there are several, it is the first.
func (s *State) summary(untrusted bool) (*Posted, summaryMarker) {
	for i := range s.Summaries {
		var m summaryMarker
		if p := &s.Summaries[i]; s.mine(p.Author) && readMarker(p.Body, markerSummary, &m) && m.Untrusted == untrusted {
			return p, m
		}
	}
	return nil, summaryMarker{}
}

// isApp reports whether the account is that of an app. Only apps make check runs.
func (s *State) isApp() bool { return strings.HasSuffix(s.Account, "[bot]") }

// Earlier is the result of a review that was posted before.
type Earlier struct {
	// Fails is set when findings reached failOn.
	Fails bool
	// Counts are the findings that were shown.
	Counts scanner.SeverityCounts
	// URL is the summary comment; empty if there was nothing to say.
	URL string
}

// Done reports whether a head was reviewed with a policy (see [Result.Policy]),
// wholly, and everything was posted. Then there is nothing left to do, and the
// model need not be asked. skills are the names of the skills that would run.
//
// The summary comment is written last, so it tells. Where there is none because
// nothing was to be said, the check runs of all skills tell. A review that was
// posted later with another policy, and had one of the skills, took its place.
func (s *State) Done(head, policy string, skills []string) (Earlier, bool) {
	key := hash(16, policy)
	if p, m := s.summary(false); p != nil {
		if m.Head != head || !s.witnessed(key, skills) {
			return Earlier{}, false
		}
		for _, d := range m.Done {
			if d.Policy == key {
				return Earlier{
					Fails:  d.Fails,
					Counts: scanner.SeverityCounts{High: d.High, Medium: d.Medium, Low: d.Low},
					URL:    p.URL,
				}, true
			}
		}
		return Earlier{}, false
	}
	if s.Head != head || len(skills) == 0 || s.pending() {
		return Earlier{}, false
	}
	for _, skill := range skills {
		if !s.shows(skill, key, stateSilent) {
			return Earlier{}, false
		}
	}
	return Earlier{}, true
}

// witnessed reports whether check runs agree with a summary comment that claims
// to be all. The account of a workflow is that of all workflows of a repository,
// and one of them may repeat what anybody writes, a marker too; no text can pose
// as a check run. Where the token cannot make any, none are asked for.
func (s *State) witnessed(policy string, skills []string) bool {
	if s.NoChecks || !s.isApp() {
		return true
	}
	return !slices.ContainsFunc(skills, func(skill string) bool { return !s.shows(skill, policy, stateComplete, stateSilent) })
}

// shows reports whether what the host shows about a skill is the check run of a
// run with that policy, which ended in one of the states.
func (s *State) shows(skill, policy string, states ...string) bool {
	c := s.latest(checkName(skill, false), trustedID)
	return c != nil && c.Completed && slices.ContainsFunc(states, func(state string) bool {
		return strings.HasPrefix(c.ExternalID, trustedID+state+":"+policy+":")
	})
}

// latest returns the last check run of the account that has a name and an external
// id that begins like that. It is the one that the host shows.
func (s *State) latest(name, prefix string) *CheckRun {
	var last *CheckRun
	for i := range s.Checks {
		c := &s.Checks[i]
		if c.Name == name && s.mine(c.App+"[bot]") && strings.HasPrefix(c.ExternalID, prefix) && (last == nil || c.ID > last.ID) {
			last = c
		}
	}
	return last
}

// pending reports whether something of an earlier run is left that a run without
// findings would put in order.
func (s *State) pending() bool {
	if p, _ := s.summary(true); p != nil {
		return true
	}
	for _, t := range ownThreads(s) {
		if !t.Resolved && !t.Gone {
			return true
		}
	}
	return slices.ContainsFunc(s.Reviews, func(r Review) bool {
		var m reviewMarker
		return s.standing(&r, &m)
	})
}

// standing reports whether a review is a request for changes of an earlier run.
func (s *State) standing(r *Review, m *reviewMarker) bool {
	return r.State == "CHANGES_REQUESTED" && s.mine(r.Author) && readMarker(r.Body, markerReview, m)
}
