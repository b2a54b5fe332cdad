package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/internal/term"
)

// helpWidth is the width of help in columns, also in a wider terminal.
const helpWidth = 80

// helpTexts has a file for each command, "cache-clean.txt" for "cache clean": its
// description, then sections as they are printed. "scanner.txt" is for the program.
//
//go:embed help/*.txt
var helpTexts embed.FS

var sectionHeading = regexp.MustCompile(`(?m)^[A-Z][A-Z ]*:$`)

// appFlags are the flags of the program itself.
func appFlags() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "print the version"}}
}

// withHelp adds the flag for help, which every command has.
func withHelp(flags []cli.Flag) []cli.Flag {
	return append(slices.Clip(flags), &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help"})
}

// help is the command of that name.
func (p *process) help(_ context.Context, o *options) error {
	return writeHelp(p.stdout, strings.Join(o.Paths, " "))
}

// writeHelp writes the help of a command, or for an empty name that of the program.
func writeHelp(w io.Writer, name string) error {
	cmd := command{usage: "run analysis skills over changed code", text: "scanner <command> [flags] [arguments]", flags: withHelp(appFlags())}
	if name != "" {
		found := findCommand(name)
		if found == nil {
			return unknownCommand(name)
		}
		cmd = *found
	}
	title := strings.TrimSpace("scanner " + name)
	file := strings.ReplaceAll(strings.TrimPrefix(title, "scanner "), " ", "-")
	data, err := helpTexts.ReadFile("help/" + file + ".txt")
	if err != nil {
		return err
	}
	description, sections := string(data), ""
	if at := sectionHeading.FindStringIndex(description); at != nil {
		description, sections = description[:at[0]], "\n"+description[at[0]:]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "NAME:\n   %s - %s\n\nUSAGE:\n%s\n\nDESCRIPTION:\n%s\n", title, cmd.usage, indented(cmd.text), indented(strings.TrimSpace(description)))
	for i, verb := range verbs(name) {
		if i == 0 {
			b.WriteString("\nCOMMANDS:\n")
		}
		writeEntry(&b, "   "+verb.name, verb.usage)
	}
	if len(cmd.flags) > 0 {
		b.WriteString("\nFLAGS:\n")
	}
	writeFlags(&b, cmd.flags)
	_, err = io.WriteString(w, b.String()+sections)
	return err
}

// writeFlags writes flags with a heading for each category, in the order of their first
// flags.
func writeFlags(b *strings.Builder, flags []cli.Flag) {
	byCategory, order := make(map[string][]cli.Flag), []string(nil)
	for _, f := range flags {
		category := f.(cli.CategorizableFlag).GetCategory()
		if byCategory[category] == nil {
			order = append(order, category)
		}
		byCategory[category] = append(byCategory[category], f)
	}
	for _, category := range order {
		if category != "" {
			fmt.Fprintf(b, "   %s:\n", category)
		}
		for _, f := range byCategory[category] {
			placeholder, usage := flagUsage(f)
			writeEntry(b, strings.TrimRight("     "+flagNames(f)+" "+placeholder, " "), usage)
		}
	}
}

// writeEntry writes a name and what it is for, in two columns.
func writeEntry(b *strings.Builder, name, usage string) {
	const column = 30
	if len(name) > column-2 {
		b.WriteString(name + "\n")
		name = ""
	}
	for _, line := range term.Wrap(usage, helpWidth-column) {
		fmt.Fprintf(b, "%-*s%s\n", column, name, line)
		name = ""
	}
}

// flagNames returns the names of a flag as they are typed, short ones first.
func flagNames(f cli.Flag) string {
	var names []string
	for _, name := range f.Names() {
		names = append([]string{dashed(name)}, names...)
	}
	return strings.Join(names, ", ")
}

// flagUsage returns what a flag is for, and the word in backquotes in it, which is the
// name of the flag's value.
func flagUsage(f cli.Flag) (placeholder, usage string) {
	usage = f.(cli.DocGenerationFlag).GetUsage()
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
		placeholder = parts[1]
	} else if takesValue(f) {
		placeholder = "TEXT"
	}
	return placeholder, strings.ReplaceAll(usage, "`", "")
}

// indented returns text with every line that is not empty indented.
func indented(text string) string {
	return "   " + strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n   "), "\n   \n", "\n\n")
}
