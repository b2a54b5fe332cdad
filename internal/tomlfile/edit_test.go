package tomlfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/tomlfile"
)

func TestSet(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", "\n[[skills]]\nname = \"a\"\nrev = \"new\"\n"},
		{"no table", "version = 1 # one", "version = 1 # one\n\n[[skills]]\nname = \"a\"\nrev = \"new\"\n"},
		{"other table", "[[skills]]\nname = 'b'\n", "[[skills]]\nname = 'b'\n\n[[skills]]\nname = \"a\"\nrev = \"new\"\n"},
		{"CRLF", "x = 1\r\n", "x = 1\r\n\r\n[[skills]]\r\nname = \"a\"\r\nrev = \"new\"\r\n"},
		{"new key", "[[skills]] # one\n  name = 'a' # it\n\n# two\n[logs]\n", "[[skills]] # one\n  name = 'a' # it\nrev = \"new\"\n\n# two\n[logs]\n"},
		{"new key at the end", "[[skills]]\nname = 'a' # it", "[[skills]]\nname = 'a' # it\nrev = \"new\""},
		{"old key", "[[skills]]\nrev='old' # it\nname = \"a\"\n", "[[skills]]\nrev=\"new\" # it\nname = \"a\"\n"},
		{"escapes", "[[skills]]\nname = \"\\u0061\"\nrev = \"\\\"]\" \n", "[[skills]]\nname = \"\\u0061\"\nrev = \"new\" \n"},
		{"many lines", "[[skills]]\nname = '''a'''\nrev = \"\"\"\nold\n\"\"\"\nx = 1\n", "[[skills]]\nname = '''a'''\nrev = \"new\"\nx = 1\n"},
		{"empty", "[[skills]]\nname = 'a'\nrev = ''\n", "[[skills]]\nname = 'a'\nrev = \"new\"\n"},
		{"subtables", "[[skills]]\nname = 'a'\n[[skills.triggers]]\nname = 'b'\n[[skills]]\nname = 'c'\n",
			"[[skills]]\nname = 'a'\nrev = \"new\"\n[[skills.triggers]]\nname = 'b'\n[[skills]]\nname = 'c'\n"},
		{"inline", "skills = [{ name = 'b' }, { name = 'a', x = 1 }] # all\n", "skills = [{ name = 'b' }, { name = 'a', rev = \"new\", x = 1 }] # all\n"},
		{"inline, old key", "skills = [\n  {name = 'a', rev = \"old\"},\n]\n", "skills = [\n  {name = 'a', rev = \"new\"},\n]\n"},
		{"byte order mark", "\ufeff[[skills]]\nname = 'a'\nrev = 'old'\n", "\ufeff[[skills]]\nname = 'a'\nrev = \"new\"\n"},
		{"wide characters", "# äöü\n[[skills]]\nname = 'a'\nrev = 'ö'\n", "# äöü\n[[skills]]\nname = 'a'\nrev = \"new\"\n"},
	} {
		if d := cmp.Diff(string(tomlfile.Set([]byte(tt.in), "skills", "a", "rev", "new")), tt.want); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
	}
}

// Every valid file stays valid, and has the value.
func FuzzSet(f *testing.F) {
	type skill struct {
		Name string `toml:"name"`
		Rev  string `toml:"rev"`
	}
	type file struct {
		Skills []skill `toml:"skills"`
	}
	schema := tomlfile.NewSchema[file](nil)
	f.Add("[[skills]]\nname = 'a'\nrev = \"\"\"x\"\"\" # y\n")
	f.Add("skills = [{name = 'b'}, {rev = 'x', name = 'a'}]")
	f.Fuzz(func(t *testing.T, text string) {
		var before, after file
		if doc := tomlfile.Decode([]byte(text), schema, tomlfile.Rules{}, &before); len(doc.Problems()) > 0 {
			t.Skip()
		}
		out := tomlfile.Set([]byte(text), "skills", "a", "rev", "new")
		doc := tomlfile.Decode(out, schema, tomlfile.Rules{}, &after)
		want, found := before.Skills, false
		for i := range want {
			if want[i].Name == "a" && !found {
				want[i].Rev, found = "new", true
			}
		}
		if !found {
			want = append(want, skill{"a", "new"})
		}
		if p := doc.Problems(); len(p) > 0 && !found && strings.Contains(text, "skills") {
			t.Skip() // an array in brackets cannot be extended by a table
		} else if len(p) > 0 {
			t.Fatalf("%q: %v", out, p)
		}
		if d := cmp.Diff(after.Skills, want); d != "" {
			t.Fatalf("%q (-got +want):\n%s", out, d)
		}
	})
}
