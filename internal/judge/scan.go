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

// rule is a rule of a built-in skill, with its figures.
type rule struct {
	class string
	files []diff.Glob
	// found and alarms count the verdicts that agree and disagree with its findings,
	// other the findings of which there is none.
	found, alarms, other int
}

// claims reports whether the rule looks for a class in a file.
func (r *rule) claims(class, path string) bool {
	return r.class == class && class != "" && (len(r.files) == 0 || slices.ContainsFunc(r.files, func(g diff.Glob) bool { return g.Match(path) }))
}

// hit is a place where a rule found something.
type hit struct {
	*rule
	first, last int
	judged      bool
}

// scan runs the rules of the built-in skills on the files, as "scanner scan --all
// --offline" does in a repository of them. It returns the rules by id, and all their
// findings by file: no threshold applies.
func scan(ctx context.Context, files map[string][]byte) (map[string]*rule, map[string][]*hit, error) {
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
	// In the report of a shard similar findings are not merged.
	opts := project.Options{All: true, Offline: true, Shard: scanner.Shard{Index: 1, Count: 1}}
	opts.Flags.Skills = []string{"security-review", "code-review"}
	plan, err := p.Plan(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	result, err := plan.Run(ctx)
	if err == nil && result.Incomplete {
		err = fmt.Errorf("not everything was scanned: %v", result.Report.Stopped)
	}
	if err != nil {
		return nil, nil, err
	}
	rules, hits := make(map[string]*rule), make(map[string][]*hit)
	for i, s := range plan.Skills {
		for _, p := range s.Patterns {
			r := &rule{class: weakness.Class(p.CWE)}
			for _, glob := range p.Files {
				r.files = append(r.files, diff.CompileGlob(glob))
			}
			rules[s.Name+"/"+p.ID] = r
		}
		for _, f := range result.Report.Skills[i].Findings {
			l := f.Location
			hits[l.Path] = append(hits[l.Path], &hit{rule: rules[f.Rule], first: l.StartLine, last: l.LastLine()})
		}
	}
	return rules, hits, nil
}
