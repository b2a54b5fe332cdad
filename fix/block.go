package fix

import (
	"strings"
)

// block is a part of a text that holds a diff.
type block struct {
	lines []string
	// closed is set when the end of the block is marked, or is that of the
	// text.
	closed bool
}

// foreign begins lines of formats for changes that are no unified diffs, and
// that would be misread as such.
var foreign = []string{
	"*** Begin Patch", "*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:",
	"<<<<<<< ", ">>>>>>> ", "***************",
}

// findBlocks returns the parts of a text that may hold diffs: what stands in
// Markdown fences if the first comes before the first line of a diff, otherwise
// the text.
func findBlocks(lines []string) ([]block, *refusal) {
	first := len(lines)
	for i, l := range lines {
		for _, f := range foreign {
			if strings.HasPrefix(l, f) {
				return nil, refuse(ReasonMalformed, "the line %s is not one of a unified diff", excerpt(l))
			}
		}
		if first == len(lines) && beginsDiff(l) {
			first = i
		}
	}
	for i, l := range lines[:first] {
		if _, ok := opensFence(l); ok {
			return fencedBlocks(lines[i:])
		}
	}
	// A fence may still end the diff.
	for i, l := range lines[first:] {
		if f, ok := opensFence(l); ok && f.indent == 0 {
			if rest := lines[first+i+1:]; hasDiff(rest) || hasChange(rest) {
				return nil, refuse(ReasonMalformed, "a line %s stands in the middle of the diff", excerpt(l))
			}
			return []block{{lines[:first+i], true}}, nil
		}
	}
	return []block{{lines, true}}, nil
}

func beginsDiff(l string) bool {
	return strings.HasPrefix(l, gitPrefix) || strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ") || strings.HasPrefix(l, "@@")
}

func hasDiff(lines []string) bool {
	for _, l := range lines {
		if beginsDiff(l) {
			return true
		}
	}
	return false
}

// hasChange reports whether a line seems to add or remove something, and is no
// item of a list.
func hasChange(lines []string) bool {
	for _, l := range lines {
		l = strings.TrimSuffix(l, "\r")
		if isChange(l) && !strings.HasPrefix(l, "- ") && strings.Trim(l, "-") != "" {
			return true
		}
	}
	return false
}

// fence is the line that opens a block of code in Markdown.
type fence struct {
	indent, length int
	char           byte
	info           string
}

func opensFence(l string) (fence, bool) {
	text := strings.TrimLeft(l, " ")
	f := fence{indent: len(l) - len(text)}
	if f.indent > 3 || text == "" || text[0] != '`' && text[0] != '~' {
		return fence{}, false
	}
	f.char = text[0]
	f.info = strings.TrimLeft(text, text[:1])
	f.length = len(text) - len(f.info)
	f.info = strings.ToLower(strings.TrimSpace(f.info))
	if f.length < 3 || strings.IndexByte(f.info, '`') >= 0 {
		return fence{}, false
	}
	return f, true
}

// closes reports whether a line closes the block. It must be indented like the
// first: in a diff, a space before a fence makes it a part of the file.
func (f fence) closes(l string) bool {
	c, ok := opensFence(l)
	return ok && c.char == f.char && c.length >= f.length && c.info == "" && c.indent == f.indent
}

// fencedBlocks returns the blocks with diffs. The first line opens a fence.
func fencedBlocks(lines []string) ([]block, *refusal) {
	var blocks []block
	var between []string
	for i := 0; i < len(lines); {
		f, ok := opensFence(lines[i])
		if !ok {
			if len(blocks) > 0 {
				between = append(between, lines[i])
			}
			i++
			continue
		}
		i++
		b := block{}
		for i < len(lines) && !b.closed {
			l := lines[i]
			if b.closed = f.closes(l); !b.closed {
				b.lines = append(b.lines, unindent(l, f.indent))
			}
			i++
		}
		if !b.closed && len(blocks) > 0 {
			return nil, refuse(ReasonMalformed, "a block of code is not closed")
		}
		if isDiffBlock(f, b.lines) {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		return nil, refuse(ReasonMalformed, "there is no unified diff in the blocks of code")
	}
	if hasChange(between) || hasDiff(between) {
		return nil, refuse(ReasonMalformed, "a part of the diff seems to stand outside of the block of code")
	}
	return blocks, nil
}

func isDiffBlock(f fence, lines []string) bool {
	lang, _, _ := strings.Cut(f.info, " ")
	return lang == "diff" || lang == "patch" || lang == "udiff" || hasDiff(lines)
}

func unindent(l string, n int) string {
	for n > 0 && strings.HasPrefix(l, " ") {
		l, n = l[1:], n-1
	}
	return l
}
