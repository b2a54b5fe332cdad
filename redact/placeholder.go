package redact

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// placeholder matches a placeholder. Its groups are the kind and the number.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[REDACTED:([a-z0-9-]{1,40})(?:#([0-9]{0,6}))?\]`)
})

// format returns the placeholder of the secret of a kind with a number, from 1.
func format(kind string, number int) string {
	if number > 1 {
		kind += "#" + strconv.Itoa(number)
	}
	return "[REDACTED:" + kind + "]"
}

// HasPlaceholder reports whether s holds a placeholder, or the beginning of one,
// in upper or lower case. A suggested fix with a placeholder would overwrite the
// secret, and must be rejected.
func HasPlaceholder(s string) bool {
	return strings.Contains(strings.ToUpper(s), "[REDACTED:")
}

// namer gives secrets their placeholders, the same one to the same secret.
type namer struct {
	names map[string]string
	count map[string]int // of each kind
}

// reserve keeps the numbers of the placeholders that are in the text already.
func (n *namer) reserve(text string) {
	n.names, n.count = make(map[string]string), make(map[string]int)
	for _, m := range placeholder().FindAllStringSubmatch(text, -1) {
		number, err := strconv.Atoi(m[2])
		if err != nil {
			number = 1
		}
		n.count[m[1]] = max(n.count[m[1]], number)
	}
}

func (n *namer) name(s span, secret string) string {
	if s.rank == rankBlock {
		return format(s.kind, 1) // the lines of private keys need no numbers
	}
	if name, ok := n.names[secret]; ok {
		return name
	}
	n.count[s.kind]++
	name := format(s.kind, n.count[s.kind])
	n.names[secret] = name
	return name
}
