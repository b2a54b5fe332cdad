package tomlfile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// file has a key of every kind.
type file struct {
	Shared
	Name    string   `toml:"name" validate:"required"`
	Text    *string  `toml:"text"`
	Numbers []int    `toml:"numbers" validate:"min=1,dive,gt=0"`
	Tables  []table  `toml:"tables"`
	ByName  byName   `toml:"byName"`
	Ratio   *float64 `toml:"ratio"`
	Ignored string
}

type Shared struct {
	Flag bool `toml:"flag"`
}

type table struct {
	Key string `toml:"key" validate:"required"`
}

type byName map[string]table

func decode(text string) (file, *tomlfile.Document) {
	var f file
	return f, tomlfile.Decode([]byte(text), tomlfile.NewSchema[file](nil), tomlfile.Rules{
		Key: func(name string, k *tomlfile.Key) (string, string) {
			if k == nil && name == "secret" {
				return "must not be here", "remove it"
			}
			return "", ""
		},
		Value: func(k *tomlfile.Key, value any, text string) (string, string) {
			if k.Rule == "gt=0" && value.(int) <= 0 {
				return "got " + text + ", which is too small", ""
			}
			return "", ""
		},
	}, &f)
}

func TestSchema(t *testing.T) {
	var got []string
	for _, k := range tomlfile.NewSchema[file](nil).All() {
		got = append(got, fmt.Sprintf("%s: %s (%s)", k.Path, k.Want, k.Rule))
	}
	want := []string{
		": a table ()", "flag: true or false ()", "name: a string ()", "text: a string ()",
		"numbers: an array, each element a whole number (min=1)", "numbers[]: a whole number (gt=0)",
		"tables: an array of tables ()", "tables[]: a table ()", "tables[].key: a string ()",
		"byName: a table ()", "byName.<name>: a table ()", "byName.<name>.key: a string ()",
		"ratio: a number ()",
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestDecode(t *testing.T) {
	schema := tomlfile.NewSchema[file](nil)
	var got file
	doc := tomlfile.Decode([]byte("\ufeffname = 'n'\r\ntext = ''\r\nnumbers = [0x10]\r\nratio = 2\r\nflag = true\r\n"+
		"[byName.\"a.b\"]\r\nkey = 'k'\r\n[[tables]]\r\nkey = '1'\r\n[[tables]]\r\nkey = '2'\r\n"), schema, tomlfile.Rules{}, &got)
	if ps := doc.Problems(); len(ps) > 0 {
		t.Fatalf("got problems %v", ps)
	}
	want := file{
		Shared: Shared{Flag: true}, Name: "n", Text: new(""), Numbers: []int{16}, Ratio: new(2.0),
		ByName: byName{"a.b": {Key: "k"}}, Tables: []table{{Key: "1"}, {Key: "2"}},
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	if got := doc.Value("tables[1].key").String(); got != "2" || doc.Value("tables[2]").IsValid() {
		t.Errorf("got %q at tables[1].key, want 2, and no tables[2]", got)
	}
	if got := doc.Line("tables[1].key"); got != 11 {
		t.Errorf("got line %d, want 11", got)
	}
}

func TestProblems(t *testing.T) {
	problem := func(line, column int, path, message, hint string) tomlfile.Problem {
		return tomlfile.Problem{Line: line, Column: column, Path: path, Message: message, Hint: hint}
	}
	tests := []struct {
		name, text string
		want       []tomlfile.Problem
	}{
		{"everything at once", "numbers = [1, 0, 'x', -3]\nsecret = 1\nfalg = true\n[[tables]]\nkee = ''\n[byName]\na = 3\n", []tomlfile.Problem{
			problem(1, 1, "name", "missing, want a string", ""),
			problem(1, 15, "numbers[1]", "got 0, which is too small", ""),
			problem(1, 18, "numbers[2]", "got a string, want a whole number", ""),
			problem(1, 23, "numbers[3]", "got -3, which is too small", ""),
			problem(2, 1, "secret", "must not be here", "remove it"),
			problem(3, 1, "falg", `unknown key, did you mean "flag"?`, ""),
			problem(5, 1, "tables[0].kee", `unknown key, did you mean "key"?`, ""),
			problem(7, 5, "byName.a", "got a whole number, want a table", ""),
		}},
		{"a key of another table", "name = ''\nkey = ''\n", []tomlfile.Problem{
			problem(2, 1, "key", "unknown key in this table, did you mean tables[].key or byName.<name>.key?", "")}},
		{"brackets", "name = ''\n[tables]\n[[byName]]\n", []tomlfile.Problem{
			problem(2, 2, "tables", "got a table, want an array of tables", "write [[tables]]"),
			problem(2, 2, "tables.key", "missing, want a string", ""),
			problem(3, 3, "byName", "got an array of tables, want a table", "write [byName]")}},
		{"not TOML", "name = ''\nname = ''\n", []tomlfile.Problem{
			problem(2, 1, "name", "not valid TOML: key name is already defined", "")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, doc := decode(tt.text)
			if d := cmp.Diff(doc.Problems(), tt.want); d != "" {
				t.Errorf("problems (-got +want):\n%s", d)
			}
		})
	}
}

// TestReport adds problems to those of the decoder.
func TestReport(t *testing.T) {
	_, doc := decode("name = 3\n[[tables]]\nkey = ''\n")
	doc.Report("name", "a consequence", "")
	doc.Report("tables[0].other", "of a missing key", "")
	want := []tomlfile.Problem{
		{Line: 1, Column: 8, Path: "name", Message: "got a whole number, want a string"},
		{Line: 2, Column: 3, Path: "tables[0].other", Message: "of a missing key"},
	}
	if d := cmp.Diff(doc.Problems(), want); d != "" {
		t.Errorf("problems (-got +want):\n%s", d)
	}
}

// A table with many keys is refused before the library reads it, which would take
// a minute.
func TestManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "k%d=1\n", i)
	}
	start := time.Now()
	_, doc := decode("[byName]\n" + b.String())
	want := []tomlfile.Problem{{Line: 5002, Column: 1, Message: "more than 5000 keys in one table"}}
	if d := cmp.Diff(doc.Problems(), want); d != "" {
		t.Errorf("problems (-got +want):\n%s", d)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
}
