package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/provider"
)

// console follows a run and shows it at one verbosity. Its methods must be
// called one at a time.
type console struct {
	term  *terminal
	view  view
	level verbosity
	// live shows the status line while chunks are analyzed.
	live  bool
	width func() int // of the terminal, for the status line
	now   func() time.Time

	skills     int // that have something to look at
	order      *order
	progress   progress
	stopStatus func()
	failures   map[string]bool // the kinds of failure that were shown
	hints      map[string]bool // what was said that can be done about them
	fixes      *fixReport      // what became of suggested fixes; nil: they are not asked for
}

// open shows what is shown before anything is known.
func (c *console) open(version string) {
	if c.level >= normal {
		c.term.print(c.view.opening(version))
	}
}

func (c *console) note(at verbosity, msg string) {
	if c.level >= at {
		c.term.print(c.view.note(msg))
	}
}

func (c *console) warn(at verbosity, msg string) {
	if c.level >= at {
		c.term.printErr(c.view.warning(msg))
	}
}

func (c *console) debugf(format string, args ...any) {
	if c.level >= debug {
		c.term.printErr(c.view.debug(cleanLine(fmt.Sprintf(format, args...))))
	}
}

// event shows what happens while the run is on. The reports of skills need their
// policies and go to [console.skill].
func (c *console) event(e scanner.Event) {
	switch e := e.(type) {
	case scanner.EventPlanned:
		c.planned(e)
	case scanner.EventPrompt:
		c.prompt(e)
	case scanner.EventRetry:
		c.retry(e)
	case scanner.EventExtracted:
		c.debugf("%s: extraction: method %s, %s", refName(e.Chunk), e.Method, plural(e.Findings, "finding"))
	case scanner.EventChunk:
		c.chunk(e)
	case scanner.EventStopped:
		if provider.KindOf(e.Err) != provider.KindAuth && !errors.Is(e.Err, context.Canceled) {
			c.warn(quiet, "stopped early: "+cleanLine(e.Err.Error()))
		}
	}
}

func (c *console) planned(e scanner.EventPlanned) {
	c.order = newOrder(e)
	c.skills = len(e.Skills)
	for _, s := range e.Skills {
		c.progress.total += s.Chunks
	}
	if c.level < normal {
		return
	}
	if e.Chunks > 0 {
		c.term.print(c.view.plan(e.Files, e.Chunks))
	} else {
		c.term.print(c.view.note(noChanges))
	}
	c.skipped(e.Skipped)
	if c.live && e.Chunks > 0 {
		started := c.now()
		c.stopStatus = c.term.start(func() string { return c.progress.line(c.now().Sub(started), c.width()) })
	}
}

// noChanges is said of a scan that has nothing to look at.
const noChanges = "No changes found"

// skipped tells which files nobody looks at: how many for which reason, or each.
func (c *console) skipped(files []scanner.SkippedFile) {
	if len(files) == 0 {
		return
	}
	c.note(normal, skippedCount(files))
	for _, f := range files {
		c.note(verbose, "Skipped "+skippedFile(f))
	}
}

func (c *console) prompt(e scanner.EventPrompt) {
	chars := e.SystemChars + e.UserChars
	c.debugf("%s: prompt: system %d, user %d, total %d characters (~%s tokens)",
		refName(e.Chunk), e.SystemChars, e.UserChars, chars, format.Tokens(int64(chars/charsPerToken)))
	if e.Large {
		c.warn(normal, fmt.Sprintf("Large prompt: %s:%d-%d (~%dk tokens)",
			cleanPath(e.Chunk.Path), e.Chunk.StartLine, e.Chunk.EndLine, (chars/charsPerToken+500)/1000))
	}
}

// charsPerToken is the usual estimate for text and code.
const charsPerToken = 4

func (c *console) retry(e scanner.EventRetry) {
	if c.level >= verbose {
		c.term.printErr(c.view.note(fmt.Sprintf("Retry attempt %d/%d after %.1fs (%s)",
			e.Attempt, e.Max, e.Delay.Seconds(), cleanLine(errorText(e.Err)))))
	}
	c.debugf("%s: retry: attempt %d/%d, delay %dms", refName(e.Chunk), e.Attempt, e.Max, e.Delay.Milliseconds())
}

func (c *console) chunk(e scanner.EventChunk) {
	c.term.update(func() { c.progress.add(e) })
	if e.Outcome == scanner.OutcomeFailed {
		c.warnFailed(e)
	}
	c.debugf("%s: cache: %d tokens read, %d tokens created", refName(e.Chunk), e.Usage.CacheReadInputTokens, e.Usage.CacheCreationInputTokens)
	s := summary{usage: e.Usage}
	c.debugf("%s: chunk: %s, %s in / %s out, %s", refName(e.Chunk), format.Duration(e.Duration),
		format.Tokens(e.Usage.InputTokens), format.Tokens(e.Usage.OutputTokens), s.cost())
	if c.level >= verbose && c.order != nil {
		c.files(c.order.add(e))
	}
}

// warnFailed tells why a chunk could not be analyzed: of every chunk, or, below
// verbose, once for each kind of failure. Failed extractions and what the breaker
// left are counted at the end, refused credentials are the error of the run.
func (c *console) warnFailed(e scanner.EventChunk) {
	if errors.Is(e.Err, scanner.ErrExtraction) || errors.Is(e.Err, scanner.ErrBreaker) || provider.KindOf(e.Err) == provider.KindAuth {
		return
	}
	name := errorName(e.Err)
	if c.level < verbose && c.failures[name] {
		return
	}
	if c.failures == nil {
		c.failures = make(map[string]bool)
	}
	c.failures[name] = true
	c.warn(normal, fmt.Sprintf("Analysis failed after %d retries: %s (%s:%d-%d: %s)", e.Retries, name,
		cleanPath(e.Chunk.Path), e.Chunk.StartLine, e.Chunk.EndLine, cleanLine(errorDetail(e.Err))))
	if hint := hintOf(e.Err); hint != "" && c.level >= normal && !c.hints[hint] {
		if c.hints == nil {
			c.hints = make(map[string]bool)
		}
		c.hints[hint] = true
		c.term.printErr(c.view.note("hint: " + cleanLine(hint)))
	}
}

func (c *console) files(files []*orderedFile) {
	for _, f := range files {
		if f.first && c.skills > 1 {
			c.term.print(c.view.skill(f.skill))
		}
		c.term.print(c.view.file(f))
	}
}

// skill shows the findings of a skill.
func (c *console) skill(report *scanner.SkillReport, sel scanner.Selection) {
	if c.level < normal || len(sel.Shown) == 0 {
		return
	}
	text := c.view.findings(report.Skill)
	for i := range sel.Shown {
		text += c.view.finding(&sel.Shown[i], report.Skill)
	}
	c.term.print(text)
}

// close removes the status line. It may be called at any time, more than once.
func (c *console) close() {
	if c.stopStatus != nil {
		c.stopStatus()
	}
}

// finish shows what is left to say when the run is over: what is missing from
// it, and the summary.
func (c *console) finish(run *scanner.RunReport, selected []scanner.Selection, interrupted bool) {
	c.close()
	if c.level >= verbose && c.order != nil {
		c.files(c.order.rest())
	}
	c.incomplete(run, interrupted)
	for _, line := range leftOut(run) {
		c.note(verbose, line)
	}
	s := summary{usage: totalUsage(run.Skills), duration: run.Duration, notAsked: patternsOnly(run)}
	failsHidden := false
	for _, sel := range selected {
		s.counts = s.counts.Add(scanner.CountSeverities(sel.Shown))
		s.hidden.ReportOn = s.hidden.ReportOn.Add(sel.Hidden.ReportOn)
		s.hidden.MinConfidence = s.hidden.MinConfidence.Add(sel.Hidden.MinConfidence)
		s.hidden.MaxFindings = s.hidden.MaxFindings.Add(sel.Hidden.MaxFindings)
		failsHidden = failsHidden || sel.FailsHidden
	}
	if c.fixes != nil && run.Chunks > 0 {
		for _, line := range c.fixes.details() {
			c.note(verbose, line)
		}
		s.fixes = c.fixes
	}
	switch {
	case c.level == quiet:
		c.term.print(s.quiet(failsHidden))
	case run.Chunks > 0: // otherwise there were no changes, which was said
		c.term.print(c.view.summary(&s))
	}
}

// incomplete tells what was not analyzed, and why. Even at the lowest verbosity
// a report does not pass for complete when it is not.
func (c *console) incomplete(run *scanner.RunReport, interrupted bool) {
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
			msg += " (" + countReasons(reasons) + ")"
		}
		c.warn(quiet, msg)
	}
	if extractions > 0 {
		c.warn(quiet, fmt.Sprintf("%d finding extractions failed", extractions))
	}
	switch {
	case interrupted:
		c.warn(quiet, fmt.Sprintf("interrupted: %d chunks not analyzed", left))
	case left > 0:
		c.warn(quiet, fmt.Sprintf("%d chunks not analyzed", left))
	}
}

// leftOut tells what a run kept back: secrets from the model, and from the report
// findings that did not hold.
func leftOut(run *scanner.RunReport) []string {
	var lines []string
	redacted, rejected := 0, 0
	discarded := make(map[string]int)
	for _, r := range run.Skills {
		n, _ := r.Metadata["redacted"].(int)
		redacted += n
		byReason, _ := r.Metadata["discarded"].(map[string]int)
		for reason, n := range byReason {
			discarded[reason] += n
		}
		if v, ok := r.Metadata["verification"].(scanner.Verification); ok {
			rejected += len(v.Rejected)
		}
	}
	if redacted > 0 {
		lines = append(lines, "Redacted: "+plural(redacted, "secret")+" before anything was sent")
	}
	if len(discarded) > 0 {
		total := 0
		for _, n := range discarded {
			total += n
		}
		lines = append(lines, "Discarded: "+plural(total, "finding")+" ("+countReasons(discarded)+")")
	}
	if rejected > 0 {
		lines = append(lines, "Rejected by the second opinion: "+plural(rejected, "finding"))
	}
	return lines
}

func patternsOnly(run *scanner.RunReport) bool {
	for _, r := range run.Skills {
		if r.PatternsOnly {
			return true
		}
	}
	return false
}

func refName(r scanner.ChunkRef) string {
	return fmt.Sprintf("%s %s:%d-%d", r.Skill, cleanPath(r.Path), r.StartLine, r.EndLine)
}
