package scanner

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/match"
)

// located is a finding of a chunk with what its identity is made from.
type located struct {
	Finding
	path      string // of the chunk; a finding without a location has one too
	origin    origin
	fromModel bool
	surroundings
}

// ofRules returns what rules found in a chunk, whose text is given.
func ofRules(findings []Finding, text diff.Text, chunk *diff.Chunk) (found []located) {
	if len(findings) == 0 {
		return nil
	}
	shown := newAnchor(text, chunk.StartLine)
	for _, f := range findings {
		found = append(found, located{Finding: f, path: chunk.Path, surroundings: shown.around(f.Location.StartLine)})
	}
	return found
}

// origin is the chunk that a finding is from: the index of its file among those of
// the skill, and its own.
type origin struct{ file, chunk int }

// unsent is the origin of a finding in a file that must not be sent.
var unsent = origin{file: -1}

// assignIDs returns the findings of a skill with their ids set from content: the
// skill, the path, the normalized title, the text of the line and its nearest
// non-blank neighbors, and which occurrence among equals it is. No line number
// is part of it, so an id survives code that moves. Findings that agree in all
// of that and are on the same line get the same id: they are duplicates.
func assignIDs(skill string, found []located) []Finding {
	type content struct {
		path, title string
		surroundings
	}
	lines := make(map[content][]int)
	contents := make([]content, len(found))
	for i := range found {
		f := &found[i]
		contents[i] = content{f.path, match.Title(f.Title), f.surroundings}
		lines[contents[i]] = append(lines[contents[i]], place(&f.Finding).StartLine)
	}
	for c, l := range lines {
		slices.Sort(l)
		lines[c] = slices.Compact(l)
	}
	findings := make([]Finding, len(found))
	for i, c := range contents {
		f := found[i].Finding
		occurrence, _ := slices.BinarySearch(lines[c], place(&f).StartLine)
		f.ID = contentID(occurrence, skill, c.path, c.title, c.line, c.before, c.after)
		findings[i] = f
	}
	return findings
}

// contentID hashes its arguments to 12 hexadecimal digits.
func contentID(n int, fields ...string) string {
	b := binary.AppendUvarint(nil, uint64(n))
	for _, f := range fields {
		b = binary.AppendUvarint(b, uint64(len(f)))
		b = append(b, f...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}
