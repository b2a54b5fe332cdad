package fix_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/fix"
)

func finding(id string, s scanner.Severity, path string, line int, edits ...scanner.Edit) scanner.Finding {
	f := scanner.Finding{ID: id, Severity: s, Title: "t " + id, Location: &scanner.Location{Path: path, StartLine: line}}
	if len(edits) > 0 {
		f.SuggestedFix = &scanner.SuggestedFix{Description: id, Edits: edits}
	}
	return f
}

func merged(id, path string, line int, edits ...scanner.Edit) scanner.MergedFinding {
	f := finding(id, "", path, line, edits...)
	return scanner.MergedFinding{ID: id, Location: f.Location, SuggestedFix: f.SuggestedFix}
}

func TestCollect(t *testing.T) {
	e := edit(1, "x", "y")
	whole := scanner.Finding{ID: "w", Severity: scanner.SeverityMedium, SuggestedFix: &scanner.SuggestedFix{Description: "w"}}
	one := &scanner.SkillReport{
		Skill: "one",
		MergeGroups: []scanner.MergeGroup{
			{Primary: "a", Merged: []scanner.MergedFinding{merged("a1", "b.go", 20, e), merged("a2", "b.go", 30)}},
			{Primary: "hidden", Merged: []scanner.MergedFinding{merged("h1", "b.go", 20, e)}},
		},
	}
	two := &scanner.SkillReport{
		Skill:       "two",
		MergeGroups: []scanner.MergeGroup{{Primary: "n", Merged: []scanner.MergedFinding{merged("n1", "c.go", 5, e)}}},
	}
	var got []string
	for _, s := range fix.Collect(
		fix.SetOf(one, []scanner.Finding{finding("c", "low", "a.go", 1, e), finding("a", "high", "b.go", 9, e), whole}),
		fix.SetOf(two, []scanner.Finding{finding("b", "high", "b.go", 3, e), finding("n", "high", "b.go", 1)}),
	) {
		got = append(got, strings.Join([]string{s.Skill, s.Finding, s.Merged, s.Path, s.Fix.Description}, " "))
	}
	want := []string{"two n n1 c.go n1", "two b  b.go b", "one a  b.go a", "one a a1 b.go a1", "one w   w", "one c  a.go c"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := fix.Collect(); len(got) != 0 {
		t.Errorf("suggestions of no set: %v", got)
	}
}

// TestOutcomes follows findings from the report to its record.
func TestOutcomes(t *testing.T) {
	set := fix.Set{
		Skill: "s",
		Findings: []scanner.Finding{
			finding("a", "high", "main.go", 2, edit(2, "two", "TWO")),
			finding("b", "high", "main.go", 3, edit(2, "two", "TWO")),
			finding("c", "high", "main.go", 4, edit(4, "four", "FOUR")),
			finding("d", "medium", "main.go", 5),
			finding("e", "low", "main.go", 6, edit(6, "six", "SIX")),
			finding("f", "low", "main.go", 7, edit(7, "sieben", "7")),
			finding("g", "low", "main.go", 8, edit(8, "eight", "EIGHT")),
		},
		Groups: []scanner.MergeGroup{
			{Primary: "c", Merged: []scanner.MergedFinding{merged("c1", "main.go", 9, edit(9, "nine", "NINE"))}},
			{Primary: "e", Merged: []scanner.MergedFinding{merged("e1", "main.go", 2, edit(2, "two", "zwei"))}},
			{Primary: "g", Merged: []scanner.MergedFinding{merged("g1", "main.go", 10)}},
		},
	}
	files := tree{"main.go": numbered}
	p := files.plan(fix.Collect(set)...)
	dir := t.TempDir()
	files.write(t, dir)
	res, err := fix.Apply(openRoot(t, dir), p, fix.Options{ID: "x"})
	must(t, err)
	statuses := []string{"applied", "covered by 0", "applied", "applied", "applied", "refused overlap by 0", "refused stale", "applied"}
	if d := cmp.Diff(statuses, summary(res.Outcomes)); d != "" {
		t.Errorf("outcomes (-want +got):\n%s", d)
	}
	records := fix.Records(res.Outcomes, "s")
	if len(records) != 8 || len(fix.Records(res.Outcomes, "other")) != 0 {
		t.Errorf("records are %+v", records)
	}
	data, err := json.Marshal(records[5])
	must(t, err)
	const want = `{"finding":"e","merged":"e1","status":"refused","reason":"overlap","message":"a fix of higher priority changes the same lines of \"main.go\"","by":"a","files":["main.go"]}`
	if string(data) != want {
		t.Errorf("record is\n%s, want\n%s", data, want)
	}
	var left []string
	for _, f := range fix.Unfixed(set, res.Outcomes) {
		left = append(left, f.ID)
	}
	if d := cmp.Diff([]string{"d", "e", "f", "g"}, left); d != "" {
		t.Errorf("unfixed (-want +got):\n%s", d)
	}
	if got := fix.Unfixed(set, p.Outcomes); len(got) != len(set.Findings) {
		t.Errorf("a plan fixed all but %d findings", len(got))
	}
}
