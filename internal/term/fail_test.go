package term_test

import (
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner/internal/term"
)

func TestFail(t *testing.T) {
	const prefix = "[2026-02-03T04:05:06.789Z] scanner: "
	for _, tt := range []struct{ name, msg, hint, plain, rich string }{
		{"plain", "no luck", "", prefix + "no luck\n", "scanner: no luck\n"},
		{"hint", "no key", "use --offline", prefix + "no key\n" + prefix + "hint: use --offline\n", "scanner: no key\nhint: use --offline\n"},
		{"lines", "a\nb", "", prefix + "a\n" + prefix + "b\n", "scanner: a\nb\n"},
		{"hostile", "no \x1b[31mluck\u202e\n::error::x", "##vso[x]",
			prefix + "no luck\n" + prefix + "::error::x\n" + prefix + "hint: ## vso[x]\n", "scanner: no luck\n: :error::x\nhint: ## vso[x]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, tty := range []bool{false, true} {
				var out, err strings.Builder
				c := term.New(term.Config{
					Out: &out, Err: &err, Level: term.Quiet, Size: func() (int, int) { return 80, 24 },
					Now:    func() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.UTC) },
					Layout: term.ChooseLayout(term.ColorAuto, tty, 80, func(name string) string { return map[string]string{"TERM": "xterm"}[name] }),
				})
				c.Fail(tt.msg, tt.hint)
				want := tt.plain
				if tty {
					want = tt.rich
				}
				if got := err.String(); got != want || out.Len() > 0 {
					t.Errorf("terminal %v: got %q and %q, want %q", tty, got, out.String(), want)
				}
			}
		})
	}
}
