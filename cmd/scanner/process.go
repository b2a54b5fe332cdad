package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/codescan-dev/scanner/internal/term"
)

// process is what the command knows of the world around it. Nothing else in this
// package looks at the environment, the working directory or the standard
// streams.
type process struct {
	args           []string // with the program's name
	environ        []string
	getenv         func(string) string
	getwd          func() (string, error)
	lookPath       func(string) (string, error)
	stdin          io.Reader
	stdout, stderr io.Writer
	// columns tells the width of the terminal behind a stream, 0 if unknown, and
	// whether it is one.
	columns func(stream any) (width int, tty bool)
	now     func() time.Time
	proxy   func(*http.Request) (*url.URL, error)
}

// inWorkflow reports whether the runner of a workflow reads what is printed.
func (p *process) inWorkflow() bool { return p.getenv("GITHUB_ACTIONS") == "true" }

// tempDir returns the folder for temporary files.
func (p *process) tempDir() string {
	if dir := p.getenv("TMPDIR"); filepath.IsAbs(dir) {
		return dir
	}
	return os.TempDir()
}

// configDir returns the folder of the user's configuration; empty if there is
// none.
func (p *process) configDir() string {
	if dir := p.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "scanner")
	}
	home := p.getenv("HOME")
	if runtime.GOOS == "windows" {
		if dir := p.getenv("AppData"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "scanner")
		}
		home = p.getenv("USERPROFILE")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".config", "scanner")
}

// cacheDir returns the folder of what may be deleted at any time; empty if there
// is none.
func (p *process) cacheDir() string {
	if dir := p.getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "scanner")
	}
	home, below := p.getenv("HOME"), ".cache"
	switch runtime.GOOS {
	case "windows":
		home, below = p.getenv("LocalAppData"), "cache"
	case "darwin":
		below = "Library/Caches"
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, below, "scanner")
}

// console returns the console of a run. The terminal channel is stdout, or
// stderr when stdout belongs to the report or to a patch.
func (p *process) console(o *scanOptions) *term.Console {
	out := p.stdout
	if isStdout(o.output) {
		o.output = "-"
	}
	if o.output == "-" || o.fix && o.dryRun {
		out = p.stderr
	}
	width, tty := p.columns(out)
	return term.New(term.Config{
		Out: out, Err: p.stderr, Level: o.level, Workflow: p.inWorkflow(), Now: p.now,
		Layout: term.ChooseLayout(o.color, tty, width, p.getenv),
		Width: func() int {
			width, _ := p.columns(out)
			return width
		},
	})
}
