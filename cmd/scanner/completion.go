package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
)

// completions has a script for each shell. They call completeCommand.
//
//go:embed completion/*.txt
var completions embed.FS

// completeCommand is the command of the scripts. Its arguments are the shell and the
// words of a command line after the first; the last one is to be completed.
const completeCommand = "__complete"

// maxCompleteTime ends a completion, for which somebody waits.
const maxCompleteTime = 2 * time.Second

var shells = []string{"bash", "zsh", "fish", "powershell"}

// completion is the command of that name.
func (p *process) completion(_ context.Context, o *options) error {
	script, err := completions.ReadFile("completion/" + o.Paths[0] + ".txt")
	if err == nil {
		_, err = p.stdout.Write(script)
	}
	return err
}

// checkShell returns an error for arguments that are not one of the shells.
func checkShell(o *options) error {
	want := "one of " + strings.Join(shells, ", ")
	switch {
	case len(o.Paths) != 1:
		return usagef("completion takes one argument, %s; got %d", want, len(o.Paths))
	case !slices.Contains(shells, o.Paths[0]):
		if near := nearest.Word(o.Paths[0], shells); near != "" {
			want = fmt.Sprintf("did you mean %q?", near)
		}
		return project.WithHint(usagef("completion: unknown shell %q", o.Paths[0]), want)
	}
	return nil
}

// complete prints the completions of the last word, one a line, each with a tab and what
// it is about. Those with hidden characters, which could steer a terminal, are left out.
// The scripts quote them for their shell.
func (p *process) complete(ctx context.Context, shell string, words []string) int {
	ctx, cancel := context.WithTimeout(ctx, maxCompleteTime)
	defer cancel()
	last := len(words) - 1
	if shell == "powershell" {
		words[last] = strings.TrimPrefix(words[last], "=")
	} else {
		for i, w := range words {
			words[i] = quotes.Replace(w)
		}
	}
	kept := 0 // bytes of the word that the shell takes for other words
	if shell == "bash" {
		words = joinBroken(words)
		last = len(words) - 1
		kept = strings.LastIndexAny(words[last], "=:") + 1
	}
	for _, c := range p.candidates(ctx, words[:last], words[last]) {
		if strings.HasPrefix(c.word, words[last]) && text.Visible(c.word) == c.word {
			fmt.Fprintf(p.stdout, "%s\t%s\n", c.word[kept:], text.OneLine(c.about))
		}
	}
	return 0
}

// quotes removes the quotes of shells.
var quotes = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`, `\`, "", `'`, "", `"`, "")

// joinBroken joins words that bash takes apart at "=" and ":".
func joinBroken(words []string) (joined []string) {
	open := false
	for _, w := range words {
		isBreak := w != "" && strings.Trim(w, "=:") == ""
		if n := len(joined); n > 0 && (open || isBreak) {
			joined[n-1] += w
		} else {
			joined = append(joined, w)
		}
		open = isBreak
	}
	return joined
}
