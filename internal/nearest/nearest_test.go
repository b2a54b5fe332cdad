package nearest

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	known := []string{"reportOn", "reportOnSuccess", "failOn", "minConfidence", "security-review", "code-review", "url"}
	tests := []struct{ word, want string }{
		{"reportOn", "reportOn"},
		{"reporton", "reportOn"},
		{"repotrOn", "reportOn"},
		{"fail_on", "failOn"},
		{"failOnn", "failOn"},
		{"confidence", "minConfidence"},
		{"security", "security-review"},
		{"code-reviews", "code-review"},
		{"urls", "url"},
		{"ulr", "url"},
		{"x", ""},
		{"", ""},
		{"banana", ""},
		{strings.Repeat("reportOn", 1000), ""},
		{"\xff\xfe", ""},
	}
	for _, tt := range tests {
		if got := Word(tt.word, known); got != tt.want {
			t.Errorf("Word(%.20q) = %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := Word("a", nil); got != "" {
		t.Errorf("Word without known words = %q", got)
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1},
		{"abc", "axc", 1}, {"kitten", "sitting", 3}, {"abcd", "badc", 2}, {"ab", "xyz", 3},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b, 10); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got, back := distance(tt.a, tt.b, 10), distance(tt.b, tt.a, 10); got != back {
			t.Errorf("distance(%q, %q) is %d one way and %d the other", tt.a, tt.b, got, back)
		}
	}
}
