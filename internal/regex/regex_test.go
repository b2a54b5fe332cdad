package regex_test

import (
	"context"
	"errors"
	"regexp"
	"regexp/syntax"
	"runtime"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/regex"
)

var exprs = []string{
	"", "a", "abc", "a|b|", "(a)(?P<n>b)", "a?b*c+", "(?:a?)*", "(?:a*)+?", "[a-z]", `\pL{3}`, ".", `^\b$`,
	"a{0}", "a{1}", "a{2}", "a{2,}", "a{0,}", "a{0,3}", "a{2,5}", "(?:a|b{3}){4,7}", "(?:a?){5}", "(?:){9}",
	"(?:(?:a{10}){10}){10}", "(?:[a-z]?){500}", "(?:ab){999}", "(?:ab){1000}", "(?i)kiss[^x]",
}

// programSize returns the size of what the standard library compiles.
func programSize(t *testing.T, expr string) int {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		t.Fatal(err)
	}
	return len(prog.Inst)
}

func TestCompile(t *testing.T) {
	for _, expr := range exprs {
		n := programSize(t, expr)
		_, err := regex.Compile(expr)
		if refused := errors.Is(err, regex.ErrTooLarge); refused && n < regex.MaxInstructions/2 || !refused && n > regex.MaxInstructions {
			t.Errorf("%q: a program of %d instructions: error %v", expr, n, err)
		}
	}
	if _, err := regex.Compile("("); err == nil || !strings.HasPrefix(err.Error(), "error parsing regexp: ") {
		t.Errorf("error %v, want that of package regexp", err)
	}
}

// A program that is refused is not built first.
func TestCompileMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, expr := range []string{
		"(?:" + strings.Repeat("a", 3200) + "){1000}",
		"(?:" + strings.Repeat("(a)", 800) + "){1000}",
		"(?:(?:(?:" + strings.Repeat("[ab]?", 300) + "){10}){10}){10}",
	} {
		if _, err := regex.Compile(expr); !errors.Is(err, regex.ErrTooLarge) {
			t.Errorf("%.20s...: error %v", expr, err)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes allocated", used)
	}
}

func TestMatch(t *testing.T) {
	long := strings.Repeat("x", 10<<10)
	for _, tt := range []struct{ expr, text string }{
		{`\bfoo$`, "a foo"}, {`\bfoo$`, "afoo"},
		{`\bfoo$`, long + " foo"}, {`\bfoo$`, long + "foo"}, {`^x+$`, long}, {`^x+$`, long + "\n"},
		{`\xff|�y`, long + "\xffy"}, {`é`, long + "é" + long},
	} {
		re := regexp.MustCompile(tt.expr)
		if got, want := regex.Match(t.Context(), re, tt.text), re.MatchString(tt.text); got != want {
			t.Errorf("%q in %d bytes: %v, want %v", tt.expr, len(tt.text), got, want)
		}
	}
}

func TestMatchCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// Without the cancellation it is found at the end.
	if regex.Match(ctx, regexp.MustCompile("y"), strings.Repeat("x", 1<<20)+"y") {
		t.Error("the whole text was read")
	}
}

func TestReplace(t *testing.T) {
	for _, tt := range []struct{ expr, text, template string }{
		{`a(b)?`, "xabya", "<$1>"}, {`x*`, "baaac", "-"}, {`(?P<n>b)`, "abc", "${n}$n!$$"}, {`^`, "abc", "> "}, {`z`, "abc", "y"},
		{`\b`, "é a b", "|"}, {`é?`, "éaé", "_"},
	} {
		re := regexp.MustCompile(tt.expr)
		if got, want := regex.Replace(re, tt.text, tt.template, regex.Find(t.Context(), re, tt.text)), re.ReplaceAllString(tt.text, tt.template); got != want {
			t.Errorf("%q in %q: %q, want %q", tt.expr, tt.text, got, want)
		}
	}
	for _, text := range []string{strings.Repeat("a", 21), "a" + strings.Repeat(" ", 4<<10)} {
		re := regexp.MustCompile("a")
		if got := regex.Replace(re, text, "b", regex.Find(t.Context(), re, text)); got != text {
			t.Errorf("%d bytes: got %q", len(text), got)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, expr := range exprs {
		f.Add(expr)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		if len(expr) > 500 {
			return
		}
		if re, err := regex.Compile(expr); err == nil && programSize(t, re.String()) > regex.MaxInstructions {
			t.Errorf("%q compiles to %d instructions", expr, programSize(t, re.String()))
		}
	})
}
