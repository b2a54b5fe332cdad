package review

import "testing"

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

// TestCountText has names that must mean nothing in HTML either.
func TestCountText(t *testing.T) {
	got := countText([]string{"pattern", "builtin", "`@alice`", "pattern", "<b>"})
	want := "1 &lt;b&gt;, 1 &#39;@" + zwsp + "alice&#39;, 1 builtin, 2 pattern"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
