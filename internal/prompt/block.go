package prompt

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
)

// block is a piece of text that is sent between delimiters.
type block struct {
	tag   string // empty for untrusted text
	label string // a line in front of it that describes it; may be empty
	text  []byte // lines, each with its newline
	id    string
}

// add appends a line, which is in its visible form.
func (b *block) add(parts ...string) {
	for _, p := range parts {
		b.text = append(b.text, p...)
	}
	b.text = append(b.text, '\n')
}

// addText appends the lines of a text.
func (b *block) addText(s string) {
	for l := range strings.SplitSeq(s, "\n") {
		b.add(text.Visible(strings.TrimSuffix(l, "\r")))
	}
}

// idLen is the number of digits of an id.
const idLen = 12

// message gives the blocks their ids and writes them one after the other.
//
// An id is made from the contents of its block, so that the same block reads the
// same in every message, which lets providers reuse what they have cached. And it
// occurs in no block of the message, so that the contents of a block cannot name its
// end. It has no letters, of which there are two cases.
func message(blocks ...*block) *strings.Builder {
	seal(blocks)
	size := 0
	for _, b := range blocks {
		size += len(b.label) + len(b.text) + 64
	}
	m := new(strings.Builder)
	m.Grow(size + 256)
	for _, b := range blocks {
		if b.label != "" {
			m.WriteString(b.label + "\n")
		}
		tag := cmp.Or(b.tag, "data") + "-" + b.id
		m.WriteString("<" + tag + ">\n")
		m.Write(b.text)
		m.WriteString("</" + tag + ">\n")
	}
	return m
}

func seal(blocks []*block) {
	for _, b := range blocks {
		for n := uint64(0); ; n++ {
			b.id = contentID(b.text, n)
			if !slices.ContainsFunc(blocks, func(c *block) bool { return bytes.Contains(c.text, []byte(b.id)) }) {
				break
			}
		}
	}
}

// contentID returns the n-th id of a text.
func contentID(text []byte, n uint64) string {
	h := sha256.New()
	var salt [8]byte
	binary.LittleEndian.PutUint64(salt[:], n)
	h.Write(salt[:])
	h.Write(text)
	var sum [sha256.Size]byte
	return fmt.Sprintf("%0*d", idLen, binary.LittleEndian.Uint64(h.Sum(sum[:0]))%1e12)
}
