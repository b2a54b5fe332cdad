package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
)

func doctorFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "offline", Usage: "send nothing, and need no model"},
		&cli.StringFlag{Name: "model", Usage: "use the model `NAME`"},
		&cli.StringFlag{Name: "config", Usage: "read `FILE` instead of scanner.toml at the root of the repository"},
		&cli.StringFlag{Name: "timeout", Usage: "wait `DURATION` for an answer (default: 15s, for an agent CLI 1m)"},
	}
}

// doctor is the command of that name.
func (p *process) doctor(ctx context.Context, o *options) error {
	c := p.console(o)
	defer c.Close()
	env, err := p.env(c, o)
	if err != nil {
		return err
	}
	width, _, _ := p.size(p.stdout) // 0 for a program, which reads lines
	var failed []string
	code := 0
	show := func(check project.Check) {
		state := "ok"
		switch {
		case check.Err != nil:
			state, failed, code = "failed", append(failed, check.Name), max(code, project.ExitCode(nil, check.Err))
		case check.Warning:
			state = "warning"
		}
		p.showCheck(state, check, width)
	}
	show(project.Check{Name: "scanner", Text: fmt.Sprintf("%s, %s, %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)})
	project.Diagnose(ctx, env, o.Options, show)
	switch {
	case context.Cause(ctx) == errReaderGone:
		return syscall.EPIPE
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if code == 0 {
		offline := ""
		if o.Offline {
			offline = " --offline"
		}
		_, err = fmt.Fprintf(p.stdout, "\nscanner scan%s can run\n", offline)
		return err
	}
	err = errors.New("a scan would fail: " + strings.Join(failed, ", "))
	if code == project.ExitCode(nil, project.UsageError(err)) {
		err = project.UsageError(err)
	}
	return err
}

// showCheck prints the outcome of a check in columns, in lines of at most a width; 0
// means any.
func (p *process) showCheck(state string, check project.Check, width int) {
	const indent = 23
	if check.Hint != "" {
		check.Text += "\nhint: " + text.OneLine(check.Hint)
	}
	var lines []string
	for line := range strings.Lines(check.Text) {
		line = text.BreakCommands(text.OneLine(line))
		if width > 2*indent {
			lines = append(lines, term.Wrap(line, width-indent)...)
		} else {
			lines = append(lines, line)
		}
	}
	fmt.Fprintf(p.stdout, "%-8s%-15s%s\n", state, check.Name, strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
}
