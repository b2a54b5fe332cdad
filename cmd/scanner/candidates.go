package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/output"
	"github.com/codescan-dev/scanner/project"
)

// maxFiles is the most entries of a directory that are read for completions.
const maxFiles = 5000

// candidate is a completion of a word.
type candidate struct{ word, about string }

func candidates(words ...string) (list []candidate) {
	for _, w := range words {
		list = append(list, candidate{word: w})
	}
	return list
}

// withPrefix returns the candidates with text before them.
func withPrefix(prefix string, list []candidate) []candidate {
	for i := range list {
		list[i].word = prefix + list[i].word
	}
	return list
}

// candidates returns completions of the last word of a command line, and also some that
// do not begin with it.
func (p *process) candidates(ctx context.Context, before []string, last string) []candidate {
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
		return withPrefix(name+"=", p.values(ctx, placeholder, value))
	}
	var list []candidate
	if strings.HasPrefix(last, "-") && !onlyArgs {
		for _, f := range cmd.flags {
			name, equals := dashed(f.Names()[0]), ""
			if takesValue(f) {
				equals = "="
			}
			_, usage := flagUsage(f)
			list = append(list, candidate{name + equals, usage})
		}
		return list
	}
	if args == 0 && !onlyArgs {
		for _, verb := range verbs(cmd.name) {
			list = append(list, candidate{strings.TrimSpace(strings.TrimPrefix(verb.name, cmd.name)), verb.usage})
		}
	}
	form, _, _ := strings.Cut(cmd.text, "\n")
	return append(list, p.values(ctx, form[strings.LastIndexByte(form, ' ')+1:], last)...)
}

// values returns completions of the value of a flag, or of an argument, by its name in the
// help.
func (p *process) values(ctx context.Context, name, last string) []candidate {
	switch name {
	case "SEVERITY", "CONFIDENCE":
		return candidates("high", "medium", "low", "off")
	case "HOST":
		return candidates("github", "gitlab", "none")
	case "WHEN":
		return candidates(term.ColorAuto, term.ColorAlways, term.ColorNever)
	case "<shell>":
		return candidates(shells...)
	case "FILE", "[file]", "[paths...]", "<log.jsonl>", "<log.jsonl>...":
		return p.files(last)
	case "[FORMAT:]FILE":
		list := p.files(last)
		for _, format := range append(output.Formats(), formatJSONL) {
			list = append(list, candidate{format + ":", "the format of the file"})
			if file, ok := strings.CutPrefix(last, format+":"); ok {
				return withPrefix(format+":", p.files(file))
			}
		}
		return list
	case "A..B":
		if i := strings.LastIndex(last, ".."); i >= 0 {
			return withPrefix(last[:i+2], p.values(ctx, "REF", ""))
		}
		list := p.values(ctx, "REF", "")
		for i := range list {
			list[i].word += ".."
		}
		return list
	case "REF", "SKILL", "<skill>", "[rule]":
		var list []candidate
		_ = p.withProject(ctx, &options{}, func(pr *project.Project) error {
			list = inProject(ctx, pr, name)
			return nil
		})
		return list
	}
	return nil
}

// inProject returns what a project has: its references, skills, or rules.
func inProject(ctx context.Context, pr *project.Project, name string) (list []candidate) {
	switch name {
	case "REF":
		return candidates(append(pr.Refs(ctx), "HEAD")...)
	case "[rule]":
		skills, _ := pr.Skills(ctx, project.Options{})
		for _, s := range skills {
			for _, r := range s.Skill.Patterns {
				list = append(list, candidate{s.Skill.Name + "/" + r.ID, r.Title})
			}
		}
	}
	return append(list, candidates(pr.SkillNames(ctx)...)...)
}

// files returns the files and directories whose paths begin with a text.
func (p *process) files(begin string) (list []candidate) {
	dir, base := filepath.Split(begin)
	path := filepath.FromSlash(dir)
	if wd, err := p.getwd(); err == nil && !filepath.IsAbs(path) {
		path = filepath.Join(wd, path)
	}
	d, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(maxFiles)
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") && base == "" {
			continue
		}
		if info, err := os.Stat(filepath.Join(path, name)); err == nil && info.IsDir() {
			name += "/"
		}
		list = append(list, candidate{word: dir + name})
	}
	return list
}
