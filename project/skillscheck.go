package project

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/skill"
	"github.com/codescan-dev/scanner/skill/skilltest"
)

// CheckSkills returns the problems of skills, as [skill.Check] does, and the number of skills
// it checked. Each skill is a name, or a directory as that of --skill; without any, all
// skills of the repository are checked. Globs that match no file of the repository are
// reported, also those that scanner.toml has for the skills, and fixtures that cannot be
// read. The error is a usage error, that of git, or that of ctx; see [ExitCode].
func (p *Project) CheckSkills(ctx context.Context, opts Options, skills []string) (problems []skill.Problem, checked int, err error) {
	settings, _, err := p.readSettings(ctx, opts, true)
	if err != nil {
		return nil, 0, err
	}
	dirs, err := p.findSkills(ctx, opts, skills)
	if err != nil {
		return nil, 0, err
	}
	var files []string
	if p.repo != nil {
		all, err := p.repo.All(ctx, nil)
		if err != nil {
			return nil, 0, gitError(err)
		}
		for _, f := range all {
			if !slices.ContainsFunc(dirs, func(dir string) bool { return below(f.Path, path.Join(dir, "tests")) }) {
				files = append(files, f.Path)
			}
		}
	}
	for _, dir := range dirs {
		fsys, name := p.openDir(dir)
		found, err := skill.Check(ctx, fsys, name, files)
		if err != nil {
			return nil, 0, err
		}
		for _, f := range found {
			f.File = strings.TrimSuffix(dir, name) + f.File
			problems = append(problems, f)
		}
		if _, err := skilltest.Load(fsys, name); err != nil {
			for text := range strings.SplitSeq(err.Error(), "\n") {
				place, message, _ := strings.Cut(text, ": ")
				problems = append(problems, problemAt("error", strings.TrimSuffix(dir, name)+place, message))
			}
		}
	}
	for _, w := range skill.Discover(skill.ProjectSources(p.tree.FS())...).Warnings() {
		if len(skills) == 0 && !slices.Contains(dirs, w.File) { // which are checked above
			problems = append(problems, skill.Problem{Warning: w, Level: "warning"})
		}
	}
	for _, s := range settings.Skills {
		if len(skills) == 0 || slices.Contains(skills, s.Name) {
			if changed := compareHash(p.tree.FS(), &s, path.Join(skillsDir, s.Name)); changed != nil {
				problems = append(problems, problemAt("warning", configName, changed.Error()))
			}
			for i, globs := range [][]string{s.Paths, s.IgnorePaths} {
				key := s.Key([]string{"paths", "ignorePaths"}[i])
				place, _, _ := strings.Cut(settings.Origin(key), " ")
				for _, glob := range skill.Unmatched(globs, files) {
					problems = append(problems, problemAt("warning", place, fmt.Sprintf("%s: no file of the repository matches %q", key, glob)))
				}
			}
		}
	}
	return problems, len(dirs), nil
}

// problemAt returns a problem at a place, as "file:line".
func problemAt(level, place, message string) skill.Problem {
	file, line, _ := strings.Cut(place, ":")
	w := skill.Warning{File: file, Message: message}
	w.Line, _ = strconv.Atoi(line)
	return skill.Problem{Warning: w, Level: level}
}

// findSkills returns the directories of skills in their order, relative to the root of the
// tree or absolute.
func (p *Project) findSkills(ctx context.Context, opts Options, skills []string) (dirs []string, err error) {
	infos, err := p.Skills(ctx, opts)
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		if source := info.Skill.Source; len(skills) == 0 && source != "" && source != skill.Builtin().Label && !filepath.IsAbs(source) {
			dirs = append(dirs, source)
		}
	}
	for _, name := range skills {
		dir, ok := p.skillDir(name)
		if i := slices.IndexFunc(infos, func(s SkillInfo) bool { return s.Skill.Name == name }); !ok && i >= 0 {
			dir = infos[i].Skill.Source
		} else if !ok {
			return nil, WithHint(usagef("no skill %q", name), nearest.Hint(name, p.SkillNames(ctx), "a directory has a slash, as in ./"+name))
		}
		if dir == skill.Builtin().Label {
			return nil, usagef("skill %q is built in; name a directory, or a skill that has one", name)
		}
		if rel, ok := p.inTree(dir); ok {
			dir = rel
		}
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}
