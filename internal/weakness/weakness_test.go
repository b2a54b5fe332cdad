package weakness_test

import (
	"testing"

	"github.com/codescan-dev/scanner/internal/weakness"
)

func TestClass(t *testing.T) {
	for cwe, want := range map[int]string{0: "", 89: "sql-injection", 77: "command-injection", 328: "weak-crypto", 190: "cwe-190"} {
		if got := weakness.Class(cwe); got != want {
			t.Errorf("Class(%d) = %q, want %q", cwe, got, want)
		}
	}
}

func TestMentions(t *testing.T) {
	for _, tt := range []struct {
		text string
		cwe  int
		want bool
	}{
		{"SQL injection in the search", 89, true},
		{"The query is open to CWE-564", 89, true},
		{"The query is slow", 89, false},
		{"Hard-coded password", 798, true},
		{"anything", 0, false},
		{"CWE-190", 191, false},
	} {
		if got := weakness.Mentions(tt.text, tt.cwe); got != tt.want {
			t.Errorf("Mentions(%q, %d) = %v", tt.text, tt.cwe, got)
		}
	}
}
