package scanner

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
)

// plan splits the files into chunks and assigns them to the skills. With all set,
// skills without a matching file are planned, too.
func (r *run) plan(ctx context.Context, skills []Skill, files []diff.File, all bool) EventPlanned {
	for i := range files {
		r.paths[files[i].Path] = true
	}
	if shard := r.opts.Shard; shard.Count > 1 {
		files = slices.DeleteFunc(slices.Clone(files), func(f diff.File) bool { return !shard.Has(f.Path) })
	}
	p := r.planFiles(ctx, skills, files)
	r.plans, r.skipped = p.plans, p.skipped
	planned := p.event()
	r.notable = diff.FindNotable(files, p.read(r.opts.PatternsOnly))
	planned.Notable = r.notable
	for k := range skills {
		s, matches := p.assign(&skills[k])
		if !matches && !all {
			continue
		}
		s.rules = s.skill.rules()
		s.sameEverywhere = r.opts.NonProductCode == NonProductSame
		s.tools = r.newTools(s.skill)
		if r.usesModel(s.skill) {
			s.template = r.newTemplate(s)
			s.systemChars = utf8.RuneCountInString(s.template.System)
			s.withoutTools = r.system(s.skill, false)
			s.templateHash = sync.OnceValue(func() string { return r.main.requestHash(ctx, s.template, s.skill.Resources...) })
		}
		r.skills = append(r.skills, s)

		ps := PlannedSkill{Name: s.skill.Name, Chunks: s.pending, Provider: r.identity(s.skill), Tools: s.template.Tools}
		for _, p := range s.plans {
			ps.Files = append(ps.Files, PlannedFile{Path: p.File.Path, Status: p.File.Status, Kind: p.File.Kind, Chunks: len(p.Chunks)})
		}
		planned.Skills = append(planned.Skills, ps)
		if len(s.unsent) > 0 {
			s.pending++
		}
	}
	return planned
}

// filePlans are the files of a run. Each has a plan, or a reason why no skill
// analyzes it, or neither if another file has the same path.
type filePlans struct {
	files []diff.File
	plans []*diff.Plan
	skips []*SkippedFile
	// skipped are the plans of files that are skipped.
	skipped []*diff.Plan
	// last is, for each file, the index of the one whose outcome is that of its path. A
	// change of type makes two files of one path, and a series of patches may make more.
	// A path is skipped only if none of them is analyzed, and once.
	last []int
}

func (r *run) planFiles(ctx context.Context, skills []Skill, files []diff.File) *filePlans {
	p := &filePlans{
		files:   files,
		plans:   make([]*diff.Plan, len(files)),
		skips:   make([]*SkippedFile, len(files)),
		skipped: make([]*diff.Plan, len(files)),
		last:    make([]int, len(files)),
	}
	g := r.bounded(runtime.GOMAXPROCS(0))
	var next atomic.Int64 // file; one function for each would cost more than most plans
	for range runtime.GOMAXPROCS(0) {
		g.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				// A file is split only if a skill analyzes it.
				if p.skips[i] = skippedByAll(skills, files[i].Path); p.skips[i] != nil {
					continue
				}
				plan := r.planFile(ctx, files[i])
				if s := plan.Skip; s != nil {
					p.skips[i] = &SkippedFile{Filename: s.Path, Reason: string(s.Reason), Pattern: s.Pattern}
					p.skipped[i] = &plan
				} else {
					p.plans[i] = &plan
				}
			}
		})
	}
	g.Wait()

	last := make(map[string]int, len(files))
	for i := range files {
		if k, ok := last[files[i].Path]; !ok || p.plans[k] == nil {
			last[files[i].Path] = i
		}
	}
	for i := range files {
		if p.last[i] = last[files[i].Path]; p.last[i] != i {
			p.skips[i] = nil
		}
	}
	return p
}

// read returns the plans of the files for which it matters what the model, or only
// rules, can read of them.
func (p *filePlans) read(rulesOnly bool) []*diff.Plan {
	plans := slices.Clone(p.skipped)
	for i, plan := range p.plans {
		if plan != nil && !rulesOnly { // rules read all of it
			plans[i] = plan
		}
	}
	return plans
}

// event returns the event of a plan, without the skills.
func (p *filePlans) event() EventPlanned {
	var planned EventPlanned
	at := make([]int, len(p.files)) // 1 + the index in planned.Files, by that in last
	for i, plan := range p.plans {
		if p.skips[i] != nil {
			planned.Skipped = append(planned.Skipped, *p.skips[i])
		}
		if plan == nil {
			continue
		}
		n := &at[p.last[i]]
		if *n == 0 {
			planned.Files = append(planned.Files, PlannedFile{Path: plan.File.Path, Status: plan.File.Status, Kind: plan.File.Kind})
			*n = len(planned.Files)
		}
		planned.Files[*n-1].Chunks += len(plan.Chunks)
		planned.Chunks += len(plan.Chunks)
	}
	return planned
}

// assign returns the part of a skill in the run, and whether any file is among its
// paths.
func (p *filePlans) assign(skill *Skill) (s *skillRun, matches bool) {
	s = &skillRun{skill: skill}
	for i, plan := range p.plans {
		path := p.files[i].Path
		own, wants := skill.skips(path)
		matches = matches || wants
		switch {
		case own != nil:
			if p.last[i] == i {
				s.skipped = append(s.skipped, *own)
			}
		case p.skips[i] != nil && (wants || p.skips[i].Reason == string(diff.ReasonPaths)):
			s.skipped = append(s.skipped, *p.skips[i])
			if skipped := p.skipped[i]; skipped != nil && len(skipped.Unsent) > 0 {
				s.unsent = append(s.unsent, skipped)
			}
		case wants && plan != nil:
			s.plans = append(s.plans, plan)
			s.results = append(s.results, make([]result, len(plan.Chunks)))
			s.pending += len(plan.Chunks)
		}
	}
	return s, matches
}

// planFile plans one file. Once ctx has ended nothing is read any more, so that
// an interrupt takes effect at once: a change is split without its context, and a
// file that would have to be read is one chunk in the ledger, which is not going
// to be analyzed either.
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

// skips reports whether a path is among the skill's paths, and if the skill ignores
// it even so, how.
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

// skippedByAll returns why none of the skills analyzes a path; nil if one does.
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
