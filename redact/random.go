package redact

import (
	"math"
	"strings"
)

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isLower(c|0x20) || isDigit(c) }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isBase64 reports whether c is of the standard alphabet, padding included.
func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

// profile is what a value is made of.
type profile struct {
	length                      int
	lower, upper, digit, symbol int
	// changes counts the neighbors of different classes among letters and
	// digits. A capital before a small letter does not count: words begin so.
	changes int
	// steps counts the neighbors that are equal or follow each other in the
	// alphabet, as in "12345" and "aaaa".
	steps   int
	hexOnly bool    // hexadecimal digits of one case
	entropy float64 // bits per byte
}

func profileOf(s string) profile {
	p := profile{length: len(s), hexOnly: true}
	var freq [256]int
	class := func(c byte) byte {
		switch {
		case isLower(c):
			return 'a'
		case isUpper(c):
			return 'A'
		case isDigit(c):
			return '0'
		}
		return 0
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		freq[c]++
		p.hexOnly = p.hexOnly && isHex(c)
		k := class(c)
		switch k {
		case 'a':
			p.lower++
		case 'A':
			p.upper++
		case '0':
			p.digit++
		default:
			p.symbol++
		}
		if i == 0 {
			continue
		}
		before := class(s[i-1])
		if before != 0 && k != 0 && before != k && (before != 'A' || k != 'a') {
			p.changes++
		}
		if d := int(c) - int(s[i-1]); -1 <= d && d <= 1 {
			p.steps++
		}
	}
	p.hexOnly = p.hexOnly && (p.lower == 0 || p.upper == 0)
	for _, n := range freq {
		if n > 0 {
			q := float64(n) / float64(len(s))
			p.entropy -= q * math.Log2(q)
		}
	}
	return p
}

// classes returns how many of the four classes of characters there are.
func (p profile) classes() int {
	n := 0
	for _, c := range []int{p.lower, p.upper, p.digit, p.symbol} {
		if c > 0 {
			n++
		}
	}
	return n
}

// monotonous reports whether the value is a run through the alphabet or of the
// same few characters, as people type it for an example.
func (p profile) monotonous() bool {
	return p.entropy < 2.5 || 2*p.steps >= p.length
}

// random reports whether the value looks as if a machine had drawn it: letters
// and digits alternate more often than they do in words and identifiers.
func (p profile) random() bool {
	letters := p.lower + p.upper
	switch {
	case p.length < 16, p.digit == 0, letters == 0, p.entropy < 3, p.monotonous():
		return false
	case p.length < 32 && p.hexOnly:
		return false // an abbreviated hash, a number
	}
	return 100*p.changes >= 25*(letters+p.digit)
}

// strong reports whether the value looks like a password made to be one.
func (p profile) strong() bool {
	return p.length >= 8 && p.classes() >= 3 && p.digit > 0 && p.lower+p.upper > 0 && !p.monotonous() &&
		(p.symbol > 0 || p.changes >= 3)
}

// isUUID reports whether s is a UUID, which names things and opens nothing.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isFiller reports whether a token of a known form is an example of it: made of
// few different characters, or of words that say so.
func isFiller(token string) bool {
	var seen [256]bool
	distinct, run := 0, 0
	for i := 0; i < len(token); i++ {
		c := token[i]
		if !seen[c] {
			seen[c] = true
			distinct++
		}
		if i > 0 && token[i-1] == c {
			run++
		} else {
			run = 0
		}
		if run >= 5 && strings.IndexByte("xX0*.", c) >= 0 {
			return true
		}
	}
	if distinct < 6 {
		return true
	}
	for _, w := range []string{"EXAMPLE", "example", "Example", "PLACEHOLDER", "placeholder", "your-", "your_", "YOUR_", "dummy", "DUMMY"} {
		if strings.Contains(token, w) {
			return true
		}
	}
	return false
}
