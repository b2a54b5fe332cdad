package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/internal/nearest"
)

// arrangeArgs puts the arguments into the order that package cli understands:
// flags of the program, the command, its flags, "--", its positional arguments.
// Package cli would take a flag after a positional argument for another one,
// without a word; and it would run the root action for a command it does not
// know. What is wrong with a name is reported here, what is wrong with a value by
// package cli.
func arrangeArgs(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, usagef("no program name")
	}
	global, args := args[:1:1], args[1:]
	for len(args) > 0 && isFlag(args[0]) && args[0] != "--" {
		flags, rest, err := takeFlag(app.Flags, args, "")
		if err != nil {
			return nil, withHint(err, hintForGlobal(app, args[0]))
		}
		global, args = append(global, flags...), rest
	}
	if len(args) == 0 {
		return global, nil
	}
	if len(global) > 1 {
		return global, nil // --version or --help, whatever follows
	}
	if args[0] == "help" || args[0] == "h" {
		if len(args) > 1 && app.Command(args[1]) == nil {
			return nil, withHint(usagef("unknown command %q", args[1]), hintForCommand(app, args[1]))
		}
		return append(global, args...), nil
	}
	cmd := app.Command(args[0])
	if cmd == nil {
		return nil, withHint(usagef("unknown command %q", args[0]), hintForCommand(app, args[0]))
	}
	var flags, paths []string
	for args = args[1:]; len(args) > 0; {
		switch {
		case args[0] == "--":
			paths, args = append(paths, args[1:]...), nil
		case !isFlag(args[0]):
			paths, args = append(paths, args[0]), args[1:]
		default:
			taken, rest, err := takeFlag(cmd.Flags, args, cmd.Name)
			if err != nil {
				return nil, err
			}
			flags, args = append(flags, taken...), rest
		}
	}
	arranged := append(append(global, cmd.Name), flags...)
	if len(paths) > 0 {
		arranged = append(append(arranged, "--"), paths...)
	}
	return arranged, nil
}

// isFlag reports whether an argument has the form of a flag. A single "-" means
// standard input or output.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// takeFlag splits the flag that args begins with, and its value if it takes one,
// from the rest. command is whose flags are known; empty for those of the program.
func takeFlag(known []cli.Flag, args []string, command string) (flag, rest []string, err error) {
	arg := args[0]
	name, value, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	f := findFlag(known, name)
	if f == nil {
		if !strings.HasPrefix(arg, "--") && !inline && len(name) > 1 && allShort(known, name) {
			for _, c := range name {
				flag = append(flag, "-"+string(c))
			}
			return flag, args[1:], nil
		}
		return nil, nil, withHint(usagef("unknown flag %q", strings.TrimSuffix(arg, "="+value)), hintForFlag(known, name, command))
	}
	if !takesValue(f) {
		return args[:1:1], args[1:], nil
	}
	if !inline {
		// A flag is no value: it was forgotten. One that is meant is written with "=".
		if len(args) < 2 || args[1] == "--" || isFlag(args[1]) && findFlag(known, flagName(args[1])) != nil {
			return nil, nil, usagef("flag %q needs a value", arg)
		}
		value, args = args[1], args[1:]
	}
	if value == "" {
		return nil, nil, withHint(usagef("flag %q has an empty value", dashed(name)), "leave the flag out, or check the variable it was made from")
	}
	return []string{dashed(name) + "=" + value}, args[1:], nil
}

func flagName(arg string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name
}

func findFlag(known []cli.Flag, name string) cli.Flag {
	if name == "help" || name == "h" {
		return cli.HelpFlag
	}
	i := slices.IndexFunc(known, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return known[i]
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

// allShort reports whether every letter of name is a flag without a value, so
// that they may stand behind one dash.
func allShort(known []cli.Flag, name string) bool {
	for _, c := range name {
		if f := findFlag(known, string(c)); f == nil || takesValue(f) {
			return false
		}
	}
	return true
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func hintForFlag(known []cli.Flag, name, command string) string {
	names := []string{"help"}
	for _, f := range known {
		for _, n := range f.Names() {
			if len(n) > 1 { // any letter is near to any other
				names = append(names, n)
			}
		}
	}
	if near := nearest.Word(name, names); near != "" {
		return fmt.Sprintf("did you mean %s?", dashed(near))
	}
	return "scanner " + cmp.Or(command, "scan") + " --help lists the flags"
}

// hintForGlobal helps with a flag of a command that stands before the command.
func hintForGlobal(app *cli.App, arg string) string {
	for _, cmd := range app.Commands {
		if findFlag(cmd.Flags, flagName(arg)) != nil || arg == "-vv" {
			return fmt.Sprintf("it is a flag of a command: scanner %s %s", cmd.Name, arg)
		}
	}
	return hintForFlag(app.Flags, flagName(arg), "")
}

func hintForCommand(app *cli.App, arg string) string {
	var names []string
	for _, cmd := range app.Commands {
		names = append(names, cmd.Names()...)
	}
	if near := nearest.Word(arg, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "scanner --help lists the commands"
}
