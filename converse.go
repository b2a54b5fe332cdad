package scanner

import (
	"cmp"
	"context"
	"fmt"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/internal/tools"
	"github.com/codescan-dev/scanner/provider"
)

// maxTurns is the number of answers in a conversation. The last one cannot call
// tools. The number of calls has its own limit.
const maxTurns = 12

// newTools returns the tools of a skill; nil if it has none, without a tree to read,
// or with a provider that sends no tools.
func (r *run) newTools(s *Skill) *tools.Set {
	if p, ok := r.opts.Provider.(provider.FeatureSender); ok && !p.SendsFeatures() {
		return nil
	}
	if !r.usesModel(s) || len(s.AllowedTools) == 0 || r.opts.FS == nil {
		return nil
	}
	opts := tools.Options{Redact: r.opts.Redact, SendFiles: r.opts.Chunking.SendFiles, Skill: make(map[string]string)}
	for _, res := range s.Resources {
		if s.reads() && res.Text != "" {
			opts.Skill["skill:/"+res.Name] = res.Text
		}
	}
	return tools.New(r.opts.FS, s.AllowedTools, opts)
}

// converse makes a request for the chunk, and calls tools until the model answers.
// When that fails after a call, the model gets the chunk once more, without tools and
// without what was said before. calls are those of the tools.
func (a *analysis) converse(ctx context.Context, req provider.Request) (resp provider.Response, calls []toolCall, err error) {
	complete := func(req provider.Request) (provider.Response, error) {
		c, err := a.complete(ctx, a.job, a.main, req)
		a.usage = a.usage.Add(c.spent)
		a.retries += c.retries
		a.model = cmp.Or(c.Model, a.model)
		return c.Response, err
	}
	bare := req
	bare.Tools, bare.System = nil, a.s.withoutTools
	if len(req.Tools) == 0 {
		resp, err = complete(bare)
		return resp, nil, err
	}

	session := a.s.tools.Session(a.unredacted)
	defer func() {
		a.tools = a.tools.Add(session.Stats())
		a.redacted += session.Stats().Redacted
	}()
	for turn := 1; ; turn++ {
		req.NoToolCalls = turn == maxTurns
		resp, err = complete(req)
		if err != nil || len(resp.ToolCalls) == 0 || req.NoToolCalls {
			break
		}
		messages := append([]provider.Message(nil), req.Messages...)
		messages = append(messages, provider.Message{Role: provider.RoleAssistant, Text: resp.Text, ToolCalls: resp.ToolCalls, Raw: resp.Raw})
		for _, call := range resp.ToolCalls {
			result := session.Call(ctx, call)
			calls = append(calls, toolCall{call.Name, call.Arguments, hash(result)})
			messages = append(messages, provider.Message{
				Role: provider.RoleTool, ToolCallID: call.ID, Text: prompt.ToolResult(result),
			})
		}
		req.Messages = messages
		req.Task.Role = fmt.Sprintf("turn %d", turn+1)
	}
	failed := err != nil && !provider.EndsRun(err) && !isStop(err) && ctx.Err() == nil
	if len(calls) > 0 && (failed || len(resp.ToolCalls) > 0 && err == nil) {
		resp, err = complete(bare)
	}
	return resp, calls, err
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
// that is still too long fails. refusal is the error of the whole. It returns findings
// with an error, too.
func (a *analysis) requestHalves(ctx context.Context, in prompt.UserInput, halves []half, refusal error) ([]answer, error) {
	whole := a.question(in)
	var all []answer
	var first error
	for _, h := range halves {
		in.Chunk, in.Text = &h.chunk, h.text
		part, err := a.answer(ctx, in)
		all = append(all, part)
		first = cmp.Or(first, err)
	}
	if first == nil && refusal != errHalved {
		a.keep(ctx, whole, stored{Halved: true})
	}
	return all, first
}
