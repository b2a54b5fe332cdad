package github

import (
	"testing"
	"time"
)

// TestFormats has the values at which a rounded number changes its form.
func TestFormats(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0ms", 999 * time.Millisecond: "999ms", 999600 * time.Microsecond: "1.0s",
		59940 * time.Millisecond: "59.9s", 59960 * time.Millisecond: "1m 0s", 119600 * time.Millisecond: "2m 0s",
	} {
		if got := durationText(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
	for usd, want := range map[float64]string{0: "$0.0000", 0.00994: "$0.0099", 0.00996: "$0.01", 1.005: "$1.00", 12: "$12.00"} {
		if got := costText(&usd); got != want {
			t.Errorf("%v: %q, want %q", usd, got, want)
		}
	}
	if got := costText(nil); got != "cost unknown" {
		t.Errorf("unknown cost: %q", got)
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 1049: "1.0k", 1050: "1.1k"} {
		if got := tokens(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestPolicyHash(t *testing.T) {
	seen := make(map[string]bool)
	for _, parts := range [][]string{nil, {""}, {"a"}, {"a", "b"}, {"ab"}, {"", "ab"}, {"b", "a"}} {
		h := PolicyHash(parts...)
		if seen[h] || len(h) != 16 {
			t.Errorf("%q: %q", parts, h)
		}
		seen[h] = true
	}
}
