package fix

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// failsWith returns checks that fail when main.go holds one of the words, or
// all of a group in parentheses, and counts their runs.
func failsWith(runs *int, bad ...string) Try {
	return func(_ context.Context, files map[string][]byte) error {
		*runs++
		text := numbered
		if data, ok := files["main.go"]; ok {
			text = string(data)
		}
		for _, b := range bad {
			all := true
			for _, word := range strings.Fields(b) {
				all = all && strings.Contains(text, word+"\n")
			}
			if all {
				return fmt.Errorf("%w: make test: %s", ErrCheckFailed, b)
			}
		}
		return nil
	}
}

func TestProve(t *testing.T) {
	diffs := []string{"-two\n+TWO\n", "-two\n+zwei\n", "-five\n+FIVE\n", "-five\n+FIVE\n", "-nine\n+NINE\n"}
	all := []string{"planned", "refused overlap by 0", "planned", "covered by 2", "planned"}
	for _, tt := range []struct {
		name  string
		diffs []string
		bad   []string
		want  []string
		runs  int
	}{
		{"all pass", diffs, nil, all, 1},
		{"one fails", diffs, []string{"NINE"}, []string{"planned", "refused overlap by 0", "planned", "covered by 2", "refused check"}, 4},
		{"the first fails, and makes room", diffs, []string{"TWO"}, []string{"refused check", "planned", "planned", "covered by 2", "planned"}, 6},
		{"an equal one fails with it", diffs, []string{"FIVE"}, []string{"planned", "refused overlap by 0", "refused check", "refused check by 2", "planned"}, 5},
		{"two that do not go together", diffs, []string{"TWO NINE"}, []string{"planned", "refused overlap by 0", "planned", "covered by 2", "refused check"}, 4},
		{"all fail", diffs, []string{"TWO", "zwei", "FIVE", "NINE"}, []string{"refused check", "refused check", "refused check", "refused check by 2", "refused check"}, 6},
		{"the checks fail anyway", diffs, []string{"one"}, []string{"refused check", "refused check by 0", "", "", ""}, 2},
		{"only one fix, which fails", diffs[:1], []string{"TWO"}, []string{"refused check"}, 2},
		{"no fix", []string{"-zero\n+ZERO\n"}, []string{"one"}, []string{"refused not-found"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runs := 0
			p := tree{"main.go": numbered}.plan(suggest("main.go", tt.diffs...))
			q, err := p.Prove(context.Background(), failsWith(&runs, tt.bad...))
			if err != nil {
				t.Fatal(err)
			}
			got := summary(q.Outcomes)
			if tt.name == "the checks fail anyway" {
				if len(q.Changes) != 0 || !strings.Contains(q.Outcomes[0].Message, "without any fix") {
					t.Errorf("outcomes are %+v", q.Outcomes)
				}
				if q.Outcomes[1].Reason != ReasonCheck {
					t.Errorf("a fix that was in the way of another is %+v", q.Outcomes[1])
				}
			} else if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("outcomes (-want +got):\n%s", d)
			}
			if runs != tt.runs {
				t.Errorf("%d runs, want %d", runs, tt.runs)
			}
			// What is left passes.
			if err := failsWith(&runs, tt.bad...)(context.Background(), q.files()); err != nil && len(q.Changes) > 0 {
				t.Errorf("the result does not pass: %v", err)
			}
			for _, o := range q.Outcomes {
				if o.Reason == ReasonCheck && o.Message == "" {
					t.Error("no message")
				}
			}
		})
	}
}

func TestProveErrors(t *testing.T) {
	p := tree{"main.go": numbered}.plan(suggest("main.go", "-two\n+TWO\n", "-nine\n+NINE\n"))
	broken := errors.New("cannot copy")
	for n := 1; n <= 3; n++ {
		runs := 0
		_, err := p.Prove(context.Background(), func(_ context.Context, files map[string][]byte) error {
			if runs++; runs == n {
				return broken
			}
			if len(files) > 0 {
				return ErrCheckFailed
			}
			return nil
		})
		if !errors.Is(err, broken) || errors.Is(err, ErrCheckFailed) {
			t.Errorf("run %d broken: error %v", n, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	_, err := p.Prove(ctx, func(context.Context, map[string][]byte) error {
		runs++
		cancel()
		return ErrCheckFailed // a command that was killed fails
	})
	if !errors.Is(err, context.Canceled) || runs != 1 {
		t.Errorf("after %d runs: error %v", runs, err)
	}
}
