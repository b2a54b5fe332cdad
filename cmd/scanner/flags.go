package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/term"
)

// scanOptions is what the command line says. Commands without a flag for
// something leave it at its zero value.
type scanOptions struct {
	paths    []string // for post, the one log
	output   string   // a file, "-" for stdout, or empty
	base     string
	diffFile string // a file, "-" for stdin, or empty
	staged   bool
	all      bool
	offline  bool
	noCache  bool
	verify   bool   // ask for a second opinion
	config   string // a file, or empty
	// agentTools permits an agent CLI whose tools cannot be turned off.
	agentTools bool
	color      string // auto, always or never
	level      term.Verbosity
	fix        bool // apply the suggested fixes
	// dryRun prints the fixes as a patch instead of applying them, or what would
	// be posted instead of posting it.
	dryRun    bool
	checks    []string // commands that must pass with the fixes; nil: those of the user's file
	trustHead bool     // take the policy of a pull request from its head
	flags     config.Flags
}

// newApp returns the command line, which calls do with the name of a command.
// Results come back as errors: the app itself neither exits nor prints an error.
func newApp(out io.Writer, do func(ctx context.Context, command string, o scanOptions) error) *cli.App {
	badUsage := func(_ *cli.Context, err error, _ bool) error { return flagError(err) }
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
		OnUsageError:              badUsage,
		ExitErrHandler:            func(*cli.Context, error) {},
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "print the version", DisableDefaultText: true},
		},
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				_, err := fmt.Fprintln(out, version)
				return err
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
			OnUsageError:           badUsage,
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

func readOptions(c *cli.Context) (scanOptions, error) {
	o := scanOptions{
		paths:      c.Args().Slice(),
		output:     c.String("output"),
		base:       c.String("base"),
		diffFile:   c.String("diff-file"),
		staged:     c.Bool("staged"),
		all:        c.Bool("all"),
		offline:    c.Bool("offline"),
		noCache:    c.Bool("no-cache"),
		verify:     c.Bool("verify"),
		config:     c.String("config"),
		agentTools: c.Bool("allow-agent-tools"),
		color:      c.String("color"),
		level:      term.Normal,
		fix:        c.Bool("fix"),
		dryRun:     c.Bool("dry-run"),
		checks:     c.StringSlice("fix-check"),
		trustHead:  c.Bool("trust-head"),
		flags: config.Flags{
			ReportOn:      given(c, "report-on", c.String),
			MinConfidence: given(c, "min-confidence", c.String),
			FailOn:        given(c, "fail-on", c.String),
			Model:         given(c, "model", c.String),
			Skills:        c.StringSlice("skill"),
		},
	}
	var err error
	if o.flags.MaxFindings, err = givenNumber(c, "max-findings"); err != nil {
		return o, err
	}
	if o.flags.Concurrency, err = givenNumber(c, "concurrency"); err != nil {
		return o, err
	}
	if _, err := config.Resolve(config.Input{Flags: o.flags}); err != nil {
		return o, asUsage(err) // flags alone: no need to look further
	}
	if o.output == "/dev/stdout" {
		o.output = "-" // the terminal channel has to give way to it
	}
	switch o.color {
	case term.ColorAuto, term.ColorAlways, term.ColorNever:
	default:
		return o, usagef("--color: got %q, want auto, always or never", o.color)
	}
	if err := o.checkArgs(c.Command.Name); err != nil {
		return o, err
	}
	if err := o.checkFix(c.Command.Name); err != nil {
		return o, err
	}
	switch {
	case o.offline && o.verify:
		return o, usagef("--verify asks a model, --offline asks none")
	case o.offline && o.agentTools:
		return o, usagef("--allow-agent-tools is about a model, --offline asks none")
	}
	var sources []string
	for _, name := range []string{"base", "staged", "all", "diff-file"} {
		if c.IsSet(name) && (takesValue(findFlag(c.Command.Flags, name)) || c.Bool(name)) {
			sources = append(sources, "--"+name)
		}
	}
	if len(sources) > 1 {
		return o, usagef("%s exclude each other", strings.Join(sources, " and "))
	}
	switch n := c.Count("verbose"); {
	case c.Bool("quiet") && c.Bool("verbose"):
		return o, usagef("-q and -v exclude each other")
	case c.Bool("quiet"):
		o.level = term.Quiet
	case c.Bool("verbose") && n > 1:
		o.level = term.Debug
	case c.Bool("verbose"):
		o.level = term.Verbose
	}
	return o, nil
}

// checkArgs sees that a command has the arguments that it takes.
func (o *scanOptions) checkArgs(command string) error {
	switch {
	case command == "action" && len(o.paths) > 0:
		return withHint(usagef("action takes no arguments, got %q", o.paths[0]), "the event of the workflow says what is scanned")
	case command == "post" && len(o.paths) != 1:
		return usagef("post takes one argument, the log to post; got %d", len(o.paths))
	}
	return nil
}

// checkFix sees that the flags about fixes fit together.
func (o *scanOptions) checkFix(command string) error {
	if command != "scan" {
		return nil // there are none
	}
	switch {
	case !o.fix && o.dryRun:
		return usagef("--dry-run needs --fix")
	case !o.fix && len(o.checks) > 0:
		return usagef("--fix-check needs --fix")
	case o.dryRun && o.output == "-":
		return usagef("--output=- and --dry-run both write to standard output")
	}
	for _, command := range o.checks {
		if strings.TrimSpace(command) == "" {
			return usagef("--fix-check: got %q, want a command", command)
		}
	}
	return nil
}

// given returns the value of a flag, or nil when it does not stand there.
func given[T any](c *cli.Context, name string, value func(string) T) *T {
	if !c.IsSet(name) {
		return nil
	}
	return new(value(name))
}

// givenNumber is given for a flag that is a whole number.
func givenNumber(c *cli.Context, name string) (*int, error) {
	if !c.IsSet(name) {
		return nil, nil
	}
	n, err := strconv.Atoi(c.String(name))
	if err != nil {
		return nil, usagef("--%s: got %q, want a whole number", name, c.String(name))
	}
	return &n, nil
}

// flagError words an error of package flag like our own. What it can complain
// about is the value of a flag that takes none.
func flagError(err error) error {
	// invalid boolean value "maybe" for -staged: parse error
	if rest, ok := strings.CutPrefix(err.Error(), "invalid boolean value "); ok {
		if value, rest, ok := strings.Cut(rest, " for -"); ok {
			name, _, _ := strings.Cut(rest, ":")
			return usagef("%s: got %s, want no value, true or false", dashed(name), value)
		}
	}
	return asUsage(err)
}
