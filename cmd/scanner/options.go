package main

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/project"
)

// options are the arguments of a command. Commands without a flag for a field
// leave it at its zero value.
type options struct {
	project.Options        // Paths holds the arguments; for post, the log
	diffFile        string // a file, "-" for standard input, or empty
	outputs         []target
	color           string // auto, always or never
	level           term.Verbosity
	// dryRun prints the fixes as a patch instead of applying them, or what would
	// be posted instead of posting it.
	dryRun   bool
	baseline string // a log; empty means none
	// Of the command ignore.
	reason, until string
	list          bool
	finding, log  string   // of the command explain
	names         []string // of skills add
	yes           bool     // of skills add and update
	json          bool     // of the command version
	ci            string   // of the command init
	user          bool     // of config schema
	live, record  bool     // of skills test
	trustHead     bool     // take the configuration and skills of a pull request from its head
}

// readOptions returns the options of a command.
func readOptions(c *cli.Context) (*options, error) {
	if err := checkValues(c); err != nil {
		return nil, err
	}
	o := &options{
		Options: project.Options{
			Flags: config.Flags{
				ReportOn:      given(c, "report-on"),
				MinConfidence: given(c, "min-confidence"),
				FailOn:        given(c, "fail-on"),
				Model:         given(c, "model"),
				Skills:        c.StringSlice("skill"),
			},
			Config:     c.String("config"),
			Offline:    c.Bool("offline"),
			Verify:     c.Bool("verify"),
			NoCache:    c.Bool("no-cache"),
			AgentTools: c.Bool("allow-agent-tools"),
			Record:     c.String("record"),
			Replay:     c.String("replay"),
			Estimate:   c.Bool("plan"),
			Paths:      c.Args().Slice(),
			Base:       c.String("base"),
			Staged:     c.Bool("staged"),
			All:        c.Bool("all"),
		},
		diffFile:  c.String("diff-file"),
		color:     cmp.Or(c.String("color"), term.ColorAuto),
		level:     term.Normal,
		dryRun:    c.Bool("dry-run"),
		live:      c.Bool("live"),
		record:    c.Bool("record"),
		trustHead: c.Bool("trust-head"),
		baseline:  c.String("baseline"),
		reason:    c.String("reason"),
		until:     c.String("until"),
		list:      c.Bool("list"),
		finding:   c.String("finding"),
		log:       c.String("log"),
		names:     c.StringSlice("name"),
		yes:       c.Bool("yes"),
		json:      c.Bool("json"),
		ci:        c.String("ci"),
		user:      c.Bool("user"),
	}
	if c.Bool("fix") {
		o.Fix = &project.FixOptions{DryRun: o.dryRun, Checks: c.StringSlice("fix-check")}
	}
	var err error
	const whole = "a whole number"
	o.Flags.MaxFindings, err = parsed(c, err, "max-findings", strconv.Atoi, whole)
	o.Flags.Concurrency, err = parsed(c, err, "concurrency", strconv.Atoi, whole)
	o.Flags.MaxTokens, err = parsed(c, err, "max-tokens", func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }, whole)
	o.Flags.MaxCost, err = parsed(c, err, "max-cost", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }, "an amount in US dollars, such as 0.50")
	timeout, err := parsed(c, err, "timeout", parseTimeout, "a duration, such as 90s or 10m")
	shard, err := parsed(c, err, "shard", parseShard, "a part and how many there are, such as 1/8")
	if err != nil {
		return nil, err
	}
	if shard != nil {
		o.Shard = *shard
	}
	if timeout != nil {
		o.Timeout = *timeout
	}
	flags := o.Flags
	flags.Skills = nil // may be directories
	if _, err := config.Resolve(config.Input{Flags: flags}); err != nil {
		return nil, project.UsageError(err) // the flags alone are wrong
	}
	switch n := c.Count("verbose"); {
	case c.Bool("quiet"):
		o.level = term.Quiet
	case c.Bool("verbose") && n > 1:
		o.level, o.Discards = term.Debug, true
	case c.Bool("verbose"):
		o.level = term.Verbose
	}
	if err := o.setCommits(c.String("commit"), c.String("range")); err != nil {
		return nil, err
	}
	if err := o.setOutputs(c.StringSlice("output")); err != nil {
		return nil, err
	}
	return o, checkCombinations(c, o)
}

// setCommits sets what is compared by --commit or --range.
func (o *options) setCommits(commit, commits string) error {
	switch {
	case commit != "" && commits != "", (commit != "" || commits != "") && o.Base != "":
		return nil // reported with other combinations
	case commit != "":
		o.Base, o.Head = commit+"^", commit
	case commits != "":
		a, b, ok := strings.Cut(commits, "..")
		b = strings.TrimPrefix(b, ".")
		if !ok || a+b == "" {
			return usagef("--range: got %q, want two commits, such as v1.0..main", commits)
		}
		o.Base, o.Head = cmp.Or(a, "HEAD"), cmp.Or(b, "HEAD")
	}
	return nil
}

// setOutputs reads the values of --output, and excludes the files from the scan.
func (o *options) setOutputs(values []string) error {
	for _, value := range values {
		t, err := parseTarget(value)
		switch {
		case err != nil:
			return err
		case t.name == "-" && o.toStdout():
			return usagef("--output: only one report can be written to standard output")
		}
		o.outputs = append(o.outputs, t)
		if t.name == "-" {
			continue
		}
		o.Exclude = append(o.Exclude, t.name)
		if real, err := filepath.EvalSymlinks(t.name); err == nil {
			o.Exclude = append(o.Exclude, real)
		}
	}
	return nil
}

// toStdout reports whether a report goes to standard output, which that of the console
// must not share.
func (o *options) toStdout() bool {
	return slices.ContainsFunc(o.outputs, func(t target) bool { return t.name == "-" })
}

// checkValues reports values that no flag accepts. An empty value is most often a
// variable that is not set.
func checkValues(c *cli.Context) error {
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		values := c.StringSlice(name)
		if _, ok := f.(*cli.StringFlag); ok && c.IsSet(name) {
			values = []string{c.String(name)}
		}
		if slices.Contains(values, "") {
			return project.WithHint(usagef("flag %q has an empty value", dashed(name)), "leave the flag out, or check the variable it was made from")
		}
	}
	switch color := c.String("color"); color {
	case "", term.ColorAuto, term.ColorAlways, term.ColorNever: // not all commands have the flag
		return nil
	default:
		return usagef("--color: got %q, want auto, always or never", color)
	}
}

// checkCombinations reports flags that cannot be used together.
func checkCombinations(c *cli.Context, o *options) error {
	var changes []string
	for _, f := range []struct {
		name string
		set  bool
	}{{"--base", c.IsSet("base")}, {"--commit", c.IsSet("commit")}, {"--range", c.IsSet("range")}, {"--staged", o.Staged}, {"--all", o.All}, {"--diff-file", o.diffFile != ""}} {
		if f.set {
			changes = append(changes, f.name)
		}
	}
	switch {
	case len(changes) > 1:
		return usagef("%s cannot be used together", strings.Join(changes, " and "))
	case c.Bool("quiet") && c.Bool("verbose"):
		return usagef("-q and -v cannot be used together")
	case o.Offline && o.Verify:
		return usagef("--verify needs a model, --offline uses none")
	case o.Record != "" && o.Replay != "":
		return usagef("--record and --replay cannot be used together")
	case o.Offline && o.Record+o.Replay != "":
		return usagef("--record and --replay are about a model, --offline uses none")
	case o.Estimate && o.Record+o.Replay != "":
		return usagef("--plan sends nothing: it cannot be used with --record and --replay")
	case o.Offline && o.AgentTools:
		return usagef("--allow-agent-tools needs a model, --offline uses none")
	case c.Command.Name != "scan":
		return nil // no flags about fixes
	case o.Fix != nil && o.Head != "":
		return usagef("--fix changes the working tree, --commit and --range scan a commit")
	case o.Fix != nil && o.Shard.Count > 0:
		return usagef("--fix and --shard cannot be used together")
	case o.Estimate && o.Fix != nil:
		return usagef("--plan and --fix cannot be used together")
	case o.Estimate && len(o.outputs) > 0 && !slices.Equal(o.outputs, []target{{formatJSONL, "-"}}):
		return usagef("--plan writes no report; --output=- writes it to standard output as JSON")
	case o.Fix == nil && o.dryRun:
		return usagef("--dry-run needs --fix")
	case o.Fix == nil && c.IsSet("fix-check"):
		return usagef("--fix-check needs --fix")
	case o.dryRun && o.toStdout():
		return usagef("--output=- and --dry-run both write to standard output")
	}
	return nil
}

// given returns the value of a flag; nil if the flag is not set.
func given(c *cli.Context, name string) *string {
	if !c.IsSet(name) {
		return nil
	}
	return new(c.String(name))
}

// parsed is given for a flag that is not text. It does nothing after an error.
func parsed[T any](c *cli.Context, err error, name string, parse func(string) (T, error), want string) (*T, error) {
	if err != nil || !c.IsSet(name) {
		return nil, err
	}
	v, err := parse(c.String(name))
	if err != nil {
		return nil, usagef("--%s: got %q, want %s", name, c.String(name), want)
	}
	return &v, nil
}

func parseShard(s string) (scanner.Shard, error) {
	index, count, _ := strings.Cut(s, "/")
	i, err := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	shard := scanner.Shard{Index: i, Count: n}
	if n == 0 {
		err = errors.New("there are no parts")
	}
	return shard, cmp.Or(err, err2, shard.Validate())
}

func parseTimeout(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if d <= 0 {
		err = errors.New("there is no time")
	}
	return d, err
}
