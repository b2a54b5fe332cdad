package skilltest

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider/replay"
	"github.com/codescan-dev/scanner/redact"
)

// Result is the outcome of a fixture.
type Result struct {
	// NotRun is why the fixture was not tested, or not to the end; empty if it was.
	NotRun string
	// Differences describe what fails, each in several lines, in the order of the code;
	// also that a budget ended the test. None means that the fixture passes, unless NotRun
	// is set.
	Differences []string
	// Warnings describe how the skill differs from the one that answers were recorded
	// with.
	Warnings []string
	// Expected counts the expected findings, Found those of them that are there, and
	// Unexpected the findings that are wrong.
	Expected, Found, Unexpected int
	// Allows is whether findings that nothing expects are allowed: they are not counted, so
	// that no precision can be computed.
	Allows bool
	// Answers is what the answers are from; nil if none were replayed.
	Answers *replay.Origin
	// Report is that of the skill; nil if it looks at none of the files.
	Report *scanner.SkillReport
}

// Test runs a skill over the fixture. If it needs a model, the Provider of opts answers
// or, without one, the records of the fixture, and the rules of the skill do not run; if it
// does not, they run alone. Further options are those of a scan, in which secrets are
// replaced; the FS is that of the fixture.
//
// What is wrong with the findings is in the result, as is a run that is not complete. The
// error is that of a run that could not be done.
func (f *Fixture) Test(ctx context.Context, s scanner.Skill, opts scanner.Options) (*Result, error) {
	res, hint := &Result{Allows: f.allow}, ": scanner skills test --record "+text.Visible(s.Name)
	for _, w := range f.wants {
		if !w.never {
			res.Expected++
		}
	}
	opts.FS, s.Source = f.tree, "" // its rules are not for its own files, by their paths
	if opts.Redact == nil {
		opts.Redact = redact.New().Redact
	}
	if opts.PatternsOnly = !f.NeedsModel(s); !opts.PatternsOnly {
		s.Patterns = nil // what they find is not what the model finds
	}
	switch {
	case opts.PatternsOnly, opts.Provider != nil:
	case !f.answers:
		res.NotRun = "it needs a model, and has no recorded answers" + hint
		return res, nil
	default:
		player, err := replay.OpenFS(f.fsys, path.Join(f.dir, answersDir), func(difference string) {
			res.Warnings = append(res.Warnings, difference)
		})
		if err != nil {
			return nil, err
		}
		opts.Provider, res.Answers = player, player.Origin()
	}
	report, err := scanner.Run(ctx, []scanner.Skill{s}, f.files, opts)
	if missing, ok := errors.AsType[*replay.MissingError](err); ok {
		res.Differences = []string{missing.Error() + hint}
		return res, nil
	}
	if err != nil {
		return nil, err
	}
	if len(report.Skills) > 0 {
		res.Report = report.Skills[0]
	}
	slices.Sort(res.Warnings)
	if errors.Is(report.Stopped, scanner.ErrBudget) {
		res.NotRun = report.Stopped.Error()
		res.Differences = []string{res.NotRun}
		return res, nil
	}
	c := comparison{Fixture: f, report: report}
	c.checkAnswers()
	if report.Complete() {
		c.compare(res)
	}
	slices.SortStableFunc(c.differences, func(a, b difference) int {
		return cmp.Or(cmp.Compare(a.at.Path, b.at.Path), cmp.Compare(a.at.StartLine, b.at.StartLine))
	})
	for _, d := range c.differences {
		res.Differences = append(res.Differences, d.text)
	}
	return res, nil
}

// checkAnswers adds what a model was not able to answer, or answered in vain.
func (c *comparison) checkAnswers() {
	for _, r := range c.report.Skills {
		for _, f := range append(slices.Clip(r.Failures), r.Left...) {
			at := scanner.Location{Path: f.Path, StartLine: f.StartLine, EndLine: f.EndLine}
			c.add(at, "%s: not analyzed: %s: %s", where(at), f.Reason, text.OneLine(strings.TrimPrefix(f.Message, f.Reason+": ")))
		}
		for _, d := range r.Discards {
			switch d.Reason {
			case "duplicate", "location", "fix": // the finding is there
			default:
				c.add(scanner.Location{}, "a finding of the answer was discarded (%s): %s\n    %s", d.Reason, text.OneLine(d.Detail), text.OneLine(d.Raw))
			}
		}
	}
	if len(c.differences) == 0 && !c.report.Complete() {
		c.add(scanner.Location{}, "the run was not complete: %v", c.report.Stopped)
	}
}
