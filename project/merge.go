package project

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/jsonl"
)

// ShardLog is the log of a run with [Options.Shard].
type ShardLog struct {
	*jsonl.Log
	Name string // in messages
}

// MergePlan makes one result of the logs of shards. Its fields must not be changed.
type MergePlan struct {
	// Meta is what the records of the result have in common: a new run that began with
	// the first shard.
	Meta   jsonl.Run
	Report *scanner.RunReport
}

// PlanMerge merges the logs of the shards of a run, in any order; see
// [scanner.MergeShards]. The logs may be those of runs that were cut short. Logs that do
// not belong together, or are not of shards, are errors of usage.
func PlanMerge(logs []ShardLog) (*MergePlan, error) {
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
	m := &MergePlan{Meta: jsonl.NewRun(begin, first.Run.Cwd), Report: report}
	m.Meta.HeadSHA, m.Meta.TraceID, m.Meta.Model = first.Run.HeadSHA, first.Run.TraceID, first.Run.Model
	return m, nil
}

// workflowRun returns the id of the workflow run of a trace id, without its attempt: a
// shard may be repeated.
func workflowRun(traceID string) string {
	id, _, _ := strings.Cut(traceID, "-")
	return id
}

// Run hands the merged reports to the sinks, as [Plan.Run] does with those of a run, by
// the policies in the logs. The error joins the first errors of the sinks.
func (m *MergePlan) Run(sinks ...scanner.Sink) (*Result, error) {
	policies := make(map[string]scanner.Policy)
	for _, report := range m.Report.Skills {
		policies[report.Skill] = report.Shard.Policy
	}
	r := &runner{
		scanOptions: scanner.Options{Policies: policies}, result: &Result{Report: m.Report},
		sinks: slices.Clone(sinks), sinkErrs: make([]error, len(sinks)),
	}
	for _, report := range m.Report.Skills {
		r.skill(report)
	}
	r.conclude()
	return r.result, errors.Join(r.sinkErrs...)
}
