package extract

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	pathNames  = []string{"path", "file", "filename", "filepath"}
	startNames = []string{"startline", "line", "linenumber", "lines", "start"}
	endNames   = []string{"endline", "lineend", "end"}
	quoteNames = []string{"quote", "snippet", "codesnippet"}
)

// locate reads the location, which may be an object, a list of locations, or
// text, with what is missing in it taken from the finding itself.
func (f *Raw) locate(o object) error {
	var p place
	v, _ := o.field("location", "locations")
	more := []json.RawMessage(nil)
	if len(v) > 0 && v[0] == '[' {
		if more = elements(v); len(more) > 0 {
			v, more = more[0], more[1:]
		} else {
			v = nil
		}
	}
	switch {
	case len(v) == 0:
	case v[0] == '{':
		fields, err := members(v)
		if err != nil {
			return fmt.Errorf("location is not valid JSON: %w", err)
		}
		p = placeOf(object(fields))
	case v[0] == '"':
		s, _ := text(v, maxPath)
		p = placeIn(s)
	default:
		return fmt.Errorf("location is %s, not an object", typeName(v))
	}
	p.fill(placeOf(o))

	if p.start == 0 && p.quote == "" && p.bad != "" {
		return fmt.Errorf("location: startLine %s is not a line number", p.bad)
	}
	f.Path, f.StartLine, f.EndLine, f.Quote = p.path, p.start, p.end, p.quote
	f.HasLocation = f.StartLine > 0 || f.Quote != ""

	if v, ok := o.field("additionallocations", "relatedlocations"); ok && v[0] == '[' {
		more = append(more, elements(v)...)
	}
	for _, v := range more {
		if len(f.Additional) == maxAdditional {
			break
		}
		var p place
		switch v[0] {
		case '{':
			fields, err := members(v)
			if err != nil {
				continue
			}
			p = placeOf(object(fields))
		case '"':
			s, _ := text(v, maxPath)
			p = placeIn(s)
		}
		if p.start > 0 {
			f.Additional = append(f.Additional, RawLocation{Path: p.path, StartLine: p.start, EndLine: p.end})
		}
	}
	return nil
}

// place is a location in the making.
type place struct {
	path       string
	start, end int
	quote      string
	bad        string // a start that is no line number
}

func placeOf(o object) place {
	p := place{path: o.text(maxPath, pathNames...), quote: o.text(maxQuote, quoteNames...)}
	if strings.TrimSpace(p.quote) == "" {
		p.quote = ""
	}
	if v, ok := o.field(startNames...); ok {
		if p.start, p.end, ok = lines(v); !ok {
			p.bad = shorten(string(v))
		}
	}
	if v, ok := o.field(endNames...); ok {
		if end, last, ok := lines(v); ok {
			p.end = max(end, last)
		}
	}
	return p.sane()
}

// sane returns p without an end that is none.
func (p place) sane() place {
	if p.start == 0 || p.end <= p.start {
		p.end = 0
	}
	return p
}

// fill takes from q what p lacks. The lines are taken together.
func (p *place) fill(q place) {
	if p.path == "" {
		p.path = q.path
	}
	if p.quote == "" {
		p.quote = q.quote
	}
	if p.start == 0 && p.bad == "" {
		p.start, p.end, p.bad = q.start, q.end, q.bad
	}
}

// pathLines splits "a/b.go:12-15", "a/b.go:12:5" and "a/b.go#L12-L15".
var pathLines = regexp.MustCompile(`^(.*?)(?::|#)[Ll]?(\d{1,9})(?:-[Ll]?(\d{1,9})|:\d+)?$`)

func placeIn(s string) place {
	s = strings.TrimSpace(s)
	if m := pathLines.FindStringSubmatch(s); m != nil {
		return place{path: m[1], start: atoi(m[2]), end: atoi(m[3])}.sane()
	}
	if start, end, ok := lineText(s); ok {
		return place{start: start, end: end}.sane()
	}
	return place{path: s}
}

// lineRange matches "12", "L12", "lines 12 to 15", "12-15", "12:5".
var lineRange = regexp.MustCompile(`^(?i:lines?)?\s*#?[Ll]?(\d{1,9})(?:\s*(?:-|–|—|,|\.\.|to)\s*[Ll]?(\d{1,9})|:\d+)?$`)

// lines reads a line number, or the first and last of a range. Zero means none,
// not ok that there is something else.
func lines(v json.RawMessage) (start, end int, ok bool) {
	switch v[0] {
	case '"':
		s, _ := text(v, maxWord)
		return lineText(strings.TrimSpace(s))
	case '[':
		elems := elements(v)
		if len(elems) == 0 {
			return 0, 0, true
		}
		first, last := elems[0], elems[len(elems)-1]
		if start, _, ok = number(string(first)); ok {
			end, _, _ = number(string(last))
		}
		return start, end, ok
	case '{':
		fields, err := members(v)
		if err != nil {
			return 0, 0, false
		}
		n, ok := object(fields).field("line")
		if !ok {
			return 0, 0, false
		}
		return number(string(n))
	}
	return number(string(v))
}

func lineText(s string) (start, end int, ok bool) {
	if s == "" {
		return 0, 0, true
	}
	if m := lineRange.FindStringSubmatch(s); m != nil {
		return atoi(m[1]), atoi(m[2]), true
	}
	return number(s)
}

// number reads a line number written in any way JSON has for numbers.
func number(s string) (line, _ int, ok bool) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n != math.Trunc(n) || n < 0 || n > math.MaxInt32 {
		return 0, 0, false
	}
	return int(n), 0, true
}

// atoi reads up to nine digits; none are zero.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// shorten cuts what goes into a message.
func shorten(s string) string {
	const limit = 40
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}
