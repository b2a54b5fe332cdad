package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/skill"
)

// listSkills is the command "skills list".
func (p *process) listSkills(ctx context.Context, pr *project.Project, o *options) error {
	skills, err := pr.Skills(ctx, o.Options)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, s := range skills {
		rules, description := strconv.Itoa(len(s.Skill.Patterns)), s.Skill.Description
		if s.Err != nil {
			rules, description = "", s.Err.Error()
		}
		rows = append(rows, []string{s.Skill.Name, s.Skill.Source, rules, skillState(&s), description})
	}
	return p.writeTable([]string{"NAME", "FROM", "RULES", "STATE", "DESCRIPTION"}, rows)
}

// skillState returns whether a skill runs, and why not, in a word or two.
func skillState(s *project.SkillInfo) string {
	switch {
	case s.Err != nil:
		return "broken"
	case s.ShadowedBy != "":
		return "shadowed by " + s.ShadowedBy
	case s.Used:
		return "used"
	}
	return "not used"
}

// showSkill is the command "skills show".
func (p *process) showSkill(ctx context.Context, pr *project.Project, o *options) error {
	skills, err := pr.Skills(ctx, o.Options)
	if err != nil {
		return err
	}
	name := o.Paths[0]
	i := slices.IndexFunc(skills, func(s project.SkillInfo) bool { return s.Skill.Name == name && s.ShadowedBy == "" })
	if i < 0 {
		return unknown("skill", name, pr.SkillNames(ctx), "scanner skills list shows all skills")
	}
	s := &skills[i]
	if s.Err != nil {
		return project.UsageError(s.Err)
	}
	var b strings.Builder
	line := func(title, value string) { fmt.Fprintf(&b, "%-13s%s\n", title+":", text.OneLine(value)) }
	line("name", s.Skill.Name)
	line("description", s.Skill.Description)
	line("from", s.Skill.Source)
	line("state", skillState(s))
	line("tools", cmp.Or(strings.Join(s.Skill.AllowedTools, ", "), "none"))
	for _, w := range s.Warnings {
		line("warning", w.String())
	}
	line("resources", fmt.Sprint(len(s.Skill.Resources)))
	inlined, _ := s.Skill.Inlined()
	for i, r := range s.Skill.Resources {
		size := format.Size(int64(len(r.Text))) + "  "
		how := size + "not sent"
		switch {
		case r.Text == "":
			how = "script, listed and never run"
		case slices.Contains(s.Skill.AllowedTools, "Read"):
			how = size + "read with tools"
		case inlined[i].Text != "":
			how = size + "inlined"
		}
		fmt.Fprintf(&b, "   %s  %s\n", text.OneLine(r.Name), how)
	}
	line("rules", fmt.Sprint(len(s.Skill.Patterns)))
	for _, r := range s.Skill.Patterns {
		fmt.Fprintf(&b, "   %s  %s  %s\n", text.OneLine(s.Skill.Name+"/"+r.ID), r.Severity, text.OneLine(r.Title))
	}
	if s.Skill.Instructions != "" {
		b.WriteString("\n" + text.Clean(s.Skill.Instructions) + "\n")
	}
	return p.print(b.String())
}

// checkSkills is the command "skills check". Its result fails if a skill is broken.
func (p *process) checkSkills(ctx context.Context, o *options) (*project.Result, error) {
	var problems []skill.Problem
	var checked int
	err := p.withProject(ctx, o, func(pr *project.Project) (err error) {
		problems, checked, err = pr.CheckSkills(ctx, project.Options{}, o.Paths)
		return err
	})
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	count := make(map[string]int) // by level
	for _, problem := range problems {
		b.WriteString(text.OneLine(problem.String()) + "\n")
		count[problem.Level]++
	}
	fmt.Fprintf(&b, "%s checked: %s, %s\n", format.Count(checked, "skill", "skills"),
		format.Count(count["error"], "error", "errors"), format.Count(count["warning"], "warning", "warnings"))
	return &project.Result{Fails: count["error"] > 0}, p.print(b.String())
}
