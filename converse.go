package scanner

import (
	"cmp"
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

// maxTurns is how many answers of a model may call tools. The number of calls has
// its own limit.
const maxTurns = 12

// newTools returns the tools of a skill; nil if it has none, or without a tree to
// read.
func (r *run) newTools(s *Skill) *tools.Set {
	if !r.usesModel(s) || len(s.AllowedTools) == 0 || r.opts.FS == nil {
		return nil
	}
	return tools.New(r.opts.FS, s.AllowedTools, tools.Options{Redact: r.opts.Redact, SendFiles: r.opts.Chunking.SendFiles})
}

// converse makes a request for the chunk, and calls tools until the model answers.
// calls is the number of calls.
func (a *analysis) converse(ctx context.Context, req provider.Request) (resp provider.Response, calls int, err error) {
	complete := func(req provider.Request) (provider.Response, error) {
		c, err := a.complete(ctx, a.job, a.opts.Provider, req)
		a.usage = a.usage.Add(c.spent)
		a.retries += c.retries
		a.model = cmp.Or(c.Model, a.model)
		return c.Response, err
	}
	bare := req
	bare.Tools = nil
	if len(req.Tools) == 0 || a.toolless.Load() {
		resp, err = complete(bare)
		return resp, 0, err
	}

	session := a.s.tools.Session(a.unredacted)
	defer func() {
		a.tools = a.tools.Add(session.Stats())
		a.redacted += session.Stats().Redacted
	}()
	for range maxTurns {
		resp, err = complete(req)
		if refusesTools(err) && session.Stats().Calls == 0 {
			// A server that knows no tools: the skill does without, and so do
			// the other chunks.
			a.toolless.Store(true)
			resp, err = complete(bare)
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
	return resp, session.Stats().Calls, fmt.Errorf("%w: the model still called tools after %d answers", ErrExtraction, maxTurns)
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

// requestHalves analyzes the two parts of a chunk one after the other, once: a part
// that is still too long fails. It returns findings with an error, too.
func (a *analysis) requestHalves(ctx context.Context, in prompt.UserInput, halves []half) ([]json.RawMessage, error) {
	var all []json.RawMessage
	var first error
	for _, h := range halves {
		in.Chunk, in.Text = &h.chunk, h.text
		resp, _, err := a.converse(ctx, a.newRequest(prompt.User(in)))
		if err == nil {
			var raw []json.RawMessage
			raw, err = a.extract(ctx, resp)
			all = append(all, raw...)
		}
		first = cmp.Or(first, err)
	}
	return all, first
}
