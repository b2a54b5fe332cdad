package term

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
)

const (
	excerptAround  = 2  // lines of code before and after a finding's own
	excerptLines   = 10 // of its own, at most
	suggestedLines = 40 // of a suggested diff, at most
)

// excerpt shows the code around a location; nothing if the code cannot be read or
// the location is beyond its end.
func (r *rich) excerpt(at scanner.Location) string {
	data, err := r.source(at.Path)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return ""
	}
	last := min(at.LastLine(), at.StartLine+excerptLines-1)
	first := max(at.StartLine-excerptAround, 1)
	lines := text.Lines(data, first, last+excerptAround)
	if first+len(lines) <= at.StartLine {
		return ""
	}
	for i := range lines {
		lines[i] = cleanCode(lines[i])
	}
	unindent(lines)
	var b strings.Builder
	b.WriteString("\n")
	digits := len(fmt.Sprint(first + len(lines) - 1))
	for i, line := range lines {
		n := first + i
		mark, gutter, width := "│", fmt.Sprintf("%*d ", digits, n), r.width-len(indent)-digits-3
		if n < at.StartLine || n > last {
			b.WriteString(strings.TrimRight(indent+r.paint(dim, gutter)+mark+" "+truncate(line, width), " ") + "\n")
			continue
		}
		// Wrapped, not cut: the evidence may be at the end of the line.
		for _, part := range firstParts(wrapCode(line, width)) {
			b.WriteString(strings.TrimRight(indent+r.paint(bold, gutter)+r.paint(red, "▌")+" "+part, " ") + "\n")
			gutter = strings.Repeat(" ", digits+1)
		}
	}
	if last < at.LastLine() {
		fmt.Fprintf(&b, "%s%s\n", indent, r.paint(dim, fmt.Sprintf("… to line %d", at.LastLine())))
	}
	b.WriteString("\n")
	return b.String()
}

// excerptParts is how many parts of a line of the finding are shown.
const excerptParts = 20

// firstParts returns the parts of a line that are shown: of a very long one not all.
func firstParts(parts []string) []string {
	if more := len(parts) - excerptParts; more > 0 {
		parts = append(parts[:excerptParts:excerptParts], fmt.Sprintf("… %d more lines", more))
	}
	return parts
}

// unindent removes the indentation that all lines have, blank ones aside.
func unindent(lines []string) {
	common := -1
	for _, line := range lines {
		if text := strings.TrimLeft(line, " "); text != "" && (common < 0 || len(line)-len(text) < common) {
			common = len(line) - len(text)
		}
	}
	for i, line := range lines {
		lines[i] = line[min(max(common, 0), len(line)):]
	}
}

// diff shows a unified diff in colors.
func (r *rich) diff(patch string) string {
	lines := strings.Split(strings.TrimRight(patch, "\r\n"), "\n")
	var b strings.Builder
	for i, line := range lines {
		if i == suggestedLines {
			b.WriteString(indent + r.paint(dim, fmt.Sprintf("… %d more lines", len(lines)-i)) + "\n")
			break
		}
		// Wrapped, not cut: a fix may change the end of a line.
		for _, part := range hardWrap(cleanCode(line), r.width-len(indent)) {
			if part = strings.TrimRight(part, " "); part != "" {
				part = indent + r.paint(diffStyle(line), part)
			}
			b.WriteString(part + "\n")
		}
	}
	return b.String()
}

func diffStyle(line string) style {
	switch {
	case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return bold
	case strings.HasPrefix(line, "@@"):
		return cyan
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	default:
		return dim
	}
}
