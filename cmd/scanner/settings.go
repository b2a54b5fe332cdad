package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/skill"
)

const configName = "scanner.toml"

// settings reads the configuration files and resolves what counts. Whatever is
// wrong with them is for the user to correct.
func (p *process) settings(root string, o *scanOptions) (*config.Settings, error) {
	name, path := configName, filepath.Join(root, configName)
	if o.config != "" {
		name, path = o.config, o.config
	}
	file, err := readConfig(name, path, o.config != "", config.Parse)
	if err != nil {
		return nil, err
	}
	s, err := p.resolve(file, p.configDir(), nil, o)
	if err != nil {
		return nil, err
	}
	if len(s.Skills) == 0 {
		return nil, withHint(usagef("no skill to run: those of %s have only schedule triggers", name),
			"choose some with --skill")
	}
	return s, nil
}

// resolve resolves what counts, for an event or a local run, with the user's own
// file in userDir; empty means that there is none.
func (p *process) resolve(file *config.File, userDir string, event *config.Event, o *scanOptions) (*config.Settings, error) {
	var user *config.File
	if userDir != "" {
		path := filepath.Join(userDir, "config.toml")
		var err error
		if user, err = readConfig(path, path, false, config.ParseUser); err != nil {
			return nil, err
		}
	}
	s, err := config.Resolve(config.Input{Flags: o.flags, Env: config.ReadEnv(p.getenv), File: file, User: user, Event: event})
	return s, asUsage(err)
}

// readConfig reads a configuration file. One that does not exist is nil, unless
// it must exist.
func readConfig(name, path string, must bool, parse func(string, []byte) (*config.File, error)) (*config.File, error) {
	data, err := readSmall(path, config.MaxSize+1)
	switch {
	case !must && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		if _, err := os.Lstat(path); err == nil {
			return nil, usagef("configuration %q: is a link that leads nowhere", name)
		}
		return nil, nil
	case err != nil:
		return nil, usagef("configuration %q: %w", name, bareError(err))
	}
	file, err := parse(name, data)
	return file, asUsage(err)
}

// readSmall reads a regular file, or its first limit bytes.
func readSmall(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// bareError leaves out the call and the path of an error that names them.
func bareError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// skills loads the skills to run. root is the tree of the project, userDir the
// folder of the user's configuration; empty means that there is none.
func (p *process) skills(root fs.FS, userDir string, settings *config.Settings, warn func(term.Verbosity, string)) ([]scanner.Skill, error) {
	sources := skill.ProjectSources(root)
	if userDir != "" {
		dir := filepath.Join(userDir, "skills")
		sources = append(sources, skill.Source{FS: os.DirFS(dir), Dir: ".", Label: dir})
	}
	var catalog *skill.Catalog
	var skills []scanner.Skill
	for _, s := range settings.Skills {
		var sk scanner.Skill
		var warnings []skill.Warning
		var err error
		if s.Path != "" {
			if sk, warnings, err = skill.Load(root, s.Path); err != nil {
				err = fmt.Errorf("skill %q cannot be used: %w", s.Name, err)
			}
			sk.Name = s.Name // the configuration's word, by which it is known
		} else {
			if catalog == nil {
				catalog = skill.Discover(append(sources, skill.Builtin())...)
				for _, w := range catalog.Warnings() { // about any skill, needed or not
					warn(term.Verbose, w.String())
				}
			}
			sk, warnings, err = catalog.Find(s.Name)
		}
		for _, w := range warnings {
			warn(term.Normal, w.String())
		}
		if err != nil {
			return nil, asUsage(err)
		}
		sk.Paths, sk.IgnorePaths, sk.Model, sk.Verify = s.Paths, s.IgnorePaths, s.Model, s.Verify
		if err := sk.Validate(); err != nil {
			return nil, asUsage(err)
		}
		skills = append(skills, sk)
	}
	return skills, nil
}

// checkPatterns warns of skills that have nothing to do without a model.
func checkPatterns(skills []scanner.Skill, warn func(term.Verbosity, string)) {
	for _, s := range skills {
		if len(s.Patterns) == 0 {
			warn(term.Normal, fmt.Sprintf("skill %q has no patterns, so --offline leaves nothing of it", s.Name))
		}
	}
}
