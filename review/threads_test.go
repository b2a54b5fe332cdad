package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

// push is a run on a head, with what happened on the host since the one before.
type push struct {
	files    []diff.File
	findings []scanner.Finding
	report   func(*scanner.SkillReport)
	result   func(*review.Result)
	// host changes the threads before the run.
	host func(threads []review.Thread)
}

// play returns the plans of several pushes. The host does what they want.
func play(t *testing.T, pushes ...push) []*review.Plan {
	t.Helper()
	state := review.State{Account: "bot"}
	var plans []*review.Plan
	for n, p := range pushes {
		state.Head = fmt.Sprintf("%040x", n+1)
		if p.host != nil {
			p.host(state.Threads)
		}
		report := &scanner.SkillReport{
			Skill: "code-review", Findings: p.findings, Chunks: scanner.ChunkCounts{Total: 2, Analyzed: 2},
			Files: []scanner.FileReport{{Path: "app/db.go", Chunks: scanner.ChunkCounts{Total: 2, Analyzed: 2}}},
		}
		if p.report != nil {
			p.report(report)
		}
		r := review.Result{Number: 7, Head: state.Head, Files: p.files, Policy: "p"}
		if r.Files == nil {
			r.Files = change(t, 0)
		}
		selection, err := scanner.Select(report, scanner.Policy{FailOn: scanner.ThresholdHigh})
		if err != nil {
			t.Fatal(err)
		}
		r.Skills = []review.SkillResult{{Report: report, Selection: selection}}
		if p.result != nil {
			p.result(&r)
		}
		plan, err := review.NewPlan(r, state)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, plan)
		state.Threads = slices.Clone(state.Threads)
		for _, a := range plan.Actions {
			if a.Target != review.OnComment {
				continue
			}
			i := slices.IndexFunc(state.Threads, func(th review.Thread) bool { return a.Thread != nil && th.ID == a.Thread.ID })
			switch a.Kind {
			case review.Create:
				id := int64(len(state.Threads) + 1)
				state.Threads = append(state.Threads, review.Thread{
					Posted: review.Posted{ID: id, Author: "bot", Body: a.Comment.Body, URL: fmt.Sprintf("https://host.test/c/%d", id)},
					Path:   a.Comment.Path, Line: a.Comment.Line, Node: fmt.Sprint("node", id), MayResolve: true,
				})
			case review.Resolve:
				if state.Threads[i].Resolved = state.Threads[i].MayResolve; !state.Threads[i].Resolved {
					state.Threads[i].Body = a.Body
				}
			case review.Edit, review.Update:
				state.Threads[i].Resolved = state.Threads[i].Resolved && a.Kind == review.Edit
				if a.Body != "" {
					state.Threads[i].Body = a.Body
				}
			}
		}
	}
	return plans
}

// actions returns what a plan does with comments.
func actions(p *review.Plan) (list []string) {
	for _, a := range p.Actions {
		if a.Target == review.OnComment {
			list = append(list, string(a.Kind)+" "+a.What+": "+a.Reason)
		}
	}
	return list
}

// reply is one by a person on the first thread.
func reply(mayWrite bool, text string) func([]review.Thread) {
	return func(threads []review.Thread) {
		threads[0].Replies = append(threads[0].Replies, review.Reply{
			Posted: review.Posted{Author: "alice", Body: text, URL: "https://host.test/r/1"}, MayWrite: mayWrite,
		})
	}
}

func both(a, b func([]review.Thread)) func([]review.Thread) {
	return func(threads []review.Thread) { a(threads); b(threads) }
}

func outdated(threads []review.Thread) { threads[0].Line = 0 }

// edited returns the change with a line replaced.
func edited(t *testing.T, from, to string) []diff.File {
	files := change(t, 0)
	for i := range files[0].Hunks {
		files[0].Hunks[i].Body = strings.Replace(files[0].Hunks[i].Body, from, to, 1)
	}
	return files
}

// TestGone shows when a thread is resolved, or marked as no longer found: only if its
// lines were looked at again, and no finding is near.
func TestGone(t *testing.T) {
	const still = `keep app/db.go:13 "SQL injection": still found near it, or not shown on this line`
	const partly = `keep app/db.go:13 "SQL injection": this run did not look at everything`
	context := at(10, "Empty name")
	failed := func(file int) func(*scanner.SkillReport) {
		return func(r *scanner.SkillReport) {
			r.FailedHunks, r.Chunks.Analyzed, r.Chunks.Failed = 1, 1, 1
			r.Files = append(r.Files, scanner.FileReport{Path: "b.go", Chunks: scanner.ChunkCounts{Total: 2, Analyzed: 2}})
			r.Files[file].Chunks = scanner.ChunkCounts{Total: 2, Analyzed: 1, Failed: 1}
		}
	}
	for _, tt := range []struct {
		name  string
		first scanner.Finding
		next  push
		want  []string
	}{
		{"fixed", injection, push{}, []string{`resolve app/db.go:13 "SQL injection": the finding is gone`}},
		{"its line was removed", injection, push{files: edited(t, "+\tq := \"select * from users where name = '\" + name + \"'\"\n", ""), host: outdated},
			[]string{`resolve app/db.go "SQL injection": the finding is gone`}},
		{"a chunk of the file failed", injection, push{report: failed(0)}, []string{partly}},
		{"a chunk of another file failed", injection, push{report: failed(1)}, []string{`resolve app/db.go:13 "SQL injection": the finding is gone`}},
		{"not all was analyzed", injection, push{report: func(r *scanner.SkillReport) {
			r.Chunks = scanner.ChunkCounts{Total: 2, Analyzed: 1, NotAnalyzed: 1}
			r.Files[0].Chunks = r.Chunks
		}}, []string{partly}},
		{"rules only", injection, push{report: func(r *scanner.SkillReport) { r.PatternsOnly = true }}, []string{partly}},
		{"an unchanged line left the diff", context, push{files: change(t, 0)[:0], host: outdated},
			[]string{`keep app/db.go "Empty name": its line is no longer part of the change`}},
		{"an unchanged line in the diff", context, push{}, []string{`resolve app/db.go:10 "Empty name": the finding is gone`}},

		{"another problem below it", injection, push{findings: []scanner.Finding{at(15, "Name is logged")}},
			[]string{`create app/db.go:15 "Name is logged": new finding`, still}},
		{"another problem at the end of the neighborhood", injection, push{findings: []scanner.Finding{at(18, "Name is logged")}},
			[]string{`create app/db.go:18 "Name is logged": new finding`, still}},
		{"another problem elsewhere", injection, push{findings: []scanner.Finding{unused}},
			[]string{`create app/db.go:45 "Unused call": new finding`, `resolve app/db.go:13 "SQL injection": the finding is gone`}},
		{"the line was edited, and has another problem", injection,
			push{files: edited(t, "q :=", "q ="), host: outdated, findings: []scanner.Finding{at(13, "No quotes around the value")}},
			[]string{`create app/db.go:13 "No quotes around the value": new finding`,
				`keep app/db.go "SQL injection": still found near it, or not shown on this line`}},
		{"a suppressed one", injection, push{report: func(r *scanner.SkillReport) {
			r.Suppressed = []scanner.Suppressed{{Finding: injection}}
		}}, []string{still}},
		{"one that another skill has, too", injection, push{
			report: func(r *scanner.SkillReport) {
				r.Duplicates = []scanner.Duplicate{{ID: injection.ID, Of: "other", Finding: "000000000abc"}}
			},
			result: func(r *review.Result) {
				f := injection
				f.ID = "000000000abc"
				r.Skills = append(r.Skills, review.SkillResult{Report: &scanner.SkillReport{Skill: "other", Findings: []scanner.Finding{f}}})
			},
		}, []string{still}},
		{"a merged one", injection, push{findings: []scanner.Finding{func() scanner.Finding {
			f := unused
			f.AdditionalLocations = []scanner.Location{{Path: "app/db.go", StartLine: 14}}
			return f
		}()}}, []string{`create app/db.go:45 "Unused call": new finding`, still}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plans := play(t, push{findings: []scanner.Finding{tt.first}}, tt.next)
			if d := cmp.Diff(actions(plans[1]), tt.want); d != "" {
				t.Errorf("-got +want:\n%s", d)
			}
		})
	}

	t.Run("a neighbor of its own", func(t *testing.T) {
		other := at(15, "Name is logged")
		plans := play(t, push{findings: []scanner.Finding{injection, other}}, push{findings: []scanner.Finding{other}})
		want := []string{`keep app/db.go:15 "Name is logged": already posted`, `resolve app/db.go:13 "SQL injection": the finding is gone`}
		if d := cmp.Diff(actions(plans[1]), want); d != "" {
			t.Errorf("-got +want:\n%s", d)
		}
	})
	t.Run("marked as gone, and another problem", func(t *testing.T) {
		cannot := func(threads []review.Thread) { threads[0].MayResolve = false }
		plans := play(t, push{findings: []scanner.Finding{injection}}, push{host: cannot}, push{findings: []scanner.Finding{at(13, "Quotes are missing")}})
		want := []string{`create app/db.go:13 "Quotes are missing": new finding`, `keep app/db.go:13 "SQL injection": already marked as gone`}
		if d := cmp.Diff(actions(plans[2]), want); d != "" {
			t.Errorf("-got +want:\n%s", d)
		}
	})
	t.Run("what may be the same stays so", func(t *testing.T) {
		other := push{findings: []scanner.Finding{at(15, "Name is logged")}}
		raised := push{findings: slices.Clone(other.findings)}
		raised.findings[0].Severity = scanner.SeverityHigh
		plans := play(t, push{findings: []scanner.Finding{injection}}, other, raised, raised, push{})
		if got := actions(plans[3])[1]; got != still {
			t.Error(got)
		}
		for _, got := range actions(plans[4]) {
			if !strings.HasPrefix(got, "resolve ") {
				t.Error(got)
			}
		}
	})
}

// TestAnswered shows what the reply of a person with write access does.
func TestAnswered(t *testing.T) {
	first, reworded, other := at(13, "SQL injection through the name parameter"), at(13, "SQL injection through name parameter!"), at(13, "Quotes are missing")
	closed := func(threads []review.Thread) { threads[0].Resolved = true }
	fix := reply(true, "Won't fix.")
	for _, tt := range []struct {
		name  string
		host  func([]review.Thread)
		files []diff.File
		found scanner.Finding
		want  string
	}{
		{"the same", fix, nil, first, "keep already posted, and a person answered"},
		{"reworded a little", fix, nil, reworded, "keep already posted, and a person answered"},
		{"resolved", both(fix, closed), nil, first, "keep already posted, and a person answered"},
		{"resolved, without an answer", closed, nil, first, "update found again"},
		{"resolved, with a reply of somebody else", both(reply(false, "Me too."), closed), nil, first, "update found again"},
		{"outdated", both(fix, outdated), nil, reworded, "keep already posted, and a person answered"},
		{"another at the same place", fix, nil, other, "keep in the summary: a person answered what is at the same place"},
		{"another at the same place, without an answer", nil, nil, other, "keep already posted"},
		{"the line was edited", both(fix, outdated), edited(t, "q :=", "q ="), first, "keep in the summary: a person answered what is at the same place"},
		{"the line was edited, without an answer", outdated, edited(t, "q :=", "q ="), first, "keep already posted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.found.Severity = scanner.SeverityHigh
			before := first
			before.Severity = scanner.SeverityHigh
			plan := play(t, push{findings: []scanner.Finding{before}}, push{host: tt.host, files: tt.files, findings: []scanner.Finding{tt.found}})[1]
			var got []string
			for _, a := range plan.Actions {
				if a.Target == review.OnComment {
					got = append(got, string(a.Kind)+" "+a.Reason)
				}
			}
			if d := cmp.Diff(got, []string{tt.want}); d != "" {
				t.Errorf("-got +want:\n%s", d)
			}
			body := plan.SummaryBody(review.Progress{})
			linked := strings.Contains(body, "is at the place of [another thread](https://host.test/c/1) that a person answered")
			if want := strings.Contains(tt.want, "in the summary"); linked != want || strings.Contains(body, tt.found.Description) != want {
				t.Errorf("in the summary: want %t, got\n%s", want, body)
			}
			if !strings.Contains(body, "1 finding (1 high, 0 medium, 0 low) · **failOn reached**") {
				t.Errorf("it does not count:\n%s", body)
			}
		})
	}
}

// TestSeverity shows how a comment follows the finding.
func TestSeverity(t *testing.T) {
	high := injection
	high.Severity = scanner.SeverityHigh
	was, is := push{findings: []scanner.Finding{injection}}, push{findings: []scanner.Finding{high}}
	resolved := func(threads []review.Thread) { threads[0].Resolved, threads[0].PersonResolved = true, true }
	for _, tt := range []struct {
		name string
		host func([]review.Thread)
		edit func(*review.Result)
		want review.Kind
	}{
		{"changed", nil, nil, review.Edit},
		{"answered", reply(true, "Won't fix."), nil, review.Edit},
		{"resolved by a person", resolved, nil, review.Edit},
		{"found again", func(threads []review.Thread) { threads[0].Resolved = true }, nil, review.Update},
		{"unverified", nil, func(r *review.Result) { r.Untrusted = true }, review.Keep},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next := is
			next.host, next.result = tt.host, tt.edit
			plans := play(t, was, next, next)
			a := plans[1].Actions[slices.IndexFunc(plans[1].Actions, func(a review.Action) bool { return a.Target == review.OnComment })]
			if a.Kind != tt.want {
				t.Errorf("got %s", a)
			}
			if edited := strings.Contains(a.Body, "<sub>high · "); edited != (tt.want != review.Keep) {
				t.Errorf("%s with the text %q", a.Kind, a.Body)
			}
			if got := actions(plans[2])[0]; tt.name != "found again" && !strings.HasPrefix(got, "keep ") {
				t.Errorf("the next run: %s", got)
			}
		})
	}
}
