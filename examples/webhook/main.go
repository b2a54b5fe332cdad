// Webhook is a server that reviews pull requests on GitHub when they are opened or pushed
// to. It reviews many at once, with one limit for the requests to the model. A push cancels
// the review of the head before it.
//
//	GITHUB_TOKEN=… WEBHOOK_SECRET=… OPENAI_API_KEY=… go run ./examples/webhook -listen localhost:8080
//
// Nothing of a pull request is run or trusted: it is read from the API, and the skills are
// those of the server.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/github"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/openai"
	"github.com/codescan-dev/scanner/review"
	"github.com/codescan-dev/scanner/skill"
)

func main() {
	listen := flag.String("listen", "localhost:8080", "the address to listen on")
	requests := flag.Int("requests", 8, "the number of requests to the model in flight, for all reviews")
	maxCost := flag.Float64("max-cost", 1, "what a review may cost, in US dollars")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *requests, *maxCost); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, listen string, requests int, maxCost float64) error {
	secret := os.Getenv("WEBHOOK_SECRET")
	if secret == "" {
		return errors.New("WEBHOOK_SECRET is not set: anyone could start reviews")
	}
	model, err := openai.New(openai.Config{APIKey: os.Getenv("OPENAI_API_KEY"), Proxy: http.ProxyFromEnvironment})
	if err != nil {
		return err
	}
	codeReview, _, err := skill.Discover(skill.Builtin()).Find(skill.CodeReview)
	if err != nil {
		return err
	}
	s := &server{
		secret: []byte(secret),
		host: func(repo github.Repo) (review.Host, error) {
			return github.NewClient(repo, github.Config{Token: os.Getenv("GITHUB_TOKEN")})
		},
		skills:  []scanner.Skill{codeReview},
		options: scanner.Options{Provider: model, Limiter: provider.NewLimiter(requests), MaxCost: maxCost},
		policy:  scanner.Policy{ReportOn: scanner.ThresholdMedium, MinConfidence: scanner.ThresholdMedium},
		logf:    log.Printf,
	}

	web := &http.Server{Addr: listen, Handler: s, ReadTimeout: 30 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- web.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// First no reviews are started any more, then those that run have some time.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	err = web.Shutdown(ctx)
	s.shutdown(ctx)
	return err
}
