package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/project"
)

// flagsFirst moves the flags of the command before its other arguments: package
// cli takes a flag after an argument for another argument, without an error.
// Flags and their values are joined, so that they stay together, as are a command and
// its verb.
func flagsFirst(app *cli.App, args []string) ([]string, error) {
	at := slices.IndexFunc(args, func(arg string) bool { return app.Command(arg) != nil })
	switch {
	case at < 0:
		return args, nil
	case at > 1 && findFlag(app.Flags, args[1]) != nil:
		return args[:at], nil // --version ignores the rest
	}
	known := withHelp(app.Command(args[at]).Flags)
	flags, others := slices.Clone(args[:at+1]), []string{"--"}
	for rest := args[at+1:]; len(rest) > 0; {
		arg := rest[0]
		rest = rest[1:]
		switch {
		case arg == "--":
			others, rest = append(others, rest...), nil
		case !isFlag(arg) && len(others) == 1 && app.Command(flags[at]+" "+arg) != nil:
			flags[at] += " " + arg
			known = withHelp(app.Command(flags[at]).Flags)
		case !isFlag(arg):
			others = append(others, arg)
		case takesValue(findFlag(known, arg)) && !strings.Contains(arg, "="):
			if len(rest) == 0 || rest[0] == "--" || findFlag(known, rest[0]) != nil {
				return nil, usagef("flag %q needs a value", arg)
			}
			flags, rest = append(flags, arg+"="+rest[0]), rest[1:]
		default:
			flags = append(flags, arg)
		}
	}
	if len(others) > 1 {
		flags = append(flags, others...)
	}
	return flags, nil
}

// isFlag reports whether an argument has the form of a flag. A single "-" means
// standard input or output.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// findFlag returns the flag that an argument sets; nil if there is none.
func findFlag(known []cli.Flag, arg string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	i := slices.IndexFunc(known, func(f cli.Flag) bool { return isFlag(arg) && slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return known[i]
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// flagError formats an error of package flag like those of this package.
func flagError(c *cli.Context, err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		return unknownFlag(c, name)
	}
	// invalid boolean value "maybe" for -staged: parse error
	if rest, ok := strings.CutPrefix(err.Error(), "invalid boolean value "); ok {
		if value, rest, ok := strings.Cut(rest, " for -"); ok {
			name, _, _ := strings.Cut(rest, ":")
			return usagef("%s: got %s, want no value, true or false", dashed(name), value)
		}
	}
	return project.UsageError(err)
}

// unknownFlag returns the error for a flag that a command, or the program itself,
// does not have. Its hint is a similar flag, or the command that has the flag.
func unknownFlag(c *cli.Context, name string) error {
	name = strings.TrimLeft(name, "-")
	if name == "vv" {
		name = "v" // twice
	}
	err := usagef("unknown flag %q", dashed(name))
	flags, help, below := c.Command.Flags, "scanner "+c.Command.Name+" --help", c.Command.Name+" "
	if c.Command.Name == c.App.Name { // before the command
		flags, help, below = c.App.Flags, "scanner --help", ""
	}
	for _, cmd := range c.App.Commands {
		if strings.HasPrefix(cmd.Name, below) && findFlag(cmd.Flags, dashed(name)) != nil {
			return project.WithHint(err, fmt.Sprintf("it is a flag of a command: scanner %s %s", cmd.Name, dashed(name)))
		}
	}
	var names []string
	for _, f := range withHelp(flags) {
		for _, n := range f.Names() {
			if len(n) > 1 { // any letter is similar to any other
				names = append(names, n)
			}
		}
	}
	if near := nearest.Word(name, names); near != "" {
		return project.WithHint(err, fmt.Sprintf("did you mean %s?", dashed(near)))
	}
	return project.WithHint(err, help+" lists the flags")
}

// unknownCommand returns the error for a command, or a verb of one, that does not exist.
func unknownCommand(name string) error {
	of, _, isVerb := strings.Cut(name, " ")
	hint := "scanner --help lists the commands"
	if !isVerb {
		of = ""
	} else if len(verbs(of)) > 0 {
		hint = fmt.Sprintf("scanner %s --help lists its commands", of)
	}
	var names []string
	for _, cmd := range verbs(of) {
		names = append(names, cmd.name)
	}
	return unknown("command", name, names, hint)
}
