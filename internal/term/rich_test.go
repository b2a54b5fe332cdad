package term

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

func TestExcerpt(t *testing.T) {
	source := map[string]string{
		"a":     strings.Repeat("line\n", 20),
		"crlf":  "one\r\n\ttwo\x1b[31m\r\nthree",
		"nul":   "a\x00b\n",
		"empty": "",
	}
	r := &rich{width: 30, source: func(path string) ([]byte, error) {
		s, ok := source[path]
		if !ok {
			return nil, errors.New("not there")
		}
		return []byte(s), nil
	}}
	for _, tt := range []struct {
		name string
		at   scanner.Location
		want string
	}{
		{"middle", scanner.Location{Path: "a", StartLine: 9}, "\n   7 │ line\n   8 │ line\n   9 ▌ line\n  10 │ line\n  11 │ line\n\n"},
		{"first line", scanner.Location{Path: "a", StartLine: 1}, "\n  1 ▌ line\n  2 │ line\n  3 │ line\n\n"},
		{"last line", scanner.Location{Path: "a", StartLine: 20}, "\n  18 │ line\n  19 │ line\n  20 ▌ line\n\n"},
		{"end beyond the file", scanner.Location{Path: "a", StartLine: 20, EndLine: 25}, "\n  18 │ line\n  19 │ line\n  20 ▌ line\n\n"},
		{"control characters", scanner.Location{Path: "crlf", StartLine: 2}, "\n  1 │ one\n  2 ▌     two\\u{001B}[31m\n  3 │ three\n\n"},
		{"beyond the file", scanner.Location{Path: "a", StartLine: 21}, ""},
		{"huge line number", scanner.Location{Path: "a", StartLine: 1 << 40}, ""},
		{"binary", scanner.Location{Path: "nul", StartLine: 1}, ""},
		{"empty", scanner.Location{Path: "empty", StartLine: 1}, ""},
		{"missing", scanner.Location{Path: "b", StartLine: 1}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.excerpt(tt.at); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}

	long := r.excerpt(scanner.Location{Path: "a", StartLine: 1, EndLine: 15})
	if got := strings.Count(long, "▌"); got != excerptLines {
		t.Errorf("a long range shows %d of its lines, want %d", got, excerptLines)
	}
	if !strings.Contains(long, "… to line 15\n") {
		t.Errorf("the end of a long range is missing:\n%s", long)
	}
}

func TestSuggestedDiffIsBounded(t *testing.T) {
	r := &rich{width: 30}
	got := r.diff(strings.Repeat("+x\n", 100))
	if n := strings.Count(got, "\n"); n != suggestedLines+1 || !strings.Contains(got, "… 60 more lines\n") {
		t.Errorf("%d lines:\n%s", n, got)
	}
	if got, want := r.diff("-a\r\n+b\n\\ No newline at end of file"), "  -a\n  +b\n  \\ No newline at end of file\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// ownColors matches the colors that [rich.paint] adds.
var ownColors = regexp.MustCompile("\x1b\\[(?:0|1|2|31|32|33|36)m")

// For all texts of models, files and paths, only our own colors reach the
// terminal, plain lines are whole lines, and nothing is wider than the terminal.
func FuzzViews(f *testing.F) {
	f.Add("SQL \x1b[31minjection", "desc\n\nmore \u202e", "a\x1b]0;t\x07.go", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+\u009by", uint8(3))
	f.Add("", "", "", "", uint8(0))
	f.Add("世界世界世界", "👩‍💻 e\u0301", "世界.go", "+世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界", uint8(1))
	f.Fuzz(func(t *testing.T, title, description, path, fix string, line uint8) {
		finding := &scanner.Finding{
			Severity: scanner.SeverityHigh, Title: title, Description: description, Verification: description,
			Location:            &scanner.Location{Path: path, StartLine: int(line)},
			AdditionalLocations: []scanner.Location{{Path: path, StartLine: 1, EndLine: 2}},
			SuggestedFix:        &scanner.SuggestedFix{Description: title, Diff: fix},
		}
		const width = 40
		source := func(string) ([]byte, error) { return []byte(fix), nil }
		noControl := func(r rune) bool { return r != '\n' && text.Hidden(r) }

		bare := (&rich{width: width, source: source}).finding(finding, nil, "s")
		if i := strings.IndexFunc(bare, noControl); i >= 0 {
			t.Errorf("a control at %d of %q", i, bare)
		}
		colored := (&rich{width: width, color: true, source: source}).finding(finding, nil, "s")
		if got := ownColors.ReplaceAllString(colored, ""); got != bare {
			t.Errorf("with color %q, without %q", got, bare)
		}
		for l := range strings.SplitSeq(bare, "\n") {
			if n := displaywidth.String(l); n > width && !strings.Contains(l, cleanPath(path)) && !strings.Contains(l, cleanWords(title)) {
				t.Errorf("a line is %d wide: %q", n, l)
			}
		}

		p := &plain{now: func() time.Time { return time.Time{} }, level: Verbose}
		lines := strings.SplitAfter(p.finding(finding, []scanner.Location{*finding.Location}, "s"), "\n")
		if len(lines) != 5 || lines[4] != "" {
			t.Errorf("%d lines: %q", len(lines)-1, lines)
		}
		for _, l := range lines[:len(lines)-1] {
			if !strings.HasPrefix(l, "[0001-01-01T00:00:00.000Z] scanner: ") || strings.IndexFunc(l, noControl) >= 0 {
				t.Errorf("got %q", l)
			}
		}
	})
}

func TestPlanMarkers(t *testing.T) {
	r := &rich{width: 80}
	got := r.plan([]scanner.PlannedFile{
		{Path: "a", Status: diff.Added, Chunks: 1}, {Path: "m", Status: diff.Modified, Chunks: 2},
		{Path: "r", Status: diff.Renamed, Chunks: 1}, {Path: "c", Status: diff.Copied, Chunks: 10},
	}, 14)
	want := "\nFILES\n4 files · 14 chunks\n  + a (1 chunks)\n  ~ m (2 chunks)\n  > r (1 chunks)\n  > c (10 chunks)\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestFindingIsReadable shows a finding on a narrow terminal, in a directory of the
// repository: words are whole, the evidence at the end of a long line is there, and
// indentation that all lines have is not.
func TestFindingIsReadable(t *testing.T) {
	code := "package a\n\nfunc f() {\n\tif x {\n\t\tdb.Query(\"SELECT * FROM users WHERE name = '\" + r.FormValue(\"name\"))\n\t}\n\n\t\treturn\n}\n"
	r := &rich{width: 40, dir: "cmd/app", source: func(string) ([]byte, error) { return []byte(code), nil }}
	got := r.finding(&scanner.Finding{
		ID: "0123456789ab", Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceMedium, Rule: "security-review/sql-concatenation",
		Title: "A query is put together from a value of the request", Description: "d",
		Location:            &scanner.Location{Path: "cmd/app/a.go", StartLine: 5},
		AdditionalLocations: []scanner.Location{{Path: "cmd/b.go", StartLine: 1}, {Path: "c.go", StartLine: 2}, {Path: "cmd/app2/d.go", StartLine: 3}},
	}, nil, "s")
	want := `
● (high) A query is put together from
  a value of the request
  a.go:5 ·
  security-review/sql-concatenation ·
  medium confidence
  d

  3 │ func f() {
  4 │     if x {
  5 ▌         db.Query("SELECT * FROM
    ▌ users WHERE name = '" +
    ▌ r.FormValue("name"))
  6 │     }
  7 │

  Also at:
    ../b.go:1
    ../../c.go:2
    ../app2/d.go:3
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	code = "\tif x {\n\t\treturn\n\t}\n"
	if got, want := r.excerpt(scanner.Location{Path: "a.go", StartLine: 2}), "\n  1 │ if x {\n  2 ▌     return\n  3 │ }\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
