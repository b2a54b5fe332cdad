package review

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/codescan-dev/scanner"
)

// A marker is the last line of everything that is posted: an HTML comment, which
// is not shown. It holds nothing that could end the comment early. Only markers in
// texts of the token's account count.

const (
	markerFinding = "finding"
	markerReview  = "review"
	markerSummary = "summary"

	markerBegin = "<!-- scanner:"
	markerEnd   = " -->"
)

// findingMarker recognizes a finding in later runs.
type findingMarker struct {
	Skill string `json:"skill"`
	Path  string `json:"path"`
	// Line is a hash of the text of the first line, Before and After are those of the
	// nearest lines around it in the diff that are not blank.
	Line   string `json:"line"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Unchanged is set when the first line is one that the change did not add.
	Unchanged bool   `json:"unchanged,omitempty"`
	Title     string `json:"title"`
	// Severity is the one that the comment shows; empty if an earlier version wrote it.
	Severity scanner.Severity `json:"severity,omitempty"`
	// Near is set when an open thread of the skill was near whose finding was gone:
	// both may be about the same.
	Near bool `json:"near,omitempty"`
	// Head is the head of the pull request when the comment was made.
	Head string `json:"head,omitempty"`
	// Gone is set when the comment was edited because the finding is gone.
	Gone bool `json:"gone,omitempty"`
	// Untrusted is set when the finding comes from a log that anyone could write.
	Untrusted bool `json:"untrusted,omitempty"`
}

// reviewMarker recognizes a review.
type reviewMarker struct {
	// Blocking names the skills that ask for changes.
	Blocking []string `json:"blocking,omitempty"`
}

// summaryMarker recognizes the summary comment, and what is done.
type summaryMarker struct {
	Head string `json:"head"`
	// Done are the reviews of that head that were posted whole.
	Done []done `json:"done,omitempty"`
	// Untrusted is set when the text comes from a log that anyone could write.
	Untrusted bool `json:"untrusted,omitempty"`
	// Since, Was and Open are what the next review compares with; see [progress].
	Since string  `json:"since,omitempty"`
	Was   []int64 `json:"was,omitempty"`
	Open  []int64 `json:"open,omitempty"`
}

// done is a finished review.
type done struct {
	Policy string `json:"policy"`
	// Skills are hashes of the names of the skills that ran.
	Skills []string `json:"skills,omitempty"`
	Fails  bool     `json:"fails,omitempty"`
	High   int      `json:"high,omitempty"`
	Medium int      `json:"medium,omitempty"`
	Low    int      `json:"low,omitempty"`
}

// findingMarker returns the marker of the comment of a finding.
func (v *view) findingMarker(it *item) findingMarker {
	before, after := it.at.neighbors()
	head := v.Head
	if it.thread != nil {
		head = it.thread.Head
	}
	return findingMarker{
		Skill: it.skill.name(), Path: it.at.path, Line: lineHash(it.at.text), Before: before, After: after,
		Unchanged: !it.at.oldLine(it.at.start).Added, Title: oneLine(it.finding.Title, maxTitle),
		Severity: it.finding.Severity, Near: it.near, Head: head, Untrusted: v.Untrusted,
	}
}

// marker writes a marker of the given kind.
func marker(kind string, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "" // the types of this file can always be marshaled
	}
	return markerBegin + kind + " " + base64.StdEncoding.EncodeToString(data) + markerEnd
}

// Marker returns the marker that a posted text ends with; empty if it has none.
// Two texts with the same marker are the same post.
func Marker(body string) string {
	body = strings.TrimSpace(body)
	last := strings.TrimSpace(body[strings.LastIndexByte(body, '\n')+1:])
	if !strings.HasPrefix(last, markerBegin) || !strings.HasSuffix(last, markerEnd) {
		return ""
	}
	return last
}

// readMarker reads the marker that a body ends with, and reports whether there
// is one of that kind.
func readMarker(body, kind string, v any) bool {
	text, ok := strings.CutPrefix(Marker(body), markerBegin+kind+" ")
	if !ok {
		return false
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(text, markerEnd))
	return err == nil && json.Unmarshal(data, v) == nil
}

// lineHash identifies the text of a line without its indentation.
func lineHash(text string) string { return hash(16, strings.TrimSpace(text)) }

// hash returns the first n hexadecimal digits of a hash of its arguments.
func hash(n int, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))[:n]
}
