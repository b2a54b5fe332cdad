package skill

import "embed"

// The names of the built-in skills.
const (
	// CodeReview looks for bugs. It is the skill that runs when none is
	// configured.
	CodeReview = "code-review"
	// SecurityReview looks for vulnerabilities.
	SecurityReview = "security-review"
)

//go:embed builtin
var builtin embed.FS

// Builtin returns the source of the skills that are part of the program. Pass it
// to [Discover] last, so that a skill of the same name of a project or a user
// takes precedence.
func Builtin() Source {
	return Source{FS: builtin, Dir: "builtin", Label: "built-in", builtin: true}
}
