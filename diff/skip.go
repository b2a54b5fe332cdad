package diff

import (
	"strings"
	"unicode/utf8"
)

// What is too large to be worth looking at: such files are data.
const (
	maxFileSize = 1 << 20  // bytes
	maxLineSize = 64 << 10 // bytes, without the line ending
)

// checkPath decides what can be decided without a look at the file. mode is that
// of the caller's pattern that matched, or empty.
func (c *Chunking) checkPath(f *File) (mode FileMode, skip *Skip) {
	for _, p := range c.IgnorePaths {
		if Match(p, f.Path) {
			return "", &Skip{Path: f.Path, Reason: ReasonIgnored, Pattern: p}
		}
	}
	for _, p := range c.FilePatterns {
		if !Match(p.Pattern, f.Path) {
			continue
		}
		if p.Mode == "" || p.Mode == ModeSkip {
			return "", &Skip{Path: f.Path, Reason: ReasonPattern, Pattern: p.Pattern}
		}
		mode = p.Mode
		break
	}
	if mode == "" {
		if p, ok := matchBuiltin(builtinPatterns, f.Path); ok {
			return "", &Skip{Path: f.Path, Reason: ReasonBuiltin, Pattern: p}
		}
		if p, ok := matchBuiltin(generatedPatterns, f.Path); ok {
			return "", &Skip{Path: f.Path, Reason: ReasonGenerated, Pattern: p}
		}
		if f.Generated {
			return "", &Skip{Path: f.Path, Reason: ReasonGenerated}
		}
	}
	switch {
	case f.Binary:
		return "", &Skip{Path: f.Path, Reason: ReasonBinary}
	case f.Status == Deleted:
		return "", &Skip{Path: f.Path, Reason: ReasonDeleted}
	case f.Skip != "":
		return "", &Skip{Path: f.Path, Reason: f.Skip}
	}
	return mode, nil
}

// checkHunks says why the hunks cannot be analyzed; empty if they can.
func checkHunks(hunks []Hunk) Reason {
	size, empty := 0, true
	for i := range hunks {
		body := hunks[i].Body
		if strings.IndexByte(body, 0) >= 0 {
			return ReasonBinary
		}
		size += len(body)
		empty = empty && body == ""
	}
	if empty {
		return ReasonNoContent
	}
	for i := range hunks {
		// Each line has its first byte before the text.
		if longLine(hunks[i].Body, maxLineSize+1) {
			return ReasonTooLarge
		}
	}
	if size <= maxFileSize {
		return ""
	}
	var before, after int
	for i := range hunks {
		for l := range strings.Lines(hunks[i].Body) {
			if l[0] != byte(Add) {
				before += len(l) - 1
			}
			if l[0] != byte(Delete) {
				after += len(l) - 1
			}
		}
	}
	if before > maxFileSize || after > maxFileSize {
		return ReasonTooLarge
	}
	return ""
}

// longLine reports whether a line of s, without its ending, has more than limit
// bytes.
func longLine(s string, limit int) bool {
	for len(s) > limit {
		// Whatever lies before the last newline within reach is short enough.
		i := strings.LastIndexByte(s[:limit+1], '\n')
		if i < 0 {
			if !strings.HasPrefix(s[limit:], "\r\n") {
				return true
			}
			i = limit + 1
		}
		s = s[i+1:]
	}
	return false
}

// lineSize returns what a line adds to the size of a chunk.
func lineSize(text string) int { return utf8.RuneCountInString(text) + 1 }
