package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/seed"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/skill/skilltest"
)

const (
	// maxSeeds is the most faults of a kind that one file gets, so that the usual ones do
	// not outweigh the others.
	maxSeeds = 3
	// seedWant is the want.toml of a fixture with a planted fault.
	seedWant = "needs = \"model\"\nunexpected = \"allow\"\n"
)

// seedSkill is the command "skills seed".
func (p *process) seedSkill(_ context.Context, o *options) error {
	dir, err := p.getwd()
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	abs := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(dir, name)
	}
	root, err := os.OpenRoot(abs(o.Paths[0]))
	if err != nil {
		return project.UsageError(err)
	}
	defer root.Close()
	if _, err := root.Stat("SKILL.md"); err != nil {
		return usagef("%q is not a skill: %w", o.Paths[0], dotdir.Cause(err))
	}
	var b strings.Builder
	written, kept := 0, 0
	for _, name := range o.Paths[1:] {
		src, err := os.ReadFile(abs(name))
		if err != nil {
			return project.UsageError(err)
		}
		name = filepath.Clean(name)
		if !filepath.IsLocal(name) {
			name = filepath.Base(name)
		}
		fixtures, err := seedFixtures(filepath.ToSlash(name), src)
		if err != nil {
			fmt.Fprintf(&b, "%s: no fixtures: %s\n", text.OneLine(name), text.OneLine(err.Error()))
		}
		for _, f := range fixtures {
			err := dotdir.Create(root, f.dir+"/want.toml", seedWant)
			if errors.Is(err, fs.ErrExist) {
				kept++
				continue
			}
			if err == nil {
				err = dotdir.Create(root, f.dir+"/"+f.file, f.text)
			}
			if err != nil {
				return err
			}
			written++
			b.WriteString(text.OneLine(f.dir) + "\n")
		}
	}
	fmt.Fprintf(&b, "%s written, %d kept that exist\n", format.Count(written, "fixture", "fixtures"), kept)
	return p.print(b.String())
}

// seedFixture is a file with a fault, and the directory for it.
type seedFixture struct{ dir, file, text string }

// seedFixtures returns the fixtures for the faults of a file.
func seedFixtures(name string, src []byte) (fixtures []seedFixture, err error) {
	faults, err := seed.Plant(src, maxSeeds)
	if err == nil && len(faults) == 0 {
		err = errors.New("no place for a fault, or not formatted as by gofmt")
	}
	count := make(map[string]int)
	for _, f := range faults {
		count[f.Kind]++
		prefix := strings.ReplaceAll(strings.TrimSuffix(name, ".go"), "/", "-")
		dir := fmt.Sprintf("tests/seed-%s-%s-%d", prefix, f.Kind, count[f.Kind])
		if _, err := skilltest.Load(fstest.MapFS{dir + "/" + name: {Data: f.Source}}, "."); err != nil {
			return nil, errors.New("another comment begins like an expectation, with the word want")
		}
		fixtures = append(fixtures, seedFixture{dir, name, string(f.Source)})
	}
	return fixtures, err
}
