package output

import (
	"io"
	"time"

	"github.com/codescan-dev/scanner/internal/term"
)

// writeText writes what a terminal shows, without colors and wrapped to its usual width.
func writeText(w io.Writer, r *report) error {
	c := term.New(term.Config{
		Out: w, Err: w, Level: term.Normal, Layout: term.TextLayout,
		Now: time.Now,
	})
	if r.Code != nil {
		c.ShowCode(r.Code)
	}
	for i := range r.skills {
		if err := c.Skill(r.skills[i].SkillReport, r.skills[i].Selection); err != nil {
			return err
		}
	}
	return c.Finish(r.run)
}
