package config

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner"
)

// Origin says where the value of a setting came from.
type Origin struct {
	// Key is the key path of the setting; those of a skill begin with
	// skills."name".
	Key string
	// Value is the value that counts, as text that is safe to print. A secret
	// is not shown. It is empty for a setting that nobody set and that has no
	// built-in value.
	Value string
	// Source is where it came from: "--fail-on", "SCANNER_MODEL",
	// "scanner.toml:12 skills[0].failOn", or "default".
	Source string
}

// String returns the origin in one line: "runner.concurrency = 2 (--concurrency)",
// "runner.maxCost is not set".
func (o Origin) String() string {
	if o.Value == "" && o.Source == builtIn {
		return o.Key + " is not set"
	}
	return fmt.Sprintf("%s = %s (%s)", o.Key, o.Value, o.Source)
}

// Explain returns where each setting came from: those of the run first, then
// those of each skill, always in the same order.
func (s *Settings) Explain() []Origin { return slices.Clone(s.origins) }

// Origin returns the source of the setting with a key, or the empty string. For
// a setting of a skill, key is as [SkillSettings.Key] returns it.
func (s *Settings) Origin(key string) string {
	for _, o := range s.origins {
		if o.Key == key {
			return o.Source
		}
	}
	return ""
}

// Key returns the name under which [Settings.Explain] lists a setting of the
// skill, for instance skills.code-review.failOn.
func (s SkillSettings) Key(setting string) string {
	return "skills." + keyText(s.Name) + "." + setting
}

const builtIn = "default"

// resolver holds the levels, and writes down which one each value came from.
type resolver struct {
	project, user *File
	flags         Flags
	env           Env
	origins       []Origin
}

func (r *resolver) record(key string, value any, source string) {
	r.origins = append(r.origins, Origin{Key: key, Value: show(key, value), Source: source})
}

// layer is the value of one level; nil if the level says nothing.
type layer[T any] struct {
	value  *T
	source string
}

// pick returns the value of the first level that has one, or fallback.
func pick[T any](r *resolver, key string, fallback T, layers ...layer[T]) T {
	for _, l := range layers {
		if l.value != nil {
			r.record(key, *l.value, l.source)
			return *l.value
		}
	}
	r.origins = append(r.origins, Origin{Key: key, Source: builtIn})
	if v := reflect.ValueOf(fallback); v.Kind() == reflect.Bool || !v.IsZero() {
		r.origins[len(r.origins)-1].Value = show(key, fallback)
	}
	return fallback
}

// pickList is pick for lists: the first level that has the key decides alone,
// also by an empty list. The result is a copy.
func pickList[T any](r *resolver, key string, layers ...layer[[]T]) []T {
	return slices.Clone(pick(r, key, nil, layers...))
}

// given is a flag that has been checked.
func given[T any](name string, value *T) layer[T] { return layer[T]{value, name} }

// thresholdFlag is a flag with a threshold that has been checked.
func thresholdFlag(name string, value *string) layer[scanner.Threshold] {
	if value == nil {
		return layer[scanner.Threshold]{}
	}
	return layer[scanner.Threshold]{new(scanner.Threshold(*value)), name}
}

// variable is an environment variable; empty is like not set.
func variable(name, value string) layer[string] {
	if value == "" {
		return layer[string]{}
	}
	return layer[string]{&value, name}
}

// from is the level of a file, where the value stands at path.
func from[T any](f *File, path string, value *T) layer[T] {
	if value == nil {
		return layer[T]{}
	}
	return layer[T]{value, f.place(path)}
}

func list[T any](f *File, path string, value []T) layer[[]T] {
	if value == nil {
		return layer[[]T]{}
	}
	return layer[[]T]{&value, f.place(path)}
}

// place returns "scanner.toml:12 skills[0].failOn", without a line if f was not
// parsed.
func (f *File) place(path string) string {
	if f.index == nil {
		return path
	}
	n, _ := f.index.find(path)
	return fmt.Sprintf("%s:%d %s", printable(f.index.name), f.index.line(n.value), path)
}

// show returns a value as text.
func show(key string, value any) string {
	switch v := value.(type) {
	case string:
		if strings.HasSuffix(key, "baseURL") {
			v = shownURL(v)
		}
		return printable(v)
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case []FilePattern:
		return number(len(v)) + " patterns"
	default:
		return fmt.Sprint(v)
	}
}

// shownURL leaves out what may be a secret: user name, query, fragment.
func shownURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "[invalid]"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func number(n int) string { return strconv.Itoa(n) }

func clonePrices(prices map[string]Price) map[string]Price {
	if prices == nil {
		return nil
	}
	c := make(map[string]Price, len(prices))
	for model, p := range prices {
		c[model] = Price{Input: clone(p.Input), Output: clone(p.Output), CacheRead: clone(p.CacheRead), CacheWrite: clone(p.CacheWrite)}
	}
	return c
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}
