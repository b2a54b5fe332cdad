package review

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
)

// The text of models, files and paths is shown as text. Hosts render a comment in
// two steps: Markdown becomes HTML, then names, numbers and addresses in the text
// of the HTML become links and notify people. In the first step, entities keep
// characters from having a meaning. In the second step entities are characters
// again, so a zero-width space separates the characters of a mention. Addresses are
// written as code, which neither step touches: they stay readable and can be copied.

// zwsp is the zero-width space.
const zwsp = "\u200b"

// oneLine returns s clean, on one line, cut to n characters.
func oneLine(s string, n int) string {
	// What is cut off need not be cleaned.
	s = text.Truncate(s, 16*n)
	return text.Truncate(text.OneLine(s), n)
}

// titleText renders a title: one line, to be set in bold or in a list.
func titleText(s string) string {
	w := &textWriter{title: true}
	w.line(oneLine(s, maxTitle))
	return w.String()
}

// proseText renders a text of several lines, such as a description. Blocks of
// code in it are kept, as preformatted HTML. The result is not longer than limit
// bytes; what does not fit is replaced by an ellipsis.
func proseText(s string, limit int) string {
	// A character becomes at most five bytes more.
	s = strings.TrimSpace(text.Clean(text.Truncate(s, limit)))
	for n := limit; ; n /= 2 {
		if out := prose(text.Truncate(s, n)); len(out) <= limit {
			return out
		}
	}
}

func prose(s string) string {
	w := &textWriter{}
	lines := strings.Split(s, "\n")
	for i := 0; i < len(lines); i++ {
		if i > 0 {
			w.WriteByte('\n')
		}
		fence := fenceOf(lines[i])
		if fence == "" {
			w.line(lines[i])
			continue
		}
		end := i + 1
		for end < len(lines) && !closesFence(lines[end], fence) {
			end++
		}
		w.WriteString("<pre><code>")
		w.WriteString(html.EscapeString(breakCommands(strings.Join(lines[i+1:end], "\n"))))
		w.WriteString("</code></pre>")
		i = end
	}
	return strings.TrimRight(w.String(), "\n")
}

// fenceOf returns the fence that a line opens a block of code with, if it does.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, "`") {
			return line[:n]
		}
	}
	return ""
}

func closesFence(line, fence string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// textWriter renders text.
type textWriter struct {
	strings.Builder
	title bool
}

// line renders one line, which holds neither a newline nor a fence.
func (w *textWriter) line(s string) {
	body := strings.TrimLeftFunc(s, unicode.IsSpace)
	// Four spaces would make a block of code, in which entities are shown.
	w.WriteString("   "[:min(3, len(s)-len(body))])
	if w.title {
		body = strings.TrimSpace(body)
	}
	if body == "" {
		return
	}
	// The beginning of a line can make it a heading, the underline of one, a
	// fence or a command to other bots.
	switch c := body[0]; {
	case strings.IndexByte("-=*_+~`", c) >= 0 && strings.Trim(body, "-=*_+~`| \t:") == "",
		c == '#' && (len(body) == 1 || body[1] == '#' || body[1] == ' ' || body[1] == '\t'),
		c == '/',
		strings.HasPrefix(body, "~~~"):
		w.entity(c)
		body = body[1:]
	}
	w.inline(body)
}

// reference matches what notifies people or becomes a link on some host: mentions; numbers
// of issues, changes, snippets and epics; labels and milestones; pages of a wiki, and
// what is named by its kind, as in "[issue:1]".
var reference = regexp.MustCompile(`^(?:@|[#!$&]\d|[%~][\pL\d_"]|\[(?:\[|\pL\w*:)|\*iteration:)`)

// address matches what a host could turn into a link: an address with a scheme or
// "www.", and one of e-mail. What follows it in a sentence is not a part of it.
var address = regexp.MustCompile("(?i)(?:[a-z][a-z0-9+.-]*://|www\\.)[^\\s<>\"`]*[^\\s<>\"`'.,:;!?*_~|()\\[\\]]\\)?|[a-z0-9._+-]+@[a-z0-9-]+(?:\\.[a-z0-9-]+)+")

// inline renders a line or its rest.
func (w *textWriter) inline(s string) {
	addresses := address.FindAllStringIndex(s, -1)
	for i := 0; i < len(s); {
		c, n := s[i], 1
		var next byte
		if i+1 < len(s) {
			next = s[i+1]
		}
		for len(addresses) > 0 && addresses[0][0] < i {
			addresses = addresses[1:] // in code
		}
		switch {
		case len(addresses) > 0 && addresses[0][0] == i:
			a := s[i:addresses[0][1]]
			if strings.Count(a, "(") < strings.Count(a, ")") { // "(see https://a.test)"
				a = strings.TrimSuffix(a, ")")
			}
			w.WriteString(htmlCode(a)) // also within HTML, where backticks mean nothing
			n = len(a)
		case c == '`':
			n = w.code(s[i:])
		case strings.IndexByte(`&<>"'`, c) >= 0:
			w.WriteString(html.EscapeString(s[i : i+1]))
		// References behind letters, and addresses.
		case c == ':' && strings.HasPrefix(s[i:], "://"),
			c == '-' && isDigit(next) && i >= 2 && (strings.EqualFold(s[i-2:i], "GH") || strings.EqualFold(s[i-2:i], "GL")):
			w.WriteByte(c)
			w.WriteString(zwsp)
		// Escapes, formulas, links, images, fences in lists and commands to other bots;
		// in titles emphasis and tables, too.
		case strings.IndexByte(`\$[]`, c) >= 0, c == '~' && next == '~', c == '/' && i > 0 && s[i-1] == ' ', w.title && strings.IndexByte("*_~|", c) >= 0:
			w.entity(c)
		case c == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"):
			w.WriteString(zwsp + ".")
		default:
			w.WriteByte(c)
		}
		if strings.IndexByte("@#!$&%~[*", c) >= 0 && reference.MatchString(s[i:]) {
			w.WriteString(zwsp)
		}
		i += n
	}
}

// code renders text that begins with a backtick: a span of code if it ends within
// the line. It returns the number of bytes it consumed.
func (w *textWriter) code(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	ticks := s[:n]
	for at := n; ; {
		i := strings.Index(s[at:], ticks)
		if i < 0 {
			break
		}
		end := at + i
		run := len(s[end:]) - len(strings.TrimLeft(s[end:], "`"))
		if run == n && strings.TrimSpace(s[n:end]) != "" {
			w.WriteString(codeText(s[n:end]))
			return end + n
		}
		at = end + run
	}
	for range n {
		w.entity('`')
	}
	return n
}

func (w *textWriter) entity(c byte) { fmt.Fprintf(w, "&#%d;", c) }

// codeText renders s as code within a line. Entities have no meaning in Markdown's
// own code, so text that needs them is written in HTML.
func codeText(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	// Other bots read the Markdown, in which a mention is one in code, too.
	if !strings.ContainsAny(s, "`&<>\"'|\\@") {
		return "`" + s + "`"
	}
	return htmlCode(s)
}

func htmlCode(s string) string {
	w := &textWriter{}
	w.WriteString("<code>")
	for i := range len(s) {
		if c := s[i]; c > ' ' && c < utf8.RuneSelf && !isAlnum(c) {
			w.entity(c)
		} else {
			w.WriteByte(c)
		}
	}
	w.WriteString("</code>")
	return w.String()
}

// obeyed matches what another bot could take for a command, such as "/approve" and
// "@dependabot merge": a slash and a word between blanks; a name at the start of a
// line, also behind the marks of a diff, or before a word. A name before "(" or "." is
// that of a decorator in code.
var obeyed = regexp.MustCompile(`(?m)((?:^[-+]*|[\t\pZ])/)(\pL[\w-]*(?:[^\w./-]|$))|(^[-+\t\pZ]*@)([\w-]+(?:[^\w.(-]|$))|(\W@)([\w-]+[\t\pZ]+\pL)`)

// breakCommands returns code to read, in which bots find no command and this one no
// marker: they read the Markdown, where blocks of code are lines as any other.
func breakCommands(s string) string {
	s = strings.ReplaceAll(s, markerBegin, "<!--"+zwsp+strings.TrimPrefix(markerBegin, "<!--"))
	for { // the end of a command can be the beginning of the next
		broken := obeyed.ReplaceAllString(s, "${1}${3}${5}"+zwsp+"${2}${4}${6}")
		if broken == s {
			return s
		}
		s = broken
	}
}

// fenced returns text as a block of code of the given kind. The fence is longer
// than every run of backticks in it.
func fenced(kind, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + kind + "\n" + text + fence
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
