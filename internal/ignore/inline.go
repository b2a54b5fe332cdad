package ignore

import (
	"bytes"
	"math"
	"regexp"
	"strings"

	"github.com/codescan-dev/scanner/internal/match"
	"github.com/codescan-dev/scanner/internal/syntax"
)

// Mark is a comment that marks findings as fine: "scanner:ignore[skill] reason", or with
// "skill/rule" for one rule.
type Mark struct {
	// Target is the skill or the rule, Reason is why; without one, the mark has no
	// effect.
	Target, Reason string
	// Line is where the mark is. It is for findings that touch the lines from Line to
	// Last: that of the mark and the next, or all lines of a file whose first lines, the
	// ones before any code, have the mark.
	Line, Last int
	// Code is a hash of the code of these two lines.
	Code string
}

// Whole reports whether the mark is for the whole file.
func (m *Mark) Whole() bool { return m.Last == math.MaxInt }

// MarkStart is how every mark begins.
const MarkStart = "scanner:ignore["

var (
	mark    = regexp.MustCompile(`^[^\pL\pN]*scanner:ignore\[([^\]]*)\](.*)$`)
	closing = regexp.MustCompile(`\s*(\*/|--+>|\*\)|#\}|%>|\*\}|-\}|\]\])\s*$`)
)

// Marks returns the marks in the comments of a file, in order. A file of an unknown
// language has no comments.
func Marks(path string, src []byte) []Mark {
	lang := syntax.For(path)
	if lang == nil || !bytes.Contains(src, []byte(MarkStart)) {
		return nil
	}
	var marks []Mark
	state, head := lang.Start(), true
	lines := strings.Split(string(src), "\n")
	codes := make([]string, len(lines)+1) // hashes of the lines without comments
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		var spans []syntax.Span
		spans, state = lang.Scan(line, state, nil)
		var code strings.Builder
		var found []Mark
		begin := 0
		for _, span := range spans {
			part := line[begin:span.End]
			begin = span.End
			if span.Kind != syntax.Comment {
				code.WriteString(part)
			} else if m := mark.FindStringSubmatch(part); m != nil {
				found = append(found, Mark{Target: m[1], Reason: strings.TrimSpace(closing.ReplaceAllString(m[2], "")), Line: i + 1, Last: i + 2})
			}
		}
		codes[i] = match.Line(code.String())
		head = head && (codes[i] == "" || strings.HasPrefix(line, "<?") || strings.HasPrefix(line, "#!"))
		for _, m := range found {
			if head {
				m.Last = math.MaxInt
			}
			marks = append(marks, m)
		}
	}
	for i := len(marks) - 1; i >= 0; i-- {
		m := &marks[i]
		if m.Whole() {
			continue
		}
		if next := i + 1; next < len(marks) && marks[next].Line == m.Last && codes[m.Line-1]+codes[m.Last-1] == "" {
			m.Last = marks[next].Last // of marks on lines of their own, none is for the other
		}
		m.Code = codes[m.Line-1] + "/" + codes[m.Last-1]
	}
	return marks
}

// Covers reports whether the mark is for findings of a rule, or of the model of a skill
// if rule is empty, on lines of its file.
func (m *Mark) Covers(skill, rule string, first, last int) bool {
	return m.Reason != "" && m.Target != "" && (m.Whole() || first <= m.Last && m.Line <= last) &&
		(m.Target == skill || m.Target == rule || strings.HasPrefix(rule, m.Target+"/"))
}
