package scanner

import (
	"context"

	"github.com/codescan-dev/scanner/diff"
)

// RunSkill runs one skill over files.
func RunSkill(ctx context.Context, skill Skill, files []diff.File, opts Options) (*SkillReport, error) {
	return nil, ErrNoProvider
}

// Run runs several skills over files.
func Run(ctx context.Context, skills []Skill, files []diff.File, opts Options) (*RunReport, error) {
	return nil, ErrNoProvider
}
