package scanner

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// maxShards is the largest number of shards.
const maxShards = 1000

// Shard is a part of a run that is spread over several machines. Each file is in one
// shard, by a hash of its path, and is never split. The zero value is the whole run.
type Shard struct {
	// Index is the number of the shard, from 1 to Count, which is at most 1,000.
	Index int `json:"index,omitempty"`
	Count int `json:"count"`
	// Run identifies the run. [MergeShards] refuses shards in which it differs.
	Run string `json:"run,omitempty"`
}

// Validate returns an error for a shard that does not exist. That of the zero value
// is nil.
func (s Shard) Validate() error {
	switch {
	case s.Index == 0 && s.Count == 0:
		return nil
	case s.Count < 1 || s.Count > maxShards:
		return fmt.Errorf("shard %d of %d: want at most %d shards", s.Index, s.Count, maxShards)
	case s.Index < 1 || s.Index > s.Count:
		return fmt.Errorf("shard %d of %d: want a number from 1 to %[2]d", s.Index, s.Count)
	}
	return nil
}

// Has reports whether the file at a path is in the shard.
func (s Shard) Has(path string) bool {
	if s.Count <= 1 {
		return true
	}
	sum := sha256.Sum256([]byte(path))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.Count) == uint64(s.Index-1)
}

// ShardReport is what the report of a shard holds for [MergeShards], and what a merged
// report holds about its shards. It is zero in all other reports.
type ShardReport struct {
	// Shard is that of the Options. The Index of a merged report is 0.
	Shard
	// Policy is that of the Options for the skill. It has not been applied yet.
	Policy Policy `json:"policy,omitzero"`
	// PatternsOnly is that of the Options.
	PatternsOnly bool `json:"patternsOnly,omitempty"`
	// Missing are the shards that a merged report lacks.
	Missing []int `json:"missing,omitempty"`
	// Fails is set in the record of a merged report if its findings reach failOn.
	Fails bool `json:"fails,omitempty"`
}

// Incomplete describes in a few words which shards a merged report lacks; empty if it
// lacks none.
func (s *ShardReport) Incomplete() string {
	const shown = 20
	var names []string
	for _, index := range s.Missing[:min(len(s.Missing), shown)] {
		names = append(names, fmt.Sprint(index))
	}
	text := strings.Join(names, ", ")
	if more := len(s.Missing) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	switch len(s.Missing) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("shard %s of %d is missing", text, s.Count)
	default:
		return fmt.Sprintf("shards %s of %d are missing", text, s.Count)
	}
}

// MergeShards makes the report of a run from those of its shards, in any order. Each
// element holds the reports of one shard, as [Run] returned them or as they were
// recorded; one that was cut short may lack the last ones. What has to see all findings
// is done now, with the recorded policies: merging, sorting, and giving up duplicates of
// other skills. [Select] then applies the recorded policy of each skill, which
// SkillReport.Shard holds.
//
// Sums are those of the shards, durations the longest. The reports need not have counts
// of distinct chunks, so that of the run is the largest of a skill.
//
// If a shard or a report of it is missing, Stopped names it. A shard that is there twice
// or does not exist, and shards of different runs, skills or policies are errors.
func MergeShards(shards ...[]*SkillReport) (*RunReport, error) {
	shards = slices.Clone(shards)
	slices.SortStableFunc(shards, func(a, b []*SkillReport) int { return cmp.Compare(shardOf(a).Index, shardOf(b).Index) })
	if len(shards) == 0 {
		return nil, errors.New("no shards to merge")
	}
	longest := slices.MaxFunc(shards, func(a, b []*SkillReport) int { return cmp.Compare(len(a), len(b)) })
	if err := checkShards(shards, longest); err != nil {
		return nil, err
	}
	run, policies := new(RunReport), make(map[string]Policy)
	var missing string
	for i, first := range longest {
		policies[first.Skill] = first.Shard.Policy
		var parts []*SkillReport
		for _, reports := range shards {
			if i < len(reports) {
				parts = append(parts, reports[i])
			}
		}
		report := mergeParts(parts)
		dropDuplicates(report, run.Skills, policies)
		report.conclude()
		run.Skills = append(run.Skills, report)
		missing = cmp.Or(report.Shard.Incomplete(), missing) // those of a later skill are more
	}
	// A run has no report of a skill whose paths match no file.
	run.Skills = slices.DeleteFunc(run.Skills, func(r *SkillReport) bool {
		return len(r.Findings)+r.Chunks.Total+len(r.Shard.Missing) == 0 && !slices.ContainsFunc(r.SkippedFiles, func(f SkippedFile) bool {
			return f.Reason != string(diff.ReasonPaths)
		})
	})
	if missing != "" {
		run.Stopped = errors.New(missing)
	}
	run.count()
	return run, nil
}

// shardOf returns the shard of its reports; zero if there are none.
func shardOf(reports []*SkillReport) Shard {
	if len(reports) == 0 {
		return Shard{}
	}
	return reports[0].Shard.Shard
}

// checkShards returns an error unless the reports, sorted by shard, belong together.
// longest are those of the shard that has the most.
func checkShards(shards [][]*SkillReport, longest []*SkillReport) error {
	for i, reports := range shards {
		s, first := shardOf(reports), shardOf(shards[0])
		if err := s.Validate(); err != nil {
			return err
		}
		switch {
		case s.Count == 0:
			return errors.New("not the report of a shard")
		case s.Count != first.Count:
			return fmt.Errorf("shard %d of %d and shard %d of %d are parts of different runs", first.Index, first.Count, s.Index, s.Count)
		case s.Run != first.Run:
			return fmt.Errorf("shards %d and %d of %d are parts of different runs: of other skills or with other settings", first.Index, s.Index, s.Count)
		case i > 0 && s.Index == shardOf(shards[i-1]).Index:
			return fmt.Errorf("shard %d of %d is there twice", s.Index, s.Count)
		}
		for k, r := range reports {
			fail := func(what string) error {
				return fmt.Errorf("shard %d of %d: skill %q %s", s.Index, s.Count, r.Skill, what)
			}
			c := r.Chunks
			counts := []int{c.Total, c.Analyzed, c.Cached, c.Failed, c.NotAnalyzed, r.FailedHunks, r.FailedExtractions}
			switch {
			case slices.ContainsFunc(reports[:k], func(other *SkillReport) bool { return other.Skill == r.Skill }):
				return fail("is there twice")
			case r.Shard.Shard != s:
				return fail("is of another shard")
			case r.Skill != longest[k].Skill:
				return fail(fmt.Sprintf("is in the place of %q", longest[k].Skill))
			case r.Shard.Policy.Validate() != nil:
				return fail(fmt.Sprintf("has a wrong policy: %v", r.Shard.Policy.Validate()))
			case r.Shard.Policy != longest[k].Shard.Policy:
				return fail(fmt.Sprintf("has another policy than in shard %d", shardOf(longest).Index))
			case slices.Min(counts) < 0 || slices.Max(counts) > 1_000_000_000: // a log may hold any number
				return fail("has counts that no run has")
			}
		}
	}
	return nil
}

// mergeParts makes the report of a skill from those of shards, which are sorted.
func mergeParts(parts []*SkillReport) *SkillReport {
	first := parts[0].Shard
	report := &SkillReport{Skill: parts[0].Skill, PatternsOnly: first.PatternsOnly}
	report.Shard = ShardReport{Shard: Shard{Count: first.Count}, Policy: first.Policy, PatternsOnly: first.PatternsOnly}
	report.PlaceHashes = make(map[string]PlaceHash)
	var findings []Finding
	var discards discardList
	next := 1
	for _, p := range parts {
		for ; next < p.Shard.Index; next++ {
			report.Shard.Missing = append(report.Shard.Missing, next)
		}
		next++
		findings = append(findings, p.Findings...)
		report.Suppressed = append(report.Suppressed, p.Suppressed...)
		maps.Copy(report.PlaceHashes, p.PlaceHashes)
		discards.addAll(&discardList{p.Discarded, p.Discards})
		report.Redacted += p.Redacted
		report.Tools.Calls += p.Tools.Calls
		report.Tools.Problems += p.Tools.Problems
		report.Tools.Bytes += p.Tools.Bytes
		report.Duration = max(report.Duration, p.Duration)
		if p.Usage != nil {
			report.Usage = new(cmp.Or(report.Usage, new(Usage)).Add(*p.Usage))
		}
		for name, u := range p.AuxiliaryUsage {
			report.addAuxiliary(name, u)
		}
		if v := p.Verification; v != nil {
			sum := cmp.Or(report.Verification, new(Verification))
			report.Verification = &Verification{
				Checked: sum.Checked + v.Checked, Kept: sum.Kept + v.Kept, Lowered: sum.Lowered + v.Lowered,
				Failed: sum.Failed + v.Failed, Rejected: append(sum.Rejected, v.Rejected...),
				Refuted: append(sum.Refuted, v.Refuted...),
			}
		}
		report.Files = append(report.Files, p.Files...)
		report.SkippedFiles = append(report.SkippedFiles, p.SkippedFiles...)
		report.Notable = append(report.Notable, p.Notable...)
		report.Failures = append(report.Failures, p.Failures...)
		report.Left = append(report.Left, p.Left...)
		report.FailedHunks += p.FailedHunks
		report.FailedExtractions += p.FailedExtractions
		report.Chunks = report.Chunks.Add(p.Chunks)
		report.Model, report.Provider = cmp.Or(report.Model, p.Model), cmp.Or(report.Provider, p.Provider)
	}
	for ; next <= first.Count; next++ {
		report.Shard.Missing = append(report.Shard.Missing, next)
	}
	report.Discarded, report.Discards = discards.counts, discards.first
	byPath(report.Files, func(f FileReport) string { return f.Path })
	byPath(report.SkippedFiles, func(f SkippedFile) string { return f.Filename })
	byPath(report.Notable, func(n diff.Notable) string { return n.Path })
	byPath(report.Failures, func(f ChunkFailure) string { return f.Path })
	byPath(report.Left, func(f ChunkFailure) string { return f.Path })
	report.setFindings(Sort(Dedupe(findings)), nil)
	return report
}

func byPath[T any](list []T, path func(T) string) {
	slices.SortStableFunc(list, func(a, b T) int { return strings.Compare(path(a), path(b)) })
}

// NewRunReport returns the report of a run from those of its skills, as they were
// recorded. The counts of distinct chunks are not recorded, so that of the run is the
// largest of a skill.
func NewRunReport(skills []*SkillReport) *RunReport {
	r := &RunReport{Skills: skills}
	r.count()
	return r
}

// count sets the counts of the run, and the files that no skill looked at, from the
// reports of its skills.
func (r *RunReport) count() {
	seen := make(map[string]bool)
	for _, s := range r.Skills {
		r.Chunks = max(r.Chunks, s.Chunks.Total)
		for i := range s.Files {
			seen[s.Files[i].Path] = true
		}
	}
	r.Files = len(seen)
	for _, s := range r.Skills {
		for _, f := range s.SkippedFiles {
			if !seen[f.Filename] {
				seen[f.Filename] = true
				r.Skipped = append(r.Skipped, f)
			}
		}
	}
}
