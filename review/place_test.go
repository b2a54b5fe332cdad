package review

import (
	"fmt"
	"strings"
	"testing"
)

// TestPlace clamps ranges to what the host takes.
func TestPlace(t *testing.T) {
	tests := []struct {
		name       string
		start, end int
		want       string // start-end; "" if there is no place
	}{
		{"one line", 13, 0, "13-13"},
		{"one line, with an end", 13, 13, "13-13"},
		{"several lines", 13, 16, "13-16"},
		{"context lines", 10, 12, "10-12"},
		{"the last line of the hunk", 18, 18, "18-18"},
		{"beyond the hunk", 16, 30, "16-18"},
		{"into the next hunk", 16, 44, "16-18"},
		{"beyond the file", 45, 1 << 40, "45-46"},
		{"between the hunks", 19, 0, ""},
		{"between the hunks, into the next", 30, 45, ""},
		{"before the first hunk", 9, 13, ""},
		{"beyond all hunks", 47, 50, ""},
	}
	lines := newLinesOf(parse(t, patch))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := found("x", "app/db.go", tt.start, tt.end)
			got := ""
			if at := place(&f, lines); at != nil {
				got = fmt.Sprintf("%d-%d", at.start, at.end)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestShownPath(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a b/c.go", "a b/c.go"},
		{"größe.go", "größe.go"},
		{"a  b.go", "a  b.go"},
		{" ", `" "`},
		{" a.go", `" a.go"`},
		{"a\nb.go", `"a\nb.go"`},
		{"a\tb.go", `"a\tb.go"`},
		{"a\u202eb.go", `"a\342\200\256b.go"`},
		{"a\xffb.go", `"a\377b.go"`},
		{strings.Repeat("x", 300), strings.Repeat("x", 200) + "…"},
	} {
		if got := shownPath(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}
