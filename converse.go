package scanner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/internal/tools"
	"github.com/codescan-dev/scanner/provider"
)

// maxTurns is how many answers of a model may ask for tools before it has to
// come to an end. The number of calls has a limit of its own.
const maxTurns = 12

// newTools returns the tools of a skill; nil if it has none, or if there is no
// tree to look at.
func (r *run) newTools(s *Skill) *tools.Set {
	if !r.usesModel(s) || len(s.AllowedTools) == 0 || r.opts.FS == nil {
		return nil
	}
	return tools.New(r.opts.FS, s.AllowedTools, tools.Options{Redact: r.opts.Redact})
}

// converse makes the request of a chunk, and answers the calls of tools until
// the model answers. used is the number of calls.
func (r *run) converse(ctx context.Context, j job, req provider.Request, res *result) (resp provider.Response, used int, err error) {
	ask := func(req provider.Request) (provider.Response, error) {
		resp, retries, usage, err := r.complete(ctx, j, r.opts.Provider, req)
		res.usage = res.usage.Add(usage)
		res.retries += retries
		if resp.Model != "" {
			res.model = resp.Model
		}
		return resp, err
	}
	bare := req
	bare.Tools = nil
	if len(req.Tools) == 0 || r.toolless.Load() {
		resp, err = ask(bare)
		return resp, 0, err
	}

	session := j.s.tools.Session()
	defer func() {
		res.tools = res.tools.Add(session.Stats())
		res.redacted += session.Stats().Redacted
	}()
	for range maxTurns {
		resp, err = ask(req)
		if refusesTools(err) && session.Stats().Calls == 0 {
			// A server that knows no tools: the skill does without, and so do
			// the other chunks.
			r.toolless.Store(true)
			resp, err = ask(bare)
			return resp, 0, err
		}
		if err != nil || len(resp.ToolCalls) == 0 {
			return resp, session.Stats().Calls, err
		}
		messages := append([]provider.Message(nil), req.Messages...)
		messages = append(messages, provider.Message{Role: provider.RoleAssistant, Text: resp.Text, ToolCalls: resp.ToolCalls})
		for _, call := range resp.ToolCalls {
			messages = append(messages, provider.Message{
				Role: provider.RoleTool, ToolCallID: call.ID, Text: prompt.ToolResult(session.Call(ctx, call)),
			})
		}
		req.Messages = messages
	}
	return resp, session.Stats().Calls, fmt.Errorf("%w: after %d answers the model still asked for tools", ErrExtraction, maxTurns)
}

// refusesTools reports whether a request was refused for having tools.
func refusesTools(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && e.Kind == provider.KindInvalid && strings.Contains(strings.ToLower(e.Message), "tool")
}

// half is one of the two parts of a chunk that was too long for the model.
type half struct {
	chunk diff.Chunk
	text  diff.Text
}

// halve splits a chunk in the middle. The lines around it, which are only there
// for context, are left out. It is false for a chunk that cannot be split so
// that both parts have a line of the new side.
func halve(c *diff.Chunk, text diff.Text) ([]half, bool) {
	middle := len(text.Lines) / 2
	var halves []half
	for _, lines := range [][]diff.Line{text.Lines[:middle], text.Lines[middle:]} {
		h := half{chunk: *c, text: diff.Text{Lines: lines}}
		h.chunk.StartLine, h.chunk.EndLine = 0, 0
		for _, l := range lines {
			if l.New == 0 {
				continue
			}
			if h.chunk.StartLine == 0 {
				h.chunk.StartLine = l.New
			}
			h.chunk.EndLine = l.New
		}
		if h.chunk.StartLine == 0 {
			return nil, false
		}
		halves = append(halves, h)
	}
	return halves, true
}

// askHalves asks about the two parts of a chunk one after the other, once: a
// part that is still too long fails. What was found comes with an error, too.
func (r *run) askHalves(ctx context.Context, j job, in prompt.UserInput, halves []half, res *result) ([]json.RawMessage, error) {
	var all []json.RawMessage
	var first error
	for _, h := range halves {
		in.Chunk, in.Text = &h.chunk, h.text
		req := r.request(j.s, prompt.User(in))
		resp, _, err := r.converse(ctx, j, req, res)
		if err == nil {
			var raw []json.RawMessage
			raw, err = r.extract(ctx, j, resp, res)
			all = append(all, raw...)
		}
		if first == nil {
			first = err
		}
	}
	return all, first
}
