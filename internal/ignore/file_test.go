package ignore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/ignore"
)

func TestEntryText(t *testing.T) {
	entries := []ignore.Entry{
		{
			Path: "a b/ü\"'.go", Rule: "security-review/private-key", Title: "A \"key\" in C:\\x", Line: "0123456789abcdef",
			Before: "0123456789abcde0", After: "0123456789abcde1", Reason: "it is <public> & old", By: "Ann <a@example.com>", Until: "2027-01-31",
		},
		{Path: "b.go", Skill: "code-review", Title: "Any", Reason: "known"},
	}
	text := "# kept\n\n" + entries[0].Text() + "\n" + entries[1].Text()
	got, err := ignore.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	if d := cmp.Diff(got, entries); d != "" {
		t.Errorf("entries (-got +want):\n%s", d)
	}
}

func TestParseErrors(t *testing.T) {
	const valid = "[[ignore]]\npath = 'a'\nskill = 's'\ntitle = 't'\nreason = 'r'\n"
	for _, tt := range []struct{ name, text, want string }{
		{"valid", valid, ""},
		{"empty", "", ""},
		{"no reason", strings.Replace(valid, "reason = 'r'", "", 1), "ignore.toml:1:3: missing, want a line of text"},
		{"blank reason", strings.Replace(valid, "'r'", "' '", 1), `ignore.toml:5:10: got " ", want a line of text`},
		{"skill and rule", valid + "rule = 's/r'\n", "ignore.toml:6:8: want rule or skill, one of them"},
		{"neither", strings.Replace(valid, "skill = 's'\n", "", 1), "ignore.toml:1:3: want rule or skill, one of them"},
		{"not a rule", strings.Replace(valid, "skill = 's'", "rule = 'r'", 1), `ignore.toml:3:8: got "r", want a rule as "skill/rule"`},
		{"not a hash", valid + "line = 'x'\n", `ignore.toml:6:8: got "x", want a hash of 16 hexadecimal digits`},
		{"not a day", valid + "until = '2027-02-30'\n", `ignore.toml:6:9: got "2027-02-30", want a day such as "2027-01-31"`},
		{"a date", valid + "until = 2027-02-03\n", `ignore.toml:6:9: got a date or time, want a day such as "2027-01-31"`},
		{"unknown key", valid + "untill = ''\n", `unknown key, did you mean "until"?`},
		{"a table", strings.Replace(valid, "[[ignore]]", "[ignore]", 1), "write [[ignore]]"},
		{"not TOML", "[[", "not valid TOML"},
	} {
		_, err := ignore.Parse([]byte(tt.text))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestExpired(t *testing.T) {
	for _, tt := range []struct {
		until, now string
		want       bool
	}{
		{"", "2027-01-31T00:00:00Z", false},
		{"2027-01-31", "2027-01-31T23:59:59Z", false},
		{"2027-01-31", "2027-02-01T00:00:00Z", true},
		{"2027-01-31", "2027-02-01T01:00:00+02:00", false},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&ignore.Entry{Until: tt.until}).Expired(now); got != tt.want {
			t.Errorf("until %q at %s: expired %v, want %v", tt.until, tt.now, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[[ignore]]\npath = 'a'\nskill = 's'\ntitle = 't'\nreason = 'r'\n")
	f.Add("ignore = [{path = 'a', rule = 's/r', title = '\\u0041', reason = 'r', line = '0123456789abcdef'}]")
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := ignore.Parse([]byte(text))
		if err != nil {
			return
		}
		var b strings.Builder
		for i := range entries {
			b.WriteString(entries[i].Text())
		}
		if _, err := ignore.Parse([]byte(b.String())); err != nil {
			t.Errorf("%v in what was written for %q:\n%s", err, text, b.String())
		}
	})
}
