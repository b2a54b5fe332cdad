package scanner_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// slowSkill returns a skill with one pattern that finds every "a", and 20 others
// that find nothing, and take about 10 microseconds for each byte.
func slowSkill() scanner.Skill {
	s := scanner.Skill{Name: "s"}
	for i := range 21 {
		p := scanner.Pattern{
			ID: fmt.Sprint("p", i), Regexp: regexp.MustCompile("(?:[a-z]?){900}Z"),
			Severity: scanner.SeverityLow, Confidence: scanner.ConfidenceLow, Title: "t", Description: "d",
		}
		if i == 0 {
			p.Regexp = regexp.MustCompile("a")
		}
		s.Patterns = append(s.Patterns, p)
	}
	return s
}

// lines returns a new file.
func lines(n int, line string) []diff.File {
	return []diff.File{{Path: "a.txt", Status: diff.Added, Mode: 0o100644, Hunks: []diff.Hunk{
		{NewStart: 1, NewLines: n, Body: strings.Repeat("+"+line+"\n", n)},
	}}}
}

// A chunk whose patterns take too long failed, and keeps what was found before.
func TestPatternsTooSlow(t *testing.T) {
	report, err := scanner.RunSkill(t.Context(), slowSkill(), lines(100, strings.Repeat("a", 60)),
		scanner.Options{PatternsOnly: true, Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if report.Chunks.Failed != 1 || report.Chunks.Total != 1 || len(report.Findings) == 0 {
		t.Errorf("chunks %+v, %d findings; want one failed chunk, and a finding", report.Chunks, len(report.Findings))
	}
}

// The end of the context also ends the matching of a long line.
func TestPatternsInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	report, err := scanner.RunSkill(ctx, slowSkill(), lines(1, strings.Repeat("a", 60<<10)), scanner.Options{PatternsOnly: true})
	if !errors.Is(err, context.DeadlineExceeded) || report == nil || report.Chunks.NotAnalyzed != 1 {
		t.Errorf("error %v, report %+v; want one chunk that was not analyzed", err, report)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}
