// Command scanner runs analysis skills over changed code and reports what they
// find.
//
// "scanner scan --help" describes the flags, exit codes and environment
// variables. The command is flags and rendering on top of package project, which
// other programs can use, too.
package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	xterm "golang.org/x/term"

	"github.com/codescan-dev/scanner/internal/complete"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/project"
)

func main() {
	// The first signal interrupts the run, the second one ends the process, unless it
	// is a SIGHUP.
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
		// When a terminal is closed, the system and the shell may both send one.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	// When the reader of the output is gone, the run ends, and its log is complete.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, gone := context.WithCancelCause(ctx)
	go func() {
		if awaitReaderGone(os.Stdout) {
			gone(errReaderGone)
		}
	}()

	os.Exit(run(ctx, &process{
		args:     os.Args,
		environ:  os.Environ(),
		getenv:   os.Getenv,
		getwd:    os.Getwd,
		lookPath: exec.LookPath,
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		size:     terminalSize,
		now:      time.Now,
		proxy:    http.ProxyFromEnvironment,
	}))
}

// errReaderGone is the cause of the end of a run whose output nobody reads any more.
var errReaderGone = errors.New("the reader of the output is gone")

// terminalSize returns the size of the terminal behind a stream, and whether there is one.
func terminalSize(stream any) (columns, rows int, tty bool) {
	f, ok := stream.(*os.File)
	if !ok || !xterm.IsTerminal(int(f.Fd())) {
		return 0, 0, false
	}
	columns, rows, err := xterm.GetSize(int(f.Fd()))
	if err != nil {
		columns, rows = 0, 0
	}
	return columns, rows, true
}

// run is the whole command without the process around it. It returns the exit
// code.
func run(ctx context.Context, p *process) int {
	ctx, p.gone = context.WithCancel(ctx)
	defer p.gone()
	if len(p.args) > 3 && p.args[1] == complete.Command {
		return p.complete(ctx, p.args[2], p.args[3:])
	}
	var result *project.Result
	given := &options{color: term.ColorAuto} // until they are known
	began, ended := false, false
	app := newApp(p.stdout, func(ctx context.Context, cmd *command, o *options) (err error) {
		given, began = o, true
		result, err = cmd.run(p, ctx, o)
		ended = err == nil // an interrupt afterwards, of the last question or of head, changes nothing
		return err
	})
	args, err := flagsFirst(app, p.args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	switch {
	case errors.Is(err, syscall.EPIPE):
		err, ended = nil, true // the reader, as head, is gone
	case !began:
		err = project.UsageError(err)
	}
	switch {
	case ctx.Err() != nil && !ended && (result == nil || !result.Interrupted): // err is a consequence
		p.console(given).Fail("interrupted", "")
		return project.ExitCode(nil, ctx.Err())
	case err != nil:
		p.console(given).Fail(err.Error(), project.Hint(err))
	}
	return project.ExitCode(result, err)
}
