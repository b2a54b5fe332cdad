package project

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/skill"
)

// Settings resolves the settings of a local run. The error has all mistakes of the
// configuration.
func (p *Project) Settings(ctx context.Context, opts Options) (*config.Settings, error) {
	s, _, err := p.readSettings(ctx, opts, false)
	return s, err
}

// Check reads the configuration and all skills that it names, as a run does, and returns
// the files and skills. The error has all mistakes of the configuration; without any, all
// of the skills and of .scanner/ignore.toml. A Config in opts that is the user's file is
// not read in place of scanner.toml.
func (p *Project) Check(ctx context.Context, opts Options) (files []string, skills []scanner.Skill, err error) {
	given, err := os.Stat(opts.Config)
	user, userErr := os.Stat(filepath.Join(p.env.configDir(), userFile))
	if err == nil && userErr == nil && os.SameFile(given, user) {
		opts.Config = ""
	}
	s, files, err := p.readSettings(ctx, opts, true)
	if err != nil {
		return nil, nil, err
	}
	skills, err = p.skills(ctx, p.tree.FS(), p.env.skillDirs(), s, true)
	_, ignoreErr := readEntries(p.tree.FS())
	return files, skills, errors.Join(err, ignoreErr)
}

// SkillInfo is a skill that was found, or that the configuration names.
type SkillInfo struct {
	skill.Found
	// Used is set if the configuration names it; without any, if it is the one that runs.
	Used bool
	// Disabled are the rules that the configuration disables, each as "skill/rule".
	Disabled []string
}

// Skills returns the skills of the configuration, in its order, and then all others that
// were found.
func (p *Project) Skills(ctx context.Context, opts Options) ([]SkillInfo, error) {
	settings, _, err := p.readSettings(ctx, opts, true)
	if err != nil {
		return nil, err
	}
	var infos []SkillInfo
	for found := range skill.Discover(skillSources(p.tree.FS(), p.env.skillDirs())...).All() {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		infos = append(infos, SkillInfo{Found: found})
	}
	var used []SkillInfo
	for _, s := range settings.Skills {
		info := SkillInfo{Used: true, Disabled: s.DisabledRules}
		i := slices.IndexFunc(infos, func(i SkillInfo) bool { return i.Skill.Name == s.Name && i.ShadowedBy == "" })
		switch {
		case s.Path != "":
			if info.Skill, info.Warnings, info.Err = p.loadAt(p.tree.FS(), &s); info.Err != nil {
				info.Skill.Source = s.Path
			}
			if i >= 0 {
				infos[i].ShadowedBy = s.Path
			}
		case i >= 0:
			info.Found = infos[i].Found
			infos = slices.Delete(infos, i, i+1)
		default:
			info.Skill.Name, info.Err = s.Name, errors.New("not found")
		}
		used = append(used, info)
	}
	return append(used, infos...), nil
}

// SkillNames returns the names of the skills of the configuration and of all others that
// were found, sorted. It does not read their rules, and is fast.
func (p *Project) SkillNames(ctx context.Context) []string {
	names := skill.Discover(skillSources(p.tree.FS(), p.env.skillDirs())...).Names()
	if settings, _, err := p.readSettings(ctx, Options{}, true); err == nil {
		for _, s := range settings.Skills {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
