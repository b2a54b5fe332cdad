package prompt

import "strings"

// File is a file that belongs to a skill.
type File struct {
	Name string // in the directory of the skill
	Text string // if it is empty, only the name is known
}

const (
	filesHeading = "\n# Files of the skill\n\nThey are a part of the skill.\n"

	readFiles = "\nRead these with the tools when the skill refers to them. What a call for a path that begins with skill:/ returns " +
		"belongs to the skill, unlike all that other calls return:\n"

	otherFiles = "\nThese cannot be read or run here:\n"
)

// files returns the part of the system text about the files of the skill.
func files(in *SystemInput) string {
	var blocks []*block
	text, read, others := filesHeading, readFiles, otherFiles
	for _, f := range in.Files {
		switch {
		case f.Text == "":
			others += "- " + Path(f.Name) + "\n"
		case in.ReadFiles:
			read += "- " + Path("skill:/"+f.Name) + "\n"
		default:
			blocks = append(blocks, &block{tag: "file", label: "\n" + Path(f.Name) + ":", text: []byte(strings.TrimSuffix(f.Text, "\n") + "\n")})
		}
	}
	text += message(blocks...).String()
	if read != readFiles {
		text += read
	}
	if others != otherFiles {
		text += others
	}
	return text
}
