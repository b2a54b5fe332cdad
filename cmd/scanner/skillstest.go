package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
)

func skillsTestFlags() []cli.Flag {
	return []cli.Flag{
		boolFlag(how, "live", "send the fixtures that need a model to one, and keep nothing"),
		boolFlag(how, "record", "do the same, and keep the answers as those of the fixtures"),
		stringFlag(how, "model", "use the model `NAME`"),
		stringFlag(how, "max-cost", "spend at most `AMOUNT` US dollars"),
	}
}

// testSkills is the command "skills test".
func (p *process) testSkills(ctx context.Context, o *options) (*project.Result, error) {
	result := &project.Result{}
	err := p.withProject(ctx, o, func(pr *project.Project) error {
		var dir string
		var tests skillFigures
		end := func() {
			if dir != "" {
				_ = p.print(tests.String())
			}
		}
		opts := o.Options
		opts.Record = ""
		err := pr.TestSkills(ctx, opts, project.SkillTests{
			Skills: o.Paths, Live: o.live, Record: o.record,
			Report: func(of string, f project.FixtureResult) {
				if of != dir {
					end()
					dir, tests = of, skillFigures{}
					_ = p.print(text.OneLine(dir) + "\n")
				}
				result.Fails = result.Fails || f.Fails
				tests.add(&f)
				_ = p.print(showFixture(&f))
			},
		})
		end()
		return err
	})
	return result, err
}

// showFixture returns what fails in a fixture.
func showFixture(f *project.FixtureResult) string {
	if !f.Fails {
		return ""
	}
	lines := "failed: " + text.OneLine(f.Name)
	for _, d := range f.Differences {
		lines += "\n" + d
	}
	if f.NotRun != "" {
		lines += "\n" + text.OneLine(f.NotRun)
	}
	return "   " + strings.ReplaceAll(lines, "\n", "\n      ") + "\n"
}

// figures are those of fixtures of one kind.
type figures struct {
	fixtures, expected, found, unexpected int
	first, last                           time.Time // of the answers
}

// skillFigures are those of a skill.
type skillFigures struct {
	rules            figures
	models           map[string]*figures
	scripted, passed int // with scripted answers
	left             int // that need a model
}

// add counts a fixture.
func (s *skillFigures) add(f *project.FixtureResult) {
	of := &s.rules
	switch a := f.Answers; {
	case f.NotRun != "":
		if !f.Fails {
			s.left++
		}
		return
	case a != nil && a.Scripted:
		s.scripted++
		if !f.Fails {
			s.passed++
		}
		return
	case a != nil:
		name := strings.Join(a.Models, ", ")
		if s.models[name] == nil {
			if s.models == nil {
				s.models = make(map[string]*figures)
			}
			s.models[name] = &figures{first: a.First, last: a.Last}
		}
		of = s.models[name]
		if a.First.Before(of.first) {
			of.first = a.First
		}
		if a.Last.After(of.last) {
			of.last = a.Last
		}
	}
	of.fixtures++
	of.expected += f.Expected
	of.found += f.Found
	of.unexpected += f.Unexpected
}

// String returns the figures, each kind in a line.
func (s *skillFigures) String() string {
	var b strings.Builder
	if s.rules.fixtures > 0 {
		b.WriteString("   rules: " + s.rules.String() + "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(s.models)) {
		f := s.models[name]
		dates := f.first.Format(time.DateOnly)
		if last := f.last.Format(time.DateOnly); last != dates {
			dates += " to " + last
		}
		fmt.Fprintf(&b, "   %s, %s: %s\n", text.OneLine(name), dates, f)
	}
	if s.scripted > 0 {
		fmt.Fprintf(&b, "   %d of %d scripted fixtures pass\n", s.passed, s.scripted)
	}
	if s.left > 0 {
		fmt.Fprintf(&b, "   %d not run: need a model (--live or --record)\n", s.left)
	}
	return b.String()
}

func (f *figures) String() string {
	return fmt.Sprintf("precision %s, recall %s, in %s",
		share(f.found, f.found+f.unexpected), share(f.found, f.expected), format.Count(f.fixtures, "fixture", "fixtures"))
}

// share returns a part of a whole, which may be nothing.
func share(n, of int) string {
	if of == 0 {
		return "unknown (0 of 0)"
	}
	return fmt.Sprintf("%d%% (%d of %d)", 100*n/of, n, of)
}
