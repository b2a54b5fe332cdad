package diff

import "github.com/codescan-dev/scanner/internal/syntax"

// beginnings finds what the lines of a file begin in: code, a literal or a comment.
type beginnings struct {
	lang  *syntax.Language // nil if it is not known
	file  *Index
	next  int // the line that begins in state
	state syntax.State
	spans []syntax.Span
}

func newBeginnings(path string, file *Index) beginnings {
	b := beginnings{lang: syntax.For(path), file: file, next: 1}
	if b.lang != nil {
		b.state = b.lang.Start()
	}
	return b
}

// before returns what line n begins in; zero if that is not known. The lines must be
// in ascending order.
func (b *beginnings) before(n int) syntax.State {
	if b.lang == nil || b.file == nil {
		return syntax.State{}
	}
	for ; b.next < min(n, b.file.len()+1); b.next++ {
		text, _ := b.file.line(b.next)
		b.spans, b.state = b.lang.Scan(text, b.state, b.spans[:0])
	}
	return b.state
}
