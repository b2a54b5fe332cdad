package review

import (
	"fmt"
	"testing"

	"github.com/codescan-dev/scanner/internal/githubtest"
)

// BenchmarkPlan compares findings with as many threads of an earlier run: an order
// of magnitude more of both should not take two of time.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := resultOf(b, skillOf("code-review", many(n, "big.go")...))
			_, patch := numbered("big.go", n)
			r.Files = parse(b, patch)
			rendering := render(b, r)
			state := State{Account: githubtest.Bot, Head: r.Head}
			for i, c := range rendering.Comments {
				state.Threads = append(state.Threads, Thread{
					Posted: Posted{ID: int64(i + 1), Author: githubtest.Bot, Body: c.Body}, Path: c.Path, Line: c.Line,
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				plan, err := NewPlan(r, state)
				if err != nil {
					b.Fatal(err)
				}
				for _, a := range plan.Actions {
					if a.Target == "comment" && a.Kind != Keep {
						b.Fatal(a)
					}
				}
			}
		})
	}
}
