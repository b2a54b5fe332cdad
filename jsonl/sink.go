package jsonl

import (
	"time"

	"github.com/codescan-dev/scanner"
)

// Sink writes the records of a run as its skills end, and then its summary.
type Sink struct {
	run      Run
	w        interface{ Write(Record) error }
	discards bool
	records  []*SkillRecord
}

var _ scanner.Sink = (*Sink)(nil)

// SinkOptions configure a [Sink].
type SinkOptions struct {
	// Discards adds the texts of discarded findings to metadata.discards.
	Discards bool
}

// NewSink returns a Sink for the records of a run that began at run.Timestamp. It
// writes to w, for instance a [*Writer] or a [*File], and closes nothing.
func NewSink(w interface{ Write(Record) error }, run Run, opts SinkOptions) *Sink {
	return &Sink{run: run, w: w, discards: opts.Discards}
}

// Skill writes the record of a skill.
func (s *Sink) Skill(report *scanner.SkillReport, sel scanner.Selection) error {
	// The clock may have been set back.
	elapsed := max(0, time.Since(s.run.Timestamp.Time))
	rec := FromReport(s.run.WithDuration(elapsed), report, sel)
	if s.discards {
		rec.Metadata.Discards = report.Discards
	}
	if err := s.w.Write(rec); err != nil {
		return err
	}
	s.records = append(s.records, rec)
	return nil
}

// Finish writes the summary record.
func (s *Sink) Finish(run *scanner.RunReport) error {
	whole := s.run.WithDuration(run.Duration)
	for _, rec := range s.records {
		// The run is not shorter than the time at which a record was made, which
		// is measured from a timestamp in whole milliseconds.
		whole.DurationMs = max(whole.DurationMs, rec.Run.DurationMs)
	}
	return s.w.Write(NewSummary(whole, run.Skipped, s.records...))
}
