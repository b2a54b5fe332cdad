package diff

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Large and senseless input is read, or refused, within seconds: nothing is
// quadratic. The bound is generous, for slow machines.
func TestLargeInput(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	const large, size = 50 << 20, 10 << 20
	lines := func(prefix string) string { return strings.Repeat(prefix+strings.Repeat("x", 48)+"\n", large/50) }
	names := "--- a/f\n+++ b/f\n"
	tests := []struct {
		name, patch string
		wantErr     string
		files       int
		wantSkip    Reason
	}{
		{"many files", strings.Repeat("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-"+strings.Repeat("x", 400)+"\n+y\n c\n", large/480), "", large / 480, ""},
		{"one hunk", names + fmt.Sprintf("@@ -0,0 +1,%d @@\n", large/50) + lines("+"), "", 1, ReasonTooLarge},
		{"one line", names + "@@ -1 +1 @@\n-a\n+" + strings.Repeat("x", large) + "\n", "", 1, ReasonTooLarge},
		{"a line of 5 MB", names + "@@ -1 +1 @@\n-a\n+" + strings.Repeat("x", 5e6) + "\n", "", 1, ReasonTooLarge},
		{"wrong count", names + "@@ -0,0 +1,5 @@\n" + lines("+"), "one more than the hunk header", 0, ""},
		{"no diff", lines("hello "), "no unified diff", 0, ""},
		{"no newline", strings.Repeat("x", size), "no unified diff", 0, ""},
		{"only newlines", strings.Repeat("\n", size), "", 0, ""},
		{"only names", strings.Repeat("--- a\n", size/6), "no unified diff", 0, ""},
		{"only git lines", strings.Repeat("diff --git a/x b/x\n", size/200), "", size / 200, ReasonNoContent},
		{"git line of spaces", "diff --git " + strings.Repeat(" x", size/2), "cannot tell", 0, ""},
		{"binary line", "Binary files " + strings.Repeat(" and ", size/5) + " differ\n", "no unified diff", 0, ""},
		{"open quote", `diff --git "` + strings.Repeat("x", size), "no closing quote", 0, ""},
		{"only hunk headers", strings.Repeat("@@ -1 +1 @@\n", size/12), "belongs to no file", 0, ""},
		{"zeros", string(make([]byte, size)), "no unified diff", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			files, err := Parse([]byte(tt.patch))
			if tt.wantErr == "" && err != nil || tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr) || len(err.Error()) > 1000) {
				t.Fatalf("got error %.300v, want %q", err, tt.wantErr)
			}
			if len(files) != tt.files {
				t.Errorf("got %d files, want %d", len(files), tt.files)
			}
			for _, f := range files {
				var got Reason
				if p := (Chunking{}).Plan(f, nil); p.Skip != nil {
					got = p.Skip.Reason
				}
				if got != tt.wantSkip {
					t.Fatalf("got reason %q, want %q", got, tt.wantSkip)
				}
			}
			d := time.Since(start)
			t.Log(d)
			if d > 20*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
	start := time.Now()
	f := File{Path: "f", Load: func() ([]byte, error) { return bytes.Repeat([]byte("x\n"), large/2), nil }}
	if p := (Chunking{}).Plan(f, nil); p.Skip == nil || p.Skip.Reason != ReasonTooLarge {
		t.Errorf("whole file: got %+v", p.Skip)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("whole file: took %v", d)
	}
}
