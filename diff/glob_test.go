package diff

import (
	"strings"
	"testing"
	"time"
)

var matchTests = []struct {
	pattern, path string
	want          bool
}{
	{"*.lock", "yarn.lock", true},
	{"*.lock", "a/b/yarn.lock", true},
	{"*.lock", "a.lock/b", false},
	{"*.lock", "yarn.lock.txt", false},
	{"*.lock", ".lock", true},
	{"README*", "docs/README.md", true},
	{"go.sum", "go.sum", true},
	{"go.sum", "sub/go.sum", true},
	{"go.sum", "sub/xgo.sum", false},
	{"*", "a/b/c", true},
	{"**", "a/b/c", true},
	{"?.go", "x/a.go", true},
	{"?.go", "x/ab.go", false},
	{"?.go", "é.go", true},
	{"*.{js,ts}", "a/b.ts", true},
	{"*.{js,ts}", "a/b.css", false},
	{"*}*", "w}.", false},
	{"*}", "w}", false},
	{"a}{b,c}", "a}b", false},
	{`\}{b,c}`, "}b", true},
	{"[a-c].go", "b.go", true},
	{"[^a-c].go", "b.go", false},
	{"[!a-c].go", "x.go", true},

	{"docs/*.md", "docs/a.md", true},
	{"docs/*.md", "docs/a/b.md", false},
	{"docs/*.md", "x/docs/a.md", false},
	{"docs/**", "docs/a/b.md", true},
	{"docs/**/*.md", "docs/b.md", true},
	{"**/*.go", "a.go", true},
	{"**/*.go", "x/y/a.go", true},
	{"**/test/**", "a/test/b/c", true},
	{"**/test/**", "test/c", true},
	{"{src,lib}/**", "lib/x/y.go", true},
	{"{src,lib/{a,b}}/*.go", "lib/b/y.go", true},
	{"{src,lib/{a,b}}/*.go", "lib/c/y.go", false},
	{"{,x}y", "y", true},
	{"{a[,}]b,c}*", "a}b", true},
	{`{a\,b,c}*`, "a,bx", true},
	{"a{b}c", "abc", true},
	{`{[\]},]x,y}*`, "]x", true},
	{"{}x", "x", true},

	{"/TODO", "TODO", true},
	{"/TODO", "a/TODO", false},
	{"./*.go", "a.go", true},
	{"./*.go", "x/a.go", false},

	{"testdata/", "a/testdata/b/c", true},
	{"testdata/", "testdata/c", true},
	{"testdata/", "testdata", false},
	{"/gen/", "gen/x", true},
	{"/gen/", "a/gen/x", false},
	{"src/gen/", "src/gen/x/y", true},
	{"src/gen/", "a/src/gen/x", false},
	{"*.egg-info/", "a/b.egg-info/c", true},
	{"src/*.d/", "src/x.d/y", true},
	{"src/*.d/", "src/x.d", false},

	{"vendor", "vendor/x/y.go", true},
	{"vendor", "a/vendor/y.go", true},
	{"vendor", "a/vendor", true},
	{"vendor", "a/vendors/x", false},
	{"src/gen", "src/gen/x/y.go", true},
	{"src/gen", "src/gen", true},
	{"src/gen", "src/generic", false},
	{"src/gen", "x/src/gen/y", false},

	{`a\*b`, "a*b", true},
	{`a\*b`, "axb", false},
	{`\!x`, "!x", true},
	{"with space*", "d/with space.txt", true},
	{"a\nb*", "a\nbc", true},
	{"*.go", "bad\xff\xfe.go", true},
	{"a*", "a\xffb", true},
	{"x/*", "x/\xff", true},
	{"*.GO", "a.go", false},

	{"", "a", false},
	{"a", "", false},
	{"/", "a", false},
	{"[", "[", false},
	{"{a", "{a", false},
}

func TestMatch(t *testing.T) {
	for _, tt := range matchTests {
		if got := Match(tt.pattern, tt.path); got != tt.want {
			t.Errorf("Match(%q, %q) = %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
}

func TestValidatePattern(t *testing.T) {
	for _, tt := range matchTests {
		if err := ValidatePattern(tt.pattern); tt.want && err != nil {
			t.Errorf("ValidatePattern(%q) = %v, though it matches %q", tt.pattern, err, tt.path)
		}
	}
	bad := []struct{ pattern, want string }{
		{"", "is empty"},
		{"/", "is empty"},
		{"./", "is empty"},
		{"[", "has an error"},
		{"[]", "has an error"},
		{"{a,b", "has an error"},
		{`a\`, "has an error"},
		{"!*.go", "negated"},
		{"../x", "can never match"},
		{"a/../b", "can never match"},
		{"a//b", "can never match"},
		{"//a", "can never match"},
		{"a\x00", "NUL"},
		{strings.Repeat("a", 2000), "longer than"},
		{strings.Repeat("{a,b}", 20), "alternatives"},
		{strings.Repeat("{a}", 17), "pairs of braces"},
	}
	for _, tt := range bad {
		err := ValidatePattern(tt.pattern)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("ValidatePattern(%.50q) = %v, want %q", tt.pattern, err, tt.want)
		}
	}
}

// A glob that passes, and even one that does not, is matched in bounded time.
func TestMatchHostile(t *testing.T) {
	long := strings.Repeat("a", 4000)
	deep := strings.Repeat("a/", 2000) + "b"
	for _, p := range []string{
		strings.Repeat("{a,a}", 8) + "b",
		strings.Repeat("*{a,a}", 8) + "b",
		strings.Repeat("{*,*}", 8) + "c",
		strings.Repeat("*{*a,*a}", 8) + "b",
		strings.Repeat("{**/,*/}", 8) + "c", strings.Repeat("{", 500) + strings.Repeat("}", 500) + "c",
		strings.Repeat("**/{a,a}/", 8) + "c",
		strings.Repeat("*a", 500) + "b",
		strings.Repeat("**/*a/", 150) + "c",
		strings.Repeat("{a,a}", 200) + "b",
		"{*,**/*}/{*,**/*}/{*,**/*}/{*,**/*}/c",
	} {
		for _, path := range []string{long, deep} {
			start := time.Now()
			if Match(p, path) {
				t.Errorf("Match(%.40q, %.10q) = true", p, path)
			}
			if d := time.Since(start); d > 2*time.Second {
				t.Errorf("Match(%.40q, %.10q) took %v", p, path, d)
			} else if d > 50*time.Millisecond {
				t.Logf("Match(%.40q, %.10q) took %v", p, path, d)
			}
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, tt := range matchTests {
		f.Add(tt.pattern, tt.path)
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(path) > 1000 {
			return
		}
		start := time.Now()
		got := Match(pattern, path)
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("Match(%q, %q) took %v", pattern, path, d)
		}
		if got && ValidatePattern(pattern) != nil && !strings.Contains(ValidatePattern(pattern).Error(), "never match") &&
			pattern[0] != '!' && !strings.Contains(pattern, "\x00") {
			t.Errorf("Match(%q, %q) though %v", pattern, path, ValidatePattern(pattern))
		}
	})
}
