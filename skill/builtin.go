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

// Builtin returns the source of the skills that are part of the program. It is
// meant to be the last that [Discover] is given, so that a project or a user can
// put a skill of the same name in front.
func Builtin() Source {
	return Source{FS: builtin, Dir: "builtin", Label: "built-in", builtin: true}
}
