package diff

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// numbered returns the lines "line 1" to "line n", with changes by number.
func numbered(n int, changes map[int]string) []string {
	var lines []string
	for i := 1; i <= n; i++ {
		l := fmt.Sprintf("line %d\n", i)
		if c, ok := changes[i]; ok {
			l = c
		}
		if l != "" {
			lines = append(lines, strings.SplitAfter(strings.TrimSuffix(l, "\n"), "\n")...)
			lines[len(lines)-1] += "\n"
		}
	}
	return lines
}

// changed returns the parsed change from a to b, and the tree with b in it.
func changed(t testing.TB, a, b []string, context int) (File, fstest.MapFS) {
	t.Helper()
	files, err := Parse([]byte(unified("f.go", a, b, context)))
	if err != nil {
		t.Fatal(err)
	}
	return files[0], fstest.MapFS{"f.go": {Data: []byte(strings.Join(b, ""))}}
}

// render writes chunks down: a header, and each line with its two numbers.
func render(t testing.TB, chunks []Chunk) string {
	t.Helper()
	var b strings.Builder
	for i := range chunks {
		c := &chunks[i]
		fmt.Fprintf(&b, "#%d %s:%d-%d", c.Index, c.Path, c.StartLine, c.EndLine)
		if c.Section != "" {
			fmt.Fprintf(&b, " %s", c.Section)
		}
		b.WriteString("\n")
		text, err := c.Text()
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []struct {
			mark  string
			lines []Line
		}{{"<", text.Before}, {"", text.Lines}, {">", text.After}} {
			for _, l := range part.lines {
				fmt.Fprintf(&b, "%s%c %d %d %s", part.mark, l.Op, l.Old, l.New, l.Text)
				if l.NoEOL {
					b.WriteString(" (no EOL)")
				}
				b.WriteString("\n")
			}
		}
	}
	return b.String()
}

func ranges(chunks []Chunk) string {
	var parts []string
	for _, c := range chunks {
		parts = append(parts, fmt.Sprintf("%d-%d", c.StartLine, c.EndLine))
	}
	return strings.Join(parts, " ")
}

func TestPlanLines(t *testing.T) {
	small := Chunking{ContextLines: 2}
	tests := []struct {
		name     string
		chunking Chunking
		old, new []string
		context  int
		fs       bool
		want     string
	}{
		{"one change with context", small, numbered(20, nil), numbered(20, map[int]string{10: "new\n"}), 1, true, `#0 f.go:9-11 func name8()
<  7 7 line 7
<  8 8 line 8
  9 9 line 9
- 10 0 line 10
+ 0 10 new
  11 11 line 11
>  12 12 line 12
>  13 13 line 13
`},
		{"no file, no context", small, numbered(20, nil), numbered(20, map[int]string{10: "new\n"}), 1, false, `#0 f.go:9-11 func name8()
  9 9 line 9
- 10 0 line 10
+ 0 10 new
  11 11 line 11
`},
		{"gap closed, old numbers shifted", small, numbered(12, nil), numbered(12, map[int]string{3: "a\nb\n", 9: "c\n"}), 1, true, `#0 f.go:2-11 func name1()
<  1 1 line 1
  2 2 line 2
- 3 0 line 3
+ 0 3 a
+ 0 4 b
  4 5 line 4
  5 6 line 5
  6 7 line 6
  7 8 line 7
  8 9 line 8
- 9 0 line 9
+ 0 10 c
  10 11 line 10
>  11 12 line 11
>  12 13 line 12
`},
		{"gap open without the file", small, numbered(12, nil), numbered(12, map[int]string{3: "a\nb\n", 9: "c\n"}), 1, false, `#0 f.go:2-11 func name1()
  2 2 line 2
- 3 0 line 3
+ 0 3 a
+ 0 4 b
  4 5 line 4
  8 9 line 8
- 9 0 line 9
+ 0 10 c
  10 11 line 10
`},
		{"not merged; the neighbor's lines as context, old numbers known outside hunks",
			Chunking{ContextLines: 3, Coalesce: Coalesce{Disabled: true}},
			numbered(12, nil), numbered(12, map[int]string{3: "a\nb\n", 8: "c\n"}), 1, true, `#0 f.go:2-5 func name1()
<  1 1 line 1
  2 2 line 2
- 3 0 line 3
+ 0 3 a
+ 0 4 b
  4 5 line 4
>  5 6 line 5
>  6 7 line 6
>  0 8 line 7
#1 f.go:8-10 func name8()
<  0 5 line 4
<  5 6 line 5
<  6 7 line 6
  7 8 line 7
- 8 0 line 8
+ 0 9 c
  9 10 line 9
>  10 11 line 10
>  11 12 line 11
>  12 13 line 12
`},
		{"pure deletion", small, numbered(9, nil), numbered(9, map[int]string{5: ""}), 0, true, `#0 f.go:4-5 func name4()
<  3 3 line 3
<  4 4 line 4
- 5 0 line 5
>  6 5 line 6
>  7 6 line 7
`},
		{"pure deletion at the head", small, numbered(4, nil), numbered(4, map[int]string{1: ""}), 0, true, `#0 f.go:1-1 func name0()
- 1 0 line 1
>  2 1 line 2
>  3 2 line 3
`},
		{"pure deletion at the tail", small, numbered(4, nil), numbered(4, map[int]string{4: ""}), 0, true, `#0 f.go:3-3 func name3()
<  2 2 line 2
<  3 3 line 3
- 4 0 line 4
`},
		{"pure deletion at the tail, no file", small, numbered(4, nil), numbered(4, map[int]string{4: ""}), 0, false, `#0 f.go:3-4 func name3()
- 4 0 line 4
`},
		{"emptied", small, numbered(2, nil), nil, 3, true, `#0 f.go:1-1 func name0()
- 1 0 line 1
- 2 0 line 2
`},
		{"line endings", small, []string{"a\r\n", "b\rc\n", "d"}, []string{"a\r\n", "b\rc\n", "e\r\n", "f\r"}, 3, true, `#0 f.go:1-4 func name0()
  1 1 a
` + "  2 2 b\rc" + `
- 3 0 d (no EOL)
+ 0 3 e
` + "+ 0 4 f\r (no EOL)" + `
`},
		{"whole file", Chunking{FilePatterns: []FilePattern{{"*.go", ModeWholeFile}}}, numbered(6, nil), numbered(6, map[int]string{2: "a\nb\n", 5: "c\n"}), 0, true, `#0 f.go:1-7
  1 1 line 1
- 2 0 line 2
+ 0 2 a
+ 0 3 b
  3 4 line 3
  4 5 line 4
- 5 0 line 5
+ 0 6 c
  6 7 line 6
`},
		{"whole file without the file", Chunking{FilePatterns: []FilePattern{{"*.go", ModeWholeFile}}}, numbered(6, nil), numbered(6, map[int]string{2: "a\n"}), 0, false, `#0 f.go:2-2 func name1()
- 2 0 line 2
+ 0 2 a
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, fsys := changed(t, tt.old, tt.new, tt.context)
			var tree fs.FS
			if tt.fs {
				tree = fsys
			}
			p := tt.chunking.Plan(f, tree)
			if p.Skip != nil {
				t.Fatalf("skipped: %+v", p.Skip)
			}
			if d := cmp.Diff(render(t, p.Chunks), tt.want); d != "" {
				t.Errorf("got -, want +\n%s", d)
			}
		})
	}
}

// Contents that are not those of the diff are not shown.
func TestPlanOtherContents(t *testing.T) {
	f, fsys := changed(t, numbered(30, nil), numbered(30, map[int]string{3: "a\n", 20: "b\n"}), 1)
	want := render(t, Chunking{}.Plan(f, nil).Chunks)
	right := string(fsys["f.go"].Data)
	for name, data := range map[string]string{
		"empty":           "",
		"a line too many": "x\n" + right,
		"cut":             right[:50],
		"other line":      strings.Replace(right, "line 21\n", "line x\n", 1),
		"binary":          "\x00",
	} {
		tree := fstest.MapFS{"f.go": {Data: []byte(data)}}
		p := Chunking{}.Plan(f, tree)
		if p.Skip != nil {
			t.Errorf("%s: skipped: %+v", name, p.Skip)
		}
		if d := cmp.Diff(render(t, p.Chunks), want); d != "" {
			t.Errorf("%s: got -, want +\n%s", name, d)
		}
	}
	// Converted line endings are the same contents.
	tree := fstest.MapFS{"f.go": {Data: []byte(strings.ReplaceAll(right, "\n", "\r\n"))}}
	got := render(t, Chunking{}.Plan(f, tree).Chunks)
	if d := cmp.Diff(got, render(t, Chunking{}.Plan(f, fsys).Chunks)); d != "" {
		t.Errorf("converted line endings: got -, want +\n%s", d)
	}
	for name, tree := range map[string]fs.FS{
		"missing":   fstest.MapFS{},
		"directory": fstest.MapFS{"f.go/x": {}},
		"link":      fstest.MapFS{"f.go": {Data: []byte(right), Mode: fs.ModeSymlink}},
	} {
		if d := cmp.Diff(render(t, Chunking{}.Plan(f, tree).Chunks), want); d != "" {
			t.Errorf("%s: got -, want +\n%s", name, d)
		}
	}
}

// maxGapLines counts the lines between the edges of two hunks.
func TestPlanGaps(t *testing.T) {
	tests := []struct {
		name string
		c    Coalesce
		gap  int
		want string
	}{
		{"30 merge", Coalesce{}, 30, "7-47"},
		{"31 do not", Coalesce{}, 31, "7-13 45-48"},
		{"limit of 5", Coalesce{MaxGapLines: 5}, 5, "7-22"},
		{"above the limit of 5", Coalesce{MaxGapLines: 5}, 6, "7-13 20-23"},
		{"none", Coalesce{MaxGapLines: -1}, 1, "7-13 15-18"},
		{"none, no gap", Coalesce{MaxGapLines: -1}, 0, "7-17"},
		{"disabled", Coalesce{Disabled: true}, 0, "7-13 14-17"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// Two hunks with three lines of context: 7-13, and one that ends
			// with the file.
			second := 14 + tt.gap
			f := File{Path: "f.go", Hunks: []Hunk{
				{7, 7, 7, 7, "", " a\n b\n c\n-d\n+e\n f\n g\n h\n"},
				{second, 4, second, 4, "", " a\n b\n c\n-d\n+e\n"},
			}}
			p := tt.c.plan(f, nil)
			if got := ranges(p.Chunks); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func (c Coalesce) plan(f File, fsys fs.FS) Plan { return Chunking{Coalesce: c}.Plan(f, fsys) }

// A chunk of exactly the largest size is allowed, the text of the gap included.
func TestPlanSize(t *testing.T) {
	old := numbered(40, nil)
	edited := numbered(40, map[int]string{10: "ä\n", 20: "b\n"})
	f, fsys := changed(t, old, edited, 0)
	// "line 10" and "ä", 9 lines of 8, "line 20" and "b", each with its ending.
	size := 8 + 2 + 9*8 + 8 + 2
	if got := ranges((Coalesce{MaxChunkSize: size}).plan(f, fsys).Chunks); got != "10-20" {
		t.Errorf("at the limit: got %s, want one chunk", got)
	}
	if got := ranges((Coalesce{MaxChunkSize: size - 1}).plan(f, fsys).Chunks); got != "10-10 20-20" {
		t.Errorf("above the limit: got %s, want two chunks", got)
	}
	// Without the file the gap has no text.
	if got := ranges((Coalesce{MaxChunkSize: 20}).plan(f, nil).Chunks); got != "10-20" {
		t.Errorf("open gap: got %s, want one chunk", got)
	}
	// A hunk of exactly the largest size is not split.
	f, _ = changed(t, nil, numbered(9, nil), 0)
	if got := ranges((Coalesce{MaxChunkSize: 9 * 7}).plan(f, nil).Chunks); got != "1-9" {
		t.Errorf("a hunk at the limit: got %s, want one chunk", got)
	}
	if got := len((Coalesce{MaxChunkSize: 9*7 - 1}).plan(f, nil).Chunks); got != 2 {
		t.Errorf("a hunk above the limit: got %d chunks, want 2", got)
	}
}

// The zero value is the documented default: 8000 runes, 20 lines.
func TestPlanDefaults(t *testing.T) {
	// 1000 lines of 8 runes.
	lines := slices.Repeat([]string{"1234567\n"}, 1000)
	f, _ := changed(t, nil, lines, 0)
	if got := ranges(Chunking{}.Plan(f, nil).Chunks); got != "1-1000" {
		t.Errorf("8000 runes: got %s, want one chunk", got)
	}
	f, fsys := changed(t, nil, append(lines, "x\n"), 0)
	p := Chunking{}.Plan(f, fsys)
	if len(p.Chunks) != 2 {
		t.Fatalf("8002 runes: got %s, want two chunks", ranges(p.Chunks))
	}
	text, err := p.Chunks[1].Text()
	if err != nil || len(text.Before) != 20 || len(text.After) != 0 {
		t.Errorf("got %d lines before and %d after, %v, want 20 and 0", len(text.Before), len(text.After), err)
	}
	p = Chunking{ContextLines: NoContext}.Plan(f, fsys)
	if text, _ := p.Chunks[1].Text(); len(text.Before)+len(text.After) != 0 {
		t.Errorf("got %d lines around the chunk, want none", len(text.Before)+len(text.After))
	}
}

// Chunks of whole-file mode that are too large are split, all parts are kept.
func TestPlanWholeFileSplit(t *testing.T) {
	f, fsys := changed(t, numbered(99, nil), numbered(99, map[int]string{50: "new\n"}), 3)
	c := Chunking{FilePatterns: []FilePattern{{"f.go", ModeWholeFile}}, Coalesce: Coalesce{MaxChunkSize: 300}}
	p := c.Plan(f, fsys)
	if len(p.Chunks) < 3 || p.Chunks[0].StartLine != 1 || p.Chunks[len(p.Chunks)-1].EndLine != 99 {
		t.Errorf("got %s", ranges(p.Chunks))
	}
	added := 0
	for i := range p.Chunks {
		text, _ := p.Chunks[i].Text()
		for range text.Added() {
			added++
		}
	}
	if added != 1 {
		t.Errorf("got %d added lines, want 1", added)
	}
}

// Where hunks were taken out of a diff, old numbers between them are not known.
func TestPlanFilteredDiff(t *testing.T) {
	f := File{Path: "f.go", Hunks: []Hunk{
		{1, 1, 1, 1, "", "-a\n+line 1\n"},
		{3, 1, 4, 1, "", "-a\n+line 4\n"},
	}}
	fsys := fstest.MapFS{"f.go": {Data: []byte(strings.Join(numbered(4, nil), ""))}}
	want := `#0 f.go:1-4
- 1 0 a
+ 0 1 line 1
  0 2 line 2
  0 3 line 3
- 3 0 a
+ 0 4 line 4
`
	if d := cmp.Diff(render(t, Chunking{}.Plan(f, fsys).Chunks), want); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
}

func TestTextSides(t *testing.T) {
	f, fsys := changed(t, numbered(9, nil), numbered(9, map[int]string{5: "a\nb\n"}), 1)
	p := Chunking{ContextLines: 1}.Plan(f, fsys)
	text, err := p.Chunks[0].Text()
	if err != nil {
		t.Fatal(err)
	}
	var all, added []int
	for l := range text.NewSide() {
		all = append(all, l.New)
		if l.New == 7 {
			break
		}
	}
	for l := range text.Added() {
		added = append(added, l.New)
		if l.New == 6 {
			break
		}
	}
	if d := cmp.Diff([][]int{all, added}, [][]int{{3, 4, 5, 6, 7}, {5, 6}}); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
}

func TestChunkingValidate(t *testing.T) {
	pattern := func(p, mode string) Chunking {
		return Chunking{FilePatterns: []FilePattern{{"*.go", ModeSkip}, {p, FileMode(mode)}}}
	}
	tests := []struct {
		name string
		c    Chunking
		want string
	}{
		{"zero", Chunking{}, ""},
		{"all set", Chunking{
			FilePatterns: []FilePattern{{"a", ""}, {"b", ModePerChunk}, {"c/**", ModeWholeFile}}, IgnorePaths: []string{"x"},
			Coalesce: Coalesce{MaxGapLines: NoGap, MaxChunkSize: 1}, ContextLines: NoContext,
		}, ""},
		{"glob", pattern("[", ""), `chunking.filePatterns[1].pattern: glob "["`},
		{"mode", pattern("x", "some"), `chunking.filePatterns[1].mode: "some" is not skip, per-chunk or whole-file`},
		{"ignored", Chunking{IgnorePaths: []string{"a", "{"}}, `ignorePaths[1]: glob "{"`},
		{"gap", Chunking{Coalesce: Coalesce{MaxGapLines: -2}}, "chunking.coalesce.maxGapLines: -2"},
		{"size", Chunking{Coalesce: Coalesce{MaxChunkSize: -1}}, "chunking.coalesce.maxChunkSize: -1"},
		{"context", Chunking{ContextLines: -2}, "context lines: -2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.c.Validate()
			if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
