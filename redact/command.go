package redact

import (
	"regexp"
	"strings"
	"sync"
)

// secretFlag matches a flag of one letter, which programs have for passwords and
// keys, or a flag for a user and a password, and the value.
var secretFlag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^["' ](?:(?:-[uUa]|--(?:proxy-)?user)(?:[ ,="']{1,4}|)[^\s:%,"'$/]{1,40}[:%,]|(?:-[A-TV-Za-tv-z]["']?[ ,=]{1,2}|-[pPwakX]|/p:)["']?)([^\s"',;|&<>)]{4,200})`)
})

// matchFlag finds the value of a flag of one letter, if it could be a password.
func matchFlag(sc *scan, i int) []span {
	text := sc.text
	m := secretFlag().FindStringSubmatchIndex(text[i:min(len(text), i+maxBetween)])
	if m == nil {
		return nil
	}
	s := span{start: i + m[2], end: i + m[3], kind: kindPassword, rank: rankContext}
	v := text[s.start:s.end]
	if isReference(v) || strings.HasPrefix(v, "-") || !isDistinct(v) && !isLiteral(v) && made(text, s.start, s.end, false) == nil {
		return nil
	}
	return []span{s}
}
