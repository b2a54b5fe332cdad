package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/ignore"
	"github.com/codescan-dev/scanner/internal/match"
)

const (
	// ignoreCommand begins a reply that asks for an entry of the list of ignored
	// findings. The rest of its first line is the reason.
	ignoreCommand = "scanner ignore "
	maxReason     = 200 // characters
	maxOffer      = 10_000
)

// ignoreRequest returns the last reply of a person with write access that asks to ignore
// the finding, and its reason; nil if there is none.
func (t *Thread) ignoreRequest() (*Reply, string) {
	for i := range slices.Backward(t.Replies) {
		line, _, _ := strings.Cut(strings.Trim(t.Replies[i].Body, "` \t\r\n"), "\n")
		if n := len(ignoreCommand); t.Replies[i].MayWrite && len(line) > n && strings.EqualFold(line[:n], ignoreCommand) {
			if reason := oneLine(strings.Trim(line[n:], "` \t\r"), maxReason); reason != "" {
				return &t.Replies[i], reason
			}
		}
	}
	return nil, ""
}

// offers returns the entries that people asked for, as a diff of the file of the base;
// empty if there are none. It is only for what certainly is the finding of the thread.
func (v *view) offers() string {
	if v.IgnoreFile == nil || v.Untrusted {
		return ""
	}
	var entries, replies []string
	size := 0
	for i := range v.items {
		it := &v.items[i]
		if it.thread == nil || it.step > match.SimilarTitle {
			continue
		}
		reply, reason := it.thread.ignoreRequest()
		if reply == nil {
			continue
		}
		text := entriesText(it, reason, reply.Author)
		if _, err := ignore.Parse([]byte(text)); err != nil {
			continue // as without a title that can be read
		}
		if size += len(text); size > maxOffer {
			break
		}
		entries = append(entries, text)
		replies = append(replies, linkTo(titleText(reply.Author), reply.URL))
	}
	if len(entries) == 0 {
		return ""
	}
	return fmt.Sprintf("**To ignore** %s, as %s asked, apply this to the base. It takes effect there.\n\n%s",
		plural(len(entries), "finding"), strings.Join(slices.Compact(replies), ", "), fenced("diff", appendDiff(*v.IgnoreFile, strings.Join(entries, ""))))
}

// entriesText returns the entries for the places of a finding. Nothing in them is a
// command to another bot: TOML has escapes for the characters.
func entriesText(it *item, reason, by string) string {
	places := []scanner.MergedFinding{{ID: it.finding.ID, Location: it.finding.Location}}
	for _, g := range it.skill.Report.MergeGroups {
		if g.Primary == it.finding.ID {
			places = append(places, g.Merged...)
		}
	}
	var b strings.Builder
	for _, p := range places {
		at := it.skill.Report.PlaceHashes[p.ID]
		e := ignore.Entry{
			Path: at.Path, Rule: it.finding.Rule, Title: it.finding.Title, Line: at.Line, Before: at.Before, After: at.After,
			Reason: reason, By: by,
		}
		if p.Location != nil {
			e.Path = p.Location.Path
		}
		if e.Rule == "" {
			e.Skill = it.skill.name()
		}
		for line := range strings.Lines("\n" + e.Text()) {
			if breakCommands(line) != line {
				line = strings.NewReplacer("@", `\u0040`, "/", `\u002f`).Replace(line)
			}
			b.WriteString(line)
		}
	}
	return b.String()
}

// appendDiff returns a diff that git apply accepts: it appends lines to the file of
// entries, or makes it where the base has none.
func appendDiff(base, text string) string {
	var lines []diff.Line
	for line := range strings.Lines(base) {
		end := strings.TrimSuffix(line, "\n")
		lines = append(lines, diff.Line{New: len(lines) + 1, Text: end, NoEOL: end == line})
	}
	if base == "" {
		text = ignore.Header + text
	}
	added := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	d := scanner.UnifiedDiff(ignore.File, lines, []scanner.Edit{{Line: len(lines) + 1, New: added}})
	if base == "" {
		d = strings.Replace(d, "--- a/"+ignore.File, "--- /dev/null", 1)
	}
	return d
}
