// Command scanner runs analysis skills over changed code and reports what they
// find.
//
// "scanner scan --help" describes the flags, exit codes and environment
// variables. Everything the command does is also open to programs that import
// package scanner.
package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	xterm "golang.org/x/term"

	"github.com/codescan-dev/scanner/internal/term"
)

func main() {
	// The first signal asks the run to end, the second one ends the process.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	// A reader of our output that goes away shows as an error of the write; the
	// run goes on, since its log is still worth having.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	os.Exit(run(ctx, &process{
		args:     os.Args,
		environ:  os.Environ(),
		getenv:   os.Getenv,
		getwd:    os.Getwd,
		lookPath: exec.LookPath,
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		columns:  columns,
		now:      time.Now,
		proxy:    http.ProxyFromEnvironment,
	}))
}

// columns returns the width of the terminal behind a stream, and whether there
// is one.
func columns(stream any) (width int, tty bool) {
	f, ok := stream.(*os.File)
	if !ok || !xterm.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := xterm.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return width, true
}

// run is the whole command but for the process around it. It returns the exit
// code.
func run(ctx context.Context, p *process) int {
	var o outcome
	app := newApp(p.stdout, func(ctx context.Context, command string, opts scanOptions) (err error) {
		switch command {
		case "action":
			o, err = p.action(ctx, opts)
		case "post":
			o, err = p.post(ctx, opts)
		default:
			o, err = p.scan(ctx, opts)
		}
		return err
	})
	args, err := arrangeArgs(app, p.args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	if errors.Is(err, syscall.EPIPE) {
		err = nil // nobody reads the help any more
	}
	o.err = err
	switch {
	case ctx.Err() != nil && !o.interrupted: // what err says is a consequence
		io.WriteString(p.stderr, "scanner: interrupted\n")
		o.interrupted = true
	case err != nil:
		text := formatError(err)
		if p.inWorkflow() {
			text = term.EscapeWorkflowCommands(text)
		}
		io.WriteString(p.stderr, text)
	}
	return exitCode(o)
}
