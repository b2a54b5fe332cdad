package review

import (
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// block returns the lines of the suggestion in a comment, as a host reads it.
func block(body string) (lines []string, ok bool) {
	fence := ""
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case fence == "" && strings.HasPrefix(line, "```") && strings.HasPrefix(strings.TrimLeft(line, "`"), "suggestion"):
			fence, _, _ = strings.Cut(line, "suggestion")
		case fence != "" && strings.HasPrefix(line, fence) && strings.Trim(line, "`") == "":
			return lines, true
		case fence != "":
			lines = append(lines, line)
		}
	}
	return nil, false
}

// takeOver replaces the commented lines by those of a block, as a host does.
func takeOver(text string, c *Comment, lines []string) string {
	start := c.Line
	if c.StartLine > 0 {
		start = c.StartLine
	}
	text, ended := strings.CutSuffix(text, "\n")
	fixed := slices.Replace(strings.Split(text, "\n"), start-1, c.Line, lines...)
	if len(fixed) == 0 {
		return ""
	}
	text = strings.Join(fixed, "\n")
	if ended {
		text += "\n"
	}
	return text
}

// edited returns a text with edits.
func edited(text string, edits []scanner.Edit) string {
	text, ended := strings.CutSuffix(text, "\n")
	lines := strings.Split(text, "\n")
	for _, e := range slices.Backward(edits) {
		lines = slices.Replace(lines, e.Line-1, e.Line-1+len(e.Old), e.New...)
	}
	text = strings.Join(lines, "\n")
	if ended && len(lines) > 0 {
		text += "\n"
	}
	return text
}

const ten = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

func TestSuggestions(t *testing.T) {
	type edits = []scanner.Edit
	lines := func(s ...string) []string { return s }
	edit := func(line int, old, replacement []string) scanner.Edit {
		return scanner.Edit{Line: line, Old: old, New: replacement}
	}
	tests := []struct {
		name       string
		text       string // of the file; all of its lines are new
		start, end int
		edits      edits
		offered    bool // else the fix must be shown as a diff
	}{
		{"one line", ten, 4, 0, edits{edit(4, lines("four"), lines("FOUR"))}, true},
		{"several lines", ten, 4, 6, edits{edit(4, lines("four", "five", "six"), lines("4", "5", "6"))}, true},
		{"fewer lines", ten, 4, 6, edits{edit(4, lines("four", "five", "six"), lines("rest"))}, true},
		{"more lines", ten, 4, 0, edits{edit(4, lines("four"), lines("4", "4.5", ""))}, true},
		{"part of the range", ten, 3, 7, edits{edit(5, lines("five"), lines("5"))}, true},
		{"two edits", ten, 3, 8, edits{edit(3, lines("three"), lines("3")), edit(8, lines("eight"), lines("8"))}, true},
		{"insert before", ten, 4, 0, edits{edit(4, nil, lines("new"))}, true},
		{"insert behind", ten, 4, 0, edits{edit(5, nil, lines("new"))}, true},
		{"insert a blank line", ten, 4, 0, edits{edit(5, nil, lines(""))}, true},
		{"delete a line", ten, 4, 0, edits{edit(4, lines("four"), nil)}, true},
		{"delete lines", ten, 4, 5, edits{edit(4, lines("four", "five"), nil)}, true},
		{"replace by a blank line", ten, 4, 0, edits{edit(4, lines("four"), lines(""))}, true},
		{"first line", ten, 1, 0, edits{edit(1, lines("one"), lines("1"))}, true},
		{"last line", ten, 10, 0, edits{edit(10, lines("ten"), lines("10"))}, true},
		{"behind the last line", ten, 10, 0, edits{edit(11, nil, lines("eleven"))}, true},
		{"delete the last line", ten, 10, 0, edits{edit(10, lines("ten"), nil)}, true},
		{"backticks", "a\n```\nb\n", 3, 0, edits{edit(3, lines("b"), lines("````b``"))}, true},
		{"fence as a line", "a\nb\n", 2, 0, edits{edit(2, lines("b"), lines("```", "```suggestion"))}, true},
		{"tabs and spaces", "\tif x {\n\t  y  \n\t}\n", 2, 0, edits{edit(2, lines("\t  y  "), lines("\t\tz \t"))}, true},
		{"HTML and entities", "<!-- a -->\n", 1, 0, edits{edit(1, lines("<!-- a -->"), lines("<b>&amp;</b> @alice -->"))}, true},
		{"unicode", "größe\n", 1, 0, edits{edit(1, lines("größe"), lines("größer ☂"))}, true},
		{"decorators and comments", "a\n", 1, 0, edits{edit(1, lines("a"), lines("@app.route('/x')", "@Input() x", "// @alice", " * /x/y", "//x", "1/x", "@", "me@example.com is"))}, true},
		{"no final newline, kept", "a\nb", 2, 0, edits{edit(2, lines("b"), lines("c"))}, true},
		{"no final newline, another line", "a\nb", 1, 0, edits{edit(1, lines("a"), lines("x"))}, true},

		{"command to a bot", ten, 4, 0, edits{edit(4, lines("four"), lines("/approve"))}, false},
		{"indented command to a bot", ten, 4, 0, edits{edit(4, lines("four"), lines("4", "\u00a0\t@dependabot merge"))}, false},
		{"command that was there", "/lgtm\na\n", 1, 2, edits{edit(2, lines("a"), lines("b"))}, false},
		{"command within a line", ten, 4, 0, edits{edit(4, lines("four"), lines("x // @dependabot merge"))}, false},
		{"slash within a line", ten, 4, 0, edits{edit(4, lines("four"), lines("# /approve"))}, false},
		{"mention alone", ten, 4, 0, edits{edit(4, lines("four"), lines("@claude"))}, false},
		{"no edits", ten, 4, 0, nil, false},
		{"outside the commented lines", ten, 4, 0, edits{edit(5, lines("five"), lines("5"))}, false},
		{"before the commented lines", ten, 4, 0, edits{edit(3, lines("three"), lines("3"))}, false},
		{"more than the commented lines", ten, 4, 0, edits{edit(4, lines("four", "five"), lines("4", "5"))}, false},
		{"one edit outside", ten, 4, 0, edits{edit(4, lines("four"), lines("4")), edit(9, lines("nine"), lines("9"))}, false},
		{"text that is not there", ten, 4, 0, edits{edit(4, lines("fourth"), lines("4"))}, false},
		{"edits that overlap", ten, 3, 6, edits{edit(4, lines("four", "five"), lines("4")), edit(5, lines("five"), lines("5"))}, false},
		{"nothing changes", ten, 4, 0, edits{edit(4, lines("four"), lines("four"))}, false},
		{"CRLF", "a\r\nb\r\n", 2, 0, edits{edit(2, lines("b\r"), lines("c\r"))}, false},
		{"CRLF added", "a\nb\n", 2, 0, edits{edit(2, lines("b"), lines("c\r"))}, false},
		{"CRLF removed", "a\nb\r\n", 2, 0, edits{edit(2, lines("b\r"), lines("c"))}, false},
		{"last line deleted without final newline", "a\nb", 2, 0, edits{edit(2, lines("b"), nil)}, false},
		{"hidden characters", ten, 4, 0, edits{edit(4, lines("four"), lines("if admin\u202e { \u2066"))}, false},
		{"not UTF-8", ten, 4, 0, edits{edit(4, lines("four"), lines("\xff"))}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := found("x", "f.txt", tt.start, tt.end)
			f.SuggestedFix = &scanner.SuggestedFix{Description: "d", Diff: "@@ -4 +4 @@\n-four\n+4\n", Edits: tt.edits}
			r := resultOf(t, skillOf("s", f))
			r.Files = parse(t, newFile("f.txt", tt.text))
			c := render(t, r).Comments[0]
			lines, ok := block(c.Body)
			if ok != tt.offered {
				t.Fatalf("suggestion %t, want %t\n%s", ok, tt.offered, c.Body)
			}
			if !ok && !strings.Contains(c.Body, "```diff\n") {
				t.Errorf("the fix is not shown:\n%s", c.Body)
			}
			if got, want := takeOver(tt.text, c, lines), edited(tt.text, tt.edits); ok && got != want {
				t.Errorf("fixed file %q, want %q", got, want)
			}
			r.Flavor.Suggestion = nil
			if _, ok := block(render(t, r).Comments[0].Body); ok {
				t.Error("a suggestion for a host that has none")
			}
		})
	}
}

// FuzzSuggestion looks for a block that does not do what the fix does.
func FuzzSuggestion(f *testing.F) {
	f.Add(ten, "4", 4, 4, 4, 1)
	f.Add("a\nb", "", 1, 2, 2, 1)
	f.Fuzz(func(t *testing.T, text, change string, start, end, line, old int) {
		n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		if text == "" || start < 1 || end < start || end > n || line < 1 || old < 0 || old > n || line+old > n+1 {
			return
		}
		files, err := diff.Parse([]byte(newFile("f.txt", text)))
		if err != nil || len(files) != 1 || len(files[0].Hunks) != 1 {
			return
		}
		all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		e := scanner.Edit{Line: line, Old: all[line-1 : line-1+old]}
		if change != "" {
			e.New = strings.Split(change, "\n")
		}
		finding := found("x", "f.txt", start, end)
		at := place(&finding, newLinesOf(files))
		if at == nil {
			return
		}
		v := &view{Result: &Result{Flavor: flavor}}
		lines, ok := block(v.fixText(&scanner.SuggestedFix{Description: "d", Edits: []scanner.Edit{e}}, at))
		if !ok {
			return
		}
		if got, want := takeOver(text, &Comment{StartLine: at.start, Line: at.end}, lines), edited(text, []scanner.Edit{e}); got != want {
			t.Fatalf("taken over: %q, want %q", got, want)
		}
	})
}
