package main

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/internal/text"
)

// writeTable writes rows, which need not be safe to show, to standard output: on a
// terminal in columns below their titles, with the last one wrapped, in a narrow one on
// lines of its own; for other programs one a line, with tabs between the columns.
func (p *process) writeTable(titles []string, rows [][]string) error {
	width, _, tty := p.size(p.stdout)
	if tty {
		rows = append([][]string{titles}, rows...)
	}
	widths := make([]int, len(titles))
	for _, row := range rows {
		for i := range row {
			row[i] = text.OneLine(row[i])
			widths[i] = max(widths[i], displaywidth.String(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		if !tty {
			b.WriteString(strings.Join(row, "\t") + "\n")
			continue
		}
		begin, last := "", len(row)-1
		for i, cell := range row[:last] {
			begin += cell + strings.Repeat(" ", widths[i]-displaywidth.String(cell)+2)
		}
		indent := displaywidth.String(begin)
		if width > 0 && width-indent < 24 {
			b.WriteString(strings.TrimRight(begin, " ") + "\n")
			begin, indent = "    ", 4
		}
		for _, line := range term.Wrap(row[last], max(width-indent, 24)) {
			b.WriteString(strings.TrimRight(begin+line, " ") + "\n")
			begin = strings.Repeat(" ", indent)
		}
	}
	return p.print(b.String())
}

// print writes text, which is safe to show, to standard output.
func (p *process) print(s string) error {
	_, err := fmt.Fprint(p.stdout, text.BreakCommands(s))
	return err
}
