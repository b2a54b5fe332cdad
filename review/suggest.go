package review

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
)

// suggestion returns the lines that replace the commented lines so that the file
// becomes what the fix makes of it. It reports false when the fix changes other
// lines, when a host could turn the lines into something else (carriage returns, a
// missing final newline, bytes that are not text), and when another bot could obey a
// line, in which nothing can be broken up.
func suggestion(fix *scanner.SuggestedFix, at *spot) (lines string, ok bool) {
	old := at.hunk.lines[at.start-at.hunk.start : at.end-at.hunk.start+1]
	var edited []string
	next := 0 // the first of the old lines that is not in edited yet
	for _, e := range fix.Edits {
		from := e.Line - at.start
		to := from + len(e.Old)
		if from < next || to > len(old) || !slices.Equal(old[from:to], e.Old) {
			return "", false
		}
		edited = append(append(edited, old[next:from]...), e.New...)
		next = to
	}
	edited = append(edited, old[next:]...)
	if slices.Equal(edited, old) {
		return "", false
	}
	if len(edited) == 0 && at.hunk.noEOL && at.end == at.hunk.end() {
		return "", false // the line before would lose its newline
	}
	var b strings.Builder
	for _, l := range edited {
		// Characters that nobody could see are not suggested.
		if obeyed.MatchString(l) || strings.Contains(l, "\r") || text.Visible(l) != l && !slices.Contains(old, l) || !utf8.ValidString(l) {
			return "", false
		}
		b.WriteString(l + "\n")
	}
	return b.String(), !slices.ContainsFunc(old, func(l string) bool { return strings.Contains(l, "\r") || !utf8.ValidString(l) })
}
