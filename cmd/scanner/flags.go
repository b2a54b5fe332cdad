package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/internal/term"
)

// newApp returns the command line, which calls do with the name of a command. It
// returns errors: the app itself neither exits nor prints them.
func newApp(out io.Writer, do func(ctx context.Context, command string, o *options) error) *cli.App {
	app := &cli.App{
		Name:                      "scanner",
		Usage:                     "run analysis skills over changed code",
		UsageText:                 "scanner scan [flags] [paths...]\nscanner action [flags]\nscanner post [flags] <log.jsonl>\nscanner --version",
		Description:               appDescription,
		Version:                   version,
		Writer:                    out,
		ErrWriter:                 io.Discard,
		HideVersion:               true,
		UseShortOptionHandling:    true,
		DisableSliceFlagSeparator: true,
		OnUsageError:              flagError,
		ExitErrHandler:            func(*cli.Context, error) {},
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "print the version", DisableDefaultText: true},
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
	command := func(name, usage, text, description, help string, flags []cli.Flag) {
		app.Commands = append(app.Commands, &cli.Command{
			Name:                   name,
			Usage:                  usage,
			UsageText:              text,
			Description:            description,
			Flags:                  flags,
			CustomHelpTemplate:     cli.CommandHelpTemplate + help,
			UseShortOptionHandling: true,
			HideHelpCommand:        true,
			OnUsageError:           flagError,
			Action: func(c *cli.Context) error {
				o, err := readOptions(c)
				if err != nil {
					return err
				}
				return do(c.Context, name, o)
			},
		})
	}
	command("scan", "analyze changed code and report findings", "scanner scan [flags] [paths...]",
		scanDescription, scanHelp, scanFlags())
	command("action", "review the pull request of a workflow", "scanner action [flags]",
		actionDescription, actionHelp, actionFlags())
	command("post", "post the report of a fork's run, marked as unverified", "scanner post [flags] <log.jsonl>",
		postDescription, postHelp, postFlags())
	return app
}

// The categories of flags. Package cli sorts by name.
const (
	what    = "Changes to scan"
	how     = "How to analyze them"
	posting = "On the code host"
	results = "Results to report"
	fixes   = "Suggested fixes"
	show    = "Terminal output"
)

func scanFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Category: what, Name: "base", Usage: "scan what changed since the merge base with `REF`"},
		&cli.BoolFlag{Category: what, Name: "staged", Usage: "scan what is staged for the next commit", DisableDefaultText: true},
		&cli.BoolFlag{Category: what, Name: "all", Usage: "scan whole files, as if every line were new", DisableDefaultText: true},
		&cli.StringFlag{Category: what, Name: "diff-file", Usage: "scan the unified diff in `FILE` (- is standard input), without git"},
		&cli.BoolFlag{Category: how, Name: "allow-agent-tools", Usage: "use an agent CLI even if its tools cannot be turned off", DisableDefaultText: true},
		&cli.StringFlag{Category: how, Name: "config", Usage: "read `FILE` instead of scanner.toml at the root of the repository"},

		&cli.BoolFlag{Category: fixes, Name: "fix", Usage: "apply the suggested fixes (experimental)", DisableDefaultText: true},
		&cli.BoolFlag{Category: fixes, Name: "dry-run", Usage: "with --fix: print the fixes as a patch for git apply, and change nothing", DisableDefaultText: true},
		&cli.StringSliceFlag{Category: fixes, Name: "fix-check", Usage: "with --fix: keep only fixes with which `COMMAND` passes, in a copy of the files (may be repeated)"},
	}, runFlags("run the skill `NAME` (may be repeated; default: those of scanner.toml, else code-review)"), showFlags())
}

func actionFlags() []cli.Flag {
	return slices.Concat(postFlags(), runFlags("of the skills that the event starts, run only `NAME` (may be repeated; default: all of them)"), []cli.Flag{
		&cli.BoolFlag{Category: posting, Name: "trust-head", Usage: "take scanner.toml, skills and attributes from the pull request instead of its base", DisableDefaultText: true},
	})
}

func postFlags() []cli.Flag {
	return append(showFlags(),
		&cli.BoolFlag{Category: posting, Name: "dry-run", Usage: "print what would be posted, and post nothing", DisableDefaultText: true})
}

// runFlags are the flags of every command that scans. skill is the help of --skill.
func runFlags(skill string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Category: how, Name: "skill", Usage: skill},
		&cli.StringFlag{Category: how, Name: "model", Usage: "use the model `NAME`"},
		&cli.BoolFlag{Category: how, Name: "offline", Usage: "call no model: run only the pattern rules of the skills", DisableDefaultText: true},
		&cli.BoolFlag{Category: how, Name: "no-cache", Usage: "ignore cached answers and ask again", DisableDefaultText: true},
		&cli.BoolFlag{Category: how, Name: "verify", Usage: "get a second opinion of the model on each finding", DisableDefaultText: true},
		&cli.StringFlag{Category: how, Name: "concurrency", Usage: "send at most `N` requests at a time (default: 8, with an agent CLI 4)"},

		&cli.StringFlag{Category: results, Name: "report-on", Usage: "hide findings below `SEVERITY`: high, medium, low; off hides all"},
		&cli.StringFlag{Category: results, Name: "min-confidence", Usage: "drop findings below `CONFIDENCE`: high, medium, low; off drops none"},
		&cli.StringFlag{Category: results, Name: "max-findings", Usage: "report at most `N` findings of each skill"},
		&cli.StringFlag{Category: results, Name: "fail-on", Usage: "exit with code 1 for findings at or above `SEVERITY`: high, medium, low; off never fails"},
		&cli.StringFlag{Category: results, Name: "output", Usage: "write the report as JSON Lines to `FILE` (- is standard output)"},
	}
}

func showFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Category: show, Name: "quiet", Aliases: []string{"q"}, Usage: "show only the final summary line", Count: new(int), DisableDefaultText: true},
		&cli.BoolFlag{Category: show, Name: "verbose", Aliases: []string{"v"}, Usage: "show every file and chunk; -vv adds diagnostics", Count: new(int), DisableDefaultText: true},
		&cli.StringFlag{Category: show, Name: "color", Usage: "use colors `WHEN`: auto, always, never", Value: term.ColorAuto},
	}
}
