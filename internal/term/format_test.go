package term

import (
	"testing"

	"github.com/codescan-dev/scanner"
)

func TestCounts(t *testing.T) {
	got := Counts(scanner.SeverityCounts{High: 1})
	if want := "1 findings (1 high, 0 medium, 0 low)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFormatHidden(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   scanner.Hidden
		want string
	}{
		{"nothing", scanner.Hidden{}, ""},
		{"confidence does not count", scanner.Hidden{MinConfidence: scanner.SeverityCounts{Low: 3}}, ""},
		{"reportOn", scanner.Hidden{ReportOn: scanner.SeverityCounts{Low: 2}}, "Hidden: 2 findings (2 by reportOn)"},
		{"both", scanner.Hidden{
			ReportOn:    scanner.SeverityCounts{Low: 2},
			MaxFindings: scanner.SeverityCounts{High: 1, Medium: 3},
		}, "Hidden: 6 findings (2 by reportOn, 4 by maxFindings)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := formatHidden(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
