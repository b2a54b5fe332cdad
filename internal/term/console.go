package term

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/provider"
)

// Event shows what happens during the run. Reports are shown by [Console.Skill].
func (c *Console) Event(e scanner.Event) {
	c.term.update(func() { c.progress.event(e, c.now()) })
	switch e := e.(type) {
	case scanner.EventPlanned:
		c.planned(e)
	case scanner.EventPrompt:
		c.prompt(e)
	case scanner.EventRetry:
		c.retry(e)
	case scanner.EventExtracted:
		c.Debugf("%s: extraction: method %s, %s", chunkName(e.Chunk), e.Method, format.Count(e.Findings, "finding", "findings"))
	case scanner.EventExchange:
		c.exchange(e)
	case scanner.EventChunk:
		c.chunk(e)
	case scanner.EventStopped:
		if !provider.EndsRun(e.Err) && !errors.Is(e.Err, context.Canceled) {
			c.Warn(Quiet, "stopped early: "+e.Err.Error())
		}
	}
}

func (c *Console) planned(e scanner.EventPlanned) {
	c.order = newOrder(e)
	c.skills = len(e.Skills)
	for _, s := range e.Skills {
		c.progress.total += s.Chunks
	}
	if c.level < Normal {
		return
	}
	if e.Chunks > 0 {
		c.term.print(c.view.plan(e.Files, e.Chunks))
	} else {
		c.Note(Normal, "No changes found")
	}
	var providers []string
	for _, s := range e.Skills {
		providers = append(providers, s.Provider.String())
	}
	if line := providerLine(providers); line != "" {
		c.Note(Normal, line)
	}
	if len(e.Skipped) > 0 {
		c.Note(Normal, skippedCount(e.Skipped))
	}
	for _, f := range e.Skipped {
		level := Verbose
		if f.Reason == string(diff.ReasonSecret) {
			level = Normal
		}
		c.skipped(level, f)
	}
	c.checkByHand(e.Notable)
	if e.Chunks > 0 {
		c.status(func(elapsed time.Duration) []string { return c.progress.parts(c.now(), elapsed, c.limited()) })
	}
}

// Skipped lists files that are not analyzed, with the reasons.
func (c *Console) Skipped(files []scanner.SkippedFile) {
	for _, f := range files {
		c.skipped(Normal, f)
	}
}

func (c *Console) skipped(at Verbosity, f scanner.SkippedFile) {
	c.Note(at, "Skipped "+skippedFile(f))
}

// checkByHand lists changes, those that were not listed before.
func (c *Console) checkByHand(changes []diff.Notable) {
	for _, n := range changes {
		if !slices.Contains(c.notable, n) {
			c.Note(Normal, "Check by hand: "+cleanPath(n.Path)+": "+n.What)
			c.notable = append(c.notable, n)
		}
	}
}

// status shows the parts of a status, and how they change: in the live area, where there
// can be one, or in a line from time to time.
func (c *Console) status(parts func(elapsed time.Duration) []string) {
	c.Close()
	started := c.now()
	elapsed := func() time.Duration { return c.now().Sub(started) }
	switch {
	case c.level < Normal:
	case c.live:
		c.stopStatus = c.term.show(func() []string { return c.area(elapsed(), parts(elapsed())) })
	default:
		c.stopStatus = c.term.every(progressInterval, func() {
			c.term.send(c.term.out, c.view.note("Progress: "+strings.Join(c.withWait(parts(elapsed())), ", ")))
		})
	}
}

// charsPerToken is the usual estimate for text and code.
const charsPerToken = 4

func (c *Console) prompt(e scanner.EventPrompt) {
	chars := e.SystemChars + e.UserChars
	c.Debugf("%s: prompt: system %d, user %d, total %d characters (~%s tokens)",
		chunkName(e.Chunk), e.SystemChars, e.UserChars, chars, format.Tokens(int64(chars/charsPerToken)))
	if e.Large {
		c.Warn(Normal, fmt.Sprintf("Large prompt: %s:%d-%d (~%dk tokens)",
			cleanPath(e.Chunk.Path), e.Chunk.StartLine, e.Chunk.EndLine, (chars/charsPerToken+500)/1000))
	}
}

func (c *Console) retry(e scanner.EventRetry) {
	if c.level >= Verbose {
		c.term.printErr(c.view.note(cleanLine(fmt.Sprintf("Retry attempt %d/%d after %.1fs (%s: %s)",
			e.Attempt, e.Max, e.Delay.Seconds(), errorName(e.Err), errorDetail(e.Err)))))
	}
	c.Debugf("%s: retry: attempt %d/%d, delay %dms", chunkName(e.Chunk), e.Attempt, e.Max, e.Delay.Milliseconds())
}

func (c *Console) chunk(e scanner.EventChunk) {
	if e.Outcome == scanner.OutcomeFailed {
		c.warnFailed(e)
	}
	if lost := len(e.Discards); lost > 1 && lost > len(e.Findings) {
		c.Warn(Normal, fmt.Sprintf("Most of an answer was discarded: %s:%d-%d (%s)", cleanPath(e.Chunk.Path), e.Chunk.StartLine, e.Chunk.EndLine, discardsText(e.Discards)))
	}
	c.Debugf("%s: cache: %d tokens read, %d tokens created", chunkName(e.Chunk), e.Usage.CacheReadInputTokens, e.Usage.CacheCreationInputTokens)
	c.Debugf("%s: chunk: %s, %s in / %s out, %s", chunkName(e.Chunk), format.Duration(e.Duration),
		format.Tokens(e.Usage.InputTokens), format.Tokens(e.Usage.OutputTokens), usageCost(e.Usage))
	if c.level >= Verbose && c.order != nil {
		c.files(c.order.add(e))
	}
}

// warnFailed shows why a chunk could not be analyzed: for every chunk, or, below
// verbose, once for each kind of failure. All are counted at the end, as are those after
// the breaker opened; an error that ends the run is that of the run.
func (c *Console) warnFailed(e scanner.EventChunk) {
	if errors.Is(e.Err, scanner.ErrBreaker) || provider.EndsRun(e.Err) {
		return
	}
	name := errorName(e.Err)
	if c.level < Verbose && c.failures[name] {
		return
	}
	c.failures[name] = true
	if errors.Is(e.Err, scanner.ErrExtraction) {
		c.Warn(Normal, fmt.Sprintf("The answer about %s:%d-%d could not be read (%s): %s",
			cleanPath(e.Chunk.Path), e.Chunk.StartLine, e.Chunk.EndLine, errorDetail(e.Err), e.Unread))
		return
	}
	c.Warn(Normal, fmt.Sprintf("Analysis failed after %d retries: %s (%s:%d-%d: %s)", e.Retries, name,
		cleanPath(e.Chunk.Path), e.Chunk.StartLine, e.Chunk.EndLine, errorDetail(e.Err)))
	if p, ok := errors.AsType[*provider.Error](e.Err); ok && p.Hint != "" && !c.hints[p.Hint] {
		c.hints[p.Hint] = true
		c.Hint(Normal, p.Hint)
	}
}

func (c *Console) files(files []*orderedFile) {
	for _, f := range files {
		if f.first && c.skills > 1 {
			c.term.print(c.view.skill(f.skill))
		}
		c.term.print(c.view.file(f))
	}
}

// Skill shows the findings of a skill.
func (c *Console) Skill(report *scanner.SkillReport, sel scanner.Selection) error {
	c.fit()
	c.counts = c.counts.Add(scanner.CountSeverities(sel.Shown))
	c.hidden = c.hidden.Add(sel.Hidden)
	c.suppressed = append(c.suppressed, report.Suppressed...)
	c.failsHidden = c.failsHidden || sel.FailsHidden
	c.checkByHand(report.Notable)
	for i := range report.Suppressed {
		c.Note(Verbose, suppressedFinding(&report.Suppressed[i]))
	}
	if c.level < Normal || len(sel.Shown) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(c.view.findings(report.Skill))
	for i, places := range report.Places(sel.Shown) {
		b.WriteString(c.view.finding(&sel.Shown[i], places, report.Skill))
	}
	if c.live { // until the live area is gone
		c.report += b.String()
		return nil
	}
	c.term.print(b.String())
	return nil
}

// fit adapts the width of the report to that of the terminal, which may have changed.
func (c *Console) fit() {
	if !c.live {
		return
	}
	if columns, _ := c.size(); columns > 0 {
		c.view.(*rich).width = textWidth(columns)
	}
}

// Finish shows what the run did not analyze, and the summary. The error is the
// first failure to write the report.
func (c *Console) Finish(run *scanner.RunReport) error {
	c.Close()
	c.fit()
	if c.level >= Verbose && c.order != nil {
		c.files(c.order.rest())
	}
	c.term.print(c.report)
	for _, line := range withheld(run) {
		c.Note(Verbose, line)
	}
	s := summary{
		counts: c.counts, hidden: c.hidden, suppressed: c.suppressed,
		discarded: discarded(run), usage: totalUsage(run.Skills), duration: run.Duration, offline: patternsOnly(run),
	}
	for _, r := range run.Skills {
		s.providers = append(s.providers, r.Provider.String())
		s.chunks = s.chunks.Add(r.Chunks)
	}
	if c.fixes != nil && run.Chunks > 0 {
		outcomes := fixOutcomes(run)
		for _, line := range c.fixes.details(outcomes) {
			c.Note(Verbose, line)
		}
		s.fixes = c.fixes.lines(outcomes)
		s.fixesMissing = c.fixes.missing(outcomes)
	}
	switch {
	case c.level == Quiet:
		c.term.print(s.quiet(c.failsHidden))
	case run.Chunks > 0, c.counts.Total()+len(c.suppressed) > 0: // otherwise "No changes found" was shown
		c.term.print(c.view.summary(&s))
	}
	c.incomplete(run)
	return c.Err()
}

// Err returns the first failure to write the report; nil if there was none.
func (c *Console) Err() error {
	if err := c.term.outErr(); err != nil {
		return fmt.Errorf("write the report: %w", dotdir.Cause(err))
	}
	return nil
}

// incomplete warns of what was not analyzed, with the reasons. It does at every
// verbosity, so that a report never looks complete when it is not.
func (c *Console) incomplete(run *scanner.RunReport) {
	var hunks, extractions, left int
	reasons := make(map[string]int)
	for _, r := range run.Skills {
		hunks += r.FailedHunks
		extractions += r.FailedExtractions
		left += r.Chunks.NotAnalyzed
		for _, f := range r.Failures {
			if f.Reason != scanner.ErrExtraction.Error() {
				reasons[f.Reason]++
			}
		}
	}
	if hunks > 0 {
		msg := fmt.Sprintf("%d chunks failed to analyze", hunks)
		if len(reasons) > 0 {
			msg += " (" + countReasons(reasons, nil) + ")"
		}
		c.Warn(Quiet, msg)
	}
	if extractions > 0 {
		c.Warn(Quiet, fmt.Sprintf("%d finding extractions failed", extractions))
	}
	switch {
	case errors.Is(run.Stopped, context.Canceled):
		c.Warn(Quiet, fmt.Sprintf("interrupted: %d chunks not analyzed", left))
	case left > 0:
		c.Warn(Quiet, fmt.Sprintf("%d chunks not analyzed", left))
	}
}
