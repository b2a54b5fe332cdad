package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/codescan-dev/scanner/fix"
)

const (
	fixQuestion = "Apply this fix? [y,n,a,q,?] "
	fixHelp     = `y  yes
n  no
a  this one and all that follow
q  neither this one nor any that follows
`
)

// ask shows one fix after the other, in the order of their priority, and returns
// the plan with those that were chosen. The end of the input is a "q".
func (x *fixer) ask(ctx context.Context, plan *fix.Plan) (*fix.Plan, error) {
	all, quit := false, false
	for i, asked := 0, 0; i < len(plan.Outcomes) && !all; i++ {
		// A fix that was refused because of one that was declined may have its
		// turn.
		if plan.Outcomes[i].Status != fix.StatusPlanned {
			continue
		}
		answer := "n"
		if !quit {
			asked++
			left := 0
			for k := i; k < len(plan.Outcomes); k++ {
				if plan.Outcomes[k].Status == fix.StatusPlanned {
					left++
				}
			}
			x.c.term.print(x.c.view.proposal(asked, asked+left-1, &plan.Outcomes[i].Suggestion, string(plan.FixPatch(i))))
			var err error
			if answer, err = x.askOnce(ctx); err != nil {
				return nil, err
			}
		}
		switch answer {
		case "a":
			all = true
		case "q":
			quit = true
			fallthrough
		case "n":
			plan = plan.Without(i, fix.ReasonDeclined, "it was declined")
		}
	}
	return plan, nil
}

// askOnce asks until there is an answer: y, n, a or q.
func (x *fixer) askOnce(ctx context.Context) (string, error) {
	for {
		x.c.term.print(fixQuestion)
		line, err := x.p.readAnswer(ctx)
		switch {
		case errors.Is(err, io.EOF):
			x.c.term.print("\n")
			return "q", nil
		case err != nil:
			x.c.term.print("\n")
			if ctx.Err() == nil {
				err = fmt.Errorf("read the answer: %w", bareError(err))
			}
			return "", err
		}
		switch answer := strings.ToLower(line); answer {
		case "y", "n", "a", "q":
			return answer, nil
		case "yes", "no", "all", "quit":
			return answer[:1], nil
		}
		x.c.term.print(fixHelp)
	}
}
