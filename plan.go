package scanner

import (
	"context"
	"runtime"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prompt"
)

// plan splits the files into chunks and assigns them to the skills. With all set,
// skills without a matching file are planned, too.
func (r *run) plan(ctx context.Context, skills []Skill, files []diff.File, all bool) EventPlanned {
	// A file is planned only if a skill analyzes it.
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
	g := r.bounded(runtime.GOMAXPROCS(0))
	for i := range files {
		if skips[i] != nil {
			continue
		}
		g.Go(func() {
			p := r.planFile(ctx, files[i])
			if p.Skip != nil {
				skips[i] = &SkippedFile{Filename: p.Skip.Path, Reason: string(p.Skip.Reason), Pattern: p.Skip.Pattern}
			} else {
				plans[i] = &p
			}
		})
	}
	g.Wait()

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

	for k := range skills {
		s := &skillRun{skill: &skills[k], system: prompt.System(prompt.SystemInput{
			SkillName: skills[k].Name, SkillDescription: skills[k].Description, Instructions: skills[k].Instructions,
		})}
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
		s.rules = s.skill.rules()
		s.tools = r.newTools(s.skill)
		r.skills = append(r.skills, s)
		planned.Skills = append(planned.Skills, ps)
	}
	return planned
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
