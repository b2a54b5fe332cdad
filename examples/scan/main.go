// Scan is "scanner scan" without its output on the terminal: configuration, skills,
// provider, cache, log, --base, --fix, paths and exit code are those of the command.
// The findings are in the log.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"

	"github.com/codescan-dev/scanner/project"
)

func main() {
	var opts project.Options
	flag.StringVar(&opts.Base, "base", "", "scan what changed since the merge base with a reference")
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
	}, opts)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err, project.Hint(err))
	}
	os.Exit(project.ExitCode(result, err))
}

func scan(ctx context.Context, env project.Env, opts project.Options) (*project.Result, error) {
	p, err := project.Open(ctx, env)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	plan, err := p.Plan(ctx, opts)
	if err != nil {
		return nil, err
	}
	return plan.Run(ctx)
}
