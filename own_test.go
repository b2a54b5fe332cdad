package scanner_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// TestOwnPipeline shows that a program that locates and identifies findings itself gets
// the report that a skill with the same findings has.
func TestOwnPipeline(t *testing.T) {
	files, err := diff.Parse([]byte("--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,6 @@\n package a\n+\n+func f() { exit(1) }\n func g() {\n+\texit(1)\n }\n"))
	if err != nil {
		t.Fatal(err)
	}
	rule := scanner.Pattern{ID: "exit", Regexp: regexp.MustCompile(`exit\(`), Severity: scanner.SeverityLow, Title: "Exits", Description: "It ends the program."}
	want, err := scanner.RunSkill(t.Context(), scanner.Skill{Name: "lint", Patterns: []scanner.Pattern{rule}}, files, scanner.Options{PatternsOnly: true})
	if err != nil {
		t.Fatal(err)
	}

	var found []scanner.Finding
	var texts []scanner.PlaceText
	for _, c := range (diff.Chunking{}).Plan(files[0], nil).Chunks {
		shown, err := c.Text()
		if err != nil {
			t.Fatal(err)
		}
		anchor := scanner.NewAnchor(&c, shown)
		for _, quote := range []string{"exit(1)\n}", "func f() { exit(1) }"} {
			line, _, ok := anchor.Locate(quote, 0, 0)
			if !ok {
				t.Fatalf("%q is not found", quote)
			}
			found = append(found, scanner.Finding{
				Severity: rule.Severity, Title: rule.Title, Description: rule.Description, Rule: "lint/exit",
				Location: &scanner.Location{Path: c.Path, StartLine: line},
			})
			texts = append(texts, anchor.Text(line))
		}
	}
	findings, places := scanner.AssignIDs("lint", found, texts)
	findings, groups := scanner.Merge(scanner.Dedupe(findings))
	got := &scanner.SkillReport{Findings: findings, MergeGroups: groups, PlaceHashes: places}
	if len(got.MergeGroups) != 1 {
		t.Errorf("groups %+v, want one", got.MergeGroups)
	}
	for _, d := range []string{cmp.Diff(got.Findings, want.Findings), cmp.Diff(got.MergeGroups, want.MergeGroups), cmp.Diff(got.PlaceHashes, want.PlaceHashes)} {
		if d != "" {
			t.Errorf("got (-), the skill has (+):\n%s", d)
		}
	}
}

func TestComplete(t *testing.T) {
	tests := map[string]struct {
		report   scanner.SkillReport
		complete bool
	}{
		"nothing to do":    {scanner.SkillReport{}, true},
		"analyzed":         {scanner.SkillReport{Chunks: scanner.ChunkCounts{Total: 2, Analyzed: 1, Cached: 1}}, true},
		"failed":           {scanner.SkillReport{FailedHunks: 1}, false},
		"answer not read":  {scanner.SkillReport{FailedExtractions: 1}, false},
		"left":             {scanner.SkillReport{Chunks: scanner.ChunkCounts{Total: 1, NotAnalyzed: 1}}, false},
		"shard is missing": {scanner.SkillReport{Shard: scanner.ShardReport{Missing: []int{2}}}, false},
	}
	for name, tt := range tests {
		run := scanner.NewRunReport([]*scanner.SkillReport{{}, &tt.report})
		if tt.report.Complete() != tt.complete || run.Complete() != tt.complete {
			t.Errorf("%s: report %v, run %v, want %v", name, tt.report.Complete(), run.Complete(), tt.complete)
		}
	}
	if run := (&scanner.RunReport{Stopped: errors.New("budget")}); run.Complete() {
		t.Error("a run that was stopped is complete")
	}
}
