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
	"github.com/codescan-dev/scanner/skill/skilltest"
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
		tested := false
		opts := o.Options
		opts.Record = "" // the flag of that name has no value here
		err := pr.TestSkills(ctx, opts, project.SkillTests{
			Skills: o.Paths, Live: o.live, Record: o.record,
			Report: func(of, fixture string, res *skilltest.Result) {
				if of != dir {
					_ = p.print(shown.String() + text.OneLine(of) + "\n")
					dir, shown = of, skillFigures{kinds: make(map[string]figures)}
				}
				shown.add(res)
				tested = tested || res.NotRun == ""
				if len(res.Differences) > 0 {
					result.Fails = true
					lines := "failed: " + text.OneLine(fixture) + "\n" + strings.Join(res.Differences, "\n")
					_ = p.print("   " + strings.ReplaceAll(lines, "\n", "\n      ") + "\n")
				}
			},
		})
		out := shown.String()
		if err == nil && !tested {
			result.Fails, out = true, out+"No fixture was run\n"
		}
		return cmp.Or(err, p.print(out))
	})
	return result, err
}

// figures are those of the rules, or of a model.
type figures struct {
	fixtures, expected, found int
	strict, right, wrong      int    // of fixtures that allow no unexpected findings: their number, and the findings
	first, last               string // dates of the answers
}

// skillFigures are those of a skill.
type skillFigures struct {
	kinds            map[string]figures // by the names of models, empty for rules
	scripted, passed int                // with scripted answers
	left             int                // that need a model
}

// add counts a fixture.
func (s *skillFigures) add(f *skilltest.Result) {
	a, passed := cmp.Or(f.Answers, &replay.Origin{}), 1
	if len(f.Differences) > 0 {
		passed = 0
	}
	switch {
	case f.NotRun != "":
		s.left += passed
		return
	case a.Scripted && len(a.Models) == 0: // none came
		return
	case a.Scripted:
		s.scripted++
		s.passed += passed
		return
	}
	name := strings.Join(a.Models, ", ")
	k, day := s.kinds[name], a.First.Format(time.DateOnly)
	k.first = min(cmp.Or(k.first, day), day)
	k.last = max(k.last, a.Last.Format(time.DateOnly))
	k.fixtures++
	k.expected += f.Expected
	k.found += f.Found
	if !f.Allows {
		k.strict++
		k.right += f.Found
		k.wrong += f.Unexpected
	}
	s.kinds[name] = k
}

// String returns the figures, each kind in a line.
func (s *skillFigures) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		k, title := s.kinds[name], "rules"
		if name != "" {
			title = text.OneLine(name) + ", " + strings.Join(slices.Compact([]string{k.first, k.last}), " to ")
		}
		if k.strict > 0 {
			title += ": precision " + share(k.right, k.right+k.wrong) + ", recall "
		} else {
			title += ": recall "
		}
		fmt.Fprintf(&b, "   %s%s, in %s\n", title, share(k.found, k.expected), format.Count(k.fixtures, "fixture", "fixtures"))
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
