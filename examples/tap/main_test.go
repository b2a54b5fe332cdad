package main

import (
	"strings"
	"testing"
)

func TestScan(t *testing.T) {
	const patch = "--- a/poll.go\n+++ b/poll.go\n@@ -0,0 +1 @@\n+\ttime.Sleep(10)\n"
	var out strings.Builder
	if err := scan(strings.NewReader(patch), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"TAP version 14\n1..2\n",
		" - code-review: poll.go:1-1\n# poll.go:1: medium: Duration without a unit is in nanoseconds\n",
		" - security-review: poll.go:1-1\n",
		"# security-review: no findings; patterns only, no model was used\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, &out)
		}
	}
	if n := strings.Count("\n"+out.String(), "\nok "); n != 1 || strings.Count(out.String(), "not ok ") != 1 {
		t.Errorf("want one chunk that is ok and one that is not:\n%s", &out)
	}
}
