package review_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
)

const head = "1111111111111111111111111111111111111111"

// host is a code host of a few lines: it has comments on lines and a summary, no
// check runs and no requests for changes.
type host struct {
	state review.State
	// lost is how many times the answer to the first write gets lost.
	lost int
}

var _ review.Host = (*host)(nil)

func (h *host) FindPullRequest(context.Context, review.Head) (int, error) { return 7, nil }

func (h *host) Files(context.Context, int) ([]diff.File, error) { return nil, nil }

func (h *host) Read(context.Context, int, string) (review.State, error) { return h.state, nil }

func (h *host) Apply(_ context.Context, plan *review.Plan) (*review.Outcome, error) {
	out := &review.Outcome{Plan: plan}
	for _, a := range plan.Actions {
		switch {
		case a.Target == review.OnComment && a.Kind == review.Create:
			h.state.Threads = append(h.state.Threads, review.Thread{
				Posted: review.Posted{Author: h.state.Account, Body: a.Comment.Body}, Path: a.Comment.Path, Line: a.Comment.Line,
			})
		case a.Target == review.OnSummary && a.Kind != review.Keep:
			h.state.Summaries = []review.Posted{{Author: h.state.Account, Body: plan.SummaryBody(review.Progress{})}}
		default:
			continue
		}
		if h.lost > 0 {
			h.lost--
			return out, review.ErrUnanswered
		}
		out.Writes++
	}
	return out, nil
}

func result(t *testing.T) review.Result {
	files, err := diff.Parse([]byte("--- a/f.go\n+++ b/f.go\n@@ -1 +1,2 @@\n package f\n+var x = y / 0\n"))
	if err != nil {
		t.Fatal(err)
	}
	report := &scanner.SkillReport{Skill: "code-review", Findings: []scanner.Finding{{
		ID: "1", Severity: scanner.SeverityHigh, Title: "Division by zero", Description: "It panics.",
		Location: &scanner.Location{Path: "f.go", StartLine: 2},
	}}}
	return review.Result{
		Number: 7, Head: head, Policy: "p", Files: files,
		Skills: []review.SkillResult{{Report: report, Selection: scanner.Selection{Shown: report.Findings}}},
	}
}

// TestPost posts on a host that is not GitHub, whose answers get lost: everything
// is there once.
func TestPost(t *testing.T) {
	for _, lost := range []int{0, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			h := &host{state: review.State{Account: "bot", Head: head, NoChecks: true}, lost: lost}
			r := result(t)
			start := time.Now()
			if _, err := review.Post(t.Context(), h, r, true); err != nil || len(h.state.Threads) > 0 {
				t.Fatalf("dry run: %d threads, error %v", len(h.state.Threads), err)
			}
			out, err := review.Post(t.Context(), h, r, false)
			if err != nil || len(h.state.Threads) != 1 || len(h.state.Summaries) != 1 || out.Writes != 2-lost {
				t.Errorf("lost %d: %d threads, %d summaries, %d writes, error %v", lost, len(h.state.Threads), len(h.state.Summaries), out.Writes, err)
			}
			if waited := time.Since(start); (waited > 0) != (lost > 0) {
				t.Errorf("lost %d: waited %s", lost, waited)
			}
			if body := h.state.Threads[0].Body; strings.Contains(body, "](") {
				t.Errorf("a link without a flavor: %s", body)
			}
			if out, err := review.Post(t.Context(), h, r, false); err != nil || out.Writes != 0 {
				t.Errorf("again: %d writes, error %v", out.Writes, err)
			}
			if _, done := h.state.Done(head, "p", []string{"code-review"}); !done {
				t.Error("not done")
			}
			h.state.Head = strings.Repeat("2", 40)
			if _, err := review.Post(t.Context(), h, r, false); !errors.Is(err, review.ErrHeadMoved) {
				t.Errorf("another head: error %v", err)
			}
		})
	}
}
