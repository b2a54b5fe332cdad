package extract

import (
	"encoding/json"
	"errors"
	"strings"
)

// Pair replaces consecutive lines of the file by others. Both texts are lines
// joined by "\n", without a final line end.
type Pair struct{ Old, New string }

// Fix is a suggested fix as a model wrote it.
type Fix struct {
	Description string // never empty
	Pairs       []Pair // at least one
}

// Why a fix is not readable.
var (
	errFixLong  = errors.New("the fix is too long")
	errFixEmpty = errors.New("the fix has no text to replace")
	errFixDiff  = errors.New("the diff of the fix has a line that is neither context nor a change")
	errFixFiles = errors.New("the diff of the fix changes several files")
)

// fix returns the suggested fix; nil if there is none. It may be given as pairs of
// old and new text, as asked for, or as a unified diff.
func (o object) fix(title string) (*Fix, error) {
	v, ok := o.field("suggestedfix")
	if !ok || v[0] != '{' {
		return nil, nil
	}
	if len(v) > maxFix {
		return nil, errFixLong
	}
	fields, err := members(v)
	if err != nil {
		return nil, err
	}
	o = object(fields)
	f := &Fix{Description: o.text(maxText, "description")}
	if strings.TrimSpace(f.Description) == "" {
		f.Description = title
	}
	if list, ok := o.field("replace"); ok {
		for _, e := range elements(list) {
			fields, err := members(e)
			if err != nil {
				return nil, errFixEmpty
			}
			pair := object(fields)
			f.Pairs = append(f.Pairs, Pair{
				Old: withoutLineEnd(pair.code("old")), New: withoutLineEnd(pair.code("new")),
			})
		}
	} else if f.Pairs, err = pairs(o.code("diff")); err != nil {
		return nil, err
	}
	if len(f.Pairs) == 0 {
		return nil, errFixEmpty
	}
	return f, nil
}

// code returns a string as it is: a fix is exact, or useless.
func (o object) code(name string) string {
	v, _ := o.field(name)
	var s string
	_ = json.Unmarshal(v, &s) // what is not a string is as good as missing
	return s
}

func withoutLineEnd(s string) string {
	return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
}

// pairs reads a unified diff as a model writes it: each hunk is a pair. The name
// of the file, and the numbers and counts of hunks, are ignored: models get them
// wrong, and the text decides where a hunk belongs. A second name is an error: the
// text of another file could be found in this one.
func pairs(diff string) ([]Pair, error) {
	var all []Pair
	var before, after []string
	file := ""
	flush := func() {
		// Models end a hunk with a blank line that is not part of the file.
		for n := len(before); n > 0 && len(after) > 0 && before[n-1] == "" && after[len(after)-1] == ""; n-- {
			before, after = before[:n-1], after[:len(after)-1]
		}
		if len(before)+len(after) > 0 {
			all = append(all, Pair{strings.Join(before, "\n"), strings.Join(after, "\n")})
		}
		before, after = nil, nil
	}
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "index "):
			flush()
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			flush()
			i++
			if file != "" && lines[i] != file {
				return nil, errFixFiles
			}
			file = lines[i]
		case strings.HasPrefix(line, `\`): // no newline at the end of the file
		case line == "" || line == "\r":
			before, after = append(before, line), append(after, line)
		case line[0] == ' ':
			before, after = append(before, line[1:]), append(after, line[1:])
		case line[0] == '-':
			before = append(before, line[1:])
		case line[0] == '+':
			after = append(after, line[1:])
		default:
			return nil, errFixDiff
		}
	}
	flush()
	return all, nil
}
