// Tap reports the progress of a run in the Test Anything Protocol, which many programs
// read: one line for each chunk as it ends, with its findings.
//
//	git diff | go run ./examples/tap
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/skill"
)

func main() {
	if err := scan(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tap:", err)
		os.Exit(1)
	}
}

// scan runs the rules of the built-in skills.
func scan(patch io.Reader, w io.Writer) error {
	text, err := io.ReadAll(patch)
	if err != nil {
		return err
	}
	files, err := diff.Parse(text)
	if err != nil {
		return err
	}
	builtin := skill.Discover(skill.Builtin())
	var skills []scanner.Skill
	for _, name := range builtin.Names() {
		s, _, err := builtin.Find(name)
		if err != nil {
			return err
		}
		skills = append(skills, s)
	}
	_, err = scanner.Run(context.Background(), skills, files, scanner.Options{
		PatternsOnly: true, OnEvent: (&reporter{w: w}).event,
	})
	return err
}

// reporter writes events. They come one at a time, so it needs no lock.
type reporter struct {
	w io.Writer
	n int // chunks so far
}

func (r *reporter) event(e scanner.Event) {
	switch e := e.(type) {
	case scanner.EventPlanned:
		chunks := 0
		for _, s := range e.Skills {
			chunks += s.Chunks
		}
		fmt.Fprintf(r.w, "TAP version 14\n1..%d\n", chunks)
	case scanner.EventRetry:
		fmt.Fprintf(r.w, "# %s: attempt %d of %d: %v\n", e.Chunk.Path, e.Attempt, e.Max, e.Err)
	case scanner.EventChunk:
		r.n++
		result := "ok"
		if len(e.Findings) > 0 || e.Err != nil {
			result = "not ok"
		}
		c := e.Chunk
		fmt.Fprintf(r.w, "%s %d - %s: %s:%d-%d\n", result, r.n, c.Skill, c.Path, c.StartLine, c.EndLine)
		for _, f := range e.Findings {
			fmt.Fprintf(r.w, "# %s: %s: %s\n", f.Location, f.Severity, f.Title)
		}
		if e.Err != nil {
			fmt.Fprintf(r.w, "# not analyzed: %v\n", e.Err)
		}
	case scanner.EventSkill:
		fmt.Fprintf(r.w, "# %s: %s\n", e.Report.Skill, e.Report.Summary)
	case scanner.EventStopped:
		fmt.Fprintf(r.w, "Bail out! %v\n", e.Err)
	}
}
