package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/weakness"
	"github.com/codescan-dev/scanner/project"
)

// rule is a rule of a built-in skill.
type rule struct {
	*scanner.Pattern
	id    string // with its skill
	class string
	files []diff.Glob
}

func (r *rule) matches(path string) bool {
	return len(r.files) == 0 || slices.ContainsFunc(r.files, func(g diff.Glob) bool { return g.Match(path) })
}

// claims reports whether the rule looks for a class in a file.
func (r *rule) claims(class, path string) bool {
	return class != "" && r.class == class && r.matches(path)
}

// hit is a place where a rule found something.
type hit struct {
	rule        *rule
	first, last int
}

// scan runs the rules of the built-in skills on the files, as "scanner scan --all
// --offline" does in a new repository of them, and returns all findings by file, before
// any threshold.
func scan(ctx context.Context, files map[string][]byte) ([]*rule, map[string][]hit, error) {
	dir, err := os.MkdirTemp("", "judge")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)); err != nil {
			return nil, nil, err
		}
	}
	if out, err := exec.CommandContext(ctx, "git", "init", "--quiet", dir).CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("git init: %w\n%s", err, out)
	}
	p, err := project.Open(ctx, project.Env{Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH")}})
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	// The report of a shard has every finding by itself: similar ones are not merged.
	opts := project.Options{All: true, Offline: true, Shard: scanner.Shard{Index: 1, Count: 1}}
	opts.Flags.Skills = []string{"security-review", "code-review"}
	plan, err := p.Plan(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	result, err := plan.Run(ctx)
	if err == nil && result.Incomplete {
		err = fmt.Errorf("the scan is incomplete: %v", result.Report.Stopped)
	}
	if err != nil {
		return nil, nil, err
	}
	var rules []*rule
	hits := make(map[string][]hit)
	for i, s := range plan.Skills {
		first := len(rules)
		for j := range s.Patterns {
			r := &rule{Pattern: &s.Patterns[j], id: s.Name + "/" + s.Patterns[j].ID, class: weakness.Class(scratch[s.Patterns[j].ID])}
			for _, glob := range r.Files {
				r.files = append(r.files, diff.CompileGlob(glob))
			}
			rules = append(rules, r)
		}
		for _, f := range result.Report.Skills[i].Findings {
			for _, r := range rules[first:] {
				if r.Title == f.Title && r.matches(f.Location.Path) {
					hits[f.Location.Path] = append(hits[f.Location.Path], hit{r, f.Location.StartLine, f.Location.LastLine()})
					break
				}
			}
		}
	}
	return rules, hits, nil
}
