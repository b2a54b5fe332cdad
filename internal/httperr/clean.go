package httperr

import (
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
)

// maxText is the number of characters that messages show of a text from outside.
const maxText = 400

// Cleaner makes text from servers and agents safe for messages. The zero value
// knows no secrets.
type Cleaner struct {
	secrets []string // the longest first
}

// NewCleaner returns a Cleaner that removes the given secrets. Those of fewer than
// four characters are not secret, and would tear words apart.
func NewCleaner(secrets ...string) Cleaner {
	secrets = slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < 4 })
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return Cleaner{secrets}
}

// Clean returns the beginning of s in one line, at most 400 characters, without
// control characters, escape sequences and credentials.
func (c Cleaner) Clean(s string) string { return text.Truncate(c.Line(s), maxText) }

// CleanEnd is [Cleaner.Clean] for the end of s.
func (c Cleaner) CleanEnd(s string) string {
	line := []rune(c.Line(s))
	if over := len(line) - maxText; over > 0 {
		return "…" + string(line[over:])
	}
	return string(line)
}

// keyShape matches what looks like a credential, no matter whose.
var keyShape = regexp.MustCompile(`\b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}|\bAIza[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{20,}|` +
	`\bgithub_pat_[A-Za-z0-9_]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bya29\.[A-Za-z0-9_-]{20,}|` +
	`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?|(?i:\bbearer\s+)[A-Za-z0-9._~+/-]{16,}=*`)

// Line returns the whole of s in one line, without control characters, escape
// sequences and credentials.
func (c Cleaner) Line(s string) string {
	s = text.OneLine(s) // first: what it removes could hide a key
	for _, secret := range c.secrets {
		s = strings.ReplaceAll(s, secret, "[redacted]")
	}
	return keyShape.ReplaceAllString(s, "[redacted]")
}
