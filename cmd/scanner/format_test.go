package main

import (
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
)

func TestFormatDuration(t *testing.T) {
	for _, tt := range []struct {
		in   time.Duration
		want string
	}{
		{-time.Second, "0ms"},
		{0, "0ms"},
		{499 * time.Microsecond, "0ms"},
		{500 * time.Microsecond, "1ms"},
		{850 * time.Millisecond, "850ms"},
		{999400 * time.Microsecond, "999ms"},
		{999600 * time.Microsecond, "1.0s"},
		{time.Second, "1.0s"},
		{1049 * time.Millisecond, "1.0s"},
		{1050 * time.Millisecond, "1.1s"},
		{12340 * time.Millisecond, "12.3s"},
		{59940 * time.Millisecond, "59.9s"},
		{59960 * time.Millisecond, "1m 0s"},
		{time.Minute, "1m 0s"},
		{119400 * time.Millisecond, "1m 59s"},
		{119600 * time.Millisecond, "2m 0s"},
		{125 * time.Second, "2m 5s"},
		{90*time.Minute + 30*time.Second, "90m 30s"},
	} {
		if got := formatDuration(tt.in); got != tt.want {
			t.Errorf("formatDuration(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestFormatTokens(t *testing.T) {
	for _, tt := range []struct {
		in   int64
		want string
	}{
		{0, "0"}, {7, "7"}, {999, "999"},
		{1000, "1.0k"}, {1049, "1.0k"}, {1050, "1.1k"}, {1999, "2.0k"},
		{12345, "12.3k"}, {999949, "999.9k"}, {999960, "1000.0k"}, {1234567, "1234.6k"},
	} {
		if got := formatTokens(tt.in); got != tt.want {
			t.Errorf("formatTokens(%d) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestFormatCost(t *testing.T) {
	for _, tt := range []struct {
		in   float64
		want string
	}{
		{0, "$0.0000"}, {0.00004, "$0.0000"}, {0.0012, "$0.0012"}, {0.00994, "$0.0099"},
		{0.00996, "$0.01"}, {0.01, "$0.01"}, {0.014, "$0.01"}, {0.016, "$0.02"},
		{1.5, "$1.50"}, {12.345, "$12.35"}, {1234.5, "$1234.50"},
	} {
		if got := formatCost(&tt.in); got != tt.want {
			t.Errorf("formatCost(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got, want := formatCost(nil), "cost unknown"; got != want {
		t.Errorf("formatCost(nil) = %q, want %q", got, want)
	}
}

func TestFormatCounts(t *testing.T) {
	got := formatCounts(scanner.SeverityCounts{High: 1})
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

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files"} {
		if got := plural(n, "file"); got != want {
			t.Errorf("plural(%d) = %q, want %q", n, got, want)
		}
	}
}
