package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/project"
)

// command is a command of the program.
type command struct {
	name, usage string
	text        string // its forms, one a line
	description string
	help        string // follows the list of flags
	flags       []cli.Flag
	// check returns an error for arguments that the command does not take; nil accepts
	// all.
	check func(o *options) error
	// run does the work. The result is nil if nothing was scanned.
	run func(p *process, ctx context.Context, o *options) (*project.Result, error)
}

// commands returns the commands in the order of the help.
func commands() []command {
	return []command{
		{
			name: "scan", usage: "analyze changed code and report findings", text: "scanner scan [flags] [paths...]",
			description: scanDescription, help: scanHelp, flags: scanFlags(), run: (*process).scan,
		},
		{
			name: "action", usage: "review the pull request of a workflow", text: "scanner action [flags]",
			description: actionDescription, help: actionHelp, flags: actionFlags(), run: (*process).action,
			check: func(o *options) error {
				if len(o.Paths) > 0 {
					return project.WithHint(usagef("action takes no arguments, got %q", o.Paths[0]), "the event of the workflow determines what is scanned")
				}
				return nil
			},
		},
		{
			name: "post", usage: "post a report of another job, that of a fork as unverified", text: "scanner post [flags] <log.jsonl>",
			description: postDescription, help: postHelp, flags: postFlags(), run: withoutResult((*process).post),
			check: oneArgument("post", "the log to post"),
		},
		{
			name: "merge", usage: "make one report of the logs of shards", text: "scanner merge [flags] <log.jsonl>...",
			description: mergeDescription, help: mergeHelp, flags: append(showFlags(), outputFlag()), run: (*process).merge,
			check: func(o *options) error {
				if len(o.Paths) == 0 {
					return usagef("merge takes the logs to merge, got none")
				}
				return nil
			},
		},
		{
			name: "report", usage: "show the result of a log again, in any format", text: "scanner report [flags] <log.jsonl>",
			description: reportDescription, help: reportHelp, flags: slices.Concat(thresholdFlags(), showFlags(), []cli.Flag{outputFlag()}),
			check: oneArgument("report", "the log to show"), run: (*process).report,
		},
		{
			name: "ignore", usage: "mark a finding as fine", text: "scanner ignore <id> --reason=TEXT [--until=DAY]\nscanner ignore --list",
			description: ignoreDescription, flags: ignoreFlags(), run: withoutResult((*process).ignore),
			check: func(o *options) error {
				if o.list && (len(o.Paths) > 0 || o.reason+o.until != "") {
					return usagef("--list takes neither an id nor other flags")
				}
				if !o.list && len(o.Paths) != 1 {
					return project.WithHint(usagef("ignore takes one argument, the id of a finding; got %d", len(o.Paths)), "scanner scan -v shows the ids of findings")
				}
				return nil
			},
		},
		{
			name: "cache", usage: "show or empty the cache of answers", text: "scanner cache [clean]",
			description: cacheDescription, run: withoutResult((*process).cache),
			check: func(o *options) error {
				if len(o.Paths) > 0 && !slices.Equal(o.Paths, []string{"clean"}) {
					return usagef("cache takes no argument but clean, got %q", strings.Join(o.Paths, " "))
				}
				return nil
			},
		},
		{
			name: "version", usage: "print the version, and how this program was built", text: "scanner version [--json]",
			description: versionDescription, flags: versionFlags(), run: withoutResult((*process).printVersion), check: noArguments("version"),
		},
	}
}

// oneArgument returns the check of a command that takes one argument.
func oneArgument(name, what string) func(*options) error {
	return func(o *options) error {
		if len(o.Paths) != 1 {
			return usagef("%s takes one argument, %s; got %d", name, what, len(o.Paths))
		}
		return nil
	}
}

// noArguments returns the check of a command that takes none.
func noArguments(name string) func(*options) error {
	return func(o *options) error {
		if len(o.Paths) > 0 {
			return usagef("%s takes no arguments, got %q", name, o.Paths[0])
		}
		return nil
	}
}

// withoutResult is for commands that scan nothing.
func withoutResult(run func(*process, context.Context, *options) error) func(*process, context.Context, *options) (*project.Result, error) {
	return func(p *process, ctx context.Context, o *options) (*project.Result, error) { return nil, run(p, ctx, o) }
}

// newApp returns the command line, which calls do with the chosen command. It returns
// errors: the app itself neither exits nor prints them.
func newApp(out io.Writer, do func(ctx context.Context, cmd *command, o *options) error) *cli.App {
	app := &cli.App{
		Name:                      "scanner",
		Usage:                     "run analysis skills over changed code",
		Description:               appDescription,
		Version:                   version,
		Writer:                    out,
		ErrWriter:                 io.Discard,
		HideVersion:               true,
		HideHelp:                  true, // the flag and the command of the library are shared by all apps
		UseShortOptionHandling:    true,
		DisableSliceFlagSeparator: true,
		OnUsageError:              flagError,
		ExitErrHandler:            func(*cli.Context, error) {},
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "print the version", DisableDefaultText: true},
			helpFlag(false),
		},
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				_, err := fmt.Fprintln(out, version)
				return err
			}
			if c.Args().Present() {
				return unknownCommand(c.App, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	var forms []string
	for _, cmd := range commands() {
		first, _, _ := strings.Cut(cmd.text, "\n")
		forms = append(forms, first)
		app.Commands = append(app.Commands, &cli.Command{
			Name:                   cmd.name,
			Usage:                  cmd.usage,
			UsageText:              cmd.text,
			Description:            cmd.description,
			Flags:                  append(cmd.flags, helpFlag(true)),
			CustomHelpTemplate:     cli.CommandHelpTemplate + cmd.help,
			UseShortOptionHandling: true,
			HideHelp:               true,
			OnUsageError:           flagError,
			Action: func(c *cli.Context) error {
				o, err := readOptions(c)
				if err == nil && cmd.check != nil {
					err = cmd.check(o)
				}
				if err != nil {
					return err
				}
				return do(c.Context, &cmd, o)
			},
		})
	}
	app.UsageText = strings.Join(append(forms, "scanner --version"), "\n")
	app.Commands = append(app.Commands, &cli.Command{
		Name:         "help",
		Aliases:      []string{"h"},
		Usage:        "Shows a list of commands or help for one command",
		ArgsUsage:    "[command]",
		HideHelp:     true,
		OnUsageError: flagError,
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			switch {
			case name == "":
				return cli.ShowAppHelp(c)
			case c.App.Command(name) == nil:
				return unknownCommand(c.App, name)
			}
			return cli.ShowCommandHelp(c, name)
		},
	})
	return app
}

func helpFlag(hidden bool) cli.Flag {
	return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help", DisableDefaultText: true, Hidden: hidden}
}
