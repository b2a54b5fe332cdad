// Package complete connects completions with shells: it has the scripts that call a
// program, reads the words of the command line, and prints the completions.
package complete

import (
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
)

// Command is the name of the command that the scripts call. Its arguments are the shell
// and the words of a command line after the first; the last one is to be completed.
const Command = "__complete"

// Shells are the shells that have a script.
var Shells = []string{"bash", "zsh", "fish", "powershell"}

//go:embed scripts/*.txt
var scripts embed.FS

// Script returns the script of a shell.
func Script(shell string) ([]byte, error) { return scripts.ReadFile("scripts/" + shell + ".txt") }

// Candidate is a completion of a word.
type Candidate struct{ Word, About string }

// Words returns candidates without a description.
func Words(words ...string) (list []Candidate) {
	for _, w := range words {
		list = append(list, Candidate{Word: w})
	}
	return list
}

// Around returns the candidates with text before and after them.
func Around(before string, list []Candidate, after string) []Candidate {
	for i := range list {
		list[i].Word = before + list[i].Word + after
	}
	return list
}

// Line is a command line up to the cursor.
type Line struct {
	Before []string // the words after the first, before the last
	Last   string   // the word to be completed
	kept   int      // bytes of Last that the shell takes for other words
}

// Parse returns the line that the script of a shell passes; there is at least one word.
func Parse(shell string, words []string) *Line {
	if shell == "bash" {
		words = joinBroken(words)
	}
	l := &Line{Last: words[len(words)-1]}
	if shell == "powershell" {
		l.Before, l.Last = words[:len(words)-1], strings.TrimPrefix(l.Last, "=")
		return l
	}
	for _, w := range words {
		l.Last = quotes.Replace(w)
		l.Before = append(l.Before, l.Last)
	}
	l.Before = l.Before[:len(words)-1]
	if shell == "bash" {
		l.kept = strings.LastIndexAny(l.Last, "=:") + 1
	}
	return l
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

// Write writes the candidates that begin with the last word, one a line, each with a tab
// and its description. Those with hidden characters, which could steer a terminal, and
// those with tabs are left out. The scripts quote the others for their shell.
func (l *Line) Write(w io.Writer, list []Candidate) {
	for _, c := range list {
		clean := text.Visible(c.Word) == c.Word && !strings.Contains(c.Word, "\t")
		if strings.HasPrefix(c.Word, l.Last) && clean {
			fmt.Fprintf(w, "%s\t%s\n", c.Word[l.kept:], text.OneLine(c.About))
		}
	}
}
