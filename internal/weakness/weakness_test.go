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
