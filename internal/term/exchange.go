package term

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/provider"
)

// exchange shows what was sent to a model and what came back, in one piece: chunks are
// analyzed in parallel. The system prompt comes once for a skill and kind of request.
func (c *Console) exchange(e scanner.EventExchange) {
	if c.level < Debug {
		return
	}
	var b strings.Builder
	show := func(name, what, text string) {
		b.WriteString(c.view.debug(name+": "+what, strings.Split(cleanText(strings.TrimRight(text, "\r\n")), "\n")))
	}
	name := chunkName(e.Chunk) + ": " + e.Role
	if key := [2]string{e.Chunk.Skill, e.System}; e.System != "" && !c.systems[key] {
		c.systems[key] = true
		show(e.Chunk.Skill+": "+e.Role, "system prompt", e.System)
	}
	var calls []provider.ToolCall
	for _, m := range e.Sent() {
		switch m.Role {
		case provider.RoleAssistant:
			calls = m.ToolCalls
		case provider.RoleTool:
			b.WriteString(c.view.debug(fmt.Sprintf("%s: sent the result of %s, %d characters", name, calls[0].Name, utf8.RuneCountInString(m.Text)), nil))
			calls = calls[1:]
		default:
			show(name, "sent, after the system prompt", m.Text)
		}
	}
	answer := e.Answer()
	switch {
	case e.Err != nil:
		b.WriteString(c.view.debug(fmt.Sprintf("%s: no answer (%s: %s)", name, errorName(e.Err), errorDetail(e.Err)), nil))
	case e.Cached:
		show(name, "answer of the cache", answer.Text)
	case answer.Text != "":
		show(name, "answer", answer.Text)
	}
	for _, call := range answer.ToolCalls {
		b.WriteString(c.view.debug(fmt.Sprintf("%s: calls %s %s", name, call.Name, call.Arguments), nil))
	}
	c.term.printErr(b.String())
}
