package redact

import (
	"regexp"
	"strings"
	"sync"
)

// The kinds of secrets that span lines.
const (
	kindPrivateKey  = "private-key"
	kindKeyMaterial = "key-material" // the inside of a key, without its ends
)

// Limits of a private key in a text that can be a part of a file, or a diff.
const (
	// maxGap is the largest number of successive other lines within a key.
	maxGap = 8
	// fullBody is the length from which a line near a marker belongs to the key,
	// shortBody that from which it does if it also looks random.
	fullBody, shortBody = 56, 16
	// maxTail is the number of shorter lines at the end of a key: the rest of
	// the data, and a checksum.
	maxTail = 2
	// minBodies is the number of lines that are taken for a key without its
	// ends.
	minBodies = 4
)

// blockLine is a line of a text, as a part of a key.
type blockLine struct {
	from, to int  // the part that is secret if the line belongs to a key
	size     int  // of the data in it
	mixed    bool // the data looks random
	whole    bool // the line holds data next to a marker

	begins, ends bool // a key begins in the line and goes on; goes on and ends
	public       bool // something that is not secret begins or ends
}

func (l *blockLine) edge() bool { return l.begins || l.ends || l.public || l.whole }

// blocks returns the lines of private keys in text.
func blocks(text string) []span {
	if !hasMarkers(text) && !hasBodies(text) {
		return nil
	}
	var lines []blockLine
	for at := 0; ; {
		end := lineEnd(text, at)
		lines = append(lines, readBlockLine(text, at, end))
		if at = end + 1; at > len(text) {
			break
		}
	}
	secret := make([]bool, len(lines))
	for i := range lines {
		l := &lines[i]
		marked := l.whole
		if l.begins {
			marked = mark(lines, secret, i, 1) || marked
		}
		if l.ends {
			marked = mark(lines, secret, i, -1) || marked
		}
		secret[i] = secret[i] || marked
	}
	return append(keys(lines, secret), material(lines, secret)...)
}

// keys returns the marked lines. Lines that are near each other are one key.
func keys(lines []blockLine, secret []bool) []span {
	var spans []span
	last := -1
	for i, l := range lines {
		if !secret[i] || l.from >= l.to {
			continue
		}
		goesOn := last >= 0 && i-last <= maxGap+1 && !l.begins && !lines[last].ends && (!l.whole || l.ends) && (!lines[last].whole || lines[last].begins)
		spans = append(spans, span{start: l.from, end: l.to, kind: kindPrivateKey, rank: rankBlock, more: goesOn})
		last = i
	}
	return spans
}

// mark marks the lines of a key from its edge on, in one direction, and reports
// whether there are any: the source of a program that reads keys has only the
// edge. It stops at the next edge, or where too many other lines follow.
func mark(lines []blockLine, secret []bool, edge, step int) bool {
	marked := false
	tail := 0      // short lines before, when going up
	joined := true // the line before belongs to the key
	for i, gap := edge+step, 0; i >= 0 && i < len(lines) && gap <= maxGap; i += step {
		l := &lines[i]
		switch {
		case l.edge():
			return marked
		case l.size >= fullBody, l.size >= shortBody && l.mixed:
			for ; tail > 0; tail-- {
				secret[i-tail*step] = true
			}
			secret[i], marked, joined, gap = true, true, true, 0
			continue
		case joined && l.size > 0 && step > 0 && marked:
			// The rest of the data, if the key ends here.
			secret[i] = l.mixed || i+1 == len(lines) || lines[i+1].ends
		case joined && l.size > 0 && step < 0 && tail < maxTail:
			tail++
			continue
		}
		tail, joined = 0, false
		gap++
	}
	return marked
}

// material returns the lines of what can be the inside of a key.
func material(lines []blockLine, secret []bool) []span {
	body := func(i int) bool {
		l := &lines[i]
		return !secret[i] && !l.edge() && l.mixed && isWrapped(l.size)
	}
	public := func(from, to int) bool {
		for i := max(from, 0); i < min(to, len(lines)); i++ {
			if lines[i].public {
				return true
			}
		}
		return false
	}
	var spans []span
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && body(end) && lines[end].size == lines[i].size {
			end++
		}
		if end-i >= minBodies && !public(i-4, i) && !public(end, end+maxTail+1) {
			for j := i; j < end; j++ {
				spans = append(spans, span{start: lines[j].from, end: lines[j].to, kind: kindKeyMaterial, rank: rankBlock, more: j > i})
			}
		}
		i = max(i, end-1)
	}
	return spans
}

// isWrapped reports whether lines of keys are wrapped at n characters.
func isWrapped(n int) bool { return n == 64 || n == 70 || n == 76 }

// hasBodies reports whether a text has some lines that could be the inside of a
// key. It looks at few bytes of most lines.
func hasBodies(text string) bool {
	n := 0
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if end-at < 64 || end-at > 256 || !inBody(text, (at+end)/2) {
			n = 0
		} else if l := readData(text, at, end); !l.mixed || !isWrapped(l.size) {
			n = 0
		} else if n++; n == minBodies {
			return true
		}
		at = end + 1
	}
	return false
}

// inBody reports whether the bytes around i are all data.
func inBody(text string, i int) bool {
	for j := i - 8; j < i+8; j++ {
		if !isBase64(text[j]) {
			return false
		}
	}
	return true
}

func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// The lines before and after the data of a key in PuTTY's format.
const puttyBegin, puttyEnd = "Private-Lines: ", "Private-MAC: "

// marker matches the lines around a key. Dashes can end one marker and begin the
// next.
var marker = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-{0,5} ?(BEGIN|END) ([A-Z0-9 ]{0,64})-{4,5}`)
})

func hasMarkers(text string) bool {
	for _, m := range []string{"---- ", "---BEGIN ", "---END ", puttyBegin, puttyEnd} {
		if strings.Contains(text, m) {
			return true
		}
	}
	return false
}

func readBlockLine(text string, start, end int) blockLine {
	line := text[start:end]
	switch {
	case strings.HasPrefix(line, puttyBegin):
		return blockLine{begins: true}
	case strings.HasPrefix(line, puttyEnd):
		return blockLine{ends: true}
	case !strings.Contains(line, "---"):
		return readData(text, start, end)
	}
	var private [][]int
	marked, lastEnd := false, -1
	for _, m := range marker().FindAllStringSubmatchIndex(line, -1) {
		if m[0] != lastEnd && !strings.HasPrefix(line[m[0]:], "----") {
			continue
		}
		marked, lastEnd = true, m[1]
		if strings.Contains(line[m[4]:m[5]], "PRIVATE KEY") {
			private = append(private, m)
		}
	}
	switch {
	case !marked:
		return readData(text, start, end)
	case private == nil:
		return blockLine{public: true}
	}
	first, last := private[0], private[len(private)-1]
	l := blockLine{
		from: start + first[0], to: start + last[1],
		begins: line[last[2]] == 'B', ends: line[first[2]] == 'E',
	}
	if l.begins {
		if d := readData(text, l.to, end); d.size >= shortBody {
			l.to, l.whole = d.to, true
		}
	}
	if l.ends {
		if d := readData(text, start, l.from); d.size >= shortBody {
			l.from, l.whole = d.from, true
		}
	}
	if len(private) > 1 && readData(text, start+first[1], start+last[0]).size >= shortBody {
		l.whole = true
	}
	return l
}

// readData reads the data of a line of a key: the longest run of base64. Around
// it can be quotes, operators that join strings, and line numbers, but words only
// if the run is long.
func readData(text string, start, end int) blockLine {
	var l blockLine
	words := 0
	for i := start; i < end; {
		if !isBase64(text[i]) || text[i] == '=' && !(i+1 == end || text[i+1] == '=' || !isBase64(text[i+1])) {
			if text[i] == '\\' && i+1 < end {
				i++ // the letter of an escape is not a word
			}
			i++
			continue
		}
		from, size := i, 0
		for i < end {
			c := text[i]
			if c == '\\' && i+1 < end && text[i+1] == '/' {
				i++ // an escaped slash is one
			} else if !isBase64(c) {
				break
			}
			size++
			i++
			if c == '=' && i < end && text[i] != '=' {
				break // the end of the data, or of a name
			}
		}
		if strings.IndexFunc(text[from:i], isLetter) >= 0 {
			words++
		}
		if size > l.size {
			l.from, l.to, l.size = from, i, size
		}
	}
	if l.from == start && l.size > 0 && text[start] == '+' && !isWrapped(l.size) {
		l.from++ // the marker of a diff
		l.size--
	}
	p := profileOf(text[l.from:l.to])
	l.mixed = p.upper > 0 && p.lower > 0 && (p.digit > 0 || p.symbol > 0) && p.entropy > 3 && !p.monotonous()
	if p.upper+p.lower == 0 || words > 1 && !(l.size >= 40 && l.mixed) {
		return blockLine{}
	}
	return l
}

func isLetter(r rune) bool { return r < 0x80 && isLower(byte(r)|0x20) }
