package extract

import (
	"regexp"
	"strings"
)

// thoughtTags are the tags that models put their thoughts between.
var thoughtTags = []string{"think", "thinking", "thought", "reasoning"}

// withoutThoughts cuts thoughts off the start of the text. Only there: a closing
// tag elsewhere may be quoted code, and what precedes it the answer. It reports
// false when the thoughts do not end.
func withoutThoughts(text string) (string, bool) {
	for {
		tag := ""
		for _, t := range thoughtTags {
			if strings.HasPrefix(text, "<"+t+">") {
				tag = t
			}
		}
		if tag == "" {
			return text, true
		}
		_, rest, ok := strings.Cut(text, "</"+tag+">")
		if !ok {
			return "", false
		}
		text = strings.TrimSpace(rest)
	}
}

// A frame is what may be around an answer: fences, and tags such as <answer>.
var (
	leadFrame = regexp.MustCompile("^(?:\\s|(?:```+|~~~+)[\\w+-]*|</?[\\w|-]{1,40}>)*")
	tailFrame = regexp.MustCompile("(?:\\s|;|```+|~~~+|</?[\\w|-]{1,40}>)*$")
	lineFrame = regexp.MustCompile(`(?:^|[\r\n]|</?[\w|-]{1,40}>)[ \t]*$`)
)

// margins returns where the text begins and ends inside of its frame.
func margins(text string) (lead, tail int) {
	lead = len(leadFrame.FindString(text))
	if lead == len(text) {
		return 0, len(text)
	}
	if strings.HasSuffix(text, "}") {
		return lead, len(text) // as in most answers
	}
	// An expression that is anchored at the end is tried from each byte, so it is
	// given no more than a frame can be.
	from := max(lead, len(text)-maxFrame)
	return lead, from + tailFrame.FindStringIndex(text[from:])[0]
}

const maxFrame = 200

// startsLine reports whether only white space or a tag is before i on its line.
func startsLine(text string, i int) bool {
	return lineFrame.MatchString(text[max(0, i-maxFrame):i])
}
