package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/skill"
)

const (
	// configName is the name of the configuration at the root of the repository.
	configName = "scanner.toml"
	// userFile is the name of the user's configuration in its directory.
	userFile = "config.toml"
	// skillsDir is the directory of skills that are added to a repository.
	skillsDir = dotdir.Name + "/skills"
)

// settings is readSettings for a local run, which needs a skill.
func (p *Project) settings(ctx context.Context, opts *Options) (s *config.Settings, files []string, err error) {
	s, files, err = p.readSettings(ctx, *opts, false)
	if err == nil && len(s.Skills) == 0 {
		err = WithHint(usagef("no skill to run: those of %s have only schedule triggers", cmp.Or(opts.Config, configName)),
			"choose some with --skill")
	}
	return s, files, err
}

// readSettings resolves the settings of a local run, and returns the files that they are
// from. Without a choice in opts, the skills are those of a local run, or all that the
// configuration names.
func (p *Project) readSettings(ctx context.Context, opts Options, all bool) (s *config.Settings, files []string, err error) {
	// The root follows no link out of the repository; what the user names is trusted.
	label, fsys, name := configName, p.tree.FS(), configName
	if opts.Config != "" {
		path := filepath.Clean(opts.Config)
		label, fsys, name = opts.Config, os.DirFS(filepath.Dir(path)), filepath.Base(path)
	}
	file, err := readConfig(label, fsys, name, opts.Config != "", config.Parse)
	userDir := p.env.configDir()
	if userErr := p.checkUserFile(ctx, filepath.Join(userDir, userFile)); userErr != nil {
		return nil, nil, errors.Join(err, userErr)
	}
	user, userErr := readUser(userDir)
	if err := errors.Join(err, userErr); err != nil {
		return nil, nil, err
	}
	if file != nil {
		files = append(files, label)
	}
	if user != nil {
		files = append(files, filepath.Join(userDir, userFile))
	}
	if all && len(opts.Flags.Skills) == 0 {
		opts.Flags.Skills = file.SkillNames()
	}
	dirs, err := p.nameSkills(&opts.Flags)
	if err != nil {
		return nil, nil, err
	}
	if s, err = p.resolve(file, user, nil, opts.Flags); err != nil {
		return nil, files, err
	}
	for i, sk := range s.Skills {
		s.Skills[i].Path = cmp.Or(dirs[sk.Name], sk.Path)
	}
	return s, files, nil
}

// nameSkills replaces the directories among the skills of the flags by the names of the
// skills in them. It returns the directories by these names, as absolute paths, which
// those of scanner.toml never are.
func (p *Project) nameSkills(flags *config.Flags) (map[string]string, error) {
	dirs := make(map[string]string)
	flags.Skills = slices.Clone(flags.Skills)
	for i, name := range flags.Skills {
		dir, ok := p.skillDir(name)
		if !ok {
			continue
		}
		sk, _, err := p.loadDir(dir)
		if err != nil {
			return nil, usagef("--skill=%s: %w", name, err)
		}
		if other := dirs[sk.Name]; other != "" && other != dir {
			return nil, usagef("--skill: the skills in %q and %q are both named %q", other, dir, sk.Name)
		}
		flags.Skills[i], dirs[sk.Name] = sk.Name, dir
	}
	return dirs, nil
}

// skillDir returns the directory of a skill on the command line as an absolute path, and
// whether it is one, and not a name, which has no slash.
func (p *Project) skillDir(name string) (dir string, ok bool) {
	return filepath.Clean(p.env.path(name)), name == "." || name == ".." || strings.Contains(filepath.ToSlash(name), "/")
}

// SkillDir returns the directory of a skill, which is a name, or a directory as that of
// --skill, as an absolute path.
func (p *Project) SkillDir(ctx context.Context, name string) (string, error) {
	dirs, err := p.findSkills(ctx, Options{}, []string{name})
	if err != nil || filepath.IsAbs(dirs[0]) {
		return strings.Join(dirs, ""), err
	}
	return filepath.Join(p.root, dirs[0]), nil
}

// loadDir loads the skill in a directory that the user named, an absolute path.
func (p *Project) loadDir(dir string) (scanner.Skill, []skill.Warning, error) {
	sk, warnings, err := skill.Load(p.openDir(dir))
	sk.Source = dir
	if rel, ok := p.inTree(dir); ok { // its rules are not for its own files
		sk.Source = rel
	}
	return sk, warnings, err
}

// openDir returns the file system that has a directory, which is absolute or relative to the
// root of the tree, and its name there.
func (p *Project) openDir(dir string) (fsys fs.FS, name string) {
	if filepath.IsAbs(dir) {
		return os.DirFS(filepath.Dir(dir)), filepath.Base(dir)
	}
	return p.tree.FS(), dir
}

// checkUserFile returns an error if a file of the user, which decides where code and keys
// are sent, is one of the repository, as where HOME is the directory of a checkout, or
// where a directory of it is in the PATH.
func (p *Project) checkUserFile(ctx context.Context, name string) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil || p.repo == nil {
		return nil // there is none
	}
	rel, ok := p.inTree(name)
	if !ok {
		return nil
	}
	index, err := p.repo.IndexFS(ctx)
	if err != nil {
		return gitError(err)
	}
	defer index.Close()
	if _, err := fs.Stat(index, rel); err != nil {
		return nil
	}
	return WithHint(usagef("%q is a file of the repository, which must not decide where code and keys are sent", rel),
		"set HOME, XDG_CONFIG_HOME and the like to a directory outside of it, and remove those inside from the PATH")
}

// resolve resolves the settings for an event, or for a local run if it is nil.
func (p *Project) resolve(file, user *config.File, event *config.Event, flags config.Flags) (*config.Settings, error) {
	s, err := config.Resolve(config.Input{Flags: flags, Env: config.ReadEnv(p.env.getenv), File: file, User: user, Event: event})
	return s, UsageError(err)
}

// readUser reads the user's configuration in a directory, which may be empty.
func readUser(dir string) (*config.File, error) {
	if dir == "" {
		return nil, nil
	}
	return readConfig(filepath.Join(dir, userFile), os.DirFS(dir), userFile, false, config.ParseUser)
}

// readConfig reads a configuration file, which is label in messages. One that does not
// exist is nil, unless it must exist.
func readConfig(label string, fsys fs.FS, name string, must bool, parse func(string, []byte) (*config.File, error)) (*config.File, error) {
	data, err := dotdir.ReadRegular(fsys, name, config.MaxSize)
	if err != nil {
		info, statErr := fs.Lstat(fsys, name)
		switch {
		case statErr == nil && info.Mode()&fs.ModeSymlink != 0:
			err = fmt.Errorf("is a symbolic link: %w", err)
		case !must && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
			return nil, nil
		}
		return nil, usagef("configuration %q: %w", label, err)
	}
	file, err := parse(label, data)
	return file, UsageError(err)
}

// skillSources returns the places for skills in root, the tree of the project, and in
// directories of the user.
func skillSources(root fs.FS, userDirs []string) []skill.Source {
	sources := skill.ProjectSources(root)
	for _, dir := range userDirs {
		sources = append(sources, skill.Source{FS: os.DirFS(dir), Dir: ".", Label: dir})
	}
	return append(sources, skill.Builtin())
}

// skills loads the skills to run. The error joins what is wrong with each. If files differ
// from those that were added, strict makes that an error, not a warning.
func (p *Project) skills(ctx context.Context, root fs.FS, userDirs []string, settings *config.Settings, strict bool) ([]scanner.Skill, error) {
	var catalog *skill.Catalog
	var skills []scanner.Skill
	var errs []error
	for _, s := range settings.Skills {
		if err := context.Cause(ctx); err != nil { // loading hundreds of them can take minutes
			return nil, err
		}
		var sk scanner.Skill
		var warnings []skill.Warning
		var err error
		if s.Path != "" {
			sk, warnings, err = p.loadAt(root, &s)
		} else {
			if catalog == nil {
				catalog = skill.Discover(skillSources(root, userDirs)...)
				for _, w := range catalog.Warnings() { // about skills that may not be needed
					p.env.warn(Detail, w.String())
				}
			}
			sk, warnings, err = catalog.Find(s.Name)
		}
		for _, w := range warnings {
			p.env.warn(Normal, w.String())
		}
		if err == nil {
			sk.Patterns, err = enabled(&sk, s.DisabledRules)
		}
		if err == nil {
			if s.Paths != nil { // else those of its SKILL.md
				sk.Paths = s.Paths
			}
			sk.IgnorePaths, sk.Model, sk.Verify = s.IgnorePaths, s.Model, s.Verify
			err = sk.Validate()
		}
		if changed := compareHash(root, &s, sk.Source); err == nil && changed != nil {
			if strict {
				err = changed
			} else {
				p.env.warn(Normal, changed.Error()+"; "+Hint(changed))
			}
		}
		if err != nil {
			errs = append(errs, UsageError(err))
			continue
		}
		skills = append(skills, sk)
	}
	return skills, errors.Join(errs...)
}

// loadAt loads the skill in the directory that the configuration, or the user, names.
func (p *Project) loadAt(root fs.FS, s *config.Skill) (sk scanner.Skill, warnings []skill.Warning, err error) {
	if filepath.IsAbs(s.Path) {
		sk, warnings, err = p.loadDir(s.Path)
	} else {
		sk, warnings, err = skill.Load(root, s.Path)
	}
	if err != nil {
		err = fmt.Errorf("skill %q cannot be used: %w", s.Name, err)
	}
	sk.Name = s.Name // reports use the name of the configuration
	return sk, warnings, err
}

// compareHash returns an error if a skill, which was found in a directory of root, differs
// from the one that was added.
func compareHash(root fs.FS, s *config.Skill, found string) error {
	if s.SHA256 == "" || filepath.IsAbs(s.Path) { // the user chose another one
		return nil
	}
	dir := path.Join(skillsDir, s.Name)
	hash, err := skill.Hash(root, dir)
	switch {
	case found != dir:
		err = fmt.Errorf("it is in %q", found)
	case err == nil && hash != s.SHA256:
		err = fmt.Errorf("files in %q have changed", dir)
	case err == nil:
		return nil
	}
	return WithHint(usagef("skill %q is not the one that %s describes by sha256: %w", s.Name, configName, err),
		"if that is intended, delete sha256 from its table")
}

// enabled returns the rules of a skill without those that are disabled.
func enabled(sk *scanner.Skill, disabled []string) ([]scanner.Pattern, error) {
	var names []string
	for i := range sk.Patterns {
		names = append(names, sk.Name+"/"+sk.Patterns[i].ID)
	}
	for _, rule := range disabled {
		if !slices.Contains(names, rule) {
			return nil, WithHint(usagef("skill %q: disabledRules: no rule %q", sk.Name, rule), nearest.Hint(rule, names, ""))
		}
	}
	return slices.DeleteFunc(slices.Clone(sk.Patterns), func(p scanner.Pattern) bool {
		return slices.Contains(disabled, sk.Name+"/"+p.ID)
	}), nil
}
