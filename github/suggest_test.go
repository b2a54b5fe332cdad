package github

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/fix"
)

// block returns the lines of the suggestion in a comment, as the host reads it.
func block(body string) (lines []string, ok bool) {
	fence := ""
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case fence == "" && strings.HasPrefix(line, "```") && strings.TrimLeft(line, "`") == "suggestion":
			fence = strings.TrimSuffix(line, "suggestion")
		case fence != "" && strings.HasPrefix(line, fence) && strings.Trim(line, "`") == "":
			return lines, true
		case fence != "":
			lines = append(lines, line)
		}
	}
	return nil, false
}

// takeOver replaces the commented lines by those of a block, as the host does.
func takeOver(text string, c *Comment, lines []string) string {
	text, ended := strings.CutSuffix(text, "\n")
	all := strings.Split(text, "\n")
	start := c.Line
	if c.StartLine > 0 {
		start = c.StartLine
	}
	var fixed []string
	fixed = append(append(append(fixed, all[:start-1]...), lines...), all[c.Line:]...)
	if len(fixed) == 0 {
		return ""
	}
	text = strings.Join(fixed, "\n")
	if ended {
		text += "\n"
	}
	return text
}

const ten = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

func TestSuggestions(t *testing.T) {
	swap := func(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }
	tests := []struct {
		name       string
		text       string // of the file; all of its lines are new
		start, end int
		fix        string
		fixed      string // "" if the fix must be shown as a diff
	}{
		{"one line", ten, 4, 0, "@@ -4 +4 @@\n-four\n+FOUR\n", swap(ten, "four", "FOUR")},
		{"one line with context", ten, 4, 0, "@@ -3,3 +3,3 @@\n three\n-four\n+FOUR\n five\n", swap(ten, "four", "FOUR")},
		{"headers", ten, 4, 0, "diff --git a/f.txt b/f.txt\nindex 1..2 100644\n--- a/f.txt\n+++ b/f.txt\n@@ -4 +4 @@\n-four\n+FOUR\n", swap(ten, "four", "FOUR")},
		{"without a newline at the end", ten, 4, 0, "@@ -4 +4 @@\n-four\n+FOUR", swap(ten, "four", "FOUR")},
		{"wrong counts", ten, 4, 0, "@@ -4,9 +4,7 @@\n-four\n+FOUR\n", swap(ten, "four", "FOUR")},
		{"wrong line number", ten, 4, 0, "@@ -8 +8 @@\n-four\n+FOUR\n", swap(ten, "four", "FOUR")},
		{"no line number", ten, 4, 0, "@@ @@\n-four\n+FOUR\n", swap(ten, "four", "FOUR")},
		{"several lines", ten, 4, 6, "@@ -4,3 +4,3 @@\n-four\n-five\n-six\n+4\n+5\n+6\n", swap(ten, "four", "4", "five", "5", "six", "6")},
		{"fewer lines", ten, 4, 6, "@@ -4,3 +4 @@\n-four\n-five\n-six\n+rest\n", swap(ten, "four\nfive\nsix", "rest")},
		{"more lines", ten, 4, 0, "@@ -4 +4,3 @@\n-four\n+4\n+4.5\n+\n", swap(ten, "four", "4\n4.5\n")},
		{"part of the range", ten, 3, 7, "@@ -5 +5 @@\n-five\n+5\n", swap(ten, "five", "5")},
		{"two hunks", ten, 3, 8, "@@ -3 +3 @@\n-three\n+3\n@@ -8 +8 @@\n-eight\n+8\n", swap(ten, "three", "3", "eight", "8")},
		{"insert before", ten, 4, 0, "@@ -3,2 +3,3 @@\n three\n+new\n four\n", swap(ten, "four", "new\nfour")},
		{"insert behind", ten, 4, 0, "@@ -4,2 +4,3 @@\n four\n+new\n five\n", swap(ten, "four", "four\nnew")},
		{"insert a blank line", ten, 4, 0, "@@ -4 +4,2 @@\n four\n+\n", swap(ten, "four", "four\n")},
		{"delete a line", ten, 4, 0, "@@ -4 +3,0 @@\n-four\n", swap(ten, "four\n", "")},
		{"delete lines", ten, 4, 5, "@@ -3,4 +3,2 @@\n three\n-four\n-five\n six\n", swap(ten, "four\nfive\n", "")},
		{"replace by a blank line", ten, 4, 0, "@@ -4 +4 @@\n-four\n+\n", swap(ten, "four", "")},
		{"first line", ten, 1, 0, "@@ -1 +1 @@\n-one\n+1\n", swap(ten, "one", "1")},
		{"delete the first line", ten, 1, 0, "@@ -1,2 +1 @@\n-one\n two\n", swap(ten, "one\n", "")},
		{"last line", ten, 10, 0, "@@ -10 +10 @@\n-ten\n+10\n", swap(ten, "ten", "10")},
		{"behind the last line", ten, 10, 0, "@@ -10 +10,2 @@\n ten\n+eleven\n", ten + "eleven\n"},
		{"delete the last line", ten, 10, 0, "@@ -9,2 +9 @@\n nine\n-ten\n", swap(ten, "ten\n", "")},
		{"backticks", "a\n```\nb\n", 3, 0, "@@ -3 +3 @@\n-b\n+````b``\n", "a\n```\n````b``\n"},
		{"fence as a line", "a\nb\n", 2, 0, "@@ -2 +2,2 @@\n-b\n+```\n+```suggestion\n", "a\n```\n```suggestion\n"},
		{"tabs and spaces", "\tif x {\n\t  y  \n\t}\n", 2, 0, "@@ -2 +2 @@\n-\t  y  \n+\t\tz \t\n", "\tif x {\n\t\tz \t\n\t}\n"},
		{"HTML and entities", "<!-- a -->\n", 1, 0, "@@ -1 +1 @@\n-<!-- a -->\n+<b>&amp;</b> @alice -->\n", "<b>&amp;</b> @alice -->\n"},
		{"unicode", "größe\n", 1, 0, "@@ -1 +1 @@\n-größe\n+größer ☂\n", "größer ☂\n"},
		{"no final newline, kept", "a\nb", 2, 0, "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n", "a\nc"},
		{"no final newline, another line", "a\nb", 1, 0, "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n", "x\nb"},
		{"blank context line lost its space", "a\n\nb\n", 3, 0, "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nc\n"},

		{"outside the commented lines", ten, 4, 0, "@@ -5 +5 @@\n-five\n+5\n", ""},
		{"more than the commented lines", ten, 4, 0, "@@ -4,2 +4,2 @@\n-four\n-five\n+4\n+5\n", ""},
		{"one hunk outside", ten, 4, 0, "@@ -4 +4 @@\n-four\n+4\n@@ -9 +9 @@\n-nine\n+9\n", ""},
		{"text that is not there", ten, 4, 0, "@@ -4 +4 @@\n-fourth\n+4\n", ""},
		{"other white space", ten, 4, 0, "@@ -4 +4 @@\n-four \n+4\n", ""},
		{"insertion without context", ten, 4, 0, "@@ -4,0 +5 @@\n+new\n", ""},
		{"another file", ten, 4, 0, "--- a/g.txt\n+++ b/g.txt\n@@ -4 +4 @@\n-four\n+4\n", ""},
		{"two files", ten, 4, 0, "--- a/f.txt\n+++ b/f.txt\n@@ -4 +4 @@\n-four\n+4\n--- a/g.txt\n+++ b/g.txt\n@@ -4 +4 @@\n-four\n+4\n", ""},
		{"nothing changes", ten, 4, 0, "@@ -4 +4 @@\n-four\n+four\n", ""},
		{"no diff", ten, 4, 0, "Replace four by FOUR.", ""},
		{"prose behind", ten, 4, 0, "@@ -4 +4 @@\n-four\n+4\nThat is all.\n", ""},
		{"CRLF", "a\r\nb\r\n", 2, 0, "@@ -2 +2 @@\n-b\r\n+c\r\n", ""},
		{"CRLF added", "a\nb\n", 2, 0, "@@ -2 +2 @@\n-b\n+c\r\n", ""},
		{"final newline added", "a\nb", 2, 0, "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n", ""},
		{"final newline removed", "a\nb\n", 2, 0, "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n", ""},
		{"last line deleted without final newline", "a\nb", 2, 0, "@@ -1,2 +1 @@\n a\n-b\n\\ No newline at end of file\n", ""},
		{"last line of several deleted without final newline", "a\nb\nc", 1, 3, "@@ -3 +2,0 @@\n-c\n", ""},
		{"everything deleted", "a\n", 1, 0, "@@ -1 +0,0 @@\n-a\n", ""},
		{"hidden characters", ten, 4, 0, "@@ -4 +4 @@\n-four\n+if admin\u202e { \u2066\n", ""},
		{"not UTF-8", ten, 4, 0, "@@ -4 +4 @@\n-four\n+\xff\n", ""},
	}
	offered := 0
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, known := range []bool{true, false} {
				f := found("x", "f.txt", tt.start, tt.end)
				f.SuggestedFix = &scanner.SuggestedFix{Description: "d", Diff: tt.fix}
				r := resultOf(t, skillOf("s", f))
				r.Files = parse(t, newFile("f.txt", tt.text))
				if known {
					r.Contents = fstest.MapFS{"f.txt": {Data: []byte(tt.text)}}
				}
				c := render(t, r).Comments[0]
				lines, ok := block(c.Body)
				if want := tt.fixed != ""; ok != want && (known || ok) {
					t.Errorf("contents known %t: suggestion %t, want %t\n%s", known, ok, want, c.Body)
				}
				if ok {
					if got := takeOver(tt.text, &c, lines); got != tt.fixed {
						t.Errorf("contents known %t: fixed file %q, want %q", known, got, tt.fixed)
					}
				} else if !strings.Contains(c.Body, "```diff\n") {
					t.Errorf("the fix is not shown:\n%s", c.Body)
				}
				// What is offered is what --fix would do, or else a diff is shown.
				if r.Apply = applyFix; known {
					c := render(t, r).Comments[0]
					if lines, ok := block(c.Body); ok {
						fixed, _ := applyFix("f.txt", tt.text, *f.SuggestedFix)
						if got := takeOver(tt.text, &c, lines); got != fixed {
							t.Errorf("as --fix: %q, want %q", got, fixed)
						}
						offered++
					}
				}
			}
		})
	}
	if offered < 20 {
		t.Errorf("%d suggestions that --fix agrees with", offered)
	}
}

// applyFix applies a fix by the rules of another package, as the command does.
func applyFix(path, text string, suggested scanner.SuggestedFix) (string, bool) {
	plan := fix.NewPlan(fix.Input{
		Suggestions: []fix.Suggestion{{Path: path, Fix: suggested}},
		Files:       []string{path},
		Read:        func(string) ([]byte, error) { return []byte(text), nil },
	})
	if len(plan.Changes) != 1 {
		return "", false
	}
	return string(plan.Changes[0].After), true
}

// TestSuggestionInPart has a file of which the diff shows a part.
func TestSuggestionInPart(t *testing.T) {
	p := "--- a/f.txt\n+++ b/f.txt\n@@ -10,3 +10,3 @@\n ten\n-old\n+return\n twelve\n"
	text := "return\n" + strings.Repeat("x\n", 8) + "ten\nreturn\ntwelve\n"
	fix := func(line int) *scanner.SuggestedFix {
		return &scanner.SuggestedFix{Description: "d", Diff: fmt.Sprintf("@@ -%d +%d @@\n-return\n+exit\n", line, line)}
	}
	tests := []struct {
		name  string
		line  int
		known bool
		want  bool
	}{
		{"named by its line", 11, false, true},
		{"maybe elsewhere", 1, false, false},
		{"known to be in two places", 11, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := found("x", "f.txt", 11, 0)
			f.SuggestedFix = fix(tt.line)
			r := resultOf(t, skillOf("s", f))
			r.Files = parse(t, p)
			if tt.known {
				r.Contents = fstest.MapFS{"f.txt": {Data: []byte(text)}}
			}
			if _, got := block(render(t, r).Comments[0].Body); got != tt.want {
				t.Errorf("suggestion: %t", got)
			}
		})
	}
	t.Run("other contents", func(t *testing.T) {
		f := found("x", "f.txt", 11, 0)
		f.SuggestedFix = fix(11)
		r := resultOf(t, skillOf("s", f))
		r.Files = parse(t, p)
		r.Contents = fstest.MapFS{"f.txt": {Data: []byte("something else\n")}}
		if _, got := block(render(t, r).Comments[0].Body); !got {
			t.Error("contents that are not those of the diff were used")
		}
	})
}

func TestSuggestionByCaller(t *testing.T) {
	f := found("x", "f.txt", 4, 0)
	f.SuggestedFix = &scanner.SuggestedFix{Description: "d", Diff: "whatever"}
	r := resultOf(t, skillOf("s", f))
	r.Files = parse(t, newFile("f.txt", ten))
	r.Contents = fstest.MapFS{"f.txt": {Data: []byte(ten)}}
	for _, tt := range []struct {
		fixed string
		ok    bool
		want  bool
	}{
		{strings.Replace(ten, "four", "4", 1), true, true},
		{strings.Replace(ten, "four", "4", 1), false, false},
		{strings.Replace(ten, "five", "5", 1), true, false},
		{strings.TrimSuffix(ten, "\n"), true, false},
		{"", true, false},
	} {
		r.Apply = func(path, text string, fix scanner.SuggestedFix) (string, bool) {
			if path != "f.txt" || text != ten || fix.Diff != "whatever" {
				t.Errorf("Apply(%q, %q, %q)", path, text, fix.Diff)
			}
			return tt.fixed, tt.ok
		}
		c := render(t, r).Comments[0]
		lines, ok := block(c.Body)
		if ok != tt.want {
			t.Errorf("%q: suggestion %t", tt.fixed, ok)
		}
		if ok && takeOver(ten, &c, lines) != tt.fixed {
			t.Errorf("fixed file %q", takeOver(ten, &c, lines))
		}
	}
}

// FuzzSuggestion looks for a block that does not do what the fix does.
func FuzzSuggestion(f *testing.F) {
	f.Add(ten, "@@ -4 +4 @@\n-four\n+4\n", 4, 4)
	f.Add("a\nb", "@@ -1,2 +1 @@\n a\n-b\n\\ No newline at end of file\n", 1, 2)
	f.Fuzz(func(t *testing.T, text, change string, start, end int) {
		n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		if text == "" || start < 1 || end < start || end > n {
			return
		}
		files, err := diff.Parse([]byte(newFile("f.txt", text)))
		if err != nil || len(files) != 1 || len(files[0].Hunks) != 1 {
			return
		}
		finding := found("x", "f.txt", start, end)
		r := Result{Repo: Repo{"o", "r"}, Number: 1, Head: headSHA, Files: files, Contents: fstest.MapFS{"f.txt": {Data: []byte(text)}}}
		at := place(&finding, sidesOf(files))
		if at == nil {
			return
		}
		sf := &scanner.SuggestedFix{Description: "d", Diff: change}
		fixed, applies := applyFix("f.txt", text, *sf)
		for _, apply := range []func(string, string, scanner.SuggestedFix) (string, bool){nil, applyFix} {
			r.Apply = apply
			lines, ok := suggestion(&r, sf, at)
			if !ok {
				continue
			}
			shown, ok := block(fixText(&r, sf, at))
			if !ok || strings.Join(shown, "\n") != strings.Join(lines, "\n") || len(shown) != len(lines) {
				t.Fatalf("lines %q, shown %q, %t", lines, shown, ok)
			}
			c := Comment{StartLine: at.start, Line: at.end}
			if got := takeOver(text, &c, lines); applies && got != fixed {
				t.Fatalf("taken over: %q, want %q", got, fixed)
			}
		}
	})
}
