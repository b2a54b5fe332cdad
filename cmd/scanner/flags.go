package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/internal/term"
)

// newApp returns the command line, which calls do with the name of a command.
// Results come back as errors: the app itself neither exits nor prints an error.
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
	command("post", "post the log of a run as comments that say they are unverified", "scanner post [flags] <log.jsonl>",
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
		&cli.StringFlag{Category: what, Name: "diff-file", Usage: "scan the unified diff in `FILE` (- is standard input); git is not asked"},
		&cli.BoolFlag{Category: how, Name: "allow-agent-tools", Usage: "use an agent CLI also if its tools cannot be turned off", DisableDefaultText: true},
		&cli.StringFlag{Category: how, Name: "config", Usage: "read `FILE` instead of scanner.toml at the root of the repository"},

		&cli.BoolFlag{Category: fixes, Name: "fix", Usage: "apply the suggested fixes (experimental)", DisableDefaultText: true},
		&cli.BoolFlag{Category: fixes, Name: "dry-run", Usage: "with --fix: print the fixes as a patch for git apply, and change nothing", DisableDefaultText: true},
		&cli.StringSliceFlag{Category: fixes, Name: "fix-check", Usage: "with --fix: keep a fix only if `COMMAND` passes with it, in a copy of the files (may be repeated)"},
	}, runFlags("run the skill `NAME` (may be repeated; default: those of scanner.toml, else code-review)"), showFlags())
}

func actionFlags() []cli.Flag {
	return slices.Concat(postFlags(), runFlags("of the skills that the event starts, run `NAME` (may be repeated; default: all of them)"), []cli.Flag{
		&cli.BoolFlag{Category: posting, Name: "trust-head", Usage: "take scanner.toml, skills and attributes from the pull request, not from its base", DisableDefaultText: true},
	})
}

func postFlags() []cli.Flag {
	return append(showFlags(),
		&cli.BoolFlag{Category: posting, Name: "dry-run", Usage: "print what would be posted, and post nothing", DisableDefaultText: true})
}

// runFlags are those of every command that scans. skill says what --skill does.
func runFlags(skill string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Category: how, Name: "skill", Usage: skill},
		&cli.StringFlag{Category: how, Name: "model", Usage: "ask the model `NAME`"},
		&cli.BoolFlag{Category: how, Name: "offline", Usage: "ask no model: run only the patterns of the skills", DisableDefaultText: true},
		&cli.BoolFlag{Category: how, Name: "no-cache", Usage: "ask about every chunk, also about those that were asked about before", DisableDefaultText: true},
		&cli.BoolFlag{Category: how, Name: "verify", Usage: "ask for a second opinion on what would be reported", DisableDefaultText: true},
		&cli.StringFlag{Category: how, Name: "concurrency", Usage: "have at most `N` requests in flight (default: 8, with an agent CLI 4)"},

		&cli.StringFlag{Category: results, Name: "report-on", Usage: "hide findings below `SEVERITY`: high, medium, low; off hides all"},
		&cli.StringFlag{Category: results, Name: "min-confidence", Usage: "drop findings below `CONFIDENCE`: high, medium, low; off drops none"},
		&cli.StringFlag{Category: results, Name: "max-findings", Usage: "report at most `N` findings of each skill"},
		&cli.StringFlag{Category: results, Name: "fail-on", Usage: "exit with 1 for findings at or above `SEVERITY`: high, medium, low; off never fails"},
		&cli.StringFlag{Category: results, Name: "output", Usage: "write the report as JSON Lines to `FILE` (- is standard output)"},
	}
}

func showFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Category: show, Name: "quiet", Aliases: []string{"q"}, Usage: "show only the final summary line", Count: new(int), DisableDefaultText: true},
		&cli.BoolFlag{Category: show, Name: "verbose", Aliases: []string{"v"}, Usage: "show every file and chunk; -vv adds diagnostics", Count: new(int), DisableDefaultText: true},
		&cli.StringFlag{Category: show, Name: "color", Usage: "`WHEN` to use colors: auto, always or never", Value: term.ColorAuto},
	}
}
