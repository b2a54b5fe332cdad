// Package term renders a run as text: for a person at a terminal, with colors and
// a live area that is redrawn in place, or as plain lines for a log.
//
// Everything that a model, a file or a path contributed is cleaned before it is
// written, so that it can neither steer the terminal nor pass for a command to a CI
// system.
package term

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

// Verbosity is how much is shown.
type Verbosity int

// The verbosities. Each shows what the one before it shows, and more.
const (
	Quiet   Verbosity = iota // the final summary line alone
	Normal                   // the report
	Verbose                  // the outcome of every file and chunk
	Debug                    // diagnostics
)

// Config is what a [Console] needs.
type Config struct {
	// Out is the stream of the report, Err that of warnings and diagnostics.
	Out, Err io.Writer
	Level    Verbosity
	Layout   Layout
	// Size returns the current size of the terminal, for the live area; 0 for what is
	// unknown.
	Size func() (columns, rows int)
	Now  func() time.Time
}

// Console shows a run. It is a [scanner.Sink], and receives the events of the run
// from its caller. Its methods must not be called concurrently.
type Console struct {
	term  *terminal
	view  view
	level Verbosity
	live  bool // show the live area
	size  func() (columns, rows int)
	now   func() time.Time

	code       fs.FS // of the scanned files, for excerpts; may be nil
	skills     int   // that have files to analyze
	order      *order
	progress   progress
	limited    func() time.Duration // see ShowWait
	stopStatus func()
	report     string             // the findings, until they are shown
	failures   map[string]bool    // the kinds of failure that were shown
	hints      map[string]bool    // the hints that were shown
	fixes      *Fixes             // nil: fixes are not applied
	tries      int                // of fixes
	notable    []diff.Notable     // that were listed
	systems    map[[2]string]bool // the system prompts that were shown, by skill and text

	// The sums over the skills, for the summary.
	counts      scanner.SeverityCounts
	hidden      scanner.Hidden
	suppressed  []scanner.Suppressed
	failsHidden bool
}

var _ scanner.Sink = (*Console)(nil)

// New returns a console.
func New(cfg Config) *Console {
	c := &Console{
		term:  &terminal{out: cfg.Out, err: cfg.Err},
		level: cfg.Level, live: cfg.Layout.live, size: cfg.Size, now: cfg.Now,
		limited:  func() time.Duration { return 0 },
		failures: make(map[string]bool), hints: make(map[string]bool), systems: make(map[[2]string]bool),
	}
	if cfg.Layout.interactive {
		c.view = &rich{color: cfg.Layout.color, live: cfg.Layout.live, level: cfg.Level, width: cfg.Layout.width, source: c.source}
	} else {
		c.view = &plain{now: cfg.Now, level: cfg.Level}
	}
	return c
}

// Open shows the name and the version of the program.
func (c *Console) Open(version string) {
	if c.level >= Normal {
		c.term.print(c.view.opening(version))
	}
}

// ShowCode makes findings appear with the code around them, which is read from
// fsys.
func (c *Console) ShowCode(fsys fs.FS) { c.code = fsys }

// ShowWait makes the status show how long no request can start, which wait returns.
func (c *Console) ShowWait(wait func() time.Duration) { c.limited = wait }

// ShowPathsFrom makes the interactive layout show paths from a directory below the root,
// with '/'; empty is the root.
func (c *Console) ShowPathsFrom(dir string) {
	if r, ok := c.view.(*rich); ok {
		r.dir = dir
	}
}

func (c *Console) source(path string) ([]byte, error) {
	if c.code == nil {
		return nil, fs.ErrNotExist
	}
	return fs.ReadFile(c.code, path)
}

// Interactive reports whether a person can be asked.
func (c *Console) Interactive() bool { return c.live && c.level > Quiet }

// Ask shows a question, without a newline at its end.
func (c *Console) Ask(question string) { c.term.printErr(cleanLine(question)) }

// Note shows a message of one line, from a verbosity on.
func (c *Console) Note(at Verbosity, msg string) {
	if c.level >= at {
		c.term.print(c.view.note(cleanLine(msg)))
	}
}

// Warn shows a warning of one line, from a verbosity on.
func (c *Console) Warn(at Verbosity, msg string) {
	if c.level >= at {
		c.term.printErr(c.view.warning(cleanLine(msg)))
	}
}

// Hint shows what can be done about the warning before it.
func (c *Console) Hint(at Verbosity, msg string) {
	if c.level >= at {
		c.term.printErr(c.view.note("hint: " + cleanLine(msg)))
	}
}

// Fail shows the error that ends the process, and what the user can do about it if
// hint is not empty.
func (c *Console) Fail(msg, hint string) {
	if hint != "" {
		msg += "\nhint: " + hint
	}
	c.term.printErr(c.view.fatal(strings.Split(text.Clean(msg), "\n")))
}

// Debugf shows a line of diagnostics.
func (c *Console) Debugf(format string, args ...any) {
	if c.level >= Debug {
		c.term.printErr(c.view.debug(fmt.Sprintf(format, args...), nil))
	}
}

// Command writes a command to the runner of a workflow.
func (c *Console) Command(s string) { c.term.command(s) }

// Earlier shows the result of an earlier run that is not repeated: how many
// findings it had, and where they are.
func (c *Console) Earlier(counts scanner.SeverityCounts, msg string) {
	if c.level == Quiet {
		c.term.print(Counts(counts) + "\n")
	}
	c.Note(Normal, msg)
}

// Close ends the status, and removes the live area. It may be called at any time, more than once.
func (c *Console) Close() {
	if c.stopStatus != nil {
		c.stopStatus()
	}
}
