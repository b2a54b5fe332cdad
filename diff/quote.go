package diff

import (
	"fmt"
	"strings"
)

// cEscapes maps bytes to the letters that C writes after a backslash.
var cEscapes = [256]byte{
	'\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r',
	'"': '"', '\\': '\\',
}

// QuotePath returns path as git shows it with core.quotePath=true: unchanged
// when every byte is printable ASCII other than '"' and '\', otherwise in
// double quotes with C escapes, in octal where C has no letter. The result is
// safe to print.
func QuotePath(path string) string {
	i := 0
	for i < len(path) && !needsQuote(path[i]) {
		i++
	}
	if i == len(path) {
		return path
	}
	b := make([]byte, 0, len(path)+16)
	b = append(b, '"')
	b = append(b, path[:i]...)
	for ; i < len(path); i++ {
		switch c := path[i]; {
		case !needsQuote(c):
			b = append(b, c)
		case cEscapes[c] != 0:
			b = append(b, '\\', cEscapes[c])
		default:
			b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		}
	}
	return string(append(b, '"'))
}

func needsQuote(c byte) bool {
	return c < ' ' || c >= 0x7f || c == '"' || c == '\\'
}

// UnquotePath reads a path as git writes it, the inverse of [QuotePath]. A string
// that does not begin with a double quote is returned unchanged; otherwise it
// must be one whole quoted string.
func UnquotePath(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	path, rest, err := cutQuoted(s)
	if err != nil {
		return "", err
	}
	if rest != "" {
		return "", fmt.Errorf("text after the closing quote of path %s", excerpt(s))
	}
	return path, nil
}

// cutQuoted reads the quoted string that s begins with, and returns what
// follows it.
func cutQuoted(s string) (path, rest string, err error) {
	var b []byte
	for i := 1; i < len(s); i++ {
		c := s[i]
		if c == '"' {
			return string(b), s[i+1:], nil
		}
		if c != '\\' {
			b = append(b, c)
			continue
		}
		if i++; i == len(s) {
			break
		}
		switch c = s[i]; c {
		case 'a', 'b', 't', 'n', 'v', 'f', 'r':
			b = append(b, "\a\b\t\n\v\f\r"[strings.IndexByte("abtnvfr", c)])
		case '"', '\\':
			b = append(b, c)
		case '0', '1', '2', '3':
			if i+2 >= len(s) || !isOctal(s[i+1]) || !isOctal(s[i+2]) {
				return "", "", fmt.Errorf("bad octal escape in quoted path %s", excerpt(s))
			}
			b = append(b, (c-'0')<<6|(s[i+1]-'0')<<3|(s[i+2]-'0'))
			i += 2
		default:
			return "", "", fmt.Errorf("unknown escape %q in quoted path %s", s[i-1:i+1], excerpt(s))
		}
	}
	return "", "", fmt.Errorf("no closing quote in path %s", excerpt(s))
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }
