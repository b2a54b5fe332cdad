package worker

import (
	"context"
	"strings"
	"sync"
	"time"
)

const pause = 5 * time.Second

type Pool struct {
	jobs chan string
	mu   sync.Mutex
}

// run handles jobs until the channel is closed.
func (p *Pool) run(wg *sync.WaitGroup, handle func(context.Context, string) error) {
	defer wg.Done()
	for job := range p.jobs {
		if err := p.one(job, handle); err != nil {
			time.Sleep(pause)
		}
	}
}

func (p *Pool) one(job string, handle func(context.Context, string) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	name := strings.TrimSuffix(job, ".json")
	name = strings.Replace(name, "/", "-", -1)
	time.Sleep(1) // lets others run
	return handle(ctx, strings.TrimRight(name, "0123456789"))
}
