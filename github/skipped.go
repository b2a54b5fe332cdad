package github

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// skipped returns the files that a skill did not look at. With a single skill
// those that no skill looked at are its own.
func (r *Result) skipped(s *SkillResult) []scanner.SkippedFile {
	list := slices.Clone(s.Report.SkippedFiles)
	if len(r.Skills) == 1 {
		list = append(list, without(r.Skipped, list)...)
	}
	return list
}

// without returns the files of a list that are not in another one.
func without(list, other []scanner.SkippedFile) []scanner.SkippedFile {
	names := make(map[string]bool, len(other))
	for i := range other {
		names[other[i].Filename] = true
	}
	var rest []scanner.SkippedFile
	for _, f := range list {
		if !names[f.Filename] {
			rest = append(rest, f)
		}
	}
	return rest
}

// unread returns the files that the change itself kept some skills from reading:
// by what it put into them, or by a name that it gave them. Without a pull request
// there are none, since then nothing was changed.
func (r *Result) unread(skills ...SkillResult) []scanner.SkippedFile {
	if r.Number == 0 {
		return nil
	}
	n := r.names()
	var list []scanner.SkippedFile
	for i := range skills {
		for _, f := range without(r.skipped(&skills[i]), list) {
			if n.evades(&f) && (n.reason(&f) != diff.ReasonBinary || r.couldBeText(f.Filename)) {
				list = append(list, f)
			}
		}
	}
	return list
}

// evades reports whether a file is skipped for what the change made of it.
func (n *names) evades(f *scanner.SkippedFile) bool {
	switch n.reason(f) {
	case diff.ReasonTooLarge, diff.ReasonUnreadable, diff.ReasonBinary:
		return true
	case diff.ReasonBuiltin, diff.ReasonGenerated:
		now := n.now[f.Filename]
		return now != nil && now.OldPath != "" && !skippedByName(now.OldPath)
	}
	return false
}

// couldBeText reports whether a file that is skipped as binary could be text into
// which a few bytes were put so that it is skipped. An image or an archive is not,
// and is no reason to warn of it. Every text about a result asks this again, for
// each skill, so a file is read once.
func (r *Result) couldBeText(name string) bool {
	if r.Contents == nil {
		return true
	}
	text, ok := r.mayBeText[name]
	if !ok {
		data, err := fs.ReadFile(r.Contents, name)
		text = err != nil || resemblesText(data)
		if r.mayBeText == nil {
			r.mayBeText = make(map[string]bool)
		}
		r.mayBeText[name] = text
	}
	return text
}

// resemblesText reports whether at most a tenth of data cannot be text.
func resemblesText(data []byte) bool {
	odd := 0
	for text := data; len(text) > 0; {
		c, n := utf8.DecodeRune(text)
		if c == utf8.RuneError && n == 1 || c < ' ' && !strings.ContainsRune("\t\n\r\f", c) {
			odd++
		}
		text = text[n:]
	}
	return odd*10 <= len(data)
}

// skippedByName reports whether a file of that name is skipped whatever it holds,
// unless a policy says otherwise.
func skippedByName(name string) bool {
	skip := diff.Chunking{}.Plan(diff.File{Path: name, Status: diff.Modified}, nil).Skip
	return skip != nil && (skip.Reason == diff.ReasonBuiltin || skip.Reason == diff.ReasonGenerated)
}

// sawNothing reports whether a skill looked at nothing of a change, although there
// was something that the policy does not keep it from.
func (r *Result) sawNothing(s *SkillResult) bool {
	if r.Number == 0 || s.Report.Chunks.Total > 0 {
		return false
	}
	n := r.names()
	return slices.ContainsFunc(r.skipped(s), func(f scanner.SkippedFile) bool {
		reason := n.reason(&f)
		return !isEmpty(reason) && !isChosen(reason)
	})
}

// skippedTitle counts what a skill skipped, for a title; empty if nothing was.
// What holds nothing to be read is not worth a word there.
func (r *Result) skippedTitle(s *SkillResult) string {
	n := r.names()
	files := slices.DeleteFunc(r.skipped(s), func(f scanner.SkippedFile) bool { return isEmpty(n.reason(&f)) })
	if len(files) == 0 {
		return ""
	}
	return ", " + plural(len(files), "file") + " skipped"
}

// unreadText names files that were not read, as far as there is room.
func unreadText(files []scanner.SkippedFile) string {
	text := "**Not read:** " + plural(len(files), "file") + " (" + reasonCounts(files) + "): "
	room := 2_000
	for i, f := range files {
		name := codeText(shownPath(f.Filename))
		if room -= len(name); room < 0 || i == maxNotes {
			text += fmt.Sprintf("%d more, ", len(files)-i)
			break
		}
		text += name + ", "
	}
	return strings.TrimSuffix(text, ", ") + "."
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
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>Skipped %s (%s)</summary>\n", plural(len(files), "file"), reasonCounts(files))
	for i, f := range files {
		if i == maxSkipped || b.Len() > maxSkipText {
			fmt.Fprintf(&b, "\n- and %d more", len(files)-i)
			break
		}
		fmt.Fprintf(&b, "\n- %s: %s", codeText(oneLine(diff.QuotePath(f.Filename), maxPath)), titleText(oneLine(f.Reason, 40)))
		if f.Pattern != "" {
			fmt.Fprintf(&b, " (%s)", codeText(oneLine(f.Pattern, 100)))
		}
	}
	b.WriteString("\n\n</details>")
	return b.String()
}
