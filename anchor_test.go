package scanner

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
)

// anchored is the text that the cases below are about: the chunk is lines 10 to
// 19 of the new side; "^" marks context around it.
var anchored = parseText(8, `
^ 	a.Lock()
^ }
  func f() {
- 	check(err)
- 	old := x
+ 	v := m[k]
+ 	use(v)
  	if err != nil {
  		return err
  	}
+ 	v := m[k]
+ 	log.Printf("%d items", n)

+ 	return nil
^ }
^ 	v := m[k]
`)

// parseText reads lines with an operator each; an empty line is a blank line of
// context.
func parseText(first int, s string) diff.Text {
	var text diff.Text
	n := first
	for l := range strings.SplitSeq(strings.Trim(s, "\n"), "\n") {
		op, rest := byte(' '), ""
		if len(l) > 1 {
			op, rest = l[0], l[2:]
		}
		line := diff.Line{Op: diff.Op(op), Text: rest, New: n}
		switch op {
		case '-':
			line.New = 0
			text.Lines = append(text.Lines, line)
			continue
		case '^':
			line.Op = diff.Context
			if len(text.Lines) == 0 {
				text.Before = append(text.Before, line)
			} else {
				text.After = append(text.After, line)
			}
		default:
			text.Lines = append(text.Lines, line)
		}
		n++
	}
	return text
}

func TestLocate(t *testing.T) {
	tests := []struct {
		name       string
		quote      string
		start, end int
		wantStart  int
		wantEnd    int
		fails      bool
	}{
		{"number alone", "", 12, 0, 12, 12, false},
		{"range alone", "", 12, 14, 12, 14, false},
		{"end before start", "", 12, 3, 12, 12, false},
		{"neither", "", 0, 0, 0, 0, false},
		{"negative number alone", "", -4, 0, 0, 0, false},
		{"blank quote counts as none", " \n\t", 13, 0, 13, 13, false},
		{"exact, number right", "\tuse(v)", 12, 0, 12, 12, false},
		{"exact, number wrong by 1", "\tuse(v)", 13, 0, 12, 12, false},
		{"exact, number wrong by 200", "\tuse(v)", 212, 0, 12, 12, false},
		{"exact, no number", "\tuse(v)", 0, 0, 12, 12, false},
		{"other white space", "use( v )", 3, 0, 12, 12, false},
		{"trailing carriage return", "\tuse(v)\r\n", 3, 0, 12, 12, false},
		{"spaces for tab", "    use(v)", 3, 0, 12, 12, false},
		{"byte order mark in the quote", "\ufeff\tuse(v)", 3, 0, 12, 12, false},
		{"twice, nearest below", "v := m[k]", 11, 0, 11, 11, false},
		{"twice, nearest above", "v := m[k]", 18, 0, 16, 16, false},
		{"twice, nearest is context around the chunk", "\tv := m[k]", 21, 0, 21, 21, false},
		{"twice, no number", "v := m[k]", 0, 0, 11, 11, false},
		{"several lines", "\tv := m[k]\n\tuse(v)", 0, 0, 11, 12, false},
		{"several lines distinguish equal ones", "v := m[k]\nlog.Printf(\"%d items\", n)", 1, 0, 16, 17, false},
		{"several lines, blank ones around", "\n\n\tuse(v)\n\tif err != nil {\n\n", 0, 0, 12, 13, false},
		{"lines left out in the middle", "func f() {\n...\nreturn nil", 0, 0, 10, 10, false},
		{"part of a line", `Printf("%d items"`, 0, 0, 17, 17, false},
		{"a short part is everywhere", "v", 12, 0, 0, 0, true},
		{"line number copied along", "17  log.Printf(\"%d items\", n)", 0, 0, 17, 17, false},
		{"number and marker copied along", "17 + \tlog.Printf(\"%d items\", n)", 0, 0, 17, 17, false},
		{"number and bar copied along", "17 | log.Printf(\"%d items\", n)", 0, 0, 17, 17, false},
		{"marker copied along", "+\tuse(v)", 0, 0, 12, 12, false},
		{"code quotes", "`use(v)`", 0, 0, 12, 12, false},
		{"deleted line", "\tcheck(err)", 0, 0, 11, 11, false},
		{"deleted lines", "\tcheck(err)\n\told := x", 4, 0, 11, 11, false},
		{"deleted line with its marker", "-\tcheck(err)", 4, 0, 11, 11, false},
		{"deleted line after context", "func f() {\n\tcheck(err)", 4, 0, 10, 11, false},
		{"range around the quote", "\tuse(v)", 10, 15, 12, 15, false},
		{"range shifted to the quote", "\tuse(v)", 30, 32, 12, 14, false},
		{"range, quote of several lines", "\tuse(v)\n\tif err != nil {", 30, 40, 12, 13, false},
		{"context before the chunk", "a.Lock()", 0, 0, 8, 8, false},
		{"context after the chunk", "}", 20, 0, 20, 20, false},
		{"is nowhere", "panic(err)", 12, 0, 0, 0, true},
		{"is nowhere, several lines", "panic(err)\npanic(err)", 12, 0, 0, 0, true},
		{"only a marker", "+", 12, 0, 0, 0, true},
		{"other letter case", "USE(V)", 12, 0, 0, 0, true},
		{"several lines on one", "if err != nil { return err }", 30, 0, 13, 15, false},
		{"one line on several", "log.Printf(\n\t\"%d items\",\n\tn)", 1, 0, 17, 17, false},
		{"blank line left out", "log.Printf(\"%d items\", n)\nreturn nil", 1, 0, 17, 19, false},
		{"blank line made up", "use(v)\n\nif err != nil {", 1, 0, 12, 13, false},
		{"cut at the end", `log.Printf("%d...`, 1, 0, 17, 17, false},
		{"cut at the end, one character", `log.Printf("%d…`, 1, 0, 17, 17, false},
		{"cut at the start", "...items\", n)", 1, 0, 17, 17, false},
		{"fence around it", "```go\nlog.Printf(\"%d items\", n)\n```", 1, 0, 17, 17, false},
		{"line number in words", "Line 17: log.Printf(\"%d items\", n)", 1, 0, 17, 17, false},
		{"letter before the line number", "L17: log.Printf(\"%d items\", n)", 1, 0, 17, 17, false},
		{"as the prompt shows it", "17+|\tlog.Printf(\"%d items\", n)", 1, 0, 17, 17, false},
		{"several lines as the prompt shows them", "11+|\tv := m[k]\n12+|\tuse(v)\n13 |\tif err != nil {", 1, 0, 11, 13, false},
		{"removed line as the prompt shows it", "-|\told := x", 1, 0, 11, 11, false},
		{"old and new line as a diff has them", "-\told := x\n+\tv := m[k]", 1, 0, 11, 11, false},
		{"middle line wrong", "\tv := m[k]\n\tdrop(v)\n\tif err != nil {", 12, 0, 11, 11, false},
		{"first line wrong", "\tx := m[k]\n\tuse(v)", 12, 0, 0, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start, end, ok := NewAnchor(&diff.Chunk{StartLine: 10}, anchored).Locate(tt.quote, tt.start, tt.end)
			if start != tt.wantStart || end != tt.wantEnd || ok == tt.fails {
				t.Errorf("locate(%q, %d, %d) = %d, %d, %v; want %d, %d, %v",
					tt.quote, tt.start, tt.end, start, end, ok, tt.wantStart, tt.wantEnd, !tt.fails)
			}
		})
	}
}

// TestLocateInvisible is about lines with characters that the prompt shows as
// escapes.
func TestLocateInvisible(t *testing.T) {
	a := NewAnchor(&diff.Chunk{StartLine: 1}, diff.Text{Lines: []diff.Line{
		{Op: diff.Add, New: 1, Text: "\ufeffpackage x"},
		{Op: diff.Add, New: 2, Text: "// ⚠\ufe0f careful"},
		{Op: diff.Add, New: 3, Text: "if admin\u202e {"},
		{Op: diff.Add, New: 4, Text: "s := \"\xff\""},
		{Op: diff.Add, New: 5, Text: `t := "\u{202E}"`},
		{Op: diff.Add, New: 6, Text: "\ufeff"},
	}})
	for quote, want := range map[string]int{
		"package x":                1,
		`\u{FEFF}package x`:        1,
		"\ufeffpackage x":          1,
		"// ⚠\ufe0f careful":       2,
		"// ⚠ careful":             2,
		`// ⚠\u{FE0F} careful`:     2,
		`2+|// ⚠\u{FE0F} careful`:  2,
		"if admin {":               3,
		`if admin\u{202E} {`:       3,
		"if admin\u202e {":         3,
		`s := "\x{FF}"`:            4,
		"s := \"\ufffd\"":          4,
		`t := "\u{202E}"`:          5,
		"// ⚠ careful if admin {":  2,
		`t := "\u{202E}"` + "\n\n": 5,
	} {
		if start, _, ok := a.Locate(quote, 0, 0); start != want || !ok {
			t.Errorf("locate(%q) = %d, %v; want %d", quote, start, ok, want)
		}
	}
}

// TestLocateDeletedFirst shows that a whole line that is gone comes before a part
// of one that is there, and that one finds a place where the new side has no
// lines.
func TestLocateDeletedFirst(t *testing.T) {
	a := NewAnchor(&diff.Chunk{StartLine: 1}, diff.Text{Lines: []diff.Line{
		{Op: diff.Add, New: 1, Text: "return nilValue"},
		{Op: diff.Delete, Old: 5, Text: "return nil"},
		{Op: diff.Add, New: 2, Text: "return x"},
	}})
	if start, _, ok := a.Locate("return nil", 1, 0); start != 2 || !ok {
		t.Errorf("locate = %d, %v; want 2, where the line was", start, ok)
	}
	a = NewAnchor(&diff.Chunk{StartLine: 4}, diff.Text{Lines: []diff.Line{{Op: diff.Delete, Old: 5, Text: "return nil"}}})
	if start, end, ok := a.Locate("return nil", 5, 0); start != 4 || end != 4 || !ok {
		t.Errorf("locate = %d, %d, %v; want 4, the start of the chunk", start, end, ok)
	}
}

func TestAround(t *testing.T) {
	a := NewAnchor(&diff.Chunk{StartLine: 10}, anchored)
	tests := []struct {
		line int
		want PlaceText
	}{
		{12, PlaceText{"", "use(v)", "v:=m[k]", "iferr!=nil{"}},
		{17, PlaceText{"", `log.Printf("%ditems",n)`, "v:=m[k]", "returnnil"}}, // a blank line is passed over
		{8, PlaceText{"", "a.Lock()", "", "}"}},
		{21, PlaceText{"", "v:=m[k]", "}", ""}},
		{99, PlaceText{}},
	}
	for _, tt := range tests {
		if got := a.Text(tt.line); got != tt.want {
			t.Errorf("Text(%d) = %+v, want %+v", tt.line, got, tt.want)
		}
	}
}

// TestAroundGap shows that lines on the two sides of an open gap are no
// neighbors: whether the gap is known must not change an id.
func TestAroundGap(t *testing.T) {
	text := diff.Text{Lines: []diff.Line{
		{Op: diff.Add, New: 5, Text: "a"},
		{Op: diff.Add, New: 90, Text: "b"},
	}}
	if got, want := NewAnchor(&diff.Chunk{StartLine: 5}, text).Text(90), (PlaceText{Line: "b"}); got != want {
		t.Errorf("Text(90) = %+v, want %+v", got, want)
	}
}

func TestAssignIDs(t *testing.T) {
	type located struct {
		Finding
		PlaceText
	}
	at := func(line int, title string, text PlaceText) located {
		text.Path = "a.go"
		return located{Finding{Title: title, Location: &Location{Path: "a.go", StartLine: line}}, text}
	}
	assignIDs := func(skill string, found []located) []Finding {
		var findings []Finding
		var texts []PlaceText
		for _, f := range found {
			findings, texts = append(findings, f.Finding), append(texts, f.PlaceText)
		}
		ids, _ := AssignIDs(skill, findings, texts)
		return ids
	}
	ctx := PlaceText{"", "x", "w", "y"}
	base := []located{at(3, "Nil map", ctx), at(9, "Nil map", ctx), at(3, "nil map!", ctx), at(3, "Leak", ctx)}
	ids := assignIDs("s", base)
	for i, f := range ids {
		if len(f.ID) != 12 || strings.Trim(f.ID, "0123456789abcdef") != "" {
			t.Errorf("id %d is %q, want 12 hexadecimal digits", i, f.ID)
		}
	}
	if ids[0].ID == ids[1].ID {
		t.Error("two occurrences of equal lines share an id")
	}
	if ids[0].ID != ids[2].ID {
		t.Error("the same finding on the same line has two ids")
	}
	if ids[0].ID == ids[3].ID {
		t.Error("two problems on one line share an id")
	}

	shifted := assignIDs("s", []located{at(53, "Nil map", ctx), at(59, "Nil map", ctx)})
	if shifted[0].ID != ids[0].ID || shifted[1].ID != ids[1].ID {
		t.Error("ids changed when the code moved by 50 lines")
	}
	reversed := assignIDs("s", []located{at(9, "Nil map", ctx), at(3, "Nil map", ctx)})
	if reversed[1].ID != ids[0].ID || reversed[0].ID != ids[1].ID {
		t.Error("ids depend on the order of the findings")
	}
	for name, other := range map[string]Finding{
		"skill":        assignIDs("t", base)[0],
		"line text":    assignIDs("s", []located{at(3, "Nil map", PlaceText{"", "z", "w", "y"})})[0],
		"line before":  assignIDs("s", []located{at(3, "Nil map", PlaceText{"", "x", "z", "y"})})[0],
		"line after":   assignIDs("s", []located{at(3, "Nil map", PlaceText{"", "x", "w", "z"})})[0],
		"field limits": assignIDs("s", []located{at(3, "Nil map", PlaceText{"", "xw", "", "y"})})[0],
	} {
		if other.ID == ids[0].ID {
			t.Errorf("the id does not depend on the %s", name)
		}
	}
}

// BenchmarkLocate looks for quotes of many lines in a chunk whose lines are all
// the same, which is the worst there is.
func BenchmarkLocate(b *testing.B) {
	var text diff.Text
	for n := range 4000 {
		text.Lines = append(text.Lines, diff.Line{Op: diff.Add, New: n + 1, Text: "}"})
	}
	a := NewAnchor(&diff.Chunk{StartLine: 1}, text)
	for _, bm := range []struct {
		name, quote string
		ok          bool
	}{
		{"a line", "}", true},
		{"half of the lines", strings.Repeat("}\n", 2000), true},
		{"half of the lines on one", strings.Repeat("}", 2000), true},
		{"nowhere", strings.Repeat("}", 2000) + "x", false},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				if _, _, ok := a.Locate(bm.quote, 2000, 0); ok != bm.ok {
					b.Fatalf("found: %v", ok)
				}
			}
		})
	}
}
