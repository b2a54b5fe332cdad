package main

import (
	"cmp"
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
	"github.com/codescan-dev/scanner/provider/replay"
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
		var shown skillFigures
		opts := o.Options
		opts.Record = "" // the flag of that name has no value here
		err := pr.TestSkills(ctx, opts, project.SkillTests{
			Skills: o.Paths, Live: o.live, Record: o.record,
			Report: func(of string, f project.FixtureResult) {
				if of != dir {
					_ = p.print(shown.String() + text.OneLine(of) + "\n")
					dir, shown = of, skillFigures{}
				}
				result.Fails = result.Fails || f.Fails
				shown.add(&f)
				_ = p.print(showFixture(&f))
			},
		})
		return cmp.Or(err, p.print(shown.String()))
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
	kinds            map[string]*figures // by the names of models, empty for rules
	scripted, passed int                 // with scripted answers
	left             int                 // that need a model
}

// add counts a fixture.
func (s *skillFigures) add(f *project.FixtureResult) {
	a := f.Answers
	switch {
	case f.NotRun != "":
		if !f.Fails {
			s.left++
		}
		return
	case a == nil:
		a = &replay.Origin{}
	case a.Scripted:
		s.scripted++
		if !f.Fails {
			s.passed++
		}
		return
	}
	name := strings.Join(a.Models, ", ")
	if s.kinds == nil {
		s.kinds = make(map[string]*figures)
	}
	k := s.kinds[name]
	if k == nil {
		k = &figures{first: a.First}
		s.kinds[name] = k
	}
	if a.First.Before(k.first) {
		k.first = a.First
	}
	if a.Last.After(k.last) {
		k.last = a.Last
	}
	k.fixtures++
	k.expected += f.Expected
	k.found += f.Found
	k.unexpected += f.Unexpected
}

// String returns the figures, each kind in a line.
func (s *skillFigures) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		k := s.kinds[name]
		if name == "" {
			name = "rules"
		} else if name = text.OneLine(name) + ", " + k.first.Format(time.DateOnly); k.last.Format(time.DateOnly) != k.first.Format(time.DateOnly) {
			name += " to " + k.last.Format(time.DateOnly)
		}
		fmt.Fprintf(&b, "   %s: precision %s, recall %s, in %s\n", name,
			share(k.found, k.found+k.unexpected), share(k.found, k.expected), format.Count(k.fixtures, "fixture", "fixtures"))
	}
	if s.scripted > 0 {
		fmt.Fprintf(&b, "   %d of %d scripted fixtures pass\n", s.passed, s.scripted)
	}
	if s.left > 0 {
		fmt.Fprintf(&b, "   %d not run: need a model (--live or --record)\n", s.left)
	}
	return b.String()
}

// share returns a part of a whole, which may be nothing.
func share(n, of int) string {
	if of == 0 {
		return "unknown (0 of 0)"
	}
	return fmt.Sprintf("%d%% (%d of %d)", 100*n/of, n, of)
}
