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
