package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/codescan-dev/scanner/internal/prefilter"
	"github.com/codescan-dev/scanner/internal/regex"
	"github.com/codescan-dev/scanner/internal/text"
)

// maxPattern is the most bytes of a regular expression.
const maxPattern = 512

// compile returns the expression of a pattern.
func compile(pattern string, ignoreCase bool) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern is longer than %d bytes", maxPattern)
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regex.Compile(pattern)
	switch {
	case errors.Is(err, regex.ErrTooLarge):
		return nil, errors.New("the pattern is too complex")
	case err != nil:
		return nil, fmt.Errorf("the pattern is not in RE2 syntax: %v", err)
	}
	return re, nil
}

// grep answers a call of Grep.
func (s *Session) grep(ctx context.Context, args arguments) (string, error) {
	re, err := compile(args.Pattern, args.IgnoreCase)
	if err != nil {
		return "", err
	}
	files, err := s.files(ctx, args.Path)
	if err != nil {
		return "", err
	}

	filter := prefilter.New(re)
	if strings.Contains(args.Pattern, "REDACTED") {
		filter = prefilter.Filter{} // what secrets are replaced by is not in the files
	}
	s.set.searches <- struct{}{}
	defer func() { <-s.set.searches }()
	ctx, cancel := context.WithTimeout(ctx, s.set.limits.SearchTime)
	defer cancel()
	a := &answer{room: s.room()}
	from, matches, skipped := s.stats.BytesRead, 0, 0
	end := "" // why the search ended early
search:
	for i, name := range files {
		switch {
		case ctx.Err() != nil:
			end = tooLong(i, len(files))
			break search
		case s.stats.BytesRead-from >= s.set.limits.Searched:
			end = fmt.Sprintf("the search is limited to %d bytes; it ended after %d of %d files", s.set.limits.Searched, i, len(files))
			break search
		}
		all, redacted, err := s.contents(name, filter)
		if err != nil {
			if !errors.Is(err, errBinary) && !errors.Is(err, errReport) {
				skipped++
			}
			continue
		}
		first := true
		for n, line := range all {
			matched := regex.Match(ctx, re, line)
			if ctx.Err() != nil {
				end = tooLong(i, len(files))
				break search
			}
			if !matched {
				continue
			}
			if matches == s.set.limits.Matches {
				end = "there are more matches"
				break search
			}
			entry := s.numbered(n+1, line)
			if first {
				entry = "file: " + text.Visible(name) + "\n" + entry
			}
			if !a.add(entry) {
				end = "there are more matches"
				break search
			}
			matches++
			first = false
			if redacted != nil && redacted[n] {
				s.stats.Redacted++
			}
		}
	}
	if matches == 0 && end == "" {
		a.note("(no match)") // without their number: the result is the same when one is added
	}
	if skipped > 0 {
		a.note(fmt.Sprintf("(%d files could not be searched)", skipped))
	}
	if end != "" {
		a.note("(" + end + ": narrow the pattern or the path)")
	}
	return a.b.String(), nil
}

func tooLong(done, of int) string {
	return fmt.Sprintf("the search took too long; it ended after %d of %d files", done, of)
}
