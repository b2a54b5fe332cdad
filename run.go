package scanner

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/diff"
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

	skills  []*skillRun
	plans   []*diff.Plan // of the files, nil where there is none; those of the skills are parts of it
	skipped []*diff.Plan // likewise, for files that are skipped
	notable []diff.Notable

	main, auxiliary *backend

	emitMu sync.Mutex

	doneMu  sync.Mutex
	reports []*SkillReport // handed out, in the order of the skills
}

// skillRun is the part of a run that belongs to one skill.
type skillRun struct {
	skill   *Skill
	plans   []*diff.Plan
	skipped []SkippedFile
	unsent  []*diff.Plan // of skipped files that rules run on
	results [][]result   // by file, then by chunk
	next    int          // file to dispatch

	// template is a request of the skill without messages, templateHash its hash.
	template     provider.Request
	templateHash func() string
	systemChars  int    // of the template
	withoutTools string // the system text of requests without tools

	tools *tools.Set // nil without
	rules []rule
	// sameEverywhere is set if rules make no difference between kinds of files.
	sameEverywhere bool

	mu         sync.Mutex
	pending    int            // chunks, and one for the unsent files if there are any
	found      []located      // in unsent files
	unread     []diff.Notable // of unsent files
	start, end time.Time

	report *SkillReport // set when all chunks are done; guarded by run.doneMu
}

// job is a chunk of a skill.
type job struct {
	s           *skillRun
	file, chunk int
	code        *code
	turn        *turn // nil if it makes no request
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

// withoutNil returns v, or nil if v holds a nil pointer: that is what a function
// returns that declares a concrete type.
func withoutNil[T any](v T) T {
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
		return *new(T)
	}
	return v
}

// start runs the skills. With all set, skills without a matching file get a
// report, too.
func start(ctx context.Context, skills []Skill, files []diff.File, opts Options, all bool) (*RunReport, error) {
	opts.Provider, opts.Auxiliary = withoutNil(opts.Provider), withoutNil(opts.Auxiliary)
	opts.FS, opts.Cache, opts.Features = withoutNil(opts.FS), withoutNil(opts.Cache), withoutNil(opts.Features)
	if err := opts.validate(skills); err != nil {
		return nil, err
	}
	begin := time.Now()
	parent := ctx
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)

	r := &run{
		opts:    opts,
		limiter: opts.Limiter,
		timeout: cmp.Or(opts.Timeout, DefaultTimeout),
		paths:   make(map[string]bool, len(files)),
	}
	if r.limiter == nil {
		r.limiter = provider.NewLimiter(opts.Concurrency)
	}
	r.guard = &guard{
		cancel: cancel,
		onStop: func(err error) { r.emit(EventStopped{Err: err}) },
		budget: budget{maxCost: opts.MaxCost, maxTokens: opts.MaxTokens},
	}

	r.main = r.newBackend(opts.Provider, opts.Features)
	r.auxiliary = r.main
	if opts.Auxiliary != nil {
		r.auxiliary = r.newBackend(opts.Auxiliary, nil) // what is stored is about the other provider
	}

	planned := r.plan(ctx, skills, files, all || opts.Shard.Count > 0)
	r.emit(planned)
	r.dispatch(ctx)
	report := &RunReport{
		Skills:   r.reports,
		Files:    len(planned.Files),
		Chunks:   planned.Chunks,
		Skipped:  planned.Skipped,
		Duration: time.Since(begin),
		Stopped:  r.guard.blocked(),
	}

	// The cause is the caller's, or what no request can succeed with, which counts also
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

// chunksPerSlot is how many chunks are in progress for each request that may be in
// flight: those that wait before a retry hold no slot, and others take their turn.
const chunksPerSlot = 4

// dispatch analyzes all chunks, in the order of the skills, files and chunks, and hands
// the reports out. Without a model, the skills take turns, so that they read a file once.
func (r *run) dispatch(ctx context.Context) {
	chunks, together := 0, 1
	for _, s := range r.skills {
		chunks += s.pending
	}
	if r.opts.PatternsOnly {
		together = max(1, len(r.skills))
	}
	slots := r.limiter.Size()
	g := r.bounded(max(1, chunksPerSlot*min(slots, chunks)))
	defer g.Wait() // also when a callback of this goroutine panics
	pace := pacer{size: cmp.Or(r.opts.Concurrency, slots), delay: r.opts.BatchDelay}
	var last *turn
	for _, s := range r.skills {
		if s.pending == 0 {
			r.finished(ctx, s)
		}
	}
	g.Go(func() { r.matchUnsent(ctx) })
	for skills := range slices.Chunk(r.skills, together) {
		for _, p := range r.plans {
			var jobs []job
			for _, s := range skills {
				if s.next < len(s.plans) && s.plans[s.next] == p {
					jobs = append(jobs, job{s: s, file: s.next})
					s.next++
				}
			}
			if len(jobs) == 0 {
				continue
			}
			codes := r.codes(p, p.Chunks)
			for k := range p.Chunks {
				code := codes(k)
				for _, j := range jobs {
					if r.usesModel(j.s.skill) && r.stopReason(ctx) == nil {
						pace.wait(ctx)
					}
					j.chunk, j.code = k, code
					if r.usesModel(j.s.skill) {
						last = last.next()
						j.turn = last
					}
					g.Go(func() { r.work(ctx, j) })
				}
			}
		}
	}
}

// usesModel reports whether the chunks of a skill are sent to a model.
func (r *run) usesModel(s *Skill) bool { return !r.opts.PatternsOnly && s.Instructions != "" }

// identity returns what answers the requests of a skill; zero if it makes none.
func (r *run) identity(s *Skill) provider.Identity {
	if !r.usesModel(s) {
		return provider.Identity{}
	}
	id := provider.Identify(r.opts.Provider)
	id.Model = cmp.Or(s.Model, r.opts.Model, id.Model)
	return id
}

// work analyzes one chunk and keeps its result.
func (r *run) work(ctx context.Context, j job) {
	start := time.Now()
	res := r.analyze(ctx, j)
	j.turn.pass()
	end := time.Now()
	res.elapsed = end.Sub(start)
	for i := range res.found {
		if res.found[i].fromModel {
			res.found[i].ElapsedMs = milliseconds(res.elapsed)
		}
	}

	// The event comes before the chunk is counted, and so before the skill's report.
	r.emit(EventChunk{
		Chunk: j.ref(), Outcome: res.outcome, Findings: res.findings(), Discards: res.discards.first,
		Usage: res.usage.Add(res.extraction), Duration: res.elapsed, Retries: res.retries, Err: res.err, Unread: res.unread,
		Rules: res.rules, Redacted: res.redacted, run: r, job: j, result: res,
	})
	res.in, res.found = nil, slices.Clone(res.found) // the event keeps what it has
	for i := range res.found {
		res.found[i].raw = nil
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
