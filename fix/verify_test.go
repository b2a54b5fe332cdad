package fix_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/fix"
)

// failsWith returns checks that fail when main.go contains all words of one of
// bad, and counts their runs.
func failsWith(runs *int, bad ...string) fix.Check {
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
				return fmt.Errorf("%w: make test: %s", fix.ErrCheckFailed, b)
			}
		}
		return nil
	}
}

func TestVerify(t *testing.T) {
	edits := []scanner.Edit{
		edit(2, "two", "TWO"), edit(2, "two", "zwei"), edit(5, "five", "FIVE"), edit(5, "five", "FIVE"), edit(9, "nine", "NINE"),
	}
	all := []string{"planned", "refused overlap by 0", "planned", "covered by 2", "planned"}
	for _, tt := range []struct {
		name  string
		edits []scanner.Edit
		bad   []string
		want  []string
		runs  int
	}{
		{"all pass", edits, nil, all, 1},
		{"one fails", edits, []string{"NINE"}, []string{"planned", "refused overlap by 0", "planned", "covered by 2", "refused check"}, 4},
		{"the first fails and makes room", edits, []string{"TWO"}, []string{"refused check", "planned", "planned", "covered by 2", "planned"}, 6},
		{"equal fixes fail", edits, []string{"FIVE"}, []string{"planned", "refused overlap by 0", "refused check", "refused check", "planned"}, 6},
		{"two that fail together", edits, []string{"TWO NINE"}, []string{"planned", "refused overlap by 0", "planned", "covered by 2", "refused check"}, 4},
		{"all fail", edits, []string{"TWO", "zwei", "FIVE", "NINE"}, []string{"refused check", "refused check", "refused check", "refused check", "refused check"}, 7},
		{"the checks fail anyway", edits, []string{"one"}, []string{"refused check", "refused check", "refused check", "refused check", "refused check"}, 2},
		{"a single fix that fails", edits[:1], []string{"TWO"}, []string{"refused check"}, 2},
		{"no fix", []scanner.Edit{edit(1, "zero", "x")}, []string{"one"}, []string{"refused stale"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var suggestions []fix.Suggestion
			for _, e := range tt.edits {
				suggestions = append(suggestions, suggest("main.go", e))
			}
			p := tree{"main.go": numbered}.plan(suggestions...)
			before := summary(p.Outcomes)
			runs := 0
			q, err := p.Verify(t.Context(), failsWith(&runs, tt.bad...))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, summary(q.Outcomes)); d != "" {
				t.Errorf("outcomes (-want +got):\n%s", d)
			}
			if runs != tt.runs {
				t.Errorf("%d runs, want %d", runs, tt.runs)
			}
			for _, ch := range q.Changes {
				files := map[string][]byte{ch.Path: ch.After}
				if err := failsWith(&runs, tt.bad...)(t.Context(), files); err != nil {
					t.Errorf("what is left does not pass: %v", err)
				}
			}
			if d := cmp.Diff(before, summary(p.Outcomes)); d != "" {
				t.Errorf("the plan itself changed (-before +after):\n%s", d)
			}
		})
	}
}

func TestVerifyErrors(t *testing.T) {
	p := tree{"main.go": numbered}.plan(suggest("main.go", edit(2, "two", "TWO")), suggest("main.go", edit(9, "nine", "NINE")))
	broken := errors.New("cannot copy")
	for n := 1; n <= 3; n++ {
		runs := 0
		_, err := p.Verify(t.Context(), func(_ context.Context, files map[string][]byte) error {
			if runs++; runs == n {
				return broken
			}
			if len(files) > 0 {
				return fix.ErrCheckFailed
			}
			return nil
		})
		if !errors.Is(err, broken) || errors.Is(err, fix.ErrCheckFailed) {
			t.Errorf("run %d broken: error %v", n, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	_, err := p.Verify(ctx, func(context.Context, map[string][]byte) error {
		runs++
		cancel()
		return fix.ErrCheckFailed // as a command that was killed
	})
	if !errors.Is(err, context.Canceled) || runs != 1 {
		t.Errorf("after %d runs: error %v", runs, err)
	}
}
