package config

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Secret is a text that does not print itself: not with any verb of package fmt,
// not in JSON, TOML or a log, and not as a field of something that is printed.
// The zero Secret is empty.
type Secret struct {
	// A pointer, since fmt calls no methods on what it finds in unexported
	// fields, but prints an address there.
	text *string
}

var (
	_ fmt.Formatter  = Secret{}
	_ fmt.Stringer   = Secret{}
	_ fmt.GoStringer = Secret{}
)

// NewSecret returns a Secret that holds s.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{text: &s}
}

// Reveal returns the text itself, for the one who sends it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no text.
func (s Secret) IsZero() bool { return s.text == nil }

// String returns "[redacted]", or the empty string for an empty Secret.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return "[redacted]"
}

// GoString returns what String does.
func (s Secret) GoString() string { return s.String() }

// Format writes what String returns, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns what String does.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Env is what the environment says.
type Env struct {
	Model   string // SCANNER_MODEL
	Agent   string // SCANNER_AGENT
	BaseURL string // SCANNER_PROVIDER_BASE_URL
	APIKey  Secret // SCANNER_PROVIDER_API_KEY
}

// The variables that are looked at.
const (
	envModel   = "SCANNER_MODEL"
	envAgent   = "SCANNER_AGENT"
	envBaseURL = "SCANNER_PROVIDER_BASE_URL"
	envAPIKey  = "SCANNER_PROVIDER_API_KEY"
)

// ReadEnv asks getenv, which is [os.Getenv] or a fake, for the variables of
// [Env]. White space around a value is removed; an empty variable is like one
// that is not set. Values are checked by [Resolve].
func ReadEnv(getenv func(string) string) Env {
	get := func(name string) string { return strings.TrimSpace(getenv(name)) }
	return Env{
		Model:   get(envModel),
		Agent:   get(envAgent),
		BaseURL: get(envBaseURL),
		APIKey:  NewSecret(get(envAPIKey)),
	}
}

// validKey reports whether s can be sent in a header.
func validKey(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) || r == ' ' })
}
