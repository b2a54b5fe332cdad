package fix

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

func finding(id string, s scanner.Severity, path string, line int, d string) scanner.Finding {
	f := scanner.Finding{ID: id, Severity: s, Title: "t " + id, Location: &scanner.Location{Path: path, StartLine: line}}
	if d != "" {
		f.SuggestedFix = &scanner.SuggestedFix{Description: "d", Diff: d}
	}
	return f
}

func merged(id, path string, line int, d string) scanner.MergedFinding {
	f := finding(id, "", path, line, d)
	return scanner.MergedFinding{ID: id, Location: f.Location, SuggestedFix: f.SuggestedFix}
}

func TestCollect(t *testing.T) {
	whole := scanner.Finding{ID: "w", Severity: scanner.SeverityMedium, SuggestedFix: &scanner.SuggestedFix{Diff: "dw"}}
	sets := []Set{
		{
			Skill:    "one",
			Findings: []scanner.Finding{finding("c", "low", "a.go", 1, "dc"), finding("a", "high", "b.go", 9, "da"), whole},
			Groups: []scanner.MergeGroup{
				{Primary: "a", Merged: []scanner.MergedFinding{merged("a1", "b.go", 20, "da1"), merged("a2", "b.go", 30, "")}},
				{Primary: "hidden", Merged: []scanner.MergedFinding{merged("h1", "b.go", 20, "dh1")}},
			},
		},
		{
			Skill:    "two",
			Findings: []scanner.Finding{finding("b", "high", "b.go", 3, "db"), finding("n", "high", "b.go", 1, "")},
			Groups:   []scanner.MergeGroup{{Primary: "n", Merged: []scanner.MergedFinding{merged("n1", "c.go", 5, "dn1")}}},
		},
	}
	var got []string
	for _, s := range Collect(sets...) {
		got = append(got, strings.Join([]string{s.Skill, s.Finding, s.Merged, s.Path, s.Fix.Diff}, " "))
	}
	want := []string{"two n n1 c.go dn1", "two b  b.go db", "one a  b.go da", "one a a1 b.go da1", "one w   dw", "one c  a.go dc"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(Collect()) != 0 {
		t.Error("suggestions out of nothing")
	}
}

// TestOutcomes follows findings from the report to the log.
func TestOutcomes(t *testing.T) {
	set := Set{
		Skill: "s",
		Findings: []scanner.Finding{
			finding("a", "high", "main.go", 2, "-two\n+TWO\n"),
			finding("b", "high", "main.go", 3, "-two\n+TWO\n"),
			finding("c", "high", "main.go", 4, "-four\n+FOUR\n"),
			finding("d", "medium", "main.go", 5, ""),
			finding("e", "low", "main.go", 6, "-six\n+SIX\n"),
			finding("f", "low", "main.go", 7, "-sieben\n+7\n"),
			finding("g", "low", "main.go", 8, "-eight\n+EIGHT\n"),
		},
		Groups: []scanner.MergeGroup{
			{Primary: "c", Merged: []scanner.MergedFinding{merged("c1", "main.go", 9, "-nine\n+NINE\n")}},
			{Primary: "e", Merged: []scanner.MergedFinding{merged("e1", "main.go", 2, "-two\n+zwei\n")}},
			{Primary: "g", Merged: []scanner.MergedFinding{merged("g1", "main.go", 10, "")}},
		},
	}
	p := tree{"main.go": numbered}.plan(Collect(set))
	dir := t.TempDir()
	tree{"main.go": numbered}.write(t, dir)
	res, err := Apply(openRoot(t, dir), p, Options{ID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Counts{Applied: 5, Covered: 1, Refused: 2, Reasons: []ReasonCount{{ReasonOverlap, 1}, {ReasonNotFound, 1}}}, Count(res.Outcomes)); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}
	records := Records(res.Outcomes, "s")
	if len(records) != 8 || len(Records(res.Outcomes, "other")) != 0 {
		t.Errorf("records are %+v", records)
	}
	data, err := json.Marshal(records[5])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"finding":"e","merged":"e1","status":"refused","reason":"overlap","message":"a fix of higher priority changes the same lines of \"main.go\"","by":"a","files":["main.go"]}`
	if string(data) != want {
		t.Errorf("record is\n%s, want\n%s", data, want)
	}
	var left []string
	for _, f := range Unfixed(set, res.Outcomes) {
		left = append(left, f.ID)
	}
	if d := cmp.Diff([]string{"d", "e", "f", "g"}, left); d != "" {
		t.Errorf("unfixed (-want +got):\n%s", d)
	}
	if got := Unfixed(set, p.Outcomes); len(got) != len(set.Findings) {
		t.Errorf("a plan fixed all but %d findings", len(got))
	}
}

func TestMatches(t *testing.T) {
	files, err := diff.Parse([]byte(names + "@@ -1,3 +1,4 @@\n one\n-zwei\n+two\n+2.5\n three\n@@ -8,2 +9,2 @@\n-neun\n+nine\n ten\n\\ No newline at end of file\n"))
	if err != nil {
		t.Fatal(err)
	}
	good := "one\ntwo\n2.5\nthree\nfour\nfive\nsix\nseven\nnine\nten"
	for _, tt := range []struct {
		name, data string
		ok         bool
	}{
		{"the same", good, true},
		{"other line endings", crlf(good), true},
		{"a change elsewhere", strings.Replace(good, "five", "FIVE", 1), true},
		{"a changed line", strings.Replace(good, "nine", "NINE", 1), false},
		{"the old side", numbered, false},
		{"moved", "zero\n" + good, false},
		{"cut off", good[:20], false},
		{"empty", "", false},
	} {
		if err := Matches(&files[0], []byte(tt.data)); (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrStale) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestSnapshot(t *testing.T) {
	var s Snapshot
	if err := s.Check("a.go", nil); !errors.Is(err, ErrStale) {
		t.Errorf("unknown file: %v", err)
	}
	s.Add("a.go", []byte("x"))
	if err := s.Check("a.go", []byte("x")); err != nil {
		t.Error(err)
	}
	if err := s.Check("a.go", []byte("y")); !errors.Is(err, ErrStale) {
		t.Errorf("another content: %v", err)
	}
}

// TestRead shows what becomes of errors, and that each file is read once.
func TestRead(t *testing.T) {
	asked := 0
	p := NewPlan(Input{
		Suggestions: append(suggest("a.go", "-x\n+y\n", "-x\n+y\n"), suggest("b.go", "-x\n+y\n", "-x\n+y\n")...),
		Files:       []string{"a.go", "b.go", "c.go"},
		Read: func(path string) ([]byte, error) {
			asked++
			if path == "a.go" {
				return nil, errors.New("permission denied")
			}
			return nil, (&Snapshot{}).Check(path, nil)
		},
	})
	if d := cmp.Diff([]string{"refused unreadable", "refused unreadable", "refused stale", "refused stale"}, summary(p.Outcomes)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if asked != 2 {
		t.Errorf("Read was called %d times", asked)
	}
	if !strings.Contains(p.Outcomes[0].Message, "permission denied") {
		t.Errorf("message is %q", p.Outcomes[0].Message)
	}
}
