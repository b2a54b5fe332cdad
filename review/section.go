package review

import (
	"encoding/base64"
	"strings"
)

// section is the part of a summary comment about one skill.
type section struct{ skill, text string }

func sectionText(skill, text string) string {
	return sectionMark + base64.StdEncoding.EncodeToString([]byte(skill)) + markerEnd + "\n\n" + text + "\n\n" + sectionEnd
}

// readSections returns the sections of a summary comment.
func readSections(body string) []section {
	var list []section
	for {
		_, rest, ok := strings.Cut(body, sectionMark)
		if !ok {
			return list
		}
		name, rest, ok := strings.Cut(rest, markerEnd)
		if !ok {
			return list
		}
		text, rest, ok := strings.Cut(rest, sectionEnd)
		if !ok {
			return list
		}
		if skill, err := base64.StdEncoding.DecodeString(name); err == nil && len(skill) > 0 {
			list = append(list, section{string(skill), strings.TrimSpace(text)})
		}
		body = rest
	}
}
