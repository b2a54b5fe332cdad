package main

import (
	"strings"
	"testing"
)

func TestReview(t *testing.T) {
	const patch = "--- a/cart.js\n+++ b/cart.js\n@@ -1 +1,2 @@\n let total = 0;\n+console.log(total);\n"
	const want = "cart.js:2: low: Prints to standard output\n1 findings (0 high, 0 medium, 1 low); patterns only, no model was used\n"
	var out strings.Builder
	if err := review(strings.NewReader(patch), &out); err != nil || out.String() != want {
		t.Errorf("got %v and\n%swant\n%s", err, &out, want)
	}
}
