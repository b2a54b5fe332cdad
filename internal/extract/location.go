package extract

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var (
	pathNames  = []string{"path", "file", "filename"}
	startNames = []string{"startline", "line"}
)

// locate reads the location, with what is missing in it taken from the finding
// itself.
func (f *Raw) locate(o object) error {
	var p place
	if v, ok := o.field("location"); ok {
		var err error
		if p, err = placeIn(v); err != nil {
			return err
		}
	}
	p.fill(placeOf(o))

	if p.start == 0 && p.quote == "" && p.invalid != "" {
		return fmt.Errorf("location: startLine %s is not a line number", p.invalid)
	}
	f.Path, f.StartLine, f.EndLine, f.Quote = p.path, p.start, p.end, p.quote

	additional, _ := o.field("additionallocations")
	for _, v := range elements(additional) {
		if len(f.Additional) == maxAdditional {
			break
		}
		if p, err := placeIn(v); err == nil && p.start > 0 {
			f.Additional = append(f.Additional, RawLocation{Path: p.path, StartLine: p.start, EndLine: p.end})
		}
	}
	return nil
}

// place is a location that is being read.
type place struct {
	path       string
	start, end int
	quote      string
	invalid    string // a start that is not a line number
}

func placeIn(v json.RawMessage) (place, error) {
	fields, err := members(v)
	if err != nil {
		return place{}, fmt.Errorf("location is %s, not an object", shorten(v))
	}
	return placeOf(object(fields)), nil
}

func placeOf(o object) place {
	p := place{path: o.text(maxPath, pathNames...), quote: o.text(maxQuote, "quote")}
	if strings.TrimSpace(p.quote) == "" {
		p.quote = ""
	}
	if v, ok := o.field(startNames...); ok {
		if p.start, ok = line(v); !ok {
			p.invalid = shorten(v)
		}
	}
	if v, ok := o.field("endline"); ok {
		p.end, _ = line(v)
	}
	return p.withEnd()
}

// withEnd returns p without an end that is not after the start.
func (p place) withEnd() place {
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
	if p.start == 0 && p.invalid == "" {
		p.start, p.end, p.invalid = q.start, q.end, q.invalid
	}
}

// line reads a line number, in a string or in any form that JSON has for numbers.
// Zero and an empty string mean that there is none.
func line(v json.RawMessage) (int, bool) {
	s := string(v)
	if v[0] == '"' {
		if s, _ = text(v, maxWord); strings.TrimSpace(s) == "" {
			return 0, true
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || n != math.Trunc(n) || n < 0 || n > math.MaxInt32 {
		return 0, false
	}
	return int(n), true
}
