// Scan is "scanner scan" without its live output on the terminal: configuration, skills,
// provider, cache, log, ignored findings, fixes, formats and exit code are
// those of the command.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/codescan-dev/scanner/output"
	"github.com/codescan-dev/scanner/project"
)

func main() {
	var opts project.Options
	flag.StringVar(&opts.Base, "base", "", "scan what changed since the merge base with a reference")
	flag.BoolVar(&opts.Staged, "staged", false, "scan the index")
	flag.BoolVar(&opts.All, "all", false, "scan whole files")
	flag.BoolVar(&opts.Offline, "offline", false, "run the rules alone, without a model")
	format := flag.String("format", "text", "one of "+strings.Join(output.Formats(), ", "))
	fix := flag.Bool("fix", false, "apply the suggested fixes")
	flag.Parse()
	opts.Paths = flag.Args()
	if *fix {
		opts.Fix = &project.FixOptions{}
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(project.ExitCode(nil, err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	result, err := scan(ctx, project.Env{
		Dir: dir, Environ: os.Environ(), LookPath: exec.LookPath, Proxy: http.ProxyFromEnvironment,
		Warn: func(w project.Warning) { fmt.Fprintln(os.Stderr, "warning:", w.Text) },
	}, opts, *format, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err, project.Hint(err))
	}
	os.Exit(project.ExitCode(result, err))
}

// scan writes the report to w in a format. It is in the log as well.
func scan(ctx context.Context, env project.Env, opts project.Options, format string, w io.Writer) (*project.Result, error) {
	p, err := project.Open(ctx, env)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	plan, err := p.Plan(ctx, opts)
	if err != nil {
		return nil, err
	}
	sink, err := output.New(format, w, output.Options{Start: plan.Meta.Timestamp.Time, Skills: plan.Skills, Code: plan.Contents})
	if err != nil {
		return nil, err
	}
	return plan.Run(ctx, sink)
}
