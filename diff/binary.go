package diff

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MarkBinary sets Binary if f is not text, and drops hunks with NUL bytes then if
// the name is that of an image, an archive or the like. Rules may run on the others.
// contents is the new side; nil if only the hunks are known, in which case files that may turn out
// to be text stay as they are.
//
// A NUL byte alone does not make a file binary, since a change could add one to
// hide code. A file stays text if it was before the change, if its name or first
// line is that of source code, or if it is UTF-16 with a byte order mark.
func (f *File) MarkBinary(contents []byte) {
	if !f.isBinary(string(contents)) {
		return
	}
	_, builtin := builtinTable.match(f.Path)
	if !builtin && contents == nil && f.Status != Added && f.Status != Deleted {
		return
	}
	f.Binary = true
	if builtin && slices.ContainsFunc(f.Hunks, func(h Hunk) bool { return strings.Contains(h.Body, "\x00") }) {
		f.Hunks = nil
	}
}

// isBinary reports whether f is binary, by what is known of its new side.
func (f *File) isBinary(contents string) bool {
	added, shown, old := 0, 0, false // NUL bytes in the hunks; whether they have an old side
	for i := range f.Hunks {
		old = old || f.Hunks[i].OldLines > 0
		for l := range strings.Lines(f.Hunks[i].Body) {
			n := strings.Count(l, "\x00")
			shown += n
			if l[0] == byte(Add) {
				added += n
			}
		}
	}
	elsewhere := strings.Count(contents, "\x00")
	if shown == 0 && elsewhere == 0 {
		return false
	}
	first := f.firstLine(contents)
	if isSource(f.Path) || isSource(f.OldPath) || strings.HasPrefix(first, "#!") || strings.HasPrefix(first, "<?") ||
		f.encoding(contents) != utf8Text {
		return false
	}
	wasText := f.Status != Added && old && added == shown && elsewhere <= added
	return !wasText
}

// isSource reports whether a name is that of source code or of other text that
// programs interpret.
func isSource(name string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	return slices.Contains(sourceNames, name) ||
		slices.ContainsFunc(sourceExtensions, func(ext string) bool { return strings.HasSuffix(name, ext) })
}

// firstLine returns the first line of the new side; empty if it is not known.
func (f *File) firstLine(contents string) string {
	if contents == "" && len(f.Hunks) > 0 && f.Hunks[0].newBegin() == 1 {
		for l := range strings.Lines(f.Hunks[0].Body) {
			if l[0] != byte(Delete) {
				return l[1:]
			}
		}
	}
	first, _, _ := strings.Cut(contents, "\n")
	return first
}

// maxHidden is how many characters in a row may have two bytes that are ASCII each.
// Of Chinese characters about a fifth are such; texts without a known encoding are
// sent with their NUL bytes.
const maxHidden = 7

// encoding is how the characters of a text are stored.
type encoding byte

const (
	utf8Text encoding = iota
	utf16LE
	utf16BE
)

// encoding returns the encoding of the new side: UTF-16 only with a byte order
// mark, and if most of its known text is ASCII. Other bytes after such a mark could
// be code for a program that ignores the mark, and that nobody would recognize. So
// could a few bytes in a row that are ASCII by themselves.
func (f *File) encoding(contents string) encoding {
	e := utf8Text
	switch first := f.firstLine(contents); {
	case strings.HasPrefix(first, "\xff\xfe"):
		e = utf16LE
	case strings.HasPrefix(first, "\xfe\xff"):
		e = utf16BE
	default:
		return utf8Text
	}
	if contents == "" {
		for l := range strings.Lines(f.Hunks[0].Body) {
			if l[0] != byte(Delete) {
				contents += l[1:]
			}
		}
	}
	text := e.decode(contents)
	ascii, hidden := 0, 0
	for _, r := range text {
		switch {
		case r == '\n': // also where a line of code ends
			ascii++
		case r < utf8.RuneSelf:
			ascii, hidden = ascii+1, 0
		case isCode(r>>8) && isCode(r&0xff):
			if hidden++; hidden == maxHidden {
				return utf8Text
			}
		default:
			hidden = 0
		}
	}
	if 2*ascii < utf8.RuneCountInString(text) {
		return utf8Text
	}
	return e
}

// isCode reports whether a byte is ASCII that code needs.
func isCode(b rune) bool { return b >= ' ' && b < utf8.RuneSelf }

// decode returns a text in UTF-8. Its lines are those that git sees, which end
// after the byte of a newline wherever that is.
func (e encoding) decode(text string) string {
	if e == utf8Text {
		return text
	}
	var b strings.Builder
	for l := range strings.Lines(text) {
		raw, ended := strings.CutSuffix(l, "\n")
		if raw == "\x00" && !ended {
			break // the second byte of the last newline
		}
		b.WriteString(e.decodeLine(raw))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// decodeLine decodes a line of git without its newline byte. The other byte of the
// newline is at its end or at the beginning of the next line.
func (e encoding) decodeLine(raw string) string {
	low, high := 1, 0
	if e == utf16LE {
		low, high = 0, 1
		raw = strings.TrimPrefix(raw, "\x00")
	}
	units := make([]uint16, 0, len(raw)/2)
	for ; len(raw) >= 2; raw = raw[2:] {
		units = append(units, uint16(raw[high])<<8|uint16(raw[low]))
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
}

// decodeHunks returns hunks in UTF-8.
func (e encoding) decodeHunks(hunks []Hunk) []Hunk {
	decoded := slices.Clone(hunks)
	for i := range decoded {
		h := &decoded[i]
		var b strings.Builder
		for body := h.Body; body != ""; {
			l, rest, _ := strings.Cut(body, "\n")
			body = rest
			if e == utf16LE && len(l) == 2 && l[1] == 0 && strings.HasPrefix(rest, "\\") {
				_, body, _ = strings.Cut(rest, "\n") // as in decode
				if l[0] != byte(Add) {
					h.OldLines--
				}
				if l[0] != byte(Delete) {
					h.NewLines--
				}
				continue
			}
			if l != "" && l[0] != '\\' {
				l = l[:1] + e.decodeLine(l[1:])
			}
			b.WriteString(l + "\n")
		}
		h.Body = b.String()
	}
	return decoded
}
