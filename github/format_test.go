package github

import (
	"testing"
)

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
