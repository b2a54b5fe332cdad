package review

import (
	"fmt"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// skippedTitle counts what a skill skipped, for a title; empty if nothing was.
// Files with nothing to read are left out.
func skippedTitle(s *SkillResult) string {
	n := 0
	for _, f := range s.Report.SkippedFiles {
		if reason := diff.Reason(f.Reason); reason != diff.ReasonDeleted && reason != diff.ReasonNoContent {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return ", " + plural(n, "file") + " skipped"
}

// unreadText lists files that were not read, with reasons, as far as there is room.
func unreadText(files []scanner.SkippedFile) string {
	var names []string
	for _, f := range files {
		names = append(names, codeText(shownPath(f.Filename))+" ("+titleText(oneLine(f.Reason, 40))+")")
	}
	return "**Not read:** " + joinFitting(names, ", ", maxNames, "%d more") + "."
}

// notableText lists the changes that a person should look at, as far as there is
// room.
func notableText(changes []diff.Notable) string {
	var names []string
	for _, n := range changes {
		names = append(names, codeText(shownPath(n.Path))+" ("+titleText(oneLine(n.What, 100))+")")
	}
	return "**Check by hand:** " + joinFitting(names, ", ", maxNames, "%d more") + "."
}

func reasonCounts(files []scanner.SkippedFile) string {
	reasons := make([]string, len(files))
	for i := range files {
		reasons[i] = files[i].Reason
	}
	return countText(reasons)
}

// skippedText counts and lists skipped files.
func skippedText(files []scanner.SkippedFile) string {
	if len(files) == 0 {
		return ""
	}
	var lines []string
	for _, f := range files {
		line := "- " + codeText(oneLine(diff.QuotePath(f.Filename), maxPath)) + ": " + titleText(oneLine(f.Reason, 40))
		if f.Pattern != "" {
			line += " (" + codeText(oneLine(f.Pattern, 100)) + ")"
		}
		lines = append(lines, line)
	}
	return fmt.Sprintf("<details><summary>Skipped %s (%s)</summary>\n\n%s\n\n</details>",
		plural(len(files), "file"), reasonCounts(files), joinFitting(lines, "\n", maxSkipText, "- and %d more"))
}
