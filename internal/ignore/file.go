// Package ignore reads and writes what people marked as fine: the entries of
// .scanner/ignore.toml, and marks in the comments of code.
package ignore

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// File is the path of the file of entries from the root of a repository.
const File = ".scanner/ignore.toml"

// Header begins a new file.
const Header = "# Findings that are fine as they are. To add one: scanner ignore <id> --reason=...\n"

// MaxSize is the largest such file that is read, in bytes.
const MaxSize = 4 << 20

// Entry is a finding that a person marked as fine.
type Entry struct {
	// Path is the file of the finding.
	Path string `toml:"path" validate:"required,line"`
	// Rule is the rule that found it, as "skill/rule", or else Skill is the skill
	// whose model did.
	Rule  string `toml:"rule" validate:"rule"`
	Skill string `toml:"skill" validate:"line"`
	Title string `toml:"title" validate:"required,line"`
	// Line is a hash of the text of its line, Before and After are those of the
	// nearest lines around it that are not blank; empty where there is none.
	Line   string `toml:"line" validate:"hash"`
	Before string `toml:"before" validate:"hash"`
	After  string `toml:"after" validate:"hash"`
	Reason string `toml:"reason" validate:"required,line"`
	// By is who added the entry; empty if that is not known.
	By string `toml:"by" validate:"line"`
	// Until is the last day on which the entry applies, as 2027-01-31; empty means that
	// it always does.
	Until string `toml:"until" validate:"date"`
}

type contents struct {
	Ignore []Entry `toml:"ignore"`
}

var rules = map[string]struct {
	want  string
	valid func(string) bool
}{
	"line": {"a line of text", func(s string) bool { return strings.TrimSpace(s) != "" }},
	"rule": {`a rule as "skill/rule"`, regexp.MustCompile(`^[^/]+/[^/]+$`).MatchString},
	"hash": {"a hash of 16 hexadecimal digits", regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString},
	"date": {`a day such as "2027-01-31"`, func(s string) bool { return ParseDay(s) == nil }},
}

var schema = tomlfile.NewSchema[contents](func(k *tomlfile.Key) string { return rules[strings.TrimPrefix(k.Rule, "required,")].want })

// ParseDay returns an error unless s is a day as 2027-01-31.
func ParseDay(s string) error {
	_, err := time.Parse(time.DateOnly, s)
	return err
}

// Parse reads a file of entries, strictly: the error lists everything that is wrong.
func Parse(data []byte) ([]Entry, error) {
	var c contents
	doc := tomlfile.Decode(data, schema, tomlfile.Rules{Value: func(k *tomlfile.Key, value any, written string) (message, hint string) {
		if s, ok := value.(string); ok && k.Rule != "" && !rules[k.Rule].valid(s) {
			return "got " + tomlfile.Quote(s) + ", want " + k.Want, ""
		}
		return "", ""
	}}, &c)
	for i, e := range c.Ignore {
		if (e.Rule == "") == (e.Skill == "") {
			doc.Report(fmt.Sprintf("ignore[%d].rule", i), "want rule or skill, one of them", "")
		}
	}
	if problems := doc.Problems(); len(problems) > 0 {
		return nil, &tomlfile.Error{File: File, Problems: problems}
	}
	return c.Ignore, nil
}

// Text returns the entry as it is in a file.
func (e *Entry) Text() string {
	var b strings.Builder
	b.WriteString("[[ignore]]\n")
	for _, v := range []struct{ key, value string }{
		{"path", e.Path}, {"rule", e.Rule}, {"skill", e.Skill}, {"title", text.OneLine(e.Title)},
		{"line", e.Line}, {"before", e.Before}, {"after", e.After},
		{"reason", text.OneLine(e.Reason)}, {"by", text.OneLine(e.By)}, {"until", e.Until},
	} {
		if v.value == "" {
			continue
		}
		quoted, _ := json.Marshal(v.value) // a string always can be; TOML has the same escapes
		fmt.Fprintf(&b, "%s = %s\n", v.key, strings.ReplaceAll(string(quoted), "\x7f", `\u007f`))
	}
	return b.String()
}

// Group is what the entry is about: the rule or the skill.
func (e *Entry) Group() string {
	if e.Rule != "" {
		return e.Rule
	}
	return e.Skill
}

// Expired reports whether the entry no longer applies.
func (e *Entry) Expired(now time.Time) bool {
	return e.Until != "" && now.UTC().Format(time.DateOnly) > e.Until
}
