// Embed reviews a diff with package scanner, its own provider, which talks to an
// Ollama server, and a skill from a directory.
//
//	git diff | go run ./examples/embed -skill examples/skills/http-timeouts -model qwen3-coder
//
// It shows what an embedding program has to do, and nothing else: parse a diff,
// load a skill, answer requests, and show the report.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/skill"
)

func main() {
	url := flag.String("url", "http://localhost:11434", "the address of the Ollama server")
	model := flag.String("model", "qwen3-coder", "the model to use")
	dir := flag.String("skill", "examples/skills/http-timeouts", "the directory of the skill")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := review(ctx, os.Stdin, os.Stdout, *dir, &ollama{url: *url}, *model); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// review writes to w what the skill in a directory finds in a diff.
func review(ctx context.Context, patch io.Reader, w io.Writer, dir string, p provider.Provider, model string) error {
	text, err := io.ReadAll(patch)
	if err != nil {
		return err
	}
	files, err := diff.Parse(text)
	if err != nil {
		return err
	}
	dir = path.Clean(dir)
	s, warnings, err := skill.Load(os.DirFS(path.Dir(dir)), path.Base(dir))
	if err != nil {
		return err
	}
	for _, warning := range warnings {
		fmt.Fprintln(w, "warning:", warning)
	}

	report, err := scanner.RunSkill(ctx, s, files, scanner.Options{
		Provider:    p,
		Model:       model,
		Concurrency: 2, // a local model has one graphics card
		OnEvent: func(e scanner.Event) {
			if e, ok := e.(scanner.EventRetry); ok {
				fmt.Fprintf(w, "%s: trying again after %v (%v)\n", e.Chunk.Path, e.Delay.Round(time.Second), e.Err)
			}
		},
	})
	if report == nil {
		return err
	}
	// There may be a report and an error: show what is known so far.
	selection, selectErr := scanner.Select(report, scanner.Policy{MinConfidence: scanner.ThresholdMedium})
	if selectErr != nil {
		return selectErr
	}
	for _, f := range selection.Shown {
		where := "the change"
		if f.Location != nil {
			where = f.Location.String()
		}
		fmt.Fprintf(w, "%s: %s: %s\n", where, f.Severity, f.Title)
	}
	fmt.Fprintln(w, selection.Summary)
	if err == nil && !report.Complete() {
		err = errors.New("not everything was analyzed")
	}
	return err
}

// ollama is a provider that uses the API of an Ollama server.
type ollama struct{ url string }

var _ provider.Provider = (*ollama)(nil)

// Complete makes one attempt. The kind of its error determines whether the caller
// tries again.
func (o *ollama) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	question := struct {
		Model    string          `json:"model"`
		Messages []message       `json:"messages"`
		Format   json.RawMessage `json:"format,omitempty"`
		Stream   bool            `json:"stream"`
	}{Model: req.Model, Messages: []message{{"system", req.System}}}
	for _, m := range req.Messages {
		question.Messages = append(question.Messages, message{string(m.Role), m.Text})
	}
	if req.Schema != nil {
		question.Format = req.Schema.JSON
	}
	body, err := json.Marshal(question)
	if err != nil {
		return provider.Response{}, err
	}

	post, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url+"/api/chat", bytes.NewReader(body))
	if err != nil {
		return provider.Response{}, err
	}
	post.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(post)
	if err != nil {
		if ctx.Err() != nil {
			return provider.Response{}, ctx.Err()
		}
		return provider.Response{}, &provider.Error{Kind: provider.KindConnection, Message: err.Error(), Err: err}
	}
	defer resp.Body.Close()

	var answer struct {
		Message    message `json:"message"`
		DoneReason string  `json:"done_reason"`
		Input      int64   `json:"prompt_eval_count"`
		Output     int64   `json:"eval_count"`
		Error      string  `json:"error"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 16<<20)).Decode(&answer)
	switch {
	case ctx.Err() != nil:
		return provider.Response{}, ctx.Err()
	case resp.StatusCode == http.StatusNotFound:
		return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Status: resp.StatusCode, Message: answer.Error,
			Err: errors.New(`pull the model with "ollama pull"`)}
	case resp.StatusCode != http.StatusOK || err != nil:
		return provider.Response{}, &provider.Error{Kind: provider.KindServer, Status: resp.StatusCode, Message: answer.Error, Err: err}
	}
	free := 0.0 // the model runs on the user's own machine
	stop := provider.StopEnd
	if answer.DoneReason == "length" {
		stop = provider.StopLength
	}
	return provider.Response{
		Text:  answer.Message.Content,
		Stop:  stop,
		Usage: provider.Usage{InputTokens: answer.Input, OutputTokens: answer.Output, CostUSD: &free},
	}, nil
}
