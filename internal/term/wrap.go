package term

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// truncate cuts text to a width in columns, with an ellipsis if something is
// missing.
func truncate(text string, width int) string {
	return displaywidth.TruncateString(text, max(width, 0), "…")
}

// Wrap breaks text into lines of at most width columns: between words, and
// within a word that is longer than a line. Newlines stay, as do spaces at the
// beginning of a line.
func Wrap(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ")
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		row, used := "", 0
		for i, word := range strings.Fields(line) {
			if i == 0 {
				word = indent + word
			}
			n := displaywidth.String(word)
			if i > 0 && used+1+n <= width {
				row, used = row+" "+word, used+1+n
				continue
			}
			if i > 0 {
				lines = append(lines, row)
			}
			parts := hardWrap(word, width)
			lines = append(lines, parts[:len(parts)-1]...)
			row = parts[len(parts)-1]
			used = displaywidth.String(row)
		}
		lines = append(lines, row)
	}
	return lines
}

// wrapCode breaks a line of code into lines of at most width columns: after a space, if
// one is in the second half of a line. All characters stay.
func wrapCode(line string, width int) []string {
	var lines []string
	for {
		part := hardWrap(line, width)[0]
		if len(part) == len(line) {
			return append(lines, line)
		}
		if i := strings.LastIndexByte(part, ' '); i > len(part)/2 {
			part = part[:i+1]
		}
		lines = append(lines, part)
		line = line[len(part):]
	}
}

// hardWrap breaks a line into lines of at most width columns, also within words. A
// character that is wider has its own line.
func hardWrap(line string, width int) []string {
	var lines []string
	start, end, used := 0, 0, 0
	for g := displaywidth.StringGraphemes(line); g.Next(); {
		n := g.Width()
		if used+n > width && end > start {
			lines = append(lines, line[start:end])
			start, used = end, 0
		}
		end += len(g.Value())
		used += n
	}
	return append(lines, line[start:])
}
