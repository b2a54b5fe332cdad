package project

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/match"
	"github.com/codescan-dev/scanner/jsonl"
)

// ShardLog is the log of a run with [Options.Shard].
type ShardLog struct {
	*jsonl.Log
	Name string // in messages
}

// LogPlan is a result that is made of logs. Its fields must not be changed.
type LogPlan struct {
	// Meta is what the records of the result have in common: a new run that began with
	// the first log.
	Meta   jsonl.Run
	Report *scanner.RunReport
	// Policies are those of the skills, by name.
	Policies map[string]scanner.Policy
}

// newLogPlan returns the plan of a report that began at a time.
func newLogPlan(report *scanner.RunReport, begin time.Time, run jsonl.Run) *LogPlan {
	m := &LogPlan{Meta: jsonl.NewRun(begin, run.Cwd), Report: report, Policies: make(map[string]scanner.Policy)}
	m.Meta.HeadSHA, m.Meta.TraceID, m.Meta.Model = run.HeadSHA, run.TraceID, run.Model
	return m
}

// PlanReport makes the result of a log again, of which name is for messages. The
// thresholds are those that the log has recorded, where flags do not override them. What
// a threshold has hidden then is not in the log: it is counted, and not shown.
func PlanReport(log *jsonl.Log, name string, flags config.Flags) (*LogPlan, error) {
	var reports []*scanner.SkillReport
	for _, rec := range log.Skills {
		switch {
		case rec.Run.RunID != log.Run.RunID:
			return nil, usagef("log %q: holds several runs", name)
		case rec.Metadata.Shard.Index > 0:
			return nil, WithHint(usagef("log %q: is that of a shard", name), "scanner merge makes a report of all shards")
		}
		reports = append(reports, rec.Report())
	}
	report := scanner.NewRunReport(reports)
	report.Duration = log.TotalDuration
	if log.Summary == nil {
		report.Stopped = errors.New("the log has no end: the run was cut short")
	}
	m := newLogPlan(report, log.Run.Timestamp.Time, log.Run)
	for _, rec := range log.Skills {
		policy := rec.Metadata.Policy
		if err := policy.Validate(); err != nil {
			return nil, usagef("log %q: policy of skill %q: %w", name, rec.Skill, err)
		}
		m.Policies[rec.Skill] = flags.Override(policy)
	}
	return m, nil
}

// PlanMerge merges the logs of the shards of a run, in any order; see
// [scanner.MergeShards]. The logs may be those of runs that were cut short. Logs that do
// not belong together, or are not of shards, are errors of usage.
func PlanMerge(logs []ShardLog) (*LogPlan, error) {
	if len(logs) == 0 {
		return nil, usagef("no logs to merge")
	}
	var shards [][]*scanner.SkillReport
	var begin, end time.Time
	var cut []string
	first := &logs[0]
	for i := range logs {
		l := &logs[i]
		switch {
		case len(l.Skills) == 0 || l.Skills[0].Metadata.Shard.Index == 0:
			return nil, WithHint(usagef("log %q: not the log of a shard", l.Name), "--shard=1/8 makes one")
		case l.Run.HeadSHA != first.Run.HeadSHA:
			return nil, usagef("log %q is of commit %.12q, log %q of %.12q", l.Name, l.Run.HeadSHA, first.Name, first.Run.HeadSHA)
		case workflowRun(l.Run.TraceID) != workflowRun(first.Run.TraceID):
			return nil, usagef("log %q is of the workflow run %q, log %q of %q", l.Name, l.Run.TraceID, first.Name, first.Run.TraceID)
		}
		var reports []*scanner.SkillReport
		for _, rec := range l.Skills {
			if rec.Run.RunID != l.Run.RunID {
				return nil, usagef("log %q: holds several runs", l.Name)
			}
			reports = append(reports, rec.Report())
		}
		shards = append(shards, reports)
		if l.Summary == nil {
			cut = append(cut, l.Name)
		}
		start := l.Run.Timestamp.Time
		stop := start.Add(l.TotalDuration)
		if i == 0 || start.Before(begin) {
			begin = start
		}
		if stop.After(end) {
			end = stop
		}
	}
	report, err := scanner.MergeShards(shards...)
	if err != nil {
		return nil, usagef("logs of shards: %w", err)
	}
	if len(cut) > 0 {
		report.Stopped = cmp.Or(report.Stopped, errors.New("the runs of these logs were cut short: "+quotePaths(cut)))
	}
	report.Duration = end.Sub(begin)
	m := newLogPlan(report, begin, first.Run)
	for _, r := range report.Skills {
		m.Policies[r.Skill] = r.Shard.Policy
	}
	return m, nil
}

// Unchanged returns the working tree without the files in which a finding of the reports
// is not on the line on which it was: those have been edited since. It has no credential
// files: anyone may have written a log, and chosen what is shown.
func (m *LogPlan) Unchanged(p *Project) fs.FS {
	lines := make(map[string]map[int]string) // hashes of lines by path and number
	for _, r := range m.Report.Skills {
		for i := range r.Findings {
			l := r.Findings[i].Location
			if l == nil || diff.IsCredentialFile(l.Path) {
				continue
			}
			if lines[l.Path] == nil {
				lines[l.Path] = make(map[int]string)
			}
			lines[l.Path][l.StartLine] = r.PlaceHashes[r.Findings[i].ID].Line
		}
	}
	v := &verifiedFS{tree: p.tree.FS(), agrees: make(map[string]func([]byte) bool)}
	for path, hashes := range lines {
		var once sync.Once
		var same bool
		v.agrees[path] = func(data []byte) bool {
			once.Do(func() { same = hasLines(data, hashes) })
			return same
		}
	}
	return v
}

// hasLines reports whether data has lines with the hashes, by number.
func hasLines(data []byte, hashes map[int]string) bool {
	n, found := 0, 0
	for line := range bytes.Lines(data) {
		n++
		if hash, ok := hashes[n]; ok {
			if hash != match.Line(strings.TrimSuffix(string(line), "\n")) {
				return false
			}
			found++
		}
	}
	return found == len(hashes)
}

// workflowRun returns the id of the workflow run of a trace id, without its attempt: a
// shard may be repeated.
func workflowRun(traceID string) string {
	id, _, _ := strings.Cut(traceID, "-")
	return id
}

// Run hands the reports to the sinks, as [Plan.Run] does with those of a run. The error
// joins the first errors of the sinks.
func (m *LogPlan) Run(sinks ...scanner.Sink) (*Result, error) {
	r := &runner{
		scanOptions: scanner.Options{Policies: m.Policies}, result: &Result{Report: m.Report},
		sinks: slices.Clone(sinks), sinkErrs: make([]error, len(sinks)),
	}
	for _, report := range m.Report.Skills {
		r.skill(report)
	}
	r.conclude()
	return r.result, errors.Join(r.sinkErrs...)
}
