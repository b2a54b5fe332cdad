package redact

import (
	"regexp"
	"strings"
	"sync"
)

// Flags of one letter that programs have for passwords and keys, a flag for a user,
// and programs of which -p or another one is the flag for a password.
var (
	secretFlag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^["' ](?:(?:-[uUa]|--(?:proxy-)?user)(?:[ ,="']{1,4}|)[^\s:%,"'$/]{1,40}[:%,]|(?:-[A-TV-Za-tv-z]["']?[ ,=]{1,2}|-[pPwakX]|/p:)["']?)([^\s"',;|&<>)]{4,200})`)
	})
	userFlag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`["' ](?:-[uUDl]|--user(?:name)?|/u(?:ser)?:)\b`)
	})
	secretProgram = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[\s"'/])(?:sshpass|mysql\w*|mariadb[\w-]*|mongo\w*|login|redis-cli|ldap\w+|sqlcmd|zip|7z\w?|unrar|rar|openssl|ssh-keygen|useradd|usermod|mosquitto_\w+|snmp\w+|curl|wget|https?|smbclient)["']?[ ,]`)
	})
)

// matchFlag finds the value of a flag of one letter: a distinct one, one that could
// be a password if the command also has a user, and any in a command of which the
// flag is known.
func matchFlag(sc *scan, i int) []span {
	text := sc.text
	m := secretFlag().FindStringSubmatchIndex(text[i:min(len(text), i+maxBetween)])
	if m == nil {
		return nil
	}
	s := span{start: i + m[2], end: i + m[3], kind: kindPassword, rank: rankContext}
	v := text[s.start:s.end]
	if isReference(v) || strings.HasPrefix(v, "-") {
		return nil
	}
	if !isDistinct(v) {
		from := max(0, i-maxBetween)
		from += strings.LastIndexAny(text[from:i], "\n|;&") + 1
		end := lineEnd(text[:min(len(text), i+maxBetween)], i)
		known := secretProgram().MatchString(text[from:i]) && isPassword(v)
		if !known && !(isLiteral(v) && userFlag().MatchString(text[from:end])) {
			return nil
		}
	}
	return []span{s}
}

// literalArgument matches an argument of a call, which is a literal or anything else.
var literalArgument = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s{0,40}(?:b?"([^"\n]*)"|b?'([^'\n]*)'|[^\s"',;(){}]{1,80})\s{0,8}([,)}\n]|$)`)
})

// matchCall finds the passwords among the literals that are passed to a function
// with the keyword at i in its name, which takes a user and a password, or a key. The
// first of several literals is another one.
func matchCall(sc *scan, i int) []span {
	text := sc.text
	for n := 0; i < len(text) && n < maxName && isNameByte(text[i]); n++ {
		i++
	}
	for n := 0; i < len(text) && n < 3 && (text[i] == ' ' || text[i] == '=' || text[i] == ':'); n++ {
		i++
	}
	if i == len(text) || strings.IndexByte("({[\"'", text[i]) < 0 {
		return nil
	}
	if strings.IndexByte(quotes, text[i]) < 0 { // else a call without parentheses
		i++
	}
	if !strings.ContainsAny(text[i:min(len(text), i+maxNear)], quotes) {
		return nil
	}
	var spans []span
	for n := range 6 {
		m := literalArgument().FindStringSubmatchIndex(text[i:min(len(text), i+maxBetween)])
		if m == nil {
			break
		}
		for g := 2; g < 6; g += 2 {
			if m[g] < 0 {
				continue
			}
			if v := text[i+m[g] : i+m[g+1]]; isDistinct(v) || n > 0 && isLiteral(v) {
				spans = append(spans, span{start: i + m[g], end: i + m[g+1], kind: kindPassword, rank: rankNear})
			}
		}
		if m[6] == m[7] || text[i+m[6]] != ',' {
			break
		}
		i += m[7]
	}
	return spans
}
