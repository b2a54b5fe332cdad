package fix

import (
	"strings"
)

// The limits of a diff, in bytes and in hunks.
const (
	maxDiff  = 1 << 20
	maxHunks = 500
)

// section is what a diff says about one file.
type section struct {
	gitLine          string // what follows "diff --git "
	oldName, newName string // what follows "--- " and "+++ "
	named            bool   // there were such lines
	hunks            []hunk
}

// parse reads a suggested fix. It takes what models write around and instead of
// the diff that was asked for, as long as there is one way to read it. A line
// that may be part of the change is never passed over: half a fix is worse than
// none.
func parse(text string) ([]section, *refusal) {
	switch {
	case len(text) > maxDiff:
		return nil, refuse(ReasonTooLarge, "the diff has %d bytes, more than %d", len(text), maxDiff)
	case strings.IndexByte(text, 0) >= 0:
		return nil, refuse(ReasonBinary, "the diff holds a NUL byte")
	}
	text = strings.TrimPrefix(text, bom)
	var all []string
	for l := range strings.Lines(text) {
		all = append(all, strings.TrimSuffix(l, "\n"))
	}
	blocks, r := findBlocks(all)
	if r != nil {
		return nil, r
	}
	var p parser
	for _, b := range blocks {
		p.lines, p.pos, p.closed = b.lines, 0, b.closed
		p.current, p.lastChange = nil, -1
		for i := range b.lines {
			if l := p.at(i); isChange(l) || strings.HasPrefix(l, "@@") {
				p.lastChange = i
			}
		}
		if r := p.block(); r != nil {
			return nil, r
		}
	}
	if len(p.sections) == 0 {
		return nil, refuse(ReasonMalformed, "there is no unified diff in the text")
	}
	list := make([]section, len(p.sections))
	hunks := 0
	for i, s := range p.sections {
		list[i] = *s
		hunks += len(s.hunks)
	}
	if hunks > maxHunks || len(list) > maxHunks {
		return nil, refuse(ReasonTooLarge, "the diff has more than %d hunks", maxHunks)
	}
	return list, nil
}

// parser reads the lines of one block after the other.
type parser struct {
	lines  []string
	pos    int
	closed bool // a line behind the block says that nothing is missing
	// lastChange is the index of the last line that seems to be part of a hunk.
	lastChange int
	sections   []*section
	current    *section
}

func (p *parser) more() bool   { return p.pos < len(p.lines) }
func (p *parser) line() string { return p.lines[p.pos] }

// at returns a line without a carriage return; empty behind the last.
func (p *parser) at(i int) string {
	if i < len(p.lines) {
		return strings.TrimSuffix(p.lines[i], "\r")
	}
	return ""
}

func (p *parser) begin() *section {
	p.current = &section{}
	p.sections = append(p.sections, p.current)
	return p.current
}

// block reads a block of lines.
func (p *parser) block() *refusal {
	if p.bare() {
		p.begin()
		return p.hunk("")
	}
	for p.more() {
		l := p.at(p.pos)
		switch {
		case strings.HasPrefix(l, gitPrefix):
			p.begin().gitLine = l[len(gitPrefix):]
			p.pos++
		case p.atNames(p.pos):
			s := p.current
			if s == nil || s.named || len(s.hunks) > 0 {
				s = p.begin()
			}
			s.oldName, s.newName, s.named = l[len("--- "):], p.at(p.pos + 1)[len("+++ "):], true
			p.pos += 2
		case strings.HasPrefix(l, "@@@"):
			return refuse(ReasonMalformed, "the diff has more than two sides, as that of a merge")
		case strings.HasPrefix(l, "@@"):
			if p.current == nil {
				p.begin()
			}
			header := p.line()
			p.pos++
			if r := p.hunk(header); r != nil {
				return r
			}
		default:
			if r := p.other(l); r != nil {
				return r
			}
		}
	}
	return nil
}

const gitPrefix = "diff --git "

// atNames reports whether line i and the next name the two sides of a file.
func (p *parser) atNames(i int) bool {
	return strings.HasPrefix(p.at(i), "--- ") && strings.HasPrefix(p.at(i+1), "+++ ")
}

// other takes a line that begins neither file nor hunk.
func (p *parser) other(l string) *refusal {
	s := p.current
	if s != nil && len(s.hunks) == 0 {
		if r := headerLine(l); r != nil {
			return r
		}
		if s.named && isHunkLine(l) {
			return p.hunk("") // the line @@ is missing
		}
	}
	if s != nil && isChange(l) || s == nil && strings.HasPrefix(l, "+") {
		return refuse(ReasonMalformed, "the line %s stands outside of a hunk", excerpt(l))
	}
	p.pos++
	return nil
}

// isHunkLine reports whether a line can stand in a hunk as it is.
func isHunkLine(l string) bool {
	return l != "" && strings.IndexByte(" +-", l[0]) >= 0
}

// isChange reports whether a line seems to add or remove something. The line
// before the signature of a mail does not.
func isChange(l string) bool {
	return l != "" && (l[0] == '+' || l[0] == '-') && l != "-- " && l != "--"
}

// headerLine refuses what git says in the header of a file and a fix must not
// do.
func headerLine(l string) *refusal {
	for _, h := range headers {
		if strings.HasPrefix(l, h.prefix) {
			return refuse(h.reason, "%s", h.message)
		}
	}
	return nil
}

var headers = []struct {
	prefix  string
	reason  Reason
	message string
}{
	{"new file mode ", ReasonCreate, "the diff makes a new file; fixes change files that are there"},
	{"deleted file mode ", ReasonDelete, "the diff deletes the file"},
	{"rename ", ReasonRename, "the diff renames a file"},
	{"copy ", ReasonRename, "the diff copies a file"},
	{"old mode ", ReasonMode, "the diff changes the mode of a file"},
	{"new mode ", ReasonMode, "the diff changes the mode of a file"},
	{"GIT binary patch", ReasonBinary, "the diff is one of binary files"},
	{"Binary files ", ReasonBinary, "the diff is one of binary files"},
}

// bare reports whether the block is nothing but the lines of a hunk.
func (p *parser) bare() bool {
	changes := false
	for i := range p.lines {
		l := p.at(i)
		if l != "" && !isHunkLine(l) && l[0] != '\\' || p.atNames(i) {
			return false
		}
		changes = changes || isChange(l)
	}
	return changes
}
