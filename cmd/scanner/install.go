package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
)

const afterInstall = `wrote .scanner/skills/%[1]s and scanner.toml
Read what the model gets, as you would read code, and check it:
    scanner skills show %[1]s
    scanner skills check %[1]s` + "\n\n"

const afterAdd = `It runs on this machine. For pull requests, its table in scanner.toml needs
    triggers = [{ type = "pull_request" }]
`

// addSkills is the command "skills add".
func (p *process) addSkills(ctx context.Context, pr *project.Project, o *options) error {
	list, err := pr.FetchSkills(ctx, o.Paths[0], o.names)
	if len(list) > 0 && err != nil {
		var rows [][]string
		for _, f := range list {
			rows = append(rows, []string{f.Skill.Name, f.Source, text.Truncate(f.Skill.Description, 100)})
		}
		err = cmp.Or(p.writeTable([]string{"NAME", "SOURCE", "DESCRIPTION"}, rows), err)
	}
	if err != nil {
		return err
	}
	for i := range list {
		if err := p.installSkill(ctx, pr, o, &list[i]); err != nil {
			return err
		}
	}
	return p.print(afterAdd)
}

// updateSkills is the command "skills update".
func (p *process) updateSkills(ctx context.Context, pr *project.Project, o *options) error {
	added, err := pr.AddedSkills(ctx, o.Paths)
	var errs []error // one skill does not keep the others from being updated
	for _, s := range added {
		f, err := pr.FetchUpdate(ctx, s)
		switch {
		case err == nil && f.Current:
			err = p.print(text.OneLine(s.Name) + " is up to date\n")
		case err == nil:
			err = p.installSkill(ctx, pr, o, f)
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, err)...)
}

// installSkill shows a skill, and writes it if the user agrees.
func (p *process) installSkill(ctx context.Context, pr *project.Project, o *options, f *project.FetchedSkill) error {
	rows := [][]string{
		{"name", f.Skill.Name}, {"description", f.Skill.Description}, {"source", f.Source}, {"commit", f.Rev},
		{"shadows", cmp.Or(f.Shadows, "no other skill")}, {"tools", cmp.Or(strings.Join(f.Skill.AllowedTools, ", "), "none")},
		{"rules", fmt.Sprint(len(f.Skill.Patterns))}, {"resources", fmt.Sprint(len(f.Skill.Resources))},
	}
	for _, w := range f.Warnings {
		rows = append(rows, []string{"warning", w.String()})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		kind := "file"
		if strings.HasPrefix(name, "scripts/") {
			kind = "script, never run"
		}
		rows = append(rows, []string{kind, fmt.Sprintf("%s (%s)", name, format.Size(int64(len(f.Files[name]))))})
	}
	for _, s := range shorten(f.LeftOut) {
		rows = append(rows, []string{"left out", text.Visible(s)})
	}
	if err := p.writeTable([]string{"WHAT", "VALUE"}, rows); err != nil {
		return err
	}
	for _, s := range shorten(strings.Split(strings.TrimSuffix(string(f.Diff), "\n"), "\n")) {
		if err := p.print(text.Visible(text.Truncate(s, 1000)) + "\n"); err != nil {
			return err
		}
	}
	if !o.yes {
		yes, answered := p.confirm(ctx, p.console(o), o, "Write it to .scanner/skills and scanner.toml?")
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !answered:
			return project.WithHint(usagef("skill %q was not written: confirmation needed", f.Skill.Name), "--yes writes without a question")
		case !yes:
			return p.print("nothing was written\n\n")
		}
	}
	if err := pr.InstallSkill(f); err != nil {
		return err
	}
	return p.print(fmt.Sprintf(afterInstall, f.Skill.Name))
}

// shorten returns at most 500 lines, and how many more there are.
func shorten(lines []string) []string {
	if more := len(lines) - 500; more > 0 {
		return append(lines[:500:500], fmt.Sprintf("and %d more lines", more))
	}
	return lines
}
