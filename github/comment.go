package github

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

// Limits of the host, and ours below them. Sizes are in bytes, which are never
// fewer than the characters that the host counts.
const (
	maxBody = 60_000 // the host takes 65,536 characters

	maxTitle       = 250    // characters of a title
	maxDescription = 30_000 // of the rendered text
	maxFixText     = 2_000
	maxFixDiff     = 20_000
	maxLocations   = 20
	maxPath        = 200 // characters
	maxURL         = 1_000

	maxInline          = 500 // comments of a run; others stand in the summary
	maxInlineUntrusted = 50
)

// Comment is an inline comment of a review.
type Comment struct {
	Path string
	// StartLine is the first line of a range; 0 means that Line is all.
	StartLine int
	// Line is the last line. Both are on the new side of the diff.
	Line int
	// Body is Markdown. Its last line is a hidden marker.
	Body string
	// Skill and Title name the finding.
	Skill, Title string

	item int // its index in the layout
}

// String names the comment in messages.
func (c *Comment) String() string {
	return fmt.Sprintf("%s %q", location(c.Path, c.StartLine, c.Line), oneLine(c.Title, 80))
}

// comments renders the findings that have a place in the diff.
func comments(r *Result, items []item) []Comment {
	var list []Comment
	for i := range items {
		it := &items[i]
		if it.at == nil {
			continue
		}
		c := Comment{
			Path: it.at.path, Line: it.at.end,
			Skill: it.skill.name(), Title: it.finding.Title, item: i,
		}
		if it.at.start < it.at.end {
			c.StartLine = it.at.start
		}
		c.Body = commentBody(r, it)
		list = append(list, c)
	}
	return list
}

// commentBody renders a finding as a comment: the title in bold, the
// description, then what else is known.
func commentBody(r *Result, it *item) string {
	f := it.finding
	m := marker(markerFinding, findingMarker{
		Skill: it.skill.name(), Path: pathKey(it.at.path), Line: lineHash(it.at.text), Title: oneLine(f.Title, maxTitle),
		Untrusted: r.Untrusted,
	})
	parts := []string{findingText(f)}
	if r.Untrusted {
		parts = append(parts, unverified)
	}
	if v := strings.TrimSpace(f.Verification); v != "" {
		parts = append(parts, labeled("How to verify:", v))
	}
	if links := locationLinks(r, f); links != "" {
		parts = append(parts, "Also at "+links)
	}
	if f.SuggestedFix != nil && !r.NoSuggestions {
		parts = append(parts, fixText(r, f.SuggestedFix, it.at))
	}
	parts = append(parts, "<sub>"+strings.Join(origin(it), " · ")+"</sub>")
	return fit(parts, maxBody-len(m)-2) + "\n\n" + m
}

// findingText is what every comment begins with.
func findingText(f *scanner.Finding) string {
	return "**" + boldTitle(f.Title) + "**\n\n" + proseText(f.Description, maxDescription)
}

// boldTitle is a title that is never empty.
func boldTitle(s string) string {
	if s = titleText(s); s == "" {
		return "(no title)"
	}
	return s
}

// origin says where a finding comes from and how much it weighs.
func origin(it *item) []string {
	o := []string{string(it.finding.Severity)}
	if c := it.finding.Confidence; c != "" {
		o = append(o, string(c)+" confidence")
	}
	o = append(o, titleText(it.skill.name()))
	return o
}

// locationLinks renders the additional locations of a finding.
func locationLinks(r *Result, f *scanner.Finding) string {
	var links []string
	for i, l := range f.AdditionalLocations {
		if i == maxLocations {
			links = append(links, fmt.Sprintf("%d more places", len(f.AdditionalLocations)-i))
			break
		}
		links = append(links, link(r, l.Path, l.StartLine, l.LastLine()))
	}
	return strings.Join(links, ", ")
}

// link renders a place in a file at the head.
func link(r *Result, path string, start, end int) string {
	return linkTo(codeText(location(path, start, end)), r.blobURL(path, start, end))
}

// linkTo makes a link, except to an absurdly long address.
func linkTo(text, url string) string {
	if len(url) > maxURL {
		return text
	}
	return "[" + text + "](" + url + ")"
}

// location writes "path:start-end", "path:line" or "path".
func location(path string, start, end int) string {
	path = shownPath(path)
	switch {
	case start > 0 && end > start:
		return fmt.Sprintf("%s:%d-%d", path, start, end)
	case max(start, end) > 0:
		return fmt.Sprintf("%s:%d", path, max(start, end))
	}
	return path
}

// shownPath is a path for people: one line, of which nothing is hidden. What
// could be is written as git does.
func shownPath(path string) string {
	switch {
	case text.Clean(path) != path || strings.ContainsAny(path, "\n\t"):
		path = diff.QuotePath(path)
	case strings.TrimSpace(path) != path:
		path = `"` + path + `"`
	}
	return text.Truncate(path, maxPath)
}

// fixText renders a suggested fix: as lines that the host offers to take over if
// they are all that it changes, otherwise as a diff to read. Nobody should take
// over the lines of an untrusted result with a click.
func fixText(r *Result, fix *scanner.SuggestedFix, at *spot) string {
	text := labeled("Suggested fix:", fix.Description) + "\n\n"
	if !r.Untrusted {
		if lines, ok := suggestion(r, fix, at); ok {
			block := strings.Join(lines, "\n")
			if len(lines) > 0 {
				block += "\n"
			}
			if len(block) <= maxFixDiff {
				return text + fenced("suggestion", block)
			}
		}
	}
	d := strings.TrimRight(visible(fix.Diff), "\n")
	if len(d) > maxFixDiff {
		return text + "The diff is too long to be shown here."
	}
	return text + fenced("diff", d)
}

// labeled renders a text behind a label. Preformatted HTML is taken for that only
// where a line begins with it: elsewhere Markdown would be read in it.
func labeled(label, s string) string {
	text := proseText(s, maxFixText)
	if strings.HasPrefix(text, "<pre>") {
		return label + "\n\n" + text
	}
	return label + " " + text
}

// visible returns code with characters that cannot be seen written out.
func visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.ContainsFunc(s, func(c rune) bool { return c != '\n' && c != '\t' && text.Hidden(c) }) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if c != '\n' && c != '\t' && text.Hidden(c) {
			fmt.Fprintf(&b, `\u{%04X}`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
