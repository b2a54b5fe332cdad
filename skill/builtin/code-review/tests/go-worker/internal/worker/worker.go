package worker

import (
	"context"
	"strings"
	"sync"
	"time"
)

type Pool struct {
	jobs chan string
}

// run handles jobs until the channel is closed.
func (p *Pool) run(wg sync.WaitGroup, handle func(context.Context, string) error) { // want high "by value"
	defer wg.Done()
	for job := range p.jobs {
		ctx, _ := context.WithTimeout(context.Background(), 30) // want medium "discarded" "nanoseconds"
		name := strings.TrimRight(job, ".json")                 // want medium "set of characters"
		name = strings.Replace(name, "/", "-", 0)               // want high "count of 0"
		if err := handle(ctx, name); err != nil {
			time.Sleep(5) // want medium "nanoseconds"
		}
	}
}
