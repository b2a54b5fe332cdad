package term

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
)

// rich shows a run for people: sections, with the code around findings.
type rich struct {
	color bool
	live  bool // see Layout
	width int
	level Verbosity
	// dir is the current directory, below the root; empty for the root.
	dir string
	// source returns the contents of a scanned file.
	source func(path string) ([]byte, error)
}

var _ view = (*rich)(nil)

// indent precedes everything that belongs to a finding.
const indent = "  "

// banner is the name in figlet's "small" type.
const banner = `  ___ __ __ _ _ _  _ _  ___ _ _
 (_-</ _/ _` + "`" + ` | ' \| ' \/ -_) '_|
 /__/\__\__,_|_||_|_||_\___|_|
`

// style is the parameter of an SGR sequence.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

func (r *rich) paint(s style, text string) string {
	if !r.color || s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

func badge(s scanner.Severity) string { return fmt.Sprintf("● (%s)", s) }

func severityStyle(s scanner.Severity) style {
	switch s {
	case scanner.SeverityHigh:
		return red
	case scanner.SeverityMedium:
		return yellow
	default:
		return green
	}
}

func (r *rich) opening(version string) string {
	var b strings.Builder
	for line := range strings.Lines(banner) {
		// Each line by itself, so that output cut at a newline ends without color.
		b.WriteString(r.paint(cyan, strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String() + indent + r.paint(dim, "v"+version) + "\n"
}

func (r *rich) plan(files []scanner.PlannedFile, chunks int) string {
	var b strings.Builder
	b.WriteString(r.heading("FILES"))
	fmt.Fprintf(&b, "%d files · %d chunks\n", len(files), chunks)
	for _, f := range files {
		marker, color := string(f.Status.Marker()), yellow
		if marker == "+" {
			color = green
		}
		name, chunks, space := cleanPath(r.relative(f.Path)), fmt.Sprintf("(%d chunks)", f.Chunks), " "
		if displaywidth.String(indent+marker+" "+name+space+chunks) > r.width {
			space = "\n" + indent + indent
		}
		fmt.Fprintf(&b, "%s%s %s%s%s\n", indent, r.paint(color, marker), name, space, r.paint(dim, chunks))
	}
	return b.String()
}

func (r *rich) heading(s string) string { return "\n" + r.paint(bold, s) + "\n" }

func (r *rich) skill(name string) string {
	return "\n" + r.paint(bold, "Skill "+cleanLine(name)) + "\n"
}

func (r *rich) file(f *orderedFile) string {
	text := f.title() + "\n"
	for _, line := range f.lines() {
		text += r.paint(dim, indent+line) + "\n"
	}
	return text
}

func (r *rich) findings(skill string) string {
	return "\n" + r.paint(bold, "FINDINGS") + " " + r.paint(dim, cleanLine(skill)) + "\n"
}

func (r *rich) finding(f *scanner.Finding, _ []scanner.Location, _ string) string {
	var b strings.Builder
	badge := badge(f.Severity)
	// The badge is part of the first line, the others are indented.
	title := Wrap(strings.Repeat("x", displaywidth.String(badge))+" "+cleanWords(f.Title), r.width-len(indent))
	b.WriteString("\n")
	for i, line := range title {
		if i == 0 {
			_, line, _ = strings.Cut(line, " ")
			b.WriteString(strings.TrimRight(r.paint(severityStyle(f.Severity), badge)+" "+r.paint(bold, line), " ") + "\n")
		} else {
			b.WriteString(indent + r.paint(bold, line) + "\n")
		}
	}
	var from []string
	if f.Location != nil {
		from = append(from, startOf(r.from(*f.Location)))
	}
	if f.Rule != "" {
		from = append(from, cleanLine(f.Rule))
	}
	switch {
	case r.level >= Verbose:
		from = append(from, cleanLine(identity(f)))
	case f.Confidence != "":
		from = append(from, cleanLine(string(f.Confidence))+" confidence")
	}
	if len(from) > 0 {
		for i, line := range Wrap(strings.Join(from, " · "), r.width-len(indent)) {
			place := ""
			if i == 0 && f.Location != nil && strings.HasPrefix(line, from[0]) {
				place, line = r.paint(cyan, from[0]), line[len(from[0]):]
			}
			b.WriteString(indent + place + r.paint(dim, line) + "\n")
		}
	}
	b.WriteString(r.wrapped(f.Description))
	if f.Location != nil {
		b.WriteString(r.excerpt(*f.Location))
	}
	if f.Verification != "" {
		b.WriteString(r.wrapped("Verify: " + f.Verification))
	}
	if len(f.AdditionalLocations) > 0 {
		b.WriteString(indent + "Also at:\n")
		for _, l := range f.AdditionalLocations {
			b.WriteString(indent + indent + r.paint(cyan, rangeOf(r.from(l))) + "\n")
		}
	}
	if f.SuggestedFix != nil {
		b.WriteString(r.wrapped("Suggested fix: " + f.SuggestedFix.Description))
		b.WriteString(r.diff(f.SuggestedFix.Diff))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// from returns a place with the path from the current directory.
func (r *rich) from(l scanner.Location) scanner.Location {
	l.Path = r.relative(l.Path)
	return l
}

// relative returns a path from the current directory.
func (r *rich) relative(path string) string {
	up := ""
	for dir := r.dir; dir != ""; up += "../" {
		if rest, ok := strings.CutPrefix(path, dir+"/"); ok {
			return up + rest
		}
		dir = dir[:max(0, strings.LastIndexByte(dir, '/'))]
	}
	return up + path
}

// wrapped returns text in indented lines of at most the width.
func (r *rich) wrapped(text string) string {
	text = strings.TrimSpace(cleanText(text))
	if text == "" {
		return ""
	}
	lines := Wrap(text, r.width-len(indent))
	for i, l := range lines {
		lines[i] = strings.TrimRight(indent+l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func (r *rich) summary(s *summary) string {
	var b strings.Builder
	b.WriteString(r.heading("SUMMARY"))
	fmt.Fprintf(&b, "%d findings:", s.counts.Total())
	for _, c := range []struct {
		severity scanner.Severity
		n        int
	}{
		{scanner.SeverityHigh, s.counts.High},
		{scanner.SeverityMedium, s.counts.Medium},
		{scanner.SeverityLow, s.counts.Low},
	} {
		fmt.Fprintf(&b, " %s %d %s", r.paint(severityStyle(c.severity), "●"), c.n, c.severity)
	}
	b.WriteString("\n")
	for _, line := range s.notes() {
		switch {
		case strings.HasPrefix(line, "Undo: "): // a command to copy
			line += "\n"
		case strings.HasPrefix(line, "Hidden"), strings.HasPrefix(line, "Suppressed"):
			line = r.message(dim, line)
		default:
			line = r.note(line)
		}
		b.WriteString(line)
	}
	b.WriteString(r.note(fmt.Sprintf("Analysis completed in %s · %s in / %s out · %s",
		format.Duration(s.duration), format.Tokens(s.usage.InputTokens), format.Tokens(s.usage.OutputTokens), usageCost(s.usage))))
	return b.String()
}

func (r *rich) note(msg string) string { return r.message("", msg) }

func (r *rich) warning(msg string) string {
	const label = "warning:"
	return strings.Replace(r.message("", label+" "+msg), label, r.paint(yellow, label), 1)
}

// message returns a message: for a terminal, which would break words, in lines of at most
// the width. A shorter one stays as it is, with all of its spaces.
func (r *rich) message(s style, msg string) string {
	lines := []string{msg}
	if r.live && displaywidth.String(msg) > r.width {
		lines = Wrap(msg, r.width-len(indent))
	}
	for i, line := range lines {
		lines[i] = r.paint(s, line)
	}
	return strings.Join(lines, "\n"+indent) + "\n"
}

func (r *rich) debug(msg string, lines []string) string {
	var b strings.Builder
	b.WriteString(r.paint(dim, "[debug] "+cleanLine(msg)) + "\n")
	for _, line := range lines {
		b.WriteString(r.paint(dim, strings.TrimRight(indent+line, " ")) + "\n")
	}
	return b.String()
}

func (r *rich) fatal(lines []string) string {
	return "scanner: " + strings.Join(lines, "\n") + "\n"
}
