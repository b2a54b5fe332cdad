package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/internal/complete"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/output"
	"github.com/codescan-dev/scanner/project"
)

// candidates returns completions of the last word of a command line, and also some that
// do not begin with it.
func (p *process) candidates(ctx context.Context, before []string, last string) []complete.Candidate {
	cmd := command{flags: withHelp(appFlags())}
	var valueOf cli.Flag // whose value is the next word
	args, onlyArgs := 0, false
	for _, w := range before {
		verb := findCommand(strings.TrimSpace(cmd.name + " " + w))
		switch f := findFlag(cmd.flags, w); {
		case valueOf != nil:
			valueOf = nil
		case w == "--":
			onlyArgs = true
		case isFlag(w) && !onlyArgs:
			if f != nil && takesValue(f) && !strings.Contains(w, "=") {
				valueOf = f
			}
		case args > 0 || verb == nil:
			args++
		case verb.name != "help": // which is followed by the name of another
			cmd = *verb
			cmd.flags = withHelp(cmd.flags)
		}
	}
	if valueOf != nil {
		placeholder, _ := flagUsage(valueOf)
		return p.values(ctx, placeholder, last)
	}
	if name, value, ok := strings.Cut(last, "="); ok && findFlag(cmd.flags, name) != nil && !onlyArgs {
		placeholder, _ := flagUsage(findFlag(cmd.flags, name))
		return complete.Around(name+"=", p.values(ctx, placeholder, value), "")
	}
	var list []complete.Candidate
	if strings.HasPrefix(last, "-") && !onlyArgs {
		for _, f := range cmd.flags {
			name, equals := dashed(f.Names()[0]), ""
			if takesValue(f) {
				equals = "="
			}
			_, usage := flagUsage(f)
			list = append(list, complete.Candidate{Word: name + equals, About: usage})
		}
		return list
	}
	if args == 0 && !onlyArgs {
		for _, verb := range verbs(cmd.name) {
			list = append(list, complete.Candidate{Word: strings.TrimSpace(strings.TrimPrefix(verb.name, cmd.name)), About: verb.usage})
		}
	}
	form, _, _ := strings.Cut(cmd.text, "\n")
	return append(list, p.values(ctx, form[strings.LastIndexByte(form, ' ')+1:], last)...)
}

// values returns completions of the value of a flag, or of an argument, by its name in the
// help.
func (p *process) values(ctx context.Context, name, last string) (list []complete.Candidate) {
	switch name {
	case "SEVERITY", "CONFIDENCE":
		return complete.Words("high", "medium", "low", "off")
	case "HOST":
		return complete.Words("github", "gitlab", "none")
	case "WHEN":
		return complete.Words(term.ColorAuto, term.ColorAlways, term.ColorNever)
	case "<shell>":
		return complete.Words(complete.Shells...)
	case "<path>[:line]", "FILE", "[file]", "[paths...]", "<log.jsonl>", "<log.jsonl>...":
		return complete.Files(last)
	case "[FORMAT:]FILE":
		list = complete.Files(last)
		for _, format := range append(output.Formats(), formatJSONL) {
			list = append(list, complete.Candidate{Word: format + ":", About: "the format of the file"})
			if file, ok := strings.CutPrefix(last, format+":"); ok {
				return complete.Around(format+":", complete.Files(file), "")
			}
		}
	case "A..B":
		if i := strings.LastIndex(last, ".."); i >= 0 {
			return complete.Around(last[:i+2], p.values(ctx, "REF", ""), "")
		}
		return complete.Around("", p.values(ctx, "REF", ""), "..")
	case "REF", "SKILL", "<skill>", "[rule]":
		_ = p.withProject(ctx, &options{}, func(pr *project.Project) error {
			if name == "REF" {
				list = complete.Words(pr.Refs(ctx)...)
				return nil
			}
			list = complete.Words(pr.SkillNames(ctx)...)
			if name == "[rule]" {
				skills, _ := pr.Skills(ctx, project.Options{})
				for _, s := range skills {
					for _, r := range s.Skill.Patterns {
						list = append(list, complete.Candidate{Word: s.Skill.Name + "/" + r.ID, About: r.Title})
					}
				}
			}
			return nil
		})
	}
	return list
}
