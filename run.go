package scanner

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/internal/tools"
	"github.com/codescan-dev/scanner/provider"
)

// run is one call of [Run] or [RunSkill].
type run struct {
	opts    Options
	limiter *provider.Limiter
	timeout time.Duration
	guard   *guard
	paths   map[string]bool // all files of the scan, skipped ones included
	files   []string        // the same, in order, for prompts: without secrets

	skills []*skillRun

	toolless atomic.Bool // the provider knows no tools

	emitMu sync.Mutex

	doneMu  sync.Mutex
	ended   map[*skillRun]*SkillReport // not yet handed out
	reports []*SkillReport             // handed out, in the order of the skills
}

// skillRun is the part of a run that belongs to one skill.
type skillRun struct {
	skill   *Skill
	system  string
	plans   []*diff.Plan
	skipped []SkippedFile
	results [][]result // by file, then by chunk

	tools     *tools.Set // nil without
	patterns  *patternSet
	perFile   []*patternSet // those for a file, once its first chunk asked
	perFileMu sync.Mutex

	mu         sync.Mutex
	pending    int
	start, end time.Time
}

// job is a chunk of a skill.
type job struct {
	s           *skillRun
	file, chunk int
}

func (j job) diffChunk() *diff.Chunk { return &j.s.plans[j.file].Chunks[j.chunk] }

func (j job) ref() ChunkRef {
	c := j.diffChunk()
	return ChunkRef{
		Skill: j.s.skill.Name, Path: c.Path,
		File: j.file, Files: len(j.s.plans),
		Index: j.chunk, Chunks: len(j.s.plans[j.file].Chunks),
		StartLine: c.StartLine, EndLine: c.EndLine,
	}
}

// start runs the skills. With all set, skills without a matching file get a
// report, too.
func start(ctx context.Context, skills []Skill, files []diff.File, opts Options, all bool) (*RunReport, error) {
	if err := opts.validate(skills); err != nil {
		return nil, err
	}
	begin := time.Now()
	parent := ctx
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)

	r := &run{opts: opts, limiter: opts.Limiter, timeout: opts.Timeout,
		paths: make(map[string]bool), ended: make(map[*skillRun]*SkillReport)}
	if r.limiter == nil {
		r.limiter = provider.NewLimiter(opts.Concurrency)
	}
	switch {
	case r.timeout == 0:
		r.timeout = DefaultTimeout
	case r.timeout < 0:
		r.timeout = 0
	}
	r.guard = &guard{
		maxCost: opts.MaxCost, maxTokens: opts.MaxTokens, cancel: cancel,
		stopped: func(err error) { r.emit(EventStopped{Err: err}) },
	}

	report := &RunReport{}
	r.emit(r.plan(ctx, skills, files, all, report))
	r.dispatch(ctx)
	report.Skills = r.reports
	report.Duration = time.Since(begin)
	report.Stopped = r.guard.check()

	// The cause is the caller's, or that of refused credentials, which count also
	// when something else had ended the run before.
	if ctx.Err() != nil {
		return report, context.Cause(ctx)
	}
	return report, nil
}

func (r *run) emit(e Event) {
	if r.opts.OnEvent == nil {
		return
	}
	r.emitMu.Lock()
	defer r.emitMu.Unlock()
	r.opts.OnEvent(e)
}

// plan splits the files into chunks and deals them to the skills. It fills the
// counts of report.
func (r *run) plan(ctx context.Context, skills []Skill, files []diff.File, all bool, report *RunReport) EventPlanned {
	// A file is planned only if a skill will look at it.
	plans := make([]*diff.Plan, len(files))
	skips := make([]*SkippedFile, len(files)) // by all skills
	for i := range files {
		if path := files[i].Path; !r.paths[path] {
			r.paths[path] = true
			if r.opts.Redact != nil {
				path, _ = r.opts.Redact(path)
			}
			r.files = append(r.files, path)
		}
		skips[i] = skippedByAll(skills, files[i].Path)
	}
	parallel(len(files), func(i int) {
		if skips[i] != nil {
			return
		}
		p := r.planFile(ctx, files[i])
		if p.Skip != nil {
			skips[i] = &SkippedFile{Filename: p.Skip.Path, Reason: string(p.Skip.Reason), Pattern: p.Skip.Pattern}
			return
		}
		plans[i] = &p
	})

	// A change of type makes two files of one name, and a series of patches may
	// make more. The name is skipped only if none of them is analyzed, and once.
	outcome := make(map[string]int)
	for i := range files {
		if at, ok := outcome[files[i].Path]; !ok || plans[at] == nil {
			outcome[files[i].Path] = i
		}
	}
	for i := range files {
		if outcome[files[i].Path] != i {
			skips[i] = nil
		}
	}

	var planned EventPlanned
	at := make(map[string]int) // in planned.Files
	for i, p := range plans {
		if skips[i] != nil {
			planned.Skipped = append(planned.Skipped, *skips[i])
		}
		if p == nil {
			continue
		}
		n, known := at[p.File.Path]
		if !known {
			n = len(planned.Files)
			at[p.File.Path] = n
			planned.Files = append(planned.Files, PlannedFile{Path: p.File.Path, Status: p.File.Status})
		}
		planned.Files[n].Chunks += len(p.Chunks)
		planned.Chunks += len(p.Chunks)
	}
	report.Skipped = planned.Skipped
	report.Files, report.Chunks = len(planned.Files), planned.Chunks

	for k := range skills {
		s := &skillRun{skill: &skills[k]}
		ps := PlannedSkill{Name: s.skill.Name}
		matches := all
		for i, p := range plans {
			path := files[i].Path
			own, wants := s.skill.skips(path)
			matches = matches || wants
			switch {
			case own != nil:
				if outcome[path] == i {
					s.skipped = append(s.skipped, *own)
				}
			case skips[i] != nil && (wants || skips[i].Reason == string(diff.ReasonPaths)):
				s.skipped = append(s.skipped, *skips[i])
			case wants && p != nil:
				s.plans = append(s.plans, p)
				s.results = append(s.results, make([]result, len(p.Chunks)))
				ps.Files = append(ps.Files, PlannedFile{Path: path, Status: p.File.Status, Chunks: len(p.Chunks)})
				ps.Chunks += len(p.Chunks)
			}
		}
		if !matches {
			continue
		}
		s.pending = ps.Chunks
		s.patterns = newPatternSet(s.skill)
		s.tools = r.newTools(s.skill)
		s.perFile = make([]*patternSet, len(s.plans))
		r.skills = append(r.skills, s)
		planned.Skills = append(planned.Skills, ps)
	}
	return planned
}

// planFile plans one file. Once ctx has ended nothing is read any more, so that
// an interrupt is not kept waiting: a change is split without its context, and a
// file that would have to be read stands in the ledger as one chunk, which is not
// going to be analyzed either.
func (r *run) planFile(ctx context.Context, f diff.File) diff.Plan {
	fsys, source := r.opts.FS, f
	if ctx.Err() != nil {
		fsys = nil
		if f.Load != nil {
			f.Load = func() ([]byte, error) { return nil, ctx.Err() }
		}
	}
	p := r.opts.Chunking.Plan(f, fsys)
	if ctx.Err() != nil && p.Skip != nil && p.Skip.Reason == diff.ReasonUnreadable && source.Skip == "" {
		return diff.Plan{File: source, Chunks: []diff.Chunk{{Path: f.Path, Status: f.Status, StartLine: 1, EndLine: 1}}}
	}
	return p
}

// skips reports whether a path is among the skill's paths, and whether the skill
// ignores it all the same.
func (s *Skill) skips(path string) (skip *SkippedFile, wants bool) {
	if len(s.Paths) > 0 {
		if _, ok := matchAny(s.Paths, path); !ok {
			return nil, false
		}
	}
	if glob, ok := matchAny(s.IgnorePaths, path); ok {
		return &SkippedFile{Filename: path, Reason: string(diff.ReasonIgnored), Pattern: glob}, true
	}
	return nil, true
}

// skippedByAll says why none of the skills looks at a path; nil if one does.
func skippedByAll(skills []Skill, path string) *SkippedFile {
	skip := &SkippedFile{Filename: path, Reason: string(diff.ReasonPaths)}
	for i := range skills {
		own, wants := skills[i].skips(path)
		switch {
		case wants && own == nil:
			return nil
		case wants:
			skip = own
		}
	}
	return skip
}

// parallel calls f for 0 to n-1, on all processors.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// perSlot is how many chunks are in work for each request that may be in flight:
// those that wait before a retry hold no slot, and others take their turn.
const perSlot = 4

// dispatch analyzes all chunks, in the order of the skills, files and chunks,
// and hands the reports out.
func (r *run) dispatch(ctx context.Context) {
	var wg sync.WaitGroup
	chunks := 0
	for _, s := range r.skills {
		chunks += s.pending
	}
	slots := r.limiter.Size()
	inWork := make(chan struct{}, perSlot*min(slots, chunks))
	pace := newPacer(cmp.Or(r.opts.Concurrency, slots), r.opts.BatchDelay)
	for _, s := range r.skills {
		s.system = prompt.System(prompt.SystemInput{
			SkillName: s.skill.Name, SkillDescription: s.skill.Description, Instructions: s.skill.Instructions,
		})
		if s.pending == 0 {
			r.finished(ctx, s)
		}
		for i, p := range s.plans {
			for j := range p.Chunks {
				jb := job{s, i, j}
				if r.asks(s.skill) && r.stopped(ctx) == nil {
					pace.wait(ctx)
				}
				select {
				case inWork <- struct{}{}:
				case <-ctx.Done():
					// The job below sees that, too, and records it.
					inWork <- struct{}{}
				}
				wg.Go(func() {
					defer func() { <-inWork }()
					r.work(ctx, jb)
				})
			}
		}
	}
	wg.Wait()
}

// patternsOf returns the patterns that are for a file of the skill.
func (s *skillRun) patternsOf(file int) *patternSet {
	s.perFileMu.Lock()
	defer s.perFileMu.Unlock()
	if s.perFile[file] == nil {
		s.perFile[file] = s.patterns.forPath(s.plans[file].File.Path)
	}
	return s.perFile[file]
}

// asks reports whether the model is asked for a skill.
func (r *run) asks(s *Skill) bool { return !r.opts.PatternsOnly && s.Instructions != "" }

// work analyzes one chunk and keeps its result.
func (r *run) work(ctx context.Context, j job) {
	start := time.Now()
	res := r.analyze(ctx, j)
	end := time.Now()
	res.elapsed = end.Sub(start)
	for i := range res.found {
		if res.found[i].fromModel {
			res.found[i].ElapsedMs = milliseconds(res.elapsed)
		}
	}

	// Told before it counts, so that the skill's report comes after all of them.
	if r.opts.OnEvent != nil {
		r.emit(EventChunk{
			Chunk: j.ref(), Outcome: res.outcome, Findings: res.findings(), Discards: res.discards.first, Usage: res.usage.Add(res.extraction),
			Duration: res.elapsed, Retries: res.retries, Err: res.err,
		})
	}
	s := j.s
	s.mu.Lock()
	s.results[j.file][j.chunk] = res
	if s.start.IsZero() || start.Before(s.start) {
		s.start = start
	}
	if end.After(s.end) {
		s.end = end
	}
	s.pending--
	last := s.pending == 0
	s.mu.Unlock()
	if last {
		r.finished(ctx, s)
	}
}

// milliseconds returns d in milliseconds, to the microsecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

// pacer starts chunks in batches. It is used by one goroutine.
type pacer struct {
	size    int
	delay   time.Duration
	started int
	last    time.Time // start of the last batch
}

func newPacer(size int, delay time.Duration) *pacer { return &pacer{size: size, delay: delay} }

// wait returns when the next chunk may start, or when ctx ends.
func (p *pacer) wait(ctx context.Context) {
	if p.delay <= 0 {
		return
	}
	if p.started%p.size == 0 {
		if p.started > 0 {
			t := time.NewTimer(time.Until(p.last.Add(p.delay)))
			defer t.Stop()
			select {
			case <-t.C:
			case <-ctx.Done():
			}
		}
		p.last = time.Now()
	}
	p.started++
}
