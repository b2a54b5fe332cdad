package gitlabtest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/codescan-dev/scanner/internal/hosttest"
)

// payload is the contents of a hidden marker and of the id of a commit status. They have
// hashes of everything that decides about a text, so a dump leaves them out.
var payload = regexp.MustCompile(`(<!-- [a-z]+:[a-z]+) [A-Za-z0-9+/=]+ -->|(#scanner:1:[a-z]+:[a-z]+):[0-9a-f:]+`)

// Dump writes all that is on the merge request, in the order in which it came, as text.
// It is the same for the same state. Hidden markers are without their contents.
func (h *Host) Dump() string {
	h.Lock()
	defer h.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "merge request %d at %s\n", h.Number, h.Head)
	for _, d := range h.Discussions {
		for i, n := range d.Notes {
			switch p := n.Position; {
			case i > 0:
				fmt.Fprintf(&b, "\nreply by %s\n", n.User)
			case p == nil:
				fmt.Fprintf(&b, "\nnote by %s\n", n.User)
			default:
				fmt.Fprintf(&b, "\ndiscussion by %s on %q %s%s\n", n.User, p.NewPath, p.lines(h.Head), n.state())
			}
			hosttest.Indent(&b, payload.ReplaceAllStringFunc(n.Body, shorten))
		}
	}
	for _, s := range h.Statuses {
		fmt.Fprintf(&b, "\ncommit status %q by %s at %s: %s\n  %s\n  %s\n", s.Name, s.User, s.SHA, s.State, s.Description, payload.ReplaceAllStringFunc(s.TargetURL, shorten))
	}
	for _, c := range h.Commands {
		fmt.Fprintf(&b, "\nquick action: %s\n", c)
	}
	for _, p := range h.Problems {
		fmt.Fprintf(&b, "\nproblem: %s\n", p)
	}
	return b.String()
}

func shorten(s string) string {
	if m := payload.FindStringSubmatch(s); m[1] != "" {
		return m[1] + " -->"
	} else {
		return m[2]
	}
}

func (p *Position) lines(head string) string {
	s := fmt.Sprintf("line %d", p.NewLine)
	switch {
	case p.Head != head:
		return "(outdated)"
	case p.From > 0:
		s = fmt.Sprintf("lines %d-%d", p.From, p.NewLine)
	}
	if p.OldLine > 0 {
		s += fmt.Sprintf(" (old line %d)", p.OldLine)
	}
	return s
}

func (n *Note) state() string {
	if !n.Resolved {
		return ""
	}
	return ", resolved by " + n.ResolvedBy
}
