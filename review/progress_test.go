package review

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// apply carries out a plan on a state as a host would, but for the last of the actions
// with cut, and returns the summary comment.
func apply(s *State, p *Plan, cut bool) string {
	done := Progress{CommentURLs: make(map[string]string)}
	for _, a := range p.Actions {
		i := slices.IndexFunc(s.Threads, func(t Thread) bool { return a.Thread != nil && t.ID == a.Thread.ID })
		switch {
		case a.Target == OnComment && a.Kind == Create:
			id := int64(100 + len(s.Threads))
			t := Thread{Path: a.Comment.Path, Line: a.Comment.Line, MayResolve: true, Node: "n"}
			t.Posted = Posted{ID: id, Author: s.Account, Body: a.Comment.Body, URL: fmt.Sprintf("https://host.test/c/%d", id)}
			s.Threads = append(s.Threads, t)
			done.CommentURLs[Marker(t.Body)] = t.URL
		case a.Kind == Resolve:
			s.Threads[i].Resolved = true
		case a.Target == OnComment && a.Kind == Update:
			s.Threads[i].Resolved = false
		}
	}
	body := p.SummaryBody(done)
	if !cut {
		s.Summaries = []Posted{{ID: 1, Author: s.Account, Body: body}}
	}
	return body
}

// step is a run for a head. cut ends it before it writes the summary.
type step struct {
	head   byte
	skills []SkillResult
	edit   func(*Result, *State)
	cut    bool
	want   []string // in the summary
	not    []string
}

// TestProgress runs again and again: what changed is what changed since the last head
// whose summary was written, also after a failure in between.
func TestProgress(t *testing.T) {
	a, b, c := found("First problem", "app/db.go", 13, 0), found("Second thing", "app/db.go", 14, 0), found("Another trouble", "app/db.go", 45, 0)
	far, general := found("Not in the diff", "app/db.go", 900, 0), found("No tests", "", 0, 0)
	run := func(f ...scanner.Finding) []SkillResult { return []SkillResult{skillOf("code-review", f...)} }
	since := func(head string, rest string) string {
		sha := strings.Repeat(head, 40)
		return "\n\nSince [`" + sha[:7] + "`](https://host.test/commit/" + sha + "): " + rest
	}
	fixed := func(title string, id, line int) string {
		return fmt.Sprintf("[%s](https://host.test/c/%d) in `app/db.go:%d`", title, id, line)
	}
	item := func(line, id int, title string) string {
		return fmt.Sprintf("[L%d](https://host.test/c/%d) %s\n", line, id, title)
	}
	failed := run()
	failed[0].Report.FailedHunks = 1
	unread := run(b)
	unread[0].Report.Files, unread[0].Report.SkippedFiles = nil, []scanner.SkippedFile{skippedFor("app/db.go", "too-large")}
	rules := run(b)
	rules[0].Report.PatternsOnly = true

	for name, steps := range map[string][]step{
		"first, push, push": {
			{head: '1', skills: run(a, b), want: []string{item(13, 100, "First problem")}, not: []string{"Since", "new", "Fixed"}},
			{head: '2', skills: run(b, c), want: []string{
				since("1", "1 new, 1 fixed, 1 still there.") + "\n\n**Fixed:** " + fixed("First problem", 100, 13) + ".\n\n",
				item(14, 101, "Second thing"), item(45, 102, "Another trouble · new"),
			}},
			{head: '3', skills: run(), want: []string{since("2", "2 fixed.")}, not: []string{"First problem"}},
			{head: '4', skills: run(), not: []string{"Since"}},
		},
		"the same head again": {
			{head: '1', skills: run(a)},
			{head: '2', skills: run(a, b), want: []string{since("1", "1 new, 1 still there.")}},
			{head: '2', skills: run(a, b), want: []string{since("1", "1 new, 1 still there."), "Second thing · new"}},
			{head: '2', skills: run(b), want: []string{since("1", "1 new, 1 fixed.")}},
			{head: '3', skills: run(b), want: []string{since("2", "1 still there.")}, not: []string{"· new"}},
		},
		"cut short": {
			{head: '1', skills: run(a, b)},
			{head: '2', skills: run(b, c), cut: true},
			{head: '2', skills: run(b, c), want: []string{since("1", "1 new, 1 fixed, 1 still there."), "Another trouble · new"}},
		},
		"cut short before the next head": {
			{head: '1', skills: run(a, b)},
			{head: '2', skills: run(b, c), cut: true},
			{head: '3', skills: run(b, c), want: []string{since("1", "1 new, 1 fixed, 1 still there.")}},
		},
		"found again": {
			{head: '1', skills: run(a, b)},
			{head: '2', skills: run(b)},
			{head: '3', skills: run(a, b), want: []string{since("2", "1 new, 1 still there."), item(13, 100, "First problem · new")}},
			{head: '4', skills: run(a, b), want: []string{since("3", "2 still there.")}},
			{head: '5', skills: run(b), want: []string{since("4", "1 fixed, 1 still there.")}},
		},
		"without a comment": {
			{head: '1', skills: run(a, far, general)},
			{head: '2', skills: run(a, far, general), want: []string{since("1", "1 still there, 2 without a comment, not compared.")}},
		},
		"failed": {
			{head: '1', skills: run(a)},
			{head: '2', skills: failed, want: []string{
				"## Scanner: incomplete: 1 chunk not analyzed; no findings\n",
				"\n\n**Not checked again:** 1 earlier finding.\n\n- " + fixed("First problem", 100, 13) + ": this run did not look at everything\n\n",
				"\n\nNo findings in what was analyzed\n\n",
			}, not: []string{"ixed", "Since"}},
			{head: '3', skills: run(), want: []string{since("2", "1 fixed.")}},
		},
		"not read": {
			{head: '1', skills: run(a, b)},
			{head: '2', skills: unread, want: []string{
				"## Scanner: incomplete: 1 file not read; 1 finding (0 high, 1 medium, 0 low)\n\n**Not read:** `app/db.go` (too-large).\n\n",
				fixed("First problem", 100, 13) + ": the file was not read: too-large\n\n", since("1", "1 still there."),
			}},
		},
		"patterns only": {
			{head: '1', skills: run(a, b)},
			{head: '2', skills: rules, want: []string{"**Not checked again:** 1 earlier finding.", since("1", "1 still there.")}},
		},
		"resolved by a person": {
			{head: '1', skills: run(a, b)},
			{head: '2', skills: run(), edit: func(_ *Result, s *State) { s.Threads[0].Resolved, s.Threads[0].PersonResolved = true, true },
				want: []string{since("1", "1 fixed."), fixed("Second thing", 101, 14)}, not: []string{"First problem"}},
		},
		"another skill, and one that was removed": {
			{head: '1', skills: []SkillResult{skillOf("one", a), skillOf("two", b)}},
			{head: '2', skills: []SkillResult{skillOf("one", a)}, want: []string{since("1", "1 still there.")}},
			{head: '3', skills: []SkillResult{skillOf("one")}, edit: func(r *Result, _ *State) { r.Known = []string{"one"} }, want: []string{since("2", "1 fixed.")}, not: []string{"Second thing"}},
		},
		"another skill, with what was new before": {
			{head: '1', skills: []SkillResult{skillOf("one", a), skillOf("two")}},
			{head: '2', skills: []SkillResult{skillOf("one", a), skillOf("two", b)}, want: []string{"Second thing · new\n"}},
			{head: '2', skills: []SkillResult{skillOf("one", a)}, want: []string{"Second thing · new\n"}},
			{head: '3', skills: []SkillResult{skillOf("one", a)}, want: []string{"Second thing\n"}},
		},
		"verified after unverified": {
			{head: '1', skills: run(a, b), edit: func(r *Result, _ *State) { r.Untrusted = true }},
			{head: '2', skills: run(a), want: []string{since("1", "1 new.")}, not: []string{"ixed"}},
		},
		"unverified": {
			{head: '1', skills: run(a, b), edit: func(r *Result, _ *State) { r.Untrusted = true }},
			{head: '2', skills: run(a), edit: func(r *Result, _ *State) { r.Untrusted = true }, want: []string{since("1", "1 still there.")}},
		},
		"a marker of somebody else": {
			{head: '1', skills: run(a)},
			{head: '2', skills: run(a), edit: func(_ *Result, s *State) {
				s.Summaries[0].Body = marker(markerSummary, summaryMarker{Head: "x](//evil)", Open: []int64{1}})
			}, not: []string{"Since", "evil"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := State{Account: "bot"}
			for i, step := range steps {
				r := resultOf(t, step.skills...)
				r.Head = strings.Repeat(string(step.head), 40)
				s.Head = r.Head
				if step.edit != nil {
					step.edit(&r, &s)
				}
				plan, err := NewPlan(r, s)
				if err != nil {
					t.Fatal(err)
				}
				body := apply(&s, plan, step.cut)
				for _, want := range step.want {
					if !strings.Contains(body, want) {
						t.Errorf("step %d: no %q in\n%s", i, want, body)
					}
				}
				for _, not := range step.not {
					if text, _, _ := strings.Cut(body, "\n\n<!-- scanner:summary"); strings.Contains(text, not) {
						t.Errorf("step %d: %q in\n%s", i, not, body)
					}
				}
				if step.cut {
					continue
				}
				again, err := NewPlan(r, s)
				if err != nil {
					t.Fatal(err)
				}
				if next := again.SummaryBody(Progress{}); next != body {
					t.Errorf("step %d: another run would write\n%s\nover\n%s", i, next, body)
				}
			}
		})
	}
}

// TestProgressIsBounded has more threads than a marker lists, with long titles.
func TestProgressIsBounded(t *testing.T) {
	_, patch := numbered("big.go", 3000)
	r := resultOf(t, skillOf("code-review"))
	r.Files = parse(t, patch)
	r.Skills[0].Report.Files = []scanner.FileReport{{Path: "big.go"}}
	s := State{Account: "bot"}
	for i := range 2000 {
		m := findingMarker{Skill: "code-review", Path: "big.go", Title: fmt.Sprint(strings.Repeat("[long](x) ", 20), i), Head: headSHA}
		s.Threads = append(s.Threads, Thread{Path: "big.go", Line: i + 1, Posted: Posted{ID: 3_000_000_000 + int64(i), Author: "bot", Body: marker(markerFinding, m), URL: "https://host.test/c"}})
	}
	s.Summaries = []Posted{{Author: "bot", Body: marker(markerSummary, summaryMarker{Head: headSHA})}}
	r.Head = nextSHA
	for name, edit := range map[string]func(){
		"fixed": func() { r.Stopped = nil }, "not checked again": func() { r.Stopped = errors.New("no money") },
	} {
		edit()
		plan, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		body := plan.SummaryBody(Progress{})
		var m summaryMarker
		if len(body) > maxBody || !readMarker(body, markerSummary, &m) || len(m.Was) != maxKnown || !strings.Contains(body, " more") {
			t.Errorf("%s: %d bytes, %d ids:\n%.3000s", name, len(body), len(m.Was), body)
		}
	}
}

// Of merged findings, the first with a place in the diff carries the comment.
func TestMergedPlaces(t *testing.T) {
	at := func(path string, line int) *scanner.Location { return &scanner.Location{Path: path, StartLine: line} }
	fixOf := func(line int, old string) *scanner.SuggestedFix {
		return &scanner.SuggestedFix{
			Description: "Log less", Diff: fmt.Sprintf("@@ -%d +%d @@\n-%s\n+\tx()\n", line, line, old),
			Edits: []scanner.Edit{{Line: line, Old: []string{old}, New: []string{"\tx()"}}},
		}
	}
	f := found("Logged", "app/db.go", 900, 0)
	f.Rule, f.Verification, f.SuggestedFix = "code-review/logged", "Read the log.", fixOf(14, "\tlog(q)")
	for _, l := range []*scanner.Location{at("other.go", 3), at("app/db.go", 14), at("app/db.go", 15)} {
		f.AdditionalLocations = append(f.AdditionalLocations, *l)
	}
	merged := []scanner.MergedFinding{{ID: "m1", Location: at("other.go", 3)}, {ID: "m2"}, {ID: "m3", Location: at("app/db.go", 14)}, {ID: "m4", Location: at("app/db.go", 15)}}
	r := resultOf(t, skillOf("code-review", f))
	r.Skills[0].Report.MergeGroups = []scanner.MergeGroup{{Primary: "other", Merged: merged[3:]}, {Primary: f.ID, Merged: merged}}
	out := render(t, r)
	if len(out.Comments) != 1 || out.Comments[0].Line != 14 || strings.Contains(out.Summary, "Details of findings") {
		t.Fatalf("comments %v\n%s", out.Comments, out.Summary)
	}
	places := "\n\nAlso at " + strings.Join([]string{
		"[`app/db.go:900`](https://host.test/blob/" + headSHA + "/app%2Fdb.go#L900-900)",
		"[`other.go:3`](https://host.test/blob/" + headSHA + "/other.go#L3-3)",
		"[`app/db.go:15`](https://host.test/blob/" + headSHA + "/app%2Fdb.go#L15-15)",
	}, ", ") + "\n\n"
	// The fix is that of another line, even if the numbers are the same.
	for _, want := range []string{"**Logged**\n\nWhy", "\n\nHow to verify: Read the log.\n\n", places, "\n\nSuggested fix: Log less\n\n```diff\n@@ -14", "medium · high confidence · code-review/logged · " + f.ID} {
		if !strings.Contains(out.Comments[0].Body, want) {
			t.Errorf("no %q in\n%s", want, out.Comments[0].Body)
		}
	}
	// Its own fix can be applied.
	merged[2].SuggestedFix = fixOf(14, "\tlog(q)")
	if body := render(t, r).Comments[0].Body; !strings.Contains(body, "```suggestion:-0+0\n\tx()\n```") {
		t.Errorf("no suggestion in\n%s", body)
	}
	// Without any place in the diff, the summary has it all.
	r.Files = []diff.File{}
	summary := render(t, r).Summary
	for _, want := range []string{
		"<summary>Details of findings that are not on a changed line</summary>\n\n**Logged** at `app/db.go:900`\n\nWhy", "\n\nHow to verify: Read the log.\n\n", "\n\nAlso at [`other.go:3`]",
		"\n\nSuggested fix: Log less\n\n```diff\n@@ -14", "medium · high confidence · code-review/logged · " + f.ID,
	} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in\n%s", want, summary)
		}
	}
}
