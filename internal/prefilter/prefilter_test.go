package prefilter

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var tests = []struct {
	re   string
	want []string
}{
	{`yaml\.load\(`, []string{"yaml.load("}},
	{`\bos\.(?:system|popen)\(`, []string{"os.system(", "os.popen("}},
	{`(?i)GRANT\s.*\sTO`, []string{"grant"}},
	{`[sS]elect`, []string{"select"}},
	{`\w+`, nil},
	{`a`, nil},
	{`.*`, nil},
	{`abc?`, []string{"ab"}},
	{`(?:abc)?x`, nil},
	{`(?:abc)?xyz`, []string{"xyz"}},
	{`(?:abc)+`, []string{"abc"}},
	{`(?:abc){2,}`, []string{"abc"}},
	{`(?:abc)*d`, nil},
	{`foo|\d`, nil},
	{`foo|bar`, []string{"foo", "bar"}},
	{`foo\d+barbaz|quux`, []string{"barbaz", "quux"}},
	{`x\d+longest\d+yy`, []string{"longest"}},
	{`(foo)(bar)`, []string{"foobar"}},
	{`=\s*["'](?:DES|RC4)`, []string{`"des`, `"rc4`, `'des`, `'rc4`}},
	{`[a-z]bc`, []string{"bc"}},
	{`über`, nil},
	{`(?i)kiss`, []string{"kiss"}},
	{`[aeiou]{2}xx`, []string{"xx"}},
	{`gh[pousr]_`, []string{"gho_", "ghp_", "ghr_", "ghs_", "ghu_"}},
	{`[a-z]{3}[a-z]`, nil},
	{`ab\scd`, []string{"ab"}},
	{`foo|foot|bar`, []string{"foo", "bar"}},
	{`^$`, nil},
	{`[\x{200B}\x{202E}]|.\x{FEFF}`, []string{"\u200b", "\u202e", "\ufeff"}},
	{`\x{FFFD}`, nil}, // bytes that are not UTF-8 match it
}

func TestNew(t *testing.T) {
	for _, tt := range tests {
		got := New(regexp.MustCompile(tt.re)).texts
		if d := cmp.Diff(got, tt.want); d != "" {
			t.Errorf("%s: got (-) differs from want (+):\n%s", tt.re, d)
		}
	}
}

func TestMayMatch(t *testing.T) {
	f := New(regexp.MustCompile(`(?i)kiss|hug+`))
	for line, want := range map[string]bool{
		"a KISS":    true,
		"\u212aiſs": true,
		"a huggg":   true,
		"nothing":   false,
		"":          false,
		"é":         false,
	} {
		if got := f.MayMatch(Fold(line)); got != want {
			t.Errorf("%q: MayMatch() = %v, want %v", line, got, want)
		}
		marks := make([]bool, 3)
		f.Mark(NewText("first\n"+line+"\nlast\n"), []int{0, 6, 7 + len(Fold(line))}, marks)
		if marks[1] != want {
			t.Errorf("%q: Mark() set %v, want %v", line, marks[1], want)
		}
	}
	if !(Filter{}).MayMatch("") {
		t.Error("the zero filter excludes a text")
	}
}

func FuzzMayMatch(f *testing.F) {
	for _, tt := range tests {
		f.Add(tt.re, strings.Join(append(tt.want, "x"), " "))
		f.Add(tt.re, strings.ToUpper(strings.Join(tt.want, "")))
	}
	f.Add(`(?i)kiss`, "\u212aiſs\xff")
	f.Fuzz(func(t *testing.T, expr, line string) {
		if len(expr) > 200 || len(line) > 1000 {
			return
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return
		}
		filter := New(re)
		if re.MatchString(line) && !filter.MayMatch(Fold(line)) {
			t.Errorf("%q matches %q, but the filter %q excludes it", expr, line, filter.texts)
		}
		if filter.MayMatch(Fold(line)) != filter.Mark(NewText(line), []int{0}, []bool{false}) {
			t.Errorf("the filter %q of %q differs for %q as a part of a text", filter.texts, expr, line)
		}
	})
}
