package skill

import "embed"

// CodeReview is the name of the built-in skill that looks for bugs. It is the
// skill that runs when none is configured.
const CodeReview = "code-review"

//go:generate go test -run ^TestRulesDocument$ . -update

// The fixtures of the skills are left out.
//
//go:embed builtin/*/SKILL.md builtin/*/patterns.toml
var builtin embed.FS

// Builtin returns the source of the skills that are part of the program. Pass it
// to [Discover] last, so that a skill of the same name of a project or a user
// takes precedence.
func Builtin() Source {
	return Source{FS: builtin, Dir: "builtin", Label: "built-in", builtin: true}
}
