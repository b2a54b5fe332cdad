package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/project"
)

// command is a command of the program. The rest of its help is in the directory help.
type command struct {
	name  string // with a space, "cache clean", that of a verb of another command
	usage string // for the list of commands
	text  string // its forms, one a line
	flags []cli.Flag
	// args is what the one argument is, in brackets if it can be left out; "..." means any
	// number of arguments, and empty none.
	args string
	// check returns an error for other options that cannot be used; it may be nil.
	check func(o *options) error
	// run does the work. The result is nil if nothing was scanned. A command without it
	// has only verbs, and shows its help.
	run func(p *process, ctx context.Context, o *options) (*project.Result, error)
}

// commands returns the commands in the order of the help.
func commands() []command {
	return []command{
		{
			name: "scan", usage: "analyze changed code and report findings", text: "scanner scan [flags] [paths...]",
			flags: scanFlags(), args: "...", run: (*process).scan,
		},
		{
			name: "action", usage: "review the pull request of a workflow", text: "scanner action [flags]",
			flags: actionFlags(), run: (*process).action,
		},
		{
			name: "post", usage: "post a report of another job, that of a fork as unverified", text: "scanner post [flags] <log.jsonl>",
			flags: postFlags(), args: "the log to post", run: withoutResult((*process).post),
		},
		{
			name: "merge", usage: "make one report of the logs of shards", text: "scanner merge [flags] <log.jsonl>...",
			flags: append(showFlags(), outputFlag()), args: "...", run: (*process).merge,
			check: func(o *options) error {
				if len(o.Paths) == 0 {
					return usagef("merge takes the logs to merge, got none")
				}
				return nil
			},
		},
		{
			name: "report", usage: "show the result of a log again, in any format", text: "scanner report [flags] <log.jsonl>",
			flags: slices.Concat(thresholdFlags(), showFlags(), []cli.Flag{outputFlag()}),
			args:  "the log to show", run: (*process).report,
		},
		{
			name: "ignore", usage: "mark a finding as fine", text: "scanner ignore <id> --reason=TEXT [--until=DAY]\nscanner ignore --list",
			flags: ignoreFlags(), args: "...", run: ofProject((*process).ignore),
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
			name: "explain", usage: "explain what a scan does with a file, or a finding", text: "scanner explain [flags] <path>[:line]\nscanner explain --finding=ID [flags]",
			flags: explainFlags(), args: "...", run: ofProject((*process).explain),
			check: func(o *options) error {
				if n := len(o.Paths); n > 1 || (n == 0) == (o.finding == "") || o.log != "" && n > 0 {
					return usagef("explain takes one path, or --finding=ID; got %d paths", n)
				}
				return nil
			},
		},
		{
			name: "cache", usage: "show the size of the cache of answers", text: "scanner cache",
			run: ofProject((*process).cache),
		},
		{
			name: "cache clean", usage: "delete all answers", text: "scanner cache clean",
			run: ofProject((*process).cleanCache),
		},
		{
			name: "init", usage: "write a configuration and a workflow for this repository", text: "scanner init [--ci=HOST]",
			flags: []cli.Flag{stringFlag("", "ci", "write what this code `HOST` needs: github, gitlab or none")},
			run:   ofProject((*process).initialize), check: checkInit,
		},
		{
			name: "doctor", usage: "check what a scan needs here, and what to do about it", text: "scanner doctor [flags]",
			flags: doctorFlags(), run: withoutResult((*process).doctor),
		},
		{
			name: "config", usage: "check and show the configuration", text: "scanner config check | show | schema",
		},
		{
			name: "config check", usage: "report all mistakes in configuration and skills", text: "scanner config check [file]",
			args: "[file]", run: ofProject((*process).checkConfig),
		},
		{
			name: "config show", usage: "show every setting and where its value is from", text: "scanner config show [flags]",
			flags: append(settingFlags(scanSkill), configFlag()), run: ofProject((*process).showConfig),
		},
		{
			name: "config schema", usage: "print the JSON Schema of scanner.toml, for editors", text: "scanner config schema [--user]",
			flags: []cli.Flag{boolFlag("", "user", "print that of your own configuration file")},
			run:   withoutResult((*process).printSchema),
		},
		{
			name: "skills", usage: "list, show, check, test, seed, add and update skills",
			text: "scanner skills list\nscanner skills show <skill>\nscanner skills check [skill or directory...]\nscanner skills test [flags] [skill or directory...]\nscanner skills seed <skill or directory> <file.go>...\nscanner skills add <source>\nscanner skills update [skill...]",
		},
		{
			name: "skills list", usage: "list all skills that are found", text: "scanner skills list",
			run: ofProject((*process).listSkills),
		},
		{
			name: "skills show", usage: "show a skill with its instructions and rules", text: "scanner skills show <skill>",
			args: "the name of a skill", run: ofProject((*process).showSkill),
		},
		{
			name: "skills check", usage: "report what is wrong with skills", text: "scanner skills check [skill or directory...]",
			args: "...", run: (*process).checkSkills,
		},
		{
			name: "skills test", usage: "test skills with their fixtures", text: "scanner skills test [flags] [skill or directory...]",
			flags: skillsTestFlags(), args: "...", run: (*process).testSkills,
			check: func(o *options) error {
				if o.live && o.record {
					return usagef("--live keeps no answers, --record does: choose one")
				}
				if !o.live && !o.record && (o.Flags.Model != nil || o.Flags.MaxCost != nil) {
					return usagef("--model and --max-cost need --live or --record")
				}
				return nil
			},
		},
		{
			name: "skills seed", usage: "make fixtures of Go files with planted faults", text: "scanner skills seed <skill or directory> <file.go>...",
			args: "...", run: ofProject((*process).seedSkill),
			check: func(o *options) error {
				if len(o.Paths) < 2 {
					return usagef("skills seed takes a skill and Go files, got %q", o.Paths)
				}
				return nil
			},
		},
		{
			name: "skills add", usage: "copy a skill of a git repository", text: "scanner skills add [flags] <source>",
			flags: []cli.Flag{yesFlag(), &cli.StringSliceFlag{Name: "name", Usage: "add the skill `NAME` (may be repeated; needed if the source has several)"}},
			args:  "the source of a skill", run: ofProject((*process).addSkills),
		},
		{
			name: "skills update", usage: "bring skills that were added up to date", text: "scanner skills update [flags] [skill...]",
			flags: []cli.Flag{yesFlag()},
			args:  "...", run: ofProject((*process).updateSkills),
		},
		{
			name: "rules", usage: "list the rules of all skills, or describe one", text: "scanner rules [rule]",
			args: "[rule or skill]", run: ofProject((*process).rules),
		},
		{
			name: "version", usage: "print the version, and how this program was built", text: "scanner version [--json]",
			flags: []cli.Flag{boolFlag("", "json", "print an object of JSON")}, run: withoutResult((*process).printVersion),
		},
		{
			name: "completion", usage: "print a script that completes command lines", text: "scanner completion <shell>",
			args: "the name of a shell", run: withoutResult((*process).completion),
		},
		{
			name: "help", usage: "show the help of a command", text: "scanner help [command]",
			args: "...", run: withoutResult((*process).help),
		},
	}
}

// checkArguments returns an error for arguments that the command does not take.
func (cmd *command) checkArguments(args []string) error {
	what, optional := strings.CutPrefix(cmd.args, "[")
	switch n := len(args); {
	case what == "...", n == 1 && what != "", n == 0 && (optional || what == ""):
		return nil
	case optional:
		return usagef("%s takes one %s, got %d", cmd.name, strings.TrimSuffix(what, "]"), n)
	case what == "":
		return usagef("%s takes no arguments, got %q", cmd.name, args[0])
	default:
		return usagef("%s takes one argument, %s; got %d", cmd.name, what, n)
	}
}

// findCommand returns the command with a name; nil if there is none.
func findCommand(name string) *command {
	all := commands()
	if i := slices.IndexFunc(all, func(cmd command) bool { return cmd.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// verbs returns the verbs of a command, or, for an empty name, the commands themselves.
func verbs(name string) []command {
	return slices.DeleteFunc(commands(), func(cmd command) bool {
		of, _, isVerb := strings.Cut(cmd.name, " ")
		return isVerb != (name != "") || isVerb && of != name
	})
}

// withoutResult is for commands that scan nothing.
func withoutResult(run func(*process, context.Context, *options) error) func(*process, context.Context, *options) (*project.Result, error) {
	return func(p *process, ctx context.Context, o *options) (*project.Result, error) { return nil, run(p, ctx, o) }
}

// ofProject is for those that are about the project of the working directory.
func ofProject(run func(*process, context.Context, *project.Project, *options) error) func(*process, context.Context, *options) (*project.Result, error) {
	return withoutResult(func(p *process, ctx context.Context, o *options) error {
		return p.withProject(ctx, o, func(pr *project.Project) error { return run(p, ctx, pr, o) })
	})
}

// newApp returns the command line, which calls do with the chosen command. It returns
// errors: the app itself neither exits nor prints them. Package cli has no flag for help:
// package flag has one of its own, and returns [flag.ErrHelp].
func newApp(out io.Writer, do func(ctx context.Context, cmd *command, o *options) error) *cli.App {
	usageError := func(c *cli.Context, err error, _ bool) error {
		if errors.Is(err, flag.ErrHelp) {
			return writeHelp(out, strings.TrimPrefix(c.Command.Name, c.App.Name))
		}
		return flagError(c, err)
	}
	app := &cli.App{
		Name:                      "scanner",
		Writer:                    out,
		ErrWriter:                 io.Discard,
		HideVersion:               true,
		HideHelp:                  true,
		UseShortOptionHandling:    true,
		DisableSliceFlagSeparator: true,
		OnUsageError:              usageError,
		ExitErrHandler:            func(*cli.Context, error) {},
		Flags:                     appFlags(),
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				_, err := fmt.Fprintln(out, version)
				return err
			}
			if c.Args().Present() {
				return unknownCommand(c.Args().First())
			}
			return writeHelp(out, "")
		},
	}
	for _, cmd := range commands() {
		app.Commands = append(app.Commands, &cli.Command{
			Name:                   cmd.name,
			Flags:                  cmd.flags,
			UseShortOptionHandling: true,
			HideHelp:               true,
			OnUsageError:           usageError,
			Action: func(c *cli.Context) error {
				if len(verbs(cmd.name)) > 0 && c.Args().Present() {
					return unknownCommand(cmd.name + " " + c.Args().First())
				}
				if cmd.run == nil {
					return writeHelp(out, cmd.name)
				}
				o, err := readOptions(c)
				if err == nil {
					err = cmd.checkArguments(o.Paths)
				}
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
	return app
}
