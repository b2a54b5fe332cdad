package main

import (
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var tookTime = regexp.MustCompile(`completed in \S+`)

// TestGoldenPicture sees that the picture of the README is that of a run. Only the answer
// of the model is written by hand, and the time is always the same.
func TestGoldenPicture(t *testing.T) {
	const file, command = "../../docs/scan.svg", "scanner scan"
	out, err := newSandbox(t).run(t, command+" --color=always")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := svg(t, "$ "+command+"\n"+tookTime.ReplaceAllString(out, "completed in 40ms"))
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got, string(want)); d != "" {
		t.Errorf("got (-) differs from %s (+); -update draws it again:\n%s", file, d)
	}
}

var (
	escape = regexp.MustCompile("\x1b\\[([0-9]+)m")
	// styles are what the escape sequences of the terminal look like.
	styles = map[string]string{
		"1": "font-weight:bold", "2": "opacity:.6",
		"31": "fill:#ff7b72", "32": "fill:#7ee787", "33": "fill:#e3b341", "36": "fill:#79c0ff",
	}
)

// svg draws the text of a terminal of 80 columns. Every piece has its column, so that the
// picture is right in any font of fixed width.
func svg(t *testing.T, text string) string {
	const width, height, margin = 8.4, 18, 16
	var b strings.Builder
	lines := strings.Split(strings.TrimSpace(text), "\n")
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="#e6edf3">
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
`, 2*margin+80*width, 2*margin+len(lines)*height)
	for i, line := range lines {
		column, style := 0, []string(nil)
		for line != "" {
			piece, rest, code := line, "", ""
			if m := escape.FindStringSubmatchIndex(line); m != nil {
				piece, code, rest = line[:m[0]], line[m[2]:m[3]], line[m[1]:]
			}
			if strings.TrimSpace(piece) != "" {
				fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\" xml:space=\"preserve\" style=\"%s\">%s</text>\n",
					margin+float64(column)*width, margin+i*height+height-4, strings.Join(style, ";"), html.EscapeString(piece))
			}
			column += utf8.RuneCountInString(piece)
			if code == "0" {
				style = nil
			} else if code != "" {
				if styles[code] == "" {
					t.Fatalf("no style for the escape sequence %q", code)
				}
				style = append(style, styles[code])
			}
			line = rest
		}
		if column > 80 {
			t.Errorf("%d columns: %s", column, lines[i])
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
