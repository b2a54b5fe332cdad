package review

import (
	"strings"
	"testing"
)

// TestOldDone has a marker that does not name its skills: it holds until the next
// review.
func TestOldDone(t *testing.T) {
	before := summaryMarker{Head: headSHA, Done: []done{{Policy: "a"}, {Policy: "b", Skills: []string{hash(8, "t")}}}}
	r := resultOf(t, skillOf("s"))
	v, err := newView(&r)
	if err != nil {
		t.Fatal(err)
	}
	m := v.summaryMarker(before, true)
	var got []string
	for _, d := range m.Done {
		got = append(got, d.Policy)
	}
	if got, want := strings.Join(got, " "), hash(16, "p1")+" b"; got != want {
		t.Errorf("done: %s, want %s", got, want)
	}
}
