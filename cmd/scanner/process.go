package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/project"
)

// process is the world around the command. Nothing else in this package reads the
// environment, the working directory or the standard streams.
type process struct {
	args           []string // with the program's name
	environ        []string
	getenv         func(string) string
	getwd          func() (string, error)
	lookPath       func(string) (string, error)
	stdin          io.Reader
	stdout, stderr io.Writer
	gone           func() // called when the reader of a stream is gone
	// size returns the size of the terminal behind a stream, 0 for what is unknown,
	// and whether the stream is a terminal.
	size  func(stream any) (columns, rows int, tty bool)
	now   func() time.Time
	proxy func(*http.Request) (*url.URL, error)
}

// console returns the console of a run. It writes to stdout, or to stderr when the
// report or a patch is written to stdout.
func (p *process) console(o *options) *term.Console {
	out := p.stdout
	if o.toStdout() || o.Fix != nil && o.dryRun {
		out = p.stderr
	}
	columns, _, tty := p.size(out)
	return term.New(term.Config{
		Out: &pipe{out, p.gone}, Err: p.stderr, Level: o.level, Now: p.now,
		Layout: term.ChooseLayout(o.color, tty, columns, p.getenv),
		Size: func() (columns, rows int) {
			columns, rows, _ = p.size(out)
			return columns, rows
		},
	})
}

// openProject opens the project of the working directory.
func (p *process) openProject(ctx context.Context, c *term.Console, o *options) (*project.Project, error) {
	env, err := p.env(c, o)
	if err != nil {
		return nil, err
	}
	return project.Open(ctx, env)
}

// withProject calls f with the project of the working directory.
func (p *process) withProject(ctx context.Context, o *options, f func(*project.Project) error) error {
	c := p.console(o)
	defer c.Close()
	pr, err := p.openProject(ctx, c, o)
	if err != nil {
		return err
	}
	defer pr.Close()
	return f(pr)
}

// env returns the world around a project, which reports to the console.
func (p *process) env(c *term.Console, o *options) (project.Env, error) {
	dir, err := p.getwd()
	if err != nil {
		return project.Env{}, fmt.Errorf("working directory: %w", err)
	}
	return project.Env{
		Dir: dir, Environ: p.environ, LookPath: p.lookPath, Proxy: p.proxy, Now: p.now,
		Warn: func(w project.Warning) {
			c.Warn(map[project.Importance]term.Verbosity{
				project.Detail: term.Verbose, project.Normal: term.Normal, project.Important: term.Quiet,
			}[w.Importance], w.Text)
		},
		OnEvent: func(e project.Event) {
			switch e := e.(type) {
			case project.EventRun:
				c.Event(e.Event)
			case project.EventChecking:
				c.Checking(e.Fixes, e.Commands, e.Try)
			case project.EventCheckFailed:
				c.CheckFailed(e.Command, e.Err, e.Output)
			case project.EventFixed:
				c.Close()
				c.ShowCode(e.Fixes.Contents)
				c.ShowFixes(term.Fixes{DryRun: e.Fixes.DryRun, Stopped: e.Fixes.Stopped, Undo: e.Fixes.Undo})
			}
		},
		DeleteLogs: func(ctx context.Context, n, days int) (yes, answered bool) {
			return p.confirm(ctx, c, o, fmt.Sprintf("Delete %s older than %s?", format.Count(n, "log", "logs"), format.Count(days, "day", "days")))
		},
	}, nil
}
