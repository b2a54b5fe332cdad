package diff

import "testing"

func TestStatusMarker(t *testing.T) {
	got := ""
	for _, s := range []Status{Modified, Added, Deleted, Renamed, Copied, Status(99)} {
		got += string(s.Marker())
	}
	if want := "~+->>~"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestChunkLocation(t *testing.T) {
	c := Chunk{Path: "a/b.go", StartLine: 3, EndLine: 9}
	if got, want := c.Location(), "a/b.go:3-9"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
