package review

import (
	"encoding/base64"
	"regexp"
	"strings"
)

const (
	sectionMark = markerBegin + "section "
	sectionEnd  = markerBegin + "end" + markerEnd
)

// section is the part of a summary comment about one skill.
type section struct{ skill, text string }

func sectionText(skill, text string) string {
	return sectionMark + base64.StdEncoding.EncodeToString([]byte(skill)) + markerEnd + "\n\n" + text + "\n\n" + sectionEnd
}

var sections = regexp.MustCompile(`(?s)` + sectionMark + `(\S+)` + markerEnd + `(.*?)` + sectionEnd)

// readSections returns the sections of a summary comment.
func readSections(body string) []section {
	var list []section
	for _, m := range sections.FindAllStringSubmatch(body, -1) {
		if skill, err := base64.StdEncoding.DecodeString(m[1]); err == nil && len(skill) > 0 {
			list = append(list, section{string(skill), strings.TrimSpace(m[2])})
		}
	}
	return list
}
