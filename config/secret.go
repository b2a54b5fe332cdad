package config

import (
	"encoding"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Secret is a text that is printed as "[redacted]": with any verb of package fmt,
// in JSON, TOML or a log, and as a field of another value. The zero Secret is
// empty.
type Secret struct {
	// A pointer, since fmt calls no methods of the values in unexported fields,
	// but prints an address there.
	text *string
}

var (
	_ fmt.Formatter          = Secret{}
	_ encoding.TextMarshaler = Secret{}
)

func newSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{text: &s}
}

// Reveal returns the text itself, for sending it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Format writes "[redacted]" for every verb, or nothing for an empty Secret.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.masked()) }

// MarshalText returns what Format writes.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.masked()), nil }

func (s Secret) masked() string {
	if s.text == nil {
		return ""
	}
	return "[redacted]"
}

// validKey reports whether s can be sent in a header.
func validKey(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) || r == ' ' })
}
