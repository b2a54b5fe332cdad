package main

import (
	"cmp"
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

// maxSeeds is the most faults of a kind that one file gets, so that the usual ones do not
// outweigh the others.
const maxSeeds = 3

// seedSkill is the command "skills seed".
func (p *process) seedSkill(ctx context.Context, pr *project.Project, o *options) error {
	dir, err := pr.SkillDir(ctx, o.Paths[0])
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return project.UsageError(err)
	}
	defer root.Close()
	if _, err := root.Stat("SKILL.md"); err != nil {
		return usagef("%q is not a skill: %w", o.Paths[0], dotdir.Cause(err))
	}
	written, kept := 0, 0
	for _, name := range o.Paths[1:] {
		src, err := os.ReadFile(name)
		if err != nil {
			return project.UsageError(err)
		}
		if name = filepath.Clean(name); !filepath.IsLocal(name) {
			name = filepath.Base(name)
		}
		name = filepath.ToSlash(name)
		faults, err := plantFaults(name, src)
		if err != nil {
			_ = p.print(text.OneLine(name+": no fixtures: "+err.Error()) + "\n")
		}
		count := make(map[string]int)
		for _, f := range faults {
			count[f.Kind]++
			fixture := fmt.Sprintf("tests/seed-%s-%s-%d", strings.ReplaceAll(strings.TrimSuffix(name, ".go"), "/", "-"), f.Kind, count[f.Kind])
			err := dotdir.Create(root, fixture+"/want.toml", "needs = \"model\"\nunexpected = \"allow\"\n")
			if errors.Is(err, fs.ErrExist) {
				kept++
				continue
			}
			if err == nil {
				err = dotdir.Create(root, fixture+"/"+name, string(f.Source))
			}
			if err != nil {
				return err
			}
			written++
			_ = p.print(text.OneLine(fixture) + "\n")
		}
	}
	return p.print(fmt.Sprintf("%s written, %d kept that exist\n", format.Count(written, "fixture", "fixtures"), kept))
}

// plantFaults returns the faults of a file, or why there are none.
func plantFaults(name string, src []byte) ([]seed.Fault, error) {
	faults, err := seed.Plant(src, maxSeeds)
	if err != nil || len(faults) == 0 {
		return nil, cmp.Or(err, errors.New("no place for a fault, or not formatted as by gofmt"))
	}
	if _, err := skilltest.Load(fstest.MapFS{"tests/seed/" + name: {Data: src}}, "."); err != nil {
		return nil, errors.New("a comment begins like an expectation, with the word want")
	}
	return faults, nil
}
