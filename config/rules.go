package config

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/go-playground/validator/v10"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// schema returns the keys of configuration files.
var schema = sync.OnceValue(func() *tomlfile.Key { return tomlfile.NewSchema[contents](want) })

// textRules are rules for strings in addition to those of package validator. A string
// must match pattern, a regular expression that is also in the schema, and be valid,
// where these are set.
var textRules = map[string]struct {
	want, pattern string
	valid         func(string) bool
}{
	"glob":      {"a glob", ".", func(s string) bool { return diff.ValidatePattern(s) == nil }},
	"skillname": {"a name without slashes and control characters", `^[^/\\]+$`, validSkillName},
	"repopath":  {"a directory inside the repository, relative to its root, with / and without ..", `^[^/\\:]`, validDir},
	"ruleid":    {`a rule as "skill/rule"`, `^[^/]+/[^/]+$`, nil},
	"model":     {"the name of a model", `^\S(.*\S)?$`, validLine},
	"line":      {"a line of text", `^\S(.*\S)?$`, validLine},
	"rev":       {"the full name of a commit", `^([0-9a-f]{40}|[0-9a-f]{64})$`, nil},
	"sha256sum": {"64 hexadecimal digits", `^[0-9a-f]{64}$`, nil},
	"command":   {"a command", `^\S(.*\S)?$`, validLine},
	"variable":  {"the name of an environment variable, or its beginning and *", `^[A-Za-z_][A-Za-z0-9_]*\*?$`, nil},
	"size":      {"a size such as 500 MiB", `^[0-9]{1,9} ?([KMGT]i?)?B$`, func(s string) bool { return sizeUnits.parse(s) > 0 }},
	"age":       {"an age such as 30d or 12h", `^[0-9]{1,9} ?[mhd]$`, func(s string) bool { return ageUnits.parse(s) > 0 }},
	"storeurl":  {"an http or https URL with a host, and without a query", `^[Hh][Tt][Tt][Pp][Ss]?://.`, validStoreURL},
	"baseurl":   {"an http or https URL with a host and without a user name", `^[Hh][Tt][Tt][Pp][Ss]?://.`, validBaseURL},
}

// validation returns the one validator. It is safe for concurrent use.
var validation = sync.OnceValue(func() *validator.Validate {
	v := validator.New()
	for tag, rule := range textRules {
		pattern := regexp.MustCompile(rule.pattern)
		// It fails for an empty tag and for the names of built-in aliases only.
		_ = v.RegisterValidation(tag, func(fl validator.FieldLevel) bool {
			s := fl.Field().String()
			return pattern.MatchString(s) && (rule.valid == nil || rule.valid(s))
		})
	}
	return v
})

// versionWant is in every message about the version.
const versionWant = "`version = 1` is required"

// want describes what the rule of a key allows; empty if it has none.
func want(k *tomlfile.Key) string {
	limit := make(map[string]string) // parameters by rule
	for rule := range strings.SplitSeq(k.Rule, ",") {
		name, param, _ := strings.Cut(rule, "=")
		if r, ok := textRules[name]; ok {
			return r.want
		}
		limit[name] = param
	}
	switch {
	case limit["eq"] != "":
		return "the number " + limit["eq"] + ": " + versionWant
	case limit["oneof"] != "":
		words := strings.Fields(limit["oneof"])
		last := len(words) - 1
		return strings.Join(words[:last], ", ") + " or " + words[last]
	case limit["min"] != "":
		return "an array of at least " + limit["min"] + " element, each " + k.Elem.Want
	}
	bounds := ""
	switch {
	case limit["gte"] != "":
		bounds = "from " + limit["gte"] + " to " + limit["lte"]
	case limit["lte"] != "":
		bounds = "above " + limit["gt"] + " and at most " + limit["lte"]
	case limit["gt"] != "":
		bounds = "above " + limit["gt"]
	}
	unit := k.Tag.Get("unit")
	switch {
	case bounds == "":
		return ""
	case k.Type.Kind() == reflect.Float64:
		return unit + ", " + bounds
	case unit != "":
		return "a whole number of " + unit + " " + bounds
	default:
		return "a whole number " + bounds
	}
}

// checkValue validates a value, as [tomlfile.Rules] describes.
func checkValue(k *tomlfile.Key, value any, written string) (message, hint string) {
	switch {
	case value == nil && k.Path == "version":
		return versionWant, "make it the first line of the file"
	case value == nil, k.Rule == "", validation().Var(value, k.Rule) == nil:
		return "", ""
	case k.Rule == "baseurl", k.Rule == "storeurl", k.Type.Kind() == reflect.Slice: // a URL may hold a password
		return "want " + k.Want, ""
	case k.Type.Kind() != reflect.String:
		return "got " + written + ", want " + k.Want, ""
	case k.Rule == "glob":
		return diff.ValidatePattern(written).Error(), ""
	}
	if allowed, ok := strings.CutPrefix(k.Rule, "oneof="); ok {
		if written == "critical" {
			hint = "critical findings count as high"
		} else if word := nearest.Word(written, strings.Fields(allowed)); word != "" {
			hint = "did you mean " + tomlfile.Quote(word) + "?"
		}
	}
	return "got " + tomlfile.Quote(written) + ", want " + k.Want, hint
}

// scope is one of the two files.
type scope string

const (
	inProject scope = "project" // scanner.toml
	inUser    scope = "user"    // the user's file
)

// checkKey returns why the file must not have a key, as [tomlfile.Rules]
// describes.
func (s scope) checkKey(name string, k *tomlfile.Key) (message, hint string) {
	if k == nil {
		name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
		if name == "apikey" || name == "scannerproviderapikey" {
			return "an API key does not belong in a file", "set it in the environment only: " + envAPIKey
		}
		return "", ""
	}
	in := scope(k.Tag.Get("in"))
	for _, table := range schema().Keys {
		if strings.HasPrefix(k.Path, table.Name+".") {
			in = cmp.Or(in, scope(table.Tag.Get("in")))
		}
	}
	switch {
	case in == "" || in == s:
		return "", ""
	case in == inUser:
		return "belongs in the user's file, $XDG_CONFIG_HOME/scanner/config.toml: a change of the repository must not set it", ""
	default:
		return "belongs in scanner.toml of the repository", ""
	}
}

// checkSkills checks the rules between skills, and between a skill and its
// triggers.
func checkSkills(doc *tomlfile.Document, skills []Skill) {
	count := make(map[string]int)
	for i, s := range skills {
		path := fmt.Sprintf("skills[%d]", i)
		count[s.Name]++
		if count[s.Name] == 2 && s.Name != "" {
			doc.Report(path+".name", "Duplicate skill names: "+text.OneLine(s.Name), "names must be unique")
		}
		if s.Rev != "" && s.Source == "" {
			doc.Report(path+".source", "source is required with rev", "")
		}
		for j, rule := range s.DisabledRules {
			if owner, _, ok := strings.Cut(rule, "/"); ok && s.Name != "" && owner != s.Name {
				doc.Report(fmt.Sprintf("%s.disabledRules[%d]", path, j), "got "+tomlfile.Quote(rule)+", want a rule of "+tomlfile.Quote(s.Name), "")
			}
		}
		scheduled := false
		for j, t := range s.Triggers {
			if t.Type != TriggerSchedule {
				continue
			}
			scheduled = true
			if len(t.Actions) > 0 { // an empty array is an error anyway
				doc.Report(fmt.Sprintf("%s.triggers[%d].actions", path, j), "actions are for pull_request triggers only", "")
			}
			if t.Drafts != nil {
				doc.Report(fmt.Sprintf("%s.triggers[%d].drafts", path, j), "drafts are for pull_request triggers only", "")
			}
		}
		if scheduled && len(s.Paths) == 0 {
			doc.Report(path+".paths", "paths is required for skills with schedule triggers", "")
		}
	}
}

func validSkillName(name string) bool {
	return validLine(name) && name != "." && name != ".." && !strings.ContainsAny(name, `/\`)
}

// validDir reports whether s is a directory below the root of the repository, on
// every operating system.
func validDir(s string) bool {
	return fs.ValidPath(s) && s != "." && !strings.ContainsAny(s, `\:`) && !strings.ContainsFunc(s, unicode.IsControl)
}

// validLine reports whether s is a line of visible text without white space
// around it.
func validLine(s string) bool {
	return s != "" && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, text.Hidden) && !strings.ContainsRune(s, unicode.ReplacementChar)
}

func validStoreURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.RawQuery == "" && u.Fragment == ""
}

func validBaseURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && u.Fragment == ""
}
