package format

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
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
		if got := Duration(tt.in); got != tt.want {
			t.Errorf("Duration(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		in   int64
		want string
	}{
		{0, "0"}, {7, "7"}, {999, "999"},
		{1000, "1.0k"}, {1049, "1.0k"}, {1050, "1.1k"}, {1999, "2.0k"},
		{12345, "12.3k"}, {999949, "999.9k"}, {999960, "1000.0k"}, {1234567, "1234.6k"},
	} {
		if got := Tokens(tt.in); got != tt.want {
			t.Errorf("Tokens(%d) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestCost(t *testing.T) {
	for _, tt := range []struct {
		in   float64
		want string
	}{
		{0, "$0.0000"}, {0.00004, "$0.0000"}, {0.0012, "$0.0012"}, {0.00994, "$0.0099"},
		{0.00996, "$0.01"}, {0.01, "$0.01"}, {0.014, "$0.01"}, {0.016, "$0.02"},
		{1.5, "$1.50"}, {12.345, "$12.35"}, {1234.5, "$1234.50"},
	} {
		if got := Cost(&tt.in); got != tt.want {
			t.Errorf("Cost(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got, want := Cost(nil), "cost unknown"; got != want {
		t.Errorf("Cost(nil) = %q, want %q", got, want)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 fixes", 1: "1 fix", 2: "2 fixes"} {
		if got := Count(n, "fix", "fixes"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
