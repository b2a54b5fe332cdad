package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// Origin is where the value of a setting came from.
type Origin struct {
	// Key is the key path of the setting; those of a skill begin with
	// skills."name".
	Key string
	// Value is the value of the setting, as text that is safe to print. A secret
	// is not shown. It is empty for a setting that nobody set and that has no
	// built-in value.
	Value string
	// Source is where it came from: "--fail-on", "SCANNER_MODEL",
	// "scanner.toml:12 skills[0].failOn", or "default".
	Source string

	project bool // it came from scanner.toml
}

// fromDefault is the source of built-in values.
const fromDefault = "default"

// String returns the origin in one line: "runner.concurrency = 2 (--concurrency)",
// "runner.maxCost is not set".
func (o Origin) String() string {
	if o.Value == "" && o.Source == fromDefault {
		return o.Key + " is not set"
	}
	return fmt.Sprintf("%s = %s (%s)", o.Key, o.Value, o.Source)
}

// Explain returns where each setting came from: those of the run first, then
// those of each skill, always in the same order.
func (s *Settings) Explain() []Origin { return slices.Clone(s.origins) }

// Origin returns the source of the setting with a key, or the empty string. For
// a setting of a skill, key is as [Skill.Key] returns it.
func (s *Settings) Origin(key string) string {
	for _, o := range s.origins {
		if o.Key == key {
			return o.Source
		}
	}
	return ""
}

// FromProject reports whether the setting with a key, as for [Settings.Origin], came
// from scanner.toml.
func (s *Settings) FromProject(key string) bool {
	return slices.ContainsFunc(s.origins, func(o Origin) bool { return o.Key == key && o.project })
}

// Key returns the name under which [Settings.Explain] lists a setting of the
// skill, for instance skills.code-review.failOn.
func (s Skill) Key(setting string) string {
	return "skills." + tomlfile.QuoteKey(s.Name) + "." + setting
}

// formatValue returns a value as text.
func formatValue(key string, value any) string {
	switch v := value.(type) {
	case string:
		if strings.HasSuffix(strings.ToLower(key), "url") {
			v = withoutSecrets(v)
		}
		return text.OneLine(v)
	case []string:
		return formatList(v)
	case []FilePattern:
		globs := make([]string, len(v))
		for i, p := range v {
			globs[i] = p.Pattern
		}
		return formatList(globs)
	case map[string]Price:
		return formatList(slices.Sorted(maps.Keys(v)))
	default:
		return fmt.Sprint(v)
	}
}

func formatList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = tomlfile.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// withoutSecrets returns a URL without its user, query and fragment.
func withoutSecrets(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "[invalid]"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
