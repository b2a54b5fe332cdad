package scanner_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/provider"
)

// TestMergeShards: the merged reports of shards equal the report of the whole run:
// with similar findings in several shards, duplicates between skills, findings below
// thresholds, limits and failOn.
func TestMergeShards(t *testing.T) {
	seen := make(map[string]int)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		var files []diff.File
		for i := range r.IntN(60) {
			files = append(files, added(fmt.Sprintf("f%02d.go", i), 1, 41+r.IntN(9)))
		}
		files = append(files, diff.File{Path: "gone.go", Status: diff.Deleted}, diff.File{Path: "img/x.png", Status: diff.Added, Binary: true})
		skills := append(twoSkills(), scanner.Skill{Name: "nothing to do", Instructions: "x", Paths: []string{"none/**"}})
		skills[1].IgnorePaths = []string{"f?1.go"}
		threshold := func() scanner.Threshold {
			return []scanner.Threshold{"", "", "high", "medium", "low", "off"}[r.IntN(6)]
		}
		opts := scanner.Options{Provider: asker(plausible(seed)), Policies: make(map[string]scanner.Policy), Verify: seed%3 == 0}
		for i := range skills {
			opts.Policies[skills[i].Name] = scanner.Policy{
				ReportOn: threshold(), MinConfidence: threshold(), FailOn: threshold(), MaxFindings: r.IntN(3) * r.IntN(30),
			}
		}
		want := runShards(t, skills, files, opts, 0)[0]

		n := 1 + r.IntN(12)
		if seed < 10 {
			n = 8
		}
		shards := runShards(t, skills, files, opts, n)
		reports := make([][]*scanner.SkillReport, n)
		for i, k := range r.Perm(n) {
			reports[k] = recorded(t, shards[i])
		}
		got, err := scanner.MergeShards(reports...)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ignored := cmp.Options{
			cmpopts.IgnoreFields(scanner.RunReport{}, "Duration", "Chunks"),
			cmpopts.IgnoreFields(scanner.SkillReport{}, "Duration", "Shard", "Discards"), // the first ones are others
			cmpopts.IgnoreFields(scanner.FileReport{}, "Duration", "Chunks", "Status"),
			cmpopts.IgnoreFields(scanner.Finding{}, "ElapsedMs"),
			cmpopts.EquateEmpty(),
			cmpopts.SortSlices(func(a, b scanner.Rejection) bool { return a.ID < b.ID }),
		}
		if d := cmp.Diff(got, want, ignored); d != "" {
			t.Fatalf("seed %d, %d shards (-merged +whole):\n%s", seed, n, d)
		}
		for i, report := range got.Skills {
			if v := report.Verification; v != nil {
				seen["rejected"] += len(v.Rejected)
			}
			seen["merged"] += len(report.MergeGroups)
			seen["duplicates"] += len(report.Duplicates)
			seen["skipped"] += len(report.SkippedFiles)
			policy := opts.Policies[report.Skill]
			if report.Shard.Policy != policy {
				t.Errorf("seed %d: policy %+v, want %+v", seed, report.Shard.Policy, policy)
			}
			sel := selection(report, report.Shard.Policy)
			seen["hidden"] += sel.Hidden.MaxFindings.Total()
			if sel.Fails {
				seen["fails"]++
			}
			if d := cmp.Diff(sel, selection(want.Skills[i], policy), ignored); d != "" {
				t.Errorf("seed %d: selected (-merged +whole):\n%s", seed, d)
			}
		}
	}
	for _, what := range []string{"rejected", "merged", "duplicates", "skipped", "hidden", "fails"} {
		if seen[what] == 0 {
			t.Errorf("no run had this: %s", what)
		}
	}
}

// TestShardsOfTheSameRun: what is not one whole run is refused by name, or is incomplete.
func TestShardsOfTheSameRun(t *testing.T) {
	files := []diff.File{added("a.go", 1), added("b.go", 1), added("c.go", 1)}
	opts := scanner.Options{Provider: asker(plausible(1)), Policies: map[string]scanner.Policy{"one": {FailOn: "high"}}}
	tests := []struct {
		name   string
		change func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport
		err    string
		stop   string
	}{
		{"none", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport { return nil }, "no shards to merge", ""},
		{"all", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport { return s }, "", ""},
		{"files that are not listed", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			for _, reports := range s {
				for _, r := range reports {
					r.Files = nil
				}
			}
			return s
		}, "", ""},
		{"one missing", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport { return s[1:] }, "", "shard 1 of 4 is missing"},
		{"two missing", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport { return s[1:3] }, "", "shards 1, 4 of 4 are missing"},
		{"one cut short", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport { s[2] = s[2][:1]; return s }, "", "shard 3 of 4 is missing"},
		{"one empty", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport { s[2] = nil; return s }, "not the report of a shard", ""},
		{"one twice", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport { return append(s, s[2]) }, "shard 3 of 4 is there twice", ""},
		{"other count", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			for _, r := range s[1] {
				r.Shard.Count = 5
			}
			return s
		}, "shard 1 of 4 and shard 2 of 5 are parts of different runs", ""},
		{"other run", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			for _, r := range s[3] {
				r.Shard.Run = "other"
			}
			return s
		}, "shards 1 and 4 of 4 are parts of different runs: of other skills or with other settings", ""},
		{"other policy", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			s[1][0].Shard.Policy.FailOn = "low"
			return s
		}, `shard 2 of 4: skill "one" has another policy than in shard 1`, ""},
		{"no such policy", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			s[0][0].Shard.Policy.FailOn = "huge"
			return s
		}, `shard 1 of 4: skill "one" has a wrong policy: FailOn is "huge"`, ""},
		{"other skill", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport { s[1][1].Skill = "three"; return s }, `shard 2 of 4: skill "three" is in the place of "two"`, ""},
		{"skill twice", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			s[0] = append(s[0], s[0][0])
			return s
		}, `shard 1 of 4: skill "one" is there twice`, ""},
		{"mixed", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport { s[0][1] = s[1][1]; return s }, `shard 1 of 4: skill "two" is of another shard`, ""},
		{"no such shard", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			for _, r := range s[0] {
				r.Shard.Index = 5
			}
			return s
		}, "shard 5 of 4: want a number from 1 to 4", ""},
		{"huge count", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			for _, r := range s[0] {
				r.Shard.Count = 1 << 40
			}
			return s
		}, "want at most 1000 shards", ""},
		{"huge counts", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			s[0][0].Chunks.Failed = math.MaxInt
			return s
		}, `shard 1 of 4: skill "one" has counts that no run has`, ""},
		{"negative counts", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			s[3][0].Chunks.NotAnalyzed = -1
			return s
		}, `shard 4 of 4: skill "one" has counts that no run has`, ""},
		{"merged before", func(s [][]*scanner.SkillReport) [][]*scanner.SkillReport {
			run, err := scanner.MergeShards(s...)
			if err != nil {
				t.Fatal(err)
			}
			return [][]*scanner.SkillReport{run.Skills}
		}, "shard 0 of 4: want a number", ""},
		{"unsplit", func([][]*scanner.SkillReport) [][]*scanner.SkillReport {
			return [][]*scanner.SkillReport{runShards(t, twoSkills(), files, opts, 0)[0].Skills}
		}, "not the report of a shard", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var reports [][]*scanner.SkillReport
			for _, s := range runShards(t, twoSkills(), files, opts, 4) {
				reports = append(reports, recorded(t, s))
			}
			run, err := scanner.MergeShards(tt.change(reports)...)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			stop := ""
			if run.Stopped != nil {
				stop = run.Stopped.Error()
			}
			if len(run.Skills) != 2 {
				t.Fatalf("%d reports, want 2", len(run.Skills))
			}
			last := run.Skills[1]
			if stop != tt.stop || tt.stop != "" && !strings.Contains(last.Summary, "incomplete: "+stop) {
				t.Errorf("stopped by %q, summary %q, want %q", stop, last.Summary, tt.stop)
			}
		})
	}
}

// plausible answers with findings of a few kinds, which depend on the request alone.
func plausible(seed uint64) func(context.Context, provider.Request) (provider.Response, error) {
	titles := []string{"Query built from input", "Race on the map", "Error is dropped", "Error is dropped here"}
	return func(_ context.Context, req provider.Request) (provider.Response, error) {
		h := seed
		for _, b := range []byte(user(req)) {
			h = h*31 + uint64(b)
		}
		r := rand.New(rand.NewPCG(h, 1))
		resp := answer(nothing)
		if strings.Contains(req.System, "verdict") {
			v := []string{"keep", "lower", "reject"}[r.IntN(3)]
			return answer(findings(fmt.Sprintf(`{"number":1,"verdict":%q,"severity":"low","confidence":"low","reason":"because"}`, v))), nil
		}
		var list []string
		for range r.IntN(4) {
			list = append(list, finding([]string{"high", "medium", "low"}[r.IntN(3)], titles[r.IntN(len(titles))], "", 1+r.IntN(4)))
		}
		if len(list) > 0 {
			resp = answer(findings(list...))
		}
		return resp, nil
	}
}

// runShards returns the reports of the n shards of a run; with n = 0, that of the
// whole run.
func runShards(t *testing.T, skills []scanner.Skill, files []diff.File, opts scanner.Options, n int) []*scanner.RunReport {
	t.Helper()
	var all []*scanner.RunReport
	for i := range max(1, n) {
		if n > 0 {
			opts.Shard = scanner.Shard{Index: i + 1, Count: n, Run: "r"}
		}
		report, err := scanner.Run(t.Context(), skills, files, opts)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, report)
	}
	return all
}

// recorded returns the reports as they are read from a log.
func recorded(t *testing.T, run *scanner.RunReport) []*scanner.SkillReport {
	t.Helper()
	var b bytes.Buffer
	sink := jsonl.NewSink(jsonl.NewWriter(&b), jsonl.NewRun(time.Now(), "/x"), jsonl.SinkOptions{Discards: true})
	for _, r := range run.Skills {
		if err := sink.Skill(r, selection(r, scanner.Policy{ReportOn: "off"})); err != nil {
			t.Fatal(err)
		}
	}
	log, err := jsonl.ReadAll(&b)
	if err != nil {
		t.Fatal(err)
	}
	var reports []*scanner.SkillReport
	for _, rec := range log.Skills {
		reports = append(reports, rec.Report())
	}
	return reports
}

// TestShardReadsItsFiles: each file is read in one shard, and every skill has a report
// even where there are more shards than files.
func TestShardReadsItsFiles(t *testing.T) {
	const n = 9
	var mu sync.Mutex
	read := make(map[string]int)
	var files []diff.File
	for i := range 5 {
		path := fmt.Sprintf("dir/%d.go", i)
		files = append(files, diff.File{Path: path, Status: diff.Added, Mode: 0o100644, Load: func() ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			read[path]++
			return []byte("package p\n"), nil
		}})
	}
	opts := scanner.Options{PatternsOnly: true, Concurrency: 1}
	for i := range n {
		clear(read)
		opts.Shard = scanner.Shard{Index: i + 1, Count: n}
		run, err := scanner.Run(t.Context(), twoSkills(), files, opts)
		if err != nil {
			t.Fatal(err)
		}
		if len(run.Skills) != 2 || len(run.Skills[0].Files) != len(read) {
			t.Errorf("shard %d: %d reports, want 2; %d files of %v that were read", i+1, len(run.Skills), len(run.Skills[0].Files), read)
		}
		for path := range read {
			if !opts.Shard.Has(path) {
				t.Errorf("shard %d read %s", i+1, path)
			}
		}
	}
	var sizes [8]int
	for i := range 8000 {
		for k := range sizes {
			if (scanner.Shard{Index: k + 1, Count: len(sizes)}).Has(fmt.Sprintf("pkg/file%d.go", i)) {
				sizes[k]++
			}
		}
	}
	total := 0
	for _, size := range sizes {
		total += size
		if size < 800 || size > 1200 {
			t.Errorf("the shards have %v files", sizes)
		}
	}
	if total != 8000 {
		t.Errorf("the shards have %v files, want 8000 in all", sizes)
	}
}
