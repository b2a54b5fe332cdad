package prompt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// block is a piece of untrusted text that is sent between delimiters.
type block struct {
	label string // what it is, a line in front of it; may be empty
	lines []string
	id    string
}

// add appends a line of text in its visible form.
func (b *block) add(line string) { b.lines = append(b.lines, line) }

// idLen is the number of hexadecimal digits of an id.
const idLen = 12

// seal gives the blocks of a message their ids. An id is made from the contents
// of its block, so that the same block reads the same in every message, which
// lets providers reuse what they have cached, and it stands in no block of the
// message, in upper or lower case: what is in a block can't name its end.
func seal(blocks []*block) {
	var all strings.Builder
	for _, b := range blocks {
		for _, l := range b.lines {
			all.WriteString(l)
			all.WriteByte('\n')
		}
	}
	folded := strings.ToLower(all.String())
	for _, b := range blocks {
		for n := uint64(0); ; n++ {
			if b.id = contentID(b.lines, n); !strings.Contains(folded, b.id) {
				break
			}
		}
	}
}

func contentID(lines []string, n uint64) string {
	h := sha256.New()
	var salt [8]byte
	binary.LittleEndian.PutUint64(salt[:], n)
	h.Write(salt[:])
	for _, l := range lines {
		h.Write([]byte(l))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))[:idLen]
}

// write appends the block to a message.
func (b *block) write(to *strings.Builder) {
	if b.label != "" {
		to.WriteString(b.label)
		to.WriteByte('\n')
	}
	to.WriteString("<data-" + b.id + ">\n")
	for _, l := range b.lines {
		to.WriteString(l)
		to.WriteByte('\n')
	}
	to.WriteString("</data-" + b.id + ">\n")
}
