package scanner_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
)

func TestSort(t *testing.T) {
	at := func(path string, line int) *scanner.Location { return &scanner.Location{Path: path, StartLine: line} }
	want := []scanner.Finding{
		{ID: "a", Severity: "high", Confidence: "high", Location: at("b", 9)},
		{ID: "b", Severity: "high", Confidence: "medium"},
		{ID: "c", Severity: "high", Confidence: "low"},
		{ID: "d", Severity: "high"},
		{ID: "e", Severity: "high", Location: at("a", 7)},
		{ID: "f", Severity: "high", Location: at("a", 70)},
		{ID: "g", Severity: "high", Location: at("b", 1)},
		{ID: "h", Severity: "high", Location: at("b", 1)},
		{ID: "i", Severity: "medium", Confidence: "high"},
		{ID: "j", Severity: "low", Confidence: "high"},
	}
	for seed := range uint64(50) {
		shuffled := append([]scanner.Finding(nil), want...)
		r := rand.New(rand.NewPCG(seed, 1))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		before := append([]scanner.Finding(nil), shuffled...)
		if d := cmp.Diff(want, scanner.Sort(shuffled)); d != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, d)
		}
		if d := cmp.Diff(before, shuffled); d != "" {
			t.Fatalf("Sort changed its argument:\n%s", d)
		}
	}
}

func TestDedupe(t *testing.T) {
	in := []scanner.Finding{{ID: "1", Title: "first"}, {ID: "2"}, {ID: "1", Title: "second"}, {ID: "2"}}
	want := []scanner.Finding{{ID: "1", Title: "first"}, {ID: "2"}}
	if d := cmp.Diff(want, scanner.Dedupe(in)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := scanner.Dedupe(nil); len(got) != 0 {
		t.Errorf("Dedupe(nil) = %v", got)
	}
}

func TestMerge(t *testing.T) {
	at := func(path string, line, end int) *scanner.Location {
		return &scanner.Location{Path: path, StartLine: line, EndLine: end}
	}
	fix := &scanner.SuggestedFix{Description: "check it", Diff: "@@"}
	f := func(id string, sev scanner.Severity, title string, l *scanner.Location) scanner.Finding {
		return scanner.Finding{ID: id, Severity: sev, Title: title, Description: "why " + title, Location: l}
	}
	in := []scanner.Finding{
		f("5", "low", "Unused result", at("z", 1, 0)),
		f("3", "high", "Error ignored", at("b", 4, 6)),
		f("2", "high", "Error ignored", at("a", 9, 0)),
		f("1", "high", "Error ignored", at("a", 2, 0)),
		f("4", "high", "Error ignored", nil),
		f("6", "high", "Error ignored", nil),
	}
	in[1].SuggestedFix = fix
	in[2].AdditionalLocations = []scanner.Location{*at("c", 1, 0), *at("a", 2, 2), *at("b", 4, 6)}

	got, groups := scanner.Merge(in)
	// Findings without a location are merged, but never with one that has a place.
	primary := f("1", "high", "Error ignored", at("a", 2, 0))
	primary.AdditionalLocations = []scanner.Location{*at("a", 9, 0), *at("c", 1, 0), *at("b", 4, 6)}
	want := []scanner.Finding{in[4], primary, in[0]}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
	wantGroups := []scanner.MergeGroup{
		{Primary: "4", Merged: []scanner.MergedFinding{{ID: "6"}}},
		{Primary: "1", Merged: []scanner.MergedFinding{
			{ID: "2", Location: at("a", 9, 0)},
			{ID: "3", Location: at("b", 4, 6), SuggestedFix: fix},
		}},
	}
	if d := cmp.Diff(wantGroups, groups); d != "" {
		t.Errorf("groups (-want +got):\n%s", d)
	}
	if len(in[3].AdditionalLocations) != 0 {
		t.Error("Merge changed its argument")
	}

	// The place c is related code.
	report := &scanner.SkillReport{Findings: got, MergeGroups: groups}
	wantPlaces := [][]scanner.Location{nil, {*at("a", 2, 0), *at("a", 9, 0), *at("b", 4, 6)}, {*at("z", 1, 0)}}
	if d := cmp.Diff(wantPlaces, report.Places(got)); d != "" {
		t.Errorf("places (-want +got):\n%s", d)
	}
}

// What different rules found is not merged, nor matches of a rule that are not equally
// certain.
func TestMergeOfRules(t *testing.T) {
	var in []scanner.Finding
	for i, rule := range []string{"s/a high", "s/a high", "s/a low", "s/b high", "s/b high", ""} {
		name, confidence, _ := strings.Cut(rule, " ")
		in = append(in, scanner.Finding{
			ID: fmt.Sprint(i), Severity: "high", Confidence: scanner.Confidence(confidence), Title: "Code from text", Rule: name,
			Location: &scanner.Location{Path: "a", StartLine: i + 1},
		})
	}
	got, groups := scanner.Merge(in)
	var ids []string
	for _, f := range got {
		ids = append(ids, f.ID)
	}
	if d := cmp.Diff([]string{"0", "3", "2", "5"}, ids); d != "" || len(groups) != 2 {
		t.Errorf("groups %+v, findings (-want +got):\n%s", groups, d)
	}
}

// TestMergeNoChaining shows that a finding joins a primary, not a member.
func TestMergeNoChaining(t *testing.T) {
	title := func(words ...string) string { return strings.Join(words, " ") }
	a := title("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
	b := title("a", "b", "c", "d", "e", "f", "g", "h", "i", "x")
	c := title("a", "b", "c", "d", "e", "f", "g", "h", "y", "x")
	in := []scanner.Finding{
		{ID: "1", Severity: "low", Title: a},
		{ID: "2", Severity: "low", Title: b},
		{ID: "3", Severity: "low", Title: c},
	}
	got, groups := scanner.Merge(in)
	if len(got) != 2 || got[0].ID != "1" || got[1].ID != "3" || len(groups) != 1 {
		t.Errorf("got %v, %v; want primaries 1 and 3", got, groups)
	}
}

// generate makes findings of which 20 % are near-duplicates of an earlier one.
func generate(n, vocabulary int, seed uint64) []scanner.Finding {
	r := rand.New(rand.NewPCG(seed, 7))
	text := func(n int) []string {
		words := make([]string, n)
		for i := range words {
			// The square makes some words common, as in real text.
			words[i] = "w" + strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(int(float64(vocabulary)*r.Float64()*r.Float64())))
		}
		return words
	}
	type texts struct{ title, desc []string }
	made := make([]texts, 0, n)
	findings := make([]scanner.Finding, n)
	for i := range findings {
		var tx texts
		if i > 0 && r.IntN(5) == 0 {
			old := made[r.IntN(len(made))]
			tx = texts{append([]string(nil), old.title...), append([]string(nil), old.desc...)}
			tx.desc[r.IntN(len(tx.desc))] = "changed"
		} else {
			tx = texts{text(4 + r.IntN(6)), text(15 + r.IntN(30))}
		}
		made = append(made, tx)
		findings[i] = scanner.Finding{
			ID:          fmt.Sprintf("%012x", i),
			Severity:    []scanner.Severity{scanner.SeverityHigh, scanner.SeverityMedium, scanner.SeverityLow}[r.IntN(3)],
			Confidence:  scanner.ConfidenceHigh,
			Title:       strings.Join(tx.title, " "),
			Description: strings.Join(tx.desc, " "),
			Location:    &scanner.Location{Path: fmt.Sprintf("dir/file%d.go", r.IntN(n/10+1)), StartLine: 1 + r.IntN(1000)},
		}
	}
	return findings
}

// BenchmarkFindings measures what is done to the findings of a skill.
func BenchmarkFindings(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		findings := generate(n, 20_000, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				merged, _ := scanner.Merge(scanner.Dedupe(findings))
				scanner.Limit(scanner.Filter(merged, scanner.ThresholdMedium, scanner.ThresholdLow), 1000)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/finding")
		})
	}
}
