package main

import (
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/codescan-dev/scanner/internal/term"
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
