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
	PlaceText
	origin    origin
	fromModel bool
	raw       []byte // what a model wrote about it, until the event of the chunk
	how       string // that led to its line
}

// ofRules returns what rules found in a chunk, whose text is given.
func ofRules(findings []Finding, text diff.Text, chunk *diff.Chunk) (found []located) {
	if len(findings) == 0 {
		return nil
	}
	shown := NewAnchor(chunk, text)
	for _, f := range findings {
		found = append(found, located{Finding: f, PlaceText: shown.Text(f.Location.StartLine)})
	}
	return found
}

// origin is the chunk that a finding is from: the index of its file among those of
// the skill, and its own.
type origin struct{ file, chunk int }

// unsent is the origin of a finding in a file that must not be sent.
var unsent = origin{file: -1}

// PlaceText is the text that a finding is about, without white space; see [Anchor.Text].
type PlaceText struct {
	// Path is that of the file. A finding without a location has one too.
	Path string
	// Line is the first line of the finding, Before and After are the nearest lines
	// around it that are not blank. They are empty where there is no line.
	Line, Before, After string
}

// hash returns the hashes of the place of a finding.
func (t *PlaceText) hash(f *Finding) PlaceHash {
	h := PlaceHash{Line: match.Line(t.Line), Before: match.Line(t.Before), After: match.Line(t.After)}
	if f.Location == nil {
		h.Path = t.Path
	}
	return h
}

// AssignIDs returns the findings of a skill with their ids set from content: the
// skill, the path, the normalized title, the text of the line and its nearest
// non-blank neighbors, and which occurrence among equals it is. No line number
// is part of it, so an id survives code that moves. Findings that agree in all
// of that and are on the same line get the same id: they are duplicates; see [Dedupe].
// The findings are all that the skill has in the scan, and texts are those of their
// places, one for each.
//
// It also returns by id the hashes of the places, for SkillReport.PlaceHashes.
func AssignIDs(skill string, findings []Finding, texts []PlaceText) ([]Finding, map[string]PlaceHash) {
	type content struct {
		PlaceText
		title string
	}
	lines := make(map[content][]int)
	contents := make([]content, len(findings))
	for i := range findings {
		contents[i] = content{texts[i], match.Title(findings[i].Title)}
		lines[contents[i]] = append(lines[contents[i]], place(&findings[i]).StartLine)
	}
	for c, l := range lines {
		slices.Sort(l)
		lines[c] = slices.Compact(l)
	}
	findings = slices.Clone(findings)
	hashes := make(map[string]PlaceHash, len(findings))
	for i, c := range contents {
		f := &findings[i]
		occurrence, _ := slices.BinarySearch(lines[c], place(f).StartLine)
		f.ID = contentID(occurrence, skill, c.Path, c.title, c.Line, c.Before, c.After)
		hashes[f.ID] = c.hash(f)
	}
	return findings, hashes
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
