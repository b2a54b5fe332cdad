package provider

import (
	"regexp"
	"strings"
	"unicode"
)

// escapes matches the sequences that steer terminals: control sequences, and
// strings up to their end. What is left of broken ones are letters: OneLine drops
// the characters that make them more. (A library for this costs 25 ms at the
// start of every process.)
var escapes = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)|\x1b[ -/]*[0-~]")

// OneLine makes what a provider said fit for the Message of an [Error]: white
// space becomes single spaces, and escape sequences and characters that are not
// printed are dropped.
func OneLine(text string) string {
	text = escapes.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
