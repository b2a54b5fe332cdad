package term

import (
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
)

// A rule that matches every line of a large file is shown in linear time: quadratic
// time would exceed that of the test.
func TestPlainManyPlaces(t *testing.T) {
	t.Parallel()
	const n = 400_000
	places := make([]scanner.Location, n, n+1)
	for i := range places {
		places[i] = scanner.Location{Path: "a", StartLine: i + 1}
	}
	places = append(places, scanner.Location{Path: "a", StartLine: n, EndLine: n + 1})
	p := &plain{now: time.Now, level: Verbose}
	f := &scanner.Finding{Severity: scanner.SeverityLow, Title: "t", Description: "d", AdditionalLocations: places[1:]}
	out := p.finding(f, places, "s")
	if got, want := strings.Count(out, "\n"), n+2; got != want {
		t.Errorf("got %d lines, want %d: one for each place, the description and the id", got, want)
	}
	if got := strings.Count(out, "also at"); got != 0 {
		t.Errorf("%d places are repeated", got)
	}
}
