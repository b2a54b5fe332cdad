package scanner

import (
	"strings"
	"unicode/utf8"
)

// A report keeps the text of at most so many discarded findings, and so many
// bytes of each.
const (
	maxDiscards    = 100
	maxDiscardText = 4 << 10
)

// The reasons for which findings of a model, or parts of them, are discarded.
const (
	discardInvalid   = "invalid"   // does not have the form of a finding
	discardPath      = "path"      // names another file of the scan
	discardQuote     = "quote"     // quotes code that is not there
	discardOutside   = "outside"   // starts outside the chunk (rule 8)
	discardDuplicate = "duplicate" // has the id of another finding (rule 5)
	discardLocation  = "location"  // an additional location that is not valid
	discardFix       = "fix"       // a suggested fix that cannot be used
)

// discardList counts what is discarded by reason, and keeps the first ones. The
// zero value is empty.
type discardList struct {
	counts map[string]int
	first  []Discard
}

// add adds a discard, whose texts it shortens.
func (l *discardList) add(d Discard) {
	l.count(d.Reason, 1)
	if len(l.first) < maxDiscards {
		d.Detail, d.Raw = cutText(d.Detail), cutText(d.Raw)
		l.first = append(l.first, d)
	}
}

// addAll adds all discards of another list.
func (l *discardList) addAll(m *discardList) {
	for reason, n := range m.counts {
		l.count(reason, n)
	}
	l.first = append(l.first, m.first[:min(len(m.first), maxDiscards-len(l.first))]...)
}

func (l *discardList) count(reason string, n int) {
	if l.counts == nil {
		l.counts = make(map[string]int)
	}
	l.counts[reason] += n
}

// cutText returns the first whole characters of a text.
func cutText(s string) string {
	if len(s) <= maxDiscardText {
		return s
	}
	n := maxDiscardText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n]) // so that it does not hold the whole answer in memory
}
