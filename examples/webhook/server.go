package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/github"
	"github.com/codescan-dev/scanner/review"
)

// server receives webhooks and reviews pull requests.
type server struct {
	secret  []byte
	host    func(github.Repo) (review.Host, error)
	skills  []scanner.Skill
	options scanner.Options // their Limiter is that of all reviews
	policy  scanner.Policy
	logf    func(format string, args ...any)

	mu      sync.Mutex
	latest  map[string]*job // by pull request, until it has ended
	reviews sync.WaitGroup
}

// job is the review of one head of a pull request.
type job struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

var (
	errOutdated = errors.New("the pull request was pushed to or closed")
	errShutdown = errors.New("the server is shutting down")
)

// maxPayload is the size of the largest payload that GitHub sends.
const maxPayload = 25 << 20

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload))
	if err != nil {
		http.Error(w, "the payload cannot be read", http.StatusBadRequest)
		return
	}
	mac := hmac.New(sha256.New, s.secret)
	mac.Write(payload)
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(r.Header.Get("X-Hub-Signature-256")), []byte(want)) {
		http.Error(w, "the signature is wrong", http.StatusUnauthorized)
		return
	}
	if r.Header.Get("X-GitHub-Event") != github.EventPullRequest {
		w.WriteHeader(http.StatusNoContent) // a ping, for instance
		return
	}
	ev, err := github.ParseEvent(github.EventPullRequest, payload)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch ev.Action {
	case "opened", "reopened", "synchronize":
		s.start(context.WithoutCancel(r.Context()), ev)
	case "closed":
		s.mu.Lock()
		if j := s.latest[name(ev)]; j != nil {
			j.cancel(errOutdated)
		}
		s.mu.Unlock()
	}
	w.WriteHeader(http.StatusAccepted)
}

func name(ev github.Event) string { return fmt.Sprintf("%s#%d", ev.Repo, ev.Number) }

// start reviews the head of a pull request in the background. It cancels the review of
// the head before, and waits until that has ended, so that two never post at once.
func (s *server) start(ctx context.Context, ev github.Event) {
	ctx, cancel := context.WithCancelCause(ctx)
	j := &job{cancel, make(chan struct{})}
	s.mu.Lock()
	before := s.latest[name(ev)]
	if s.latest == nil {
		s.latest = make(map[string]*job)
	}
	s.latest[name(ev)] = j
	s.mu.Unlock()
	if before != nil {
		before.cancel(errOutdated)
	}
	s.reviews.Go(func() {
		defer cancel(nil)
		if before != nil {
			<-before.done
		}
		if err := s.review(ctx, ev); ctx.Err() != nil {
			s.logf("%s at %.12s: canceled: %v", name(ev), ev.Head, context.Cause(ctx))
		} else if err != nil {
			s.logf("%s at %.12s: %v", name(ev), ev.Head, err)
		}
		s.mu.Lock()
		if s.latest[name(ev)] == j {
			delete(s.latest, name(ev))
		}
		s.mu.Unlock()
		close(j.done)
	})
}

// review reviews a pull request and posts the result. What a budget ended early is posted
// too, as incomplete. After an error nothing is posted.
func (s *server) review(ctx context.Context, ev github.Event) error {
	host, err := s.host(ev.Repo)
	if err != nil {
		return err
	}
	files, err := host.Files(ctx, ev.Number)
	if err != nil {
		return err
	}
	opts := s.options
	opts.PullRequest = &scanner.PullRequest{Title: ev.Title, Description: ev.Body}
	run, err := scanner.Run(ctx, s.skills, files, opts)
	if err != nil {
		return err
	}
	result := review.Result{
		Number: ev.Number, Head: ev.Head, Files: files, Duration: run.Duration, Stopped: run.Stopped,
		Flavor: github.Flavor("https://github.com", ev.Repo),
	}
	for _, report := range run.Skills {
		selection, err := scanner.Select(report, s.policy)
		if err != nil {
			return err
		}
		result.Skills = append(result.Skills, review.SkillResult{Report: report, Selection: selection})
	}
	_, err = review.Post(ctx, host, result, false)
	return err
}

// shutdown waits for the reviews until ctx ends, and then cancels them. There must be no
// requests to the server any more.
func (s *server) shutdown(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, j := range s.latest {
			j.cancel(errShutdown)
		}
	})
	defer stop()
	s.reviews.Wait()
}
