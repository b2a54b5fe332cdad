package main

import (
	"context"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/redact"
)

// session is a run from the moment that it is known what is scanned, and how. The
// commands differ in how they find that out, and in what becomes of the result.
type session struct {
	p        *process
	c        *term.Console
	pr       *project
	o        *scanOptions
	settings *config.Settings
	skills   []scanner.Skill
	target   *scanned
	out      *output // nil: no --output
	fixes    *fixer  // nil: they are not asked for
	started  time.Time

	opts     scanner.Options
	space    string // keeps the answers of different providers apart
	rec      *recorder
	logs     *jsonl.Dir          // nil when there can be no log
	result   *scanner.RunReport  // set by run
	selected []scanner.Selection // by skill, in order
	closers  []func()
}

// close ends the use of what the run needed.
func (s *session) close() {
	for _, f := range s.closers {
		f()
	}
	s.closers = nil
}

// configure sets the options of the run, all but who answers.
func (s *session) configure() {
	settings := s.settings
	s.opts = scanner.Options{
		PatternsOnly:   s.o.offline,
		Model:          settings.Provider.Model,
		AuxiliaryModel: settings.Provider.AuxiliaryModel,
		FS:             s.target.contents,
		Chunking:       settings.Chunking(),
		Concurrency:    settings.ConcurrencyFor(false),
		BatchDelay:     settings.BatchDelay(),
		Timeout:        settings.Timeout(),
		MaxCost:        settings.Runner.MaxCost,
		MaxTokens:      settings.Runner.MaxTokens,
		Policies:       policies(settings),
		Verify:         s.o.verify,
	}
	if settings.Provider.Redact {
		s.opts.Redact = redact.New(settings.Provider.APIKey.Reveal()).Redact
	}
}

// choose decides who answers. Offline, and without changes, nobody is asked.
func (s *session) choose(ctx context.Context) error {
	s.opts.PatternsOnly = s.o.offline
	if s.o.offline || len(s.target.files) == 0 {
		return nil
	}
	who, err := s.p.provider(ctx, s.settings, s.skills, s.o.agentTools)
	if err != nil {
		return err
	}
	s.opts.Provider, s.opts.Concurrency, s.space = who.Provider, s.settings.ConcurrencyFor(who.agent), who.space
	return nil
}

// open opens the cache and the log, and says that the run begins. From here on
// there is a report.
func (s *session) open(ctx context.Context, run jsonl.Run) {
	if s.o.offline {
		checkPatterns(s.skills, s.c.Warn)
	}
	if s.opts.Provider != nil {
		if answers := s.p.openCache(s.pr, s.space, s.o, s.c.Warn); answers != nil {
			s.opts.Cache = answers
			s.closers = append(s.closers, func() {
				answers.Prune(ctx, s.started) // a cache that cannot be pruned is still one
				answers.Close()
			})
		}
	}
	s.rec = &recorder{run: run, opts: jsonl.SinkOptions{Discards: s.o.level >= term.Debug}, out: s.out, warn: func(msg string) { s.c.Warn(term.Quiet, msg) }}
	if !s.o.offline {
		s.rec.run.Model = s.settings.Provider.Model
	}
	if s.logs = openLogs(s.pr, s.rec); s.logs != nil {
		s.closers = append(s.closers, func() { s.logs.Close() })
	}
	s.rec.begin()
	s.c.Open(version)
	for _, setting := range s.settings.Explain() {
		if setting.Value != "" {
			s.c.Debugf("%s", setting)
		}
	}
	if s.target.contents != nil {
		s.c.ShowCode(s.target.contents)
	}
}

// run scans. There is a result also when there is an error, which is what ended
// the run early.
func (s *session) run(ctx context.Context) error {
	s.result = &scanner.RunReport{}
	if len(s.target.files) == 0 {
		s.c.Event(scanner.EventPlanned{})
		s.result.Duration = s.p.now().Sub(s.started)
		return nil
	}
	opts := s.opts
	opts.OnEvent = func(e scanner.Event) {
		if e, ok := e.(scanner.EventSkill); ok {
			s.skill(e.Report)
			return
		}
		if e, ok := e.(scanner.EventPlanned); ok && s.fixes != nil {
			s.fixes.begin(e.Files)
		}
		s.c.Event(e)
	}
	result, err := scanner.Run(ctx, s.skills, s.target.files, opts)
	if result != nil {
		s.result = result
	}
	for _, r := range s.result.Skills[min(len(s.selected), len(s.result.Skills)):] {
		s.skill(r)
	}
	s.result.Duration = s.p.now().Sub(s.started)
	return err
}

// skill takes the report of a skill when its turn has come.
func (s *session) skill(report *scanner.SkillReport) {
	sel := scanner.Select(report, s.opts.Policies[report.Skill])
	s.selected = append(s.selected, sel)
	if s.fixes == nil { // otherwise the outcomes of fixes belong to the report
		s.rec.skill(report, sel)
	}
	s.c.Skill(report, sel)
}

// finish writes what is left of the report and shows the summary. The error is
// that of --output.
func (s *session) finish(ctx context.Context) (outcome, error) {
	oc := outcome{interrupted: ctx.Err() != nil, incomplete: s.result.Stopped != nil}
	for _, sel := range s.selected {
		oc.findings = oc.findings || sel.Fails
	}
	for _, r := range s.result.Skills {
		oc.incomplete = oc.incomplete || r.Chunks.Failed+r.Chunks.NotAnalyzed > 0
	}
	if s.fixes != nil {
		for i, r := range s.result.Skills {
			s.rec.skill(r, s.selected[i])
		}
	}
	err := s.rec.finish(s.result)
	if oc.interrupted {
		s.result.Stopped = ctx.Err()
	}
	_ = s.c.Finish(s.result) // see term.Console.Err
	if s.logs != nil && ctx.Err() == nil {
		s.p.cleanLogs(ctx, s.c, s.logs, s.settings, s.o)
	}
	return oc, err
}
