package extract

import "strings"

// thoughtTags are the tags that models put their thoughts between.
var thoughtTags = []string{"think", "thinking", "thought", "reasoning"}

// withoutThoughts cuts thoughts off the start of the text. Only there: a closing
// tag elsewhere may be quoted code, and what precedes it the answer. It reports
// false when the thoughts do not end.
func withoutThoughts(text string) (string, bool) {
	for {
		tag := ""
		for _, t := range thoughtTags {
			if strings.HasPrefix(text, "<"+t+">") {
				tag = t
			}
		}
		if tag == "" {
			return text, true
		}
		_, rest, ok := strings.Cut(text, "</"+tag+">")
		if !ok {
			return "", false
		}
		text = strings.TrimSpace(rest)
	}
}

// margins returns where the text begins and ends when white space, fences and
// tags around it are left aside.
func margins(text string) (lead, tail int) {
	for lead < len(text) {
		switch c := text[lead]; {
		case isSpace(c):
			lead++
			continue
		case strings.HasPrefix(text[lead:], "```"), strings.HasPrefix(text[lead:], "~~~"):
			for lead < len(text) && text[lead] == c {
				lead++
			}
			for lead < len(text) && (isWord(text[lead]) || text[lead] == '-' || text[lead] == '+') {
				lead++
			}
			continue
		case c == '<':
			if n := tagLen(text[lead:]); n > 0 {
				lead += n
				continue
			}
		}
		break
	}
	tail = len(text)
	for tail > lead {
		switch c := text[tail-1]; {
		case isSpace(c), c == ';':
			tail--
			continue
		case strings.HasSuffix(text[:tail], "```"), strings.HasSuffix(text[:tail], "~~~"):
			for tail > lead && text[tail-1] == c {
				tail--
			}
			continue
		case c == '>':
			if n := tagLenBefore(text[:tail]); n > 0 {
				tail -= n
				continue
			}
		}
		break
	}
	return lead, tail
}

// startsLine reports whether only white space or a tag stands before i on its
// line.
func startsLine(text string, i int) bool {
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	return i == 0 || text[i-1] == '\n' || text[i-1] == '\r' || tagLenBefore(text[:i]) > 0
}

const maxTag = 40

// tagLen returns the length of the tag that s starts with, such as <answer>,
// </answer> or <|message|>; 0 if it does not start with one.
func tagLen(s string) int {
	for i := 1; i < len(s) && i < maxTag; i++ {
		switch c := s[i]; {
		case c == '>' && i > 1:
			return i + 1
		case !isWord(c) && c != '/' && c != '|' && c != '-':
			return 0
		}
	}
	return 0
}

func tagLenBefore(s string) int {
	from := max(0, len(s)-maxTag)
	i := strings.LastIndexByte(s[from:], '<')
	if i < 0 || tagLen(s[from+i:]) != len(s)-from-i {
		return 0
	}
	return len(s) - from - i
}

func onlySpace(s string) bool {
	for i := range len(s) {
		if !isSpace(s[i]) && s[i] != ',' {
			return false
		}
	}
	return true
}

func isSpace(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '\f', '\v':
		return true
	}
	return false
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$'
}
