package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/skill"
)

// namedRule is a rule of a skill.
type namedRule struct {
	*scanner.Pattern
	name, skill, state string
}

// rules is the command of that name: it lists rules, or describes one.
func (p *process) rules(ctx context.Context, pr *project.Project, o *options) error {
	skills, err := pr.Skills(ctx, o.Options)
	if err != nil {
		return err
	}
	var all []namedRule
	var known []string
	for _, s := range skills {
		switch {
		case s.ShadowedBy != "":
			continue
		case s.Err != nil && len(o.Paths) > 0 && strings.TrimSuffix(o.Paths[0], "/") == s.Skill.Name:
			return project.UsageError(s.Err)
		case s.Err != nil:
			continue
		}
		known = append(known, s.Skill.Name)
		for i := range s.Skill.Patterns {
			r := namedRule{&s.Skill.Patterns[i], s.Skill.Name + "/" + s.Skill.Patterns[i].ID, s.Skill.Name, skillState(&s)}
			if slices.Contains(s.Disabled, r.name) {
				r.state = "disabled"
			}
			all, known = append(all, r), append(known, r.name)
		}
	}
	if len(o.Paths) > 0 {
		arg := strings.TrimSuffix(o.Paths[0], "/")
		var b strings.Builder
		for _, r := range all {
			if r.name == arg || r.ID == arg {
				r.describe(&b, p.width())
			}
		}
		if b.Len() > 0 {
			return p.print(strings.TrimPrefix(b.String(), "\n"))
		}
		if all = slices.DeleteFunc(all, func(r namedRule) bool { return r.skill != arg }); len(all) == 0 && !slices.Contains(known, arg) {
			return unknown("rule", arg, known, "scanner rules lists all rules")
		}
	}
	var rows [][]string
	for _, r := range all {
		rows = append(rows, []string{r.name, string(r.Severity), r.state, r.Title})
	}
	return p.writeTable([]string{"RULE", "SEVERITY", "STATE", "TITLE"}, rows)
}

// width returns the width for prose.
func (p *process) width() int {
	if width, _, tty := p.size(p.stdout); tty && width > 0 {
		return min(width, 100)
	}
	return 80
}

// describe writes what docs/rules.md has about a rule, and how to turn it off.
func (r *namedRule) describe(b *strings.Builder, width int) {
	name := text.OneLine(r.name)
	prose := func(s string) {
		for _, line := range term.Wrap(text.OneLine(s), width) {
			b.WriteString(line + "\n")
		}
	}
	b.WriteString("\n" + name + ": ")
	fmt.Fprintf(b, "%s (%s)\n\n", text.OneLine(r.Title), r.state)
	prose(r.Description)
	b.WriteString("\n")
	prose(skill.DescribeRule(r.Pattern))
	for _, examples := range []struct {
		title string
		list  []string
	}{{"Reported", r.Match}, {"Not reported", r.NoMatch}} {
		for i, example := range examples.list {
			if i == 0 {
				b.WriteString("\n" + examples.title + ":\n")
			}
			for line := range strings.Lines(strings.Trim(example, "\r\n")) { // the indentation can decide
				b.WriteString("    " + text.Visible(strings.TrimRight(line, "\r\n")) + "\n")
			}
		}
	}
	fmt.Fprintf(b, "\nTo turn it off, in scanner.toml:\n    [[skills]]\n    name = %q\n    disabledRules = [%q]\n", text.OneLine(r.skill), name)
	fmt.Fprintf(b, "For one line, a comment on it or above:\n    scanner:ignore[%s] why\nFor one finding:\n    scanner ignore ID --reason=\"why\"\n", name)
}
