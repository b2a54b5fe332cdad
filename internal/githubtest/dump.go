package githubtest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/codescan-dev/scanner/internal/hosttest"
)

// payload is the contents of a hidden marker. It has hashes of everything that
// decides about a text, so a dump leaves it out.
var payload = regexp.MustCompile(`<!-- ([a-z]+:[a-z]+) [A-Za-z0-9+/=]+ -->`)

// Dump writes all that is on the pull request, in the order in which it came, as
// text. It is the same for the same state. Hidden markers are without their
// contents.
func (h *Host) Dump() string {
	h.Lock()
	defer h.Unlock()
	var b strings.Builder
	body := func(s string) { hosttest.Indent(&b, payload.ReplaceAllString(s, "<!-- $1 -->")) }
	fmt.Fprintf(&b, "pull request %d at %s\n", h.Number, h.Head)
	for _, c := range h.IssueComments {
		fmt.Fprintf(&b, "\ncomment by %s\n", c.User)
		body(c.Body)
	}
	for _, r := range h.Reviews {
		fmt.Fprintf(&b, "\nreview by %s: %s at %s\n", r.User, r.State, r.Commit)
		body(r.Body)
	}
	for _, c := range h.Comments {
		if c.InReplyTo > 0 {
			continue
		}
		fmt.Fprintf(&b, "\ninline comment by %s on %q %s%s\n", c.User, c.Path, lines(c), h.Threads[c.ID].state())
		body(c.Body)
		for _, r := range h.Comments {
			if r.InReplyTo == c.ID {
				fmt.Fprintf(&b, "\nreply by %s\n", r.User)
				body(r.Body)
			}
		}
	}
	for _, k := range h.Checks {
		fmt.Fprintf(&b, "\ncheck run %q by %s at %s: %s\n", k.Name, k.App, k.Head, strings.TrimSpace(k.Status+" "+k.Conclusion))
		body(k.Title + "\n\n" + k.Summary)
		for _, a := range k.Annotations {
			fmt.Fprintf(&b, "\n  %v %q %v-%v %q\n", a["annotation_level"], a["path"], a["start_line"], a["end_line"], a["title"])
			body(fmt.Sprint(a["message"]))
		}
	}
	for _, p := range h.Problems {
		fmt.Fprintf(&b, "\nproblem: %s\n", p)
	}
	return b.String()
}

func lines(c *Comment) string {
	switch {
	case c.Line == 0:
		return "(outdated)"
	case c.StartLine > 0:
		return fmt.Sprintf("lines %d-%d", c.StartLine, c.Line)
	}
	return fmt.Sprintf("line %d", c.Line)
}

func (t *Thread) state() string {
	s := ""
	if t != nil && t.Resolved {
		s += ", resolved by " + t.ResolvedBy
	}
	if t != nil && t.Minimized {
		s += ", hidden"
	}
	return s
}
