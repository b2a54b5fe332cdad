package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

// Limits of texts, below those of hosts. Sizes are in bytes, which are never fewer
// than the characters that hosts count.
const (
	maxBody = 60_000 // a host that takes 65,536 characters has the lowest limit

	maxTitle       = 250    // characters of a title
	maxDescription = 30_000 // of the rendered text
	maxFixText     = 2_000
	maxFixDiff     = 20_000
	maxLocations   = 5_000
	maxPath        = 200 // characters

	maxInline          = 500 // comments of a run; others are in the summary
	maxInlineUntrusted = 50
)

// Comment is an inline comment of a review.
type Comment struct {
	Path string
	// StartLine is the first line of a range; 0 means that Line is all.
	StartLine int
	// Line is the last line. Both are on the new side of the diff.
	Line int
	// OldPath is the name of the file before the change, and OldStart and OldLine are
	// the first and the last line on the old side.
	OldPath           string
	OldStart, OldLine OldLine
	// Body is Markdown. Its last line is a hidden marker.
	Body string

	item *item
}

// OldLine is where a line of the new side is on the old side.
type OldLine struct {
	// Number is that of the line; of an added line, that of the line after it.
	Number int
	Added  bool
}

// String names the comment in messages.
func (c *Comment) String() string {
	return fmt.Sprintf("%s %q", location(c.Path, c.StartLine, c.Line), oneLine(c.item.finding.Title, 80))
}

// comments renders the findings that have a place in the diff.
func (v *view) comments() []*Comment {
	var list []*Comment
	for i := range v.items {
		it := &v.items[i]
		if it.at == nil {
			continue
		}
		c := &Comment{
			Path: it.at.path, Line: it.at.end, Body: v.commentBody(it), item: it,
			OldPath: v.oldPath(it.at.path), OldStart: it.at.oldLine(it.at.start), OldLine: it.at.oldLine(it.at.end),
		}
		if it.at.start < it.at.end {
			c.StartLine = it.at.start
		}
		list = append(list, c)
	}
	return list
}

// commentBody renders a finding as a comment.
func (v *view) commentBody(it *item) string {
	m := marker(markerFinding, v.findingMarker(it))
	parts := v.findingParts(it.finding, it.skill.name(), it.at, maxDescription)
	if v.Untrusted {
		parts = slices.Insert(parts, 2, unverified)
	}
	return fit(parts, maxBody-len(m)-2) + "\n\n" + m
}

// findingParts renders a finding: the title in bold, the description in at most limit
// bytes, then what else is known. at is the place of its comment; nil if it has none.
func (v *view) findingParts(f *scanner.Finding, skill string, at *spot, limit int) []string {
	title := "**" + boldTitle(f.Title) + "**"
	if l := f.Location; at == nil && l != nil {
		title += " at " + codeText(location(l.Path, l.StartLine, l.LastLine()))
	}
	parts := []string{title, proseText(f.Description, limit)}
	if how := strings.TrimSpace(f.Verification); how != "" {
		parts = append(parts, labeled("How to verify:", how))
	}
	if links := v.locationLinks(f); links != "" {
		parts = append(parts, "Also at "+links)
	}
	if f.SuggestedFix != nil {
		parts = append(parts, v.fixText(f.SuggestedFix, at))
	}
	return append(parts, "<sub>"+origin(f, skill)+"</sub>")
}

// boldTitle is a title that is never empty.
func boldTitle(s string) string { return cmp.Or(titleText(s), "(no title)") }

// origin describes where a finding comes from, a rule or a skill's model, how much it
// weighs, and by which id it can be ignored.
func origin(f *scanner.Finding, skill string) string {
	o := string(f.Severity) + " · "
	if c := f.Confidence; c != "" {
		o += string(c) + " confidence · "
	}
	o += titleText(cmp.Or(f.Rule, skill))
	if f.ID != "" {
		o += " · " + titleText(f.ID)
	}
	return o
}

// locationLinks renders the additional locations of a finding.
func (v *view) locationLinks(f *scanner.Finding) string {
	var links []string
	for _, l := range f.AdditionalLocations {
		links = append(links, v.link(l.Path, l.StartLine, l.LastLine()))
	}
	return joinFitting(links, ", ", maxLocations, "%d more places")
}

// link renders a place in a file at the head.
func (v *view) link(path string, start, end int) string {
	return linkTo(codeText(location(path, start, end)), v.fileURL(path, start, end))
}

// commitLink renders a commit.
func (v *view) commitLink(commit string) string {
	text := "`" + commit[:7] + "`"
	if v.Flavor.CommitURL == nil {
		return text
	}
	return linkTo(text, v.Flavor.CommitURL(commit))
}

// fileURL returns the address of lines of a file at the head; empty if the host
// has none.
func (v *view) fileURL(path string, start, end int) string {
	if v.Flavor.FileURL == nil {
		return ""
	}
	return v.Flavor.FileURL(v.Head, path, start, end)
}

// linkTo makes a link if there is an address.
func linkTo(text, url string) string {
	if url == "" {
		return text
	}
	return "[" + text + "](" + safeURL(url) + ")"
}

// safeURL keeps an address inside the parentheses of a link. A pair of dollar
// signs would make a formula.
func safeURL(u string) string {
	return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "$", "%24", "\n", "", "\r", "", "\\", "%5C").Replace(u)
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

// shownPath is a path for people: one line without hidden characters. A path that
// has some is quoted as git does.
func shownPath(path string) string {
	switch {
	case text.Clean(path) != path || strings.ContainsAny(path, "\n\t"):
		path = diff.QuotePath(path)
	case strings.TrimSpace(path) != path:
		path = `"` + path + `"`
	}
	return text.Truncate(path, maxPath)
}

// fixText renders a suggested fix: as lines that the host offers to apply if they
// are all that it changes, otherwise as a diff to read. Nobody should apply the
// lines of an untrusted result with a click.
func (v *view) fixText(fix *scanner.SuggestedFix, at *spot) string {
	label := labeled("Suggested fix:", fix.Description) + "\n\n"
	if at != nil && !v.Untrusted && v.Flavor.Suggestion != nil {
		kind := v.Flavor.Suggestion(at.end - at.start + 1)
		if lines, ok := suggestion(fix, at); ok && kind != "" && len(lines) <= maxFixDiff {
			return label + fenced(kind, lines)
		}
	}
	var lines []string
	for line := range strings.Lines(strings.TrimRight(fix.Diff, "\r\n")) {
		lines = append(lines, text.Visible(strings.TrimRight(line, "\r\n")))
	}
	d := breakCommands(strings.Join(lines, "\n"))
	if len(d) > maxFixDiff {
		return label + "The diff is too long to be shown here."
	}
	return label + fenced("diff", d)
}

// labeled renders a text after a label. Preformatted HTML has to begin a line:
// elsewhere Markdown would have a meaning in it.
func labeled(label, s string) string {
	p := proseText(s, maxFixText)
	if strings.HasPrefix(p, "<pre>") {
		return label + "\n\n" + p
	}
	return label + " " + p
}
