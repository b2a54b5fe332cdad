package review

import "testing"

// TestCountText has names that must mean nothing in HTML either.
func TestCountText(t *testing.T) {
	got := countText([]string{"pattern", "builtin", "`@alice`", "pattern", "<b>"})
	want := "1 &lt;b&gt;, 1 &#39;@" + zwsp + "alice&#39;, 1 builtin, 2 pattern"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
