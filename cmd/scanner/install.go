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

const afterAdd = `
Read what the model gets, as you would read code:  scanner skills show NAME
It runs on this machine. For pull requests, its table in scanner.toml needs
    triggers = [{ type = "pull_request" }]
`

// maxShown is the most lines of a list, or of a difference, that are shown.
const maxShown = 500

// addSkills is the command "skills add".
func (p *process) addSkills(ctx context.Context, pr *project.Project, o *options) error {
	list, err := pr.FetchSkills(ctx, o.Paths[0], o.names)
	if err != nil {
		var rows [][]string
		for _, f := range list {
			rows = append(rows, []string{f.Skill.Name, f.Source, text.Truncate(f.Skill.Description, 100)})
		}
		return cmp.Or(p.writeTable([]string{"NAME", "SOURCE", "DESCRIPTION"}, rows), err)
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
		f, err := (*project.FetchedSkill)(nil), error(nil)
		if o.accept {
			err = pr.AcceptSkill(s)
		} else if f, err = pr.FetchUpdate(ctx, s); err == nil && !f.Current {
			err = p.installSkill(ctx, pr, o, f)
		}
		if errs = append(errs, err); err == nil && (o.accept || f.Current) {
			errs = append(errs, p.print(text.OneLine(s.Name)+" is as scanner.toml describes it\n"))
		}
	}
	return errors.Join(append(errs, err)...)
}

// installSkill shows a skill, and writes it if the user agrees.
func (p *process) installSkill(ctx context.Context, pr *project.Project, o *options, f *project.FetchedSkill) error {
	var b strings.Builder
	line := func(title, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-13s%s\n", title+":", text.OneLine(value))
		}
	}
	list := func(title string, lines []string) {
		line(title, fmt.Sprint(len(lines)))
		for _, s := range lines[:min(len(lines), maxShown)] {
			b.WriteString("   " + text.Visible(text.Truncate(s, 1000)) + "\n")
		}
		if more := len(lines) - maxShown; more > 0 {
			fmt.Fprintf(&b, "   and %d more\n", more)
		}
	}
	line("name", f.Skill.Name)
	line("description", f.Skill.Description)
	line("from", f.Source)
	line("commit", f.Rev)
	line("replaces", f.Replaces)
	line("tools", cmp.Or(strings.Join(f.Skill.AllowedTools, ", "), "none"))
	line("rules", fmt.Sprint(len(f.Skill.Patterns)))
	line("resources", fmt.Sprint(len(f.Skill.Resources)))
	for _, w := range f.Warnings {
		line("warning", w.String())
	}
	var files []string
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		note := ""
		if strings.HasPrefix(name, "scripts/") {
			note = ", not run by scanner"
		}
		files = append(files, fmt.Sprintf("%s (%s%s)", name, format.Size(int64(len(f.Files[name]))), note))
	}
	list("files", files)
	list("left out", f.LeftOut)
	if len(f.Diff) > 0 {
		list("difference", strings.Split(strings.TrimSuffix(string(f.Diff), "\n"), "\n"))
	}
	if err := p.print(b.String()); err != nil {
		return err
	}
	if !o.yes {
		yes, answered := p.confirm(ctx, p.console(o), o, "Write it to .scanner/skills and scanner.toml?")
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !answered:
			return project.WithHint(usagef("skill %q is not written without an answer", f.Skill.Name), "--yes writes without a question")
		case !yes:
			return p.print("nothing was written\n\n")
		}
	}
	if err := pr.InstallSkill(f); err != nil {
		return err
	}
	return p.print("wrote .scanner/skills/" + f.Skill.Name + " and scanner.toml\n\n")
}
