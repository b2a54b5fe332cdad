package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/internal/prefilter"
	"github.com/codescan-dev/scanner/internal/text"
)

// contents returns the redacted lines of a file, and which of them had secrets. Both
// are nil if none of the lines passes the filter.
func (s *Session) contents(name string, filter prefilter.Filter) (shown []string, redacted []bool, err error) {
	data, err := s.set.tree.read(name)
	if err != nil {
		return nil, nil, err
	}
	s.stats.BytesRead += int64(len(data))
	before := string(data)
	if !filter.MayMatch(prefilter.Fold(before)) {
		return nil, nil, nil
	}
	after := s.redact(before)
	shown = lines(after)
	if after == before {
		return shown, nil, nil
	}
	original := lines(before)
	if len(original) != len(shown) {
		return nil, nil, errors.New("holds secrets that cannot be hidden")
	}
	redacted = make([]bool, len(shown))
	for i := range shown {
		redacted[i] = shown[i] != original[i]
	}
	return shown, redacted, nil
}

// answer is a result that grows by lines up to a number of bytes.
type answer struct {
	b    strings.Builder
	room int
}

// add appends a line, unless there is no room.
func (a *answer) add(line string) bool {
	if a.b.Len()+len(line)+1 > a.room {
		return false
	}
	a.note(line)
	return true
}

// note appends a line even if there is no room.
func (a *answer) note(line string) {
	if a.b.Len() > 0 {
		a.b.WriteByte('\n')
	}
	a.b.WriteString(line)
}

// numbered returns a line in the form of the prompt.
func (s *Session) numbered(number int, line string) string {
	return strconv.Itoa(number) + " |" + text.Visible(text.TruncateBytes(line, s.set.limits.LineLength))
}

// read answers a call of Read.
func (s *Session) read(ctx context.Context, args arguments) (string, error) {
	if args.Path == "" {
		return "", errors.New(`"path" is missing`)
	}
	name, err := s.set.tree.resolve(ctx, args.Path)
	if err != nil {
		return "", err
	}
	all, redacted, err := s.contents(name, prefilter.Filter{})
	if err != nil {
		return "", fmt.Errorf("%q %w", name, err)
	}
	if redacted != nil {
		data, _ := s.set.tree.read(name)
		s.see(string(data))
	}
	limit := s.set.limits.Lines
	if args.Limit > 0 {
		limit = min(limit, int(args.Limit))
	}
	first := max(int(args.Offset), 1) - 1
	if first >= len(all) && first > 0 {
		return "", fmt.Errorf("%q has %d lines", name, len(all))
	}
	a := &answer{room: s.room()}
	a.note(fmt.Sprintf("file: %s (%d lines)", text.Visible(name), len(all)))
	if ofSkill := skillDir + "/" + name; s.set.tree.skill[ofSkill] != "" {
		a.note(fmt.Sprintf("This file belongs to the repository that is reviewed. That of the skill is %s", text.Visible(ofSkill)))
	}
	last := first
	for ; last < min(first+limit, len(all)); last++ {
		if !a.add(s.numbered(last+1, all[last])) {
			break
		}
		if redacted != nil && redacted[last] {
			s.stats.Redacted++
		}
	}
	if last < len(all) {
		a.note(fmt.Sprintf("(%d more lines, from %d on)", len(all)-last, last+1))
	}
	return a.b.String(), nil
}
