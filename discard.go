package scanner

import "github.com/codescan-dev/scanner/internal/text"

// A report keeps the text of at most so many discarded findings, and so many
// bytes of each: 4 KiB less a note about what is left out.
const (
	maxDiscards    = 100
	maxDiscardText = 4<<10 - 64
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
		d.Detail, d.Raw = text.TruncateBytes(d.Detail, maxDiscardText), text.TruncateBytes(d.Raw, maxDiscardText)
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
