package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	linediff "github.com/rogpeppe/go-internal/diff"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/diff/gitdiff"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/internal/tomlfile"
	"github.com/codescan-dev/scanner/skill"
)

// fetchTimeout bounds the time that the source of a skill takes.
const fetchTimeout = 2 * time.Minute

// FetchedSkill is a skill of a git repository, to be written by [Project.InstallSkill]. All
// of it is untrusted: it must be cleaned before it is shown.
type FetchedSkill struct {
	skill.Found        // ShadowedBy is not set
	Source      string // its repository and directory, as in scanner.toml
	Rev         string // the full name of the commit
	Shadows     string // the Source of a skill that has the same name in another place, if any
	// Files are the contents by path, relative to the directory of the skill, with slashes.
	Files   map[string][]byte
	LeftOut []string // files that cannot belong to a skill, with reasons
	Diff    []byte   // unified, from the skill in its place, without tests; nil if there is none
	Current bool     // there is nothing to write

	dir, hash, before string // before is the hash of what is in its place, if anything is
}

var (
	sourceParts = regexp.MustCompile(`^((?:[a-z]+://)?[^#]+?)(?://([^#]+))?(?:#([^#]+))?$`)
	ownerName   = regexp.MustCompile(`^\w[\w-]*/\w[\w.-]*$`)
	// Credentials do not belong in a file, and what other protocols do is not known.
	remoteForm = regexp.MustCompile(`^(https://[^@?]+|ssh://([\w.-]+@)?\w[^@?]+|file:///.+|([\w.-]+@)?\w[\w.-]+:/?[\w.~][^:]*)$`)
)

// FetchSkills fetches the skills of a source: the address of a git repository, then // and a
// directory in it, and # and a branch, tag or commit, which both can be left out. Without
// names it must have one skill. With an error there may be a list of all, without files.
// The error is a usage error, that of git or that of ctx; see [ExitCode].
func (p *Project) FetchSkills(ctx context.Context, source string, names []string) ([]FetchedSkill, error) {
	if below := p.Below(); below != "" && strings.HasPrefix(source, ".") {
		source = "./" + below + "/" + source // scanner.toml is at the root
	}
	settings, _, err := p.readSettings(ctx, Options{}, true)
	if err != nil {
		return nil, err
	}
	list, err := p.fetchSkills(ctx, source, names, "")
	for _, f := range list {
		for _, s := range settings.Skills {
			if err == nil && s.Name == f.Skill.Name && s.Path != "" {
				err = usagef("%s has a skill %q in %q: delete the path or rename the skill", configName, s.Name, s.Path)
			}
		}
	}
	return list, err
}

// fetchSkills is FetchSkills; what has the hash known can be replaced.
func (p *Project) fetchSkills(ctx context.Context, source string, names []string, known string) ([]FetchedSkill, error) {
	parts := append(sourceParts.FindStringSubmatch(source), "", "", "", "")
	address, below, ref := parts[1], path.Clean(parts[2]), parts[3]
	from := "" // a directory that a relative address begins at
	first, _, _ := strings.Cut(filepath.ToSlash(address), "/")
	switch {
	case first == "." || first == "..":
		from, address = p.root+"/", path.Clean(filepath.ToSlash(address))
		if first, _, _ = strings.Cut(address, "/"); first != ".." {
			address = "./" + address
		}
	case filepath.IsAbs(address):
	case ownerName.MatchString(address):
		address = "https://github.com/" + address
	case !remoteForm.MatchString(address):
		address = ""
	}
	if address == "" || !fs.ValidPath(below) || strings.TrimSpace(source) != source || strings.ContainsFunc(source, text.Hidden) {
		return nil, WithHint(usagef("%q is not the source of a skill", source),
			"want https://HOST/PATH, ssh://HOST/PATH, USER@HOST:PATH, file:///PATH, ./PATH or OWNER/NAME of github.com, without a password; then //DIRECTORY and #BRANCH")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTimeout, fmt.Errorf("%q was not read within %v", source, fetchTimeout))
	defer cancel()
	fetched, err := gitdiff.Fetch(ctx, from+address, cmp.Or(ref, "HEAD"), gitdiff.Options{Env: p.env.Environ, TempDir: p.env.tempDir()})
	if err != nil {
		if err = gitError(err); Hint(err) == "" && from != "" {
			err = WithHint(err, "a directory in a repository comes after //, as in .//skills/NAME")
		}
		return nil, err
	}
	defer fetched.Close()
	var all []FetchedSkill
	err = fs.WalkDir(fetched, below, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() != "SKILL.md" || ctx.Err() != nil {
			return cmp.Or(err, context.Cause(ctx))
		}
		f := FetchedSkill{Rev: fetched.Commit, Source: address, dir: path.Dir(name)}
		if f.Skill, f.Warnings, f.Err = skill.Load(fetched, f.dir); f.Err != nil {
			f.Skill.Name = path.Base(f.dir)
		}
		if f.dir != "." {
			f.Source += "//" + f.dir
		}
		if ref != "" {
			f.Source += "#" + ref
		}
		if all = append(all, f); f.dir == below && below != "." {
			all = []FetchedSkill{f} // others are in its own directory
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		return nil, usagef("%q: %w", source, err)
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(f FetchedSkill) bool { return len(names) > 0 && !slices.Contains(names, f.Skill.Name) })
	if len(chosen) != max(len(names), 1) {
		return all, WithHint(usagef("%d skills of %q match, want %d", len(chosen), source, max(len(names), 1)),
			"choose with --name=NAME, or with //DIRECTORY after the repository")
	}
	for i := range chosen {
		f := &chosen[i]
		err := f.Err
		if err == nil {
			err = f.read(fetched)
		}
		if err == nil {
			err = p.compare(f, known)
		}
		if err != nil {
			return nil, WithHint(usagef("skill %q: %w", f.Skill.Name, err), Hint(err))
		}
	}
	return chosen, nil
}

// read reads the files.
func (f *FetchedSkill) read(fetched *gitdiff.Fetched) (err error) {
	for _, name := range fetched.LeftOut {
		if rel, ok := strings.CutPrefix(name, strings.TrimPrefix(f.dir+"/", "./")); ok {
			f.LeftOut = append(f.LeftOut, rel+": not a regular file")
		}
	}
	f.Files, err = skill.Files(fetched, f.dir, func(name string, reason error) {
		f.LeftOut = append(f.LeftOut, name+": "+reason.Error())
	})
	f.hash = skill.HashFiles(f.Files)
	return err
}

// compare compares a skill with what is in its place. That must be the same, or have the
// hash known: the user must not lose anything.
func (p *Project) compare(f *FetchedSkill, known string) error {
	dir := path.Join(skillsDir, f.Skill.Name)
	if sk, _, err := skill.Discover(skillSources(p.tree.FS(), p.env.skillDirs())...).Find(f.Skill.Name); err == nil && sk.Source != dir {
		f.Shadows = sk.Source
	}
	info, err := p.tree.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var old map[string][]byte
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	} else if err == nil {
		old, err = skill.Files(p.tree.FS(), dir, nil)
	}
	if f.before = skill.HashFiles(old); err == nil && f.before != f.hash && f.before != known {
		err = errors.New("differs, and was not written by scanner skills add, or was changed since")
	}
	if err != nil {
		return WithHint(fmt.Errorf("%q: %w", dir, err), "to get that of the source, delete all of the directory but tests first")
	}
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		if _, err := p.tree.Lstat(path.Join(dir, name)); err == nil && strings.HasPrefix(name, "tests/") {
			delete(f.Files, name)
			f.LeftOut = append(f.LeftOut, name+": the one that is here is kept")
		}
	}
	all := maps.Clone(old)
	maps.Copy(all, f.Files)
	lf := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b)) // SKILL.md early
	}) {
		if !strings.HasPrefix(name, "tests/") {
			f.Diff = append(f.Diff, linediff.Diff("a/"+name, lf(old[name]), "b/"+name, lf(f.Files[name]))...)
		}
	}
	f.Current = f.before == f.hash && f.hash == known
	return nil
}

// AddedSkills returns the skills of scanner.toml that have a source, all or those with some
// names. It is a usage error if there are none, or if one is missing.
func (p *Project) AddedSkills(ctx context.Context, names []string) (added []config.Skill, err error) {
	settings, _, err := p.readSettings(ctx, Options{}, true)
	if err != nil {
		return nil, err
	}
	added = slices.DeleteFunc(settings.Skills, func(s config.Skill) bool {
		return s.Source == "" || len(names) > 0 && !slices.Contains(names, s.Name)
	})
	if len(added) < max(len(names), 1) {
		return nil, WithHint(usagef("%d of the skills to update have a source in %s", len(added), configName), "scanner skills add adds skills")
	}
	return added, nil
}

// FetchUpdate is [Project.FetchSkills] for a skill that was added. If the user changed its
// files since, that is a usage error.
func (p *Project) FetchUpdate(ctx context.Context, s config.Skill) (*FetchedSkill, error) {
	list, err := p.fetchSkills(ctx, s.Source, []string{s.Name}, s.SHA256)
	if err != nil {
		return nil, err
	}
	list[0].Source = s.Source
	return &list[0], nil
}

// InstallSkill writes a skill to .scanner/skills, in place of the one that it was compared
// with, and its source and hash to scanner.toml. What the user has in its tests is kept.
// The error is a usage error about scanner.toml, or about a file that cannot be written.
func (p *Project) InstallSkill(f *FetchedSkill) error {
	// Each key is inserted after the name.
	write, err := p.setSkill(f.Skill.Name, [][2]string{{"sha256", f.hash}, {"rev", f.Rev}, {"source", f.Source}})
	if err != nil {
		return err
	}
	err = dotdir.In(p.tree, path.Join(skillsDir, f.Skill.Name), func(skills *os.Root, name string) error {
		return dotdir.Replace(skills, name, func() (map[string][]byte, error) {
			files, before := maps.Clone(f.Files), ""
			if _, err := skills.Lstat(name); err == nil {
				if before, err = skill.Hash(skills.FS(), name); err != nil {
					return nil, err
				}
				present, err := dotdir.ReadTree(skills.FS(), name, 1<<30)
				if err != nil {
					return nil, err
				}
				for file, data := range present { // the user's own are kept
					if strings.HasPrefix(file, "tests/") || path.Base(file)[0] == '.' {
						files[file] = data
					}
				}
			}
			if before != f.before {
				return nil, errors.New("was changed in the meantime")
			}
			return files, nil
		})
	})
	if err != nil {
		return err
	}
	return write()
}

// setSkill sets values of a skill in scanner.toml, which is changed when write is called.
func (p *Project) setSkill(name string, values [][2]string) (write func() error, err error) {
	mode := fs.FileMode(0o644)
	data, err := dotdir.ReadRegular(p.tree.FS(), configName, config.MaxSize)
	if info, statErr := p.tree.Lstat(configName); statErr == nil {
		if mode = info.Mode(); !mode.IsRegular() {
			err = errors.New("is not a regular file")
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte("version = 1\n"), nil
	}
	if err != nil {
		return nil, usagef("configuration %q: %w", configName, err)
	}
	before, err := config.Parse(configName, data)
	if err != nil {
		return nil, UsageError(err)
	}
	for _, v := range values {
		data = tomlfile.Set(data, "skills", name, v[0], v[1])
	}
	after, err := config.Parse(configName, data)
	if err != nil {
		return nil, usagef("%s cannot have another [[skills]] table, for %q: %w", configName, name, err)
	}
	ran := "" // a skill that ran by default
	for _, s := range before.SkillNames() {
		const triggers = "triggers = [{ type = \"pull_request\" }]\n"
		if !slices.Contains(after.SkillNames(), s) {
			ran, data = s, fmt.Appendf(data, "\n[[skills]]\nname = %q\n"+triggers, s)
		} else if before.Default() { // the new one has its name, and is at the end
			data = append(data, triggers...)
		}
	}
	return func() error {
		const temp = "." + configName + ".new"
		_ = p.tree.Remove(temp)
		err := dotdir.Create(p.tree, temp, string(data))
		if err == nil {
			err = errors.Join(p.tree.Chmod(temp, mode.Perm()), p.tree.Rename(temp, configName))
		}
		if err == nil && ran != "" {
			p.env.warn(Normal, fmt.Sprintf("added %s to %s: it ran by default before", ran, configName))
		}
		return err
	}, nil
}
