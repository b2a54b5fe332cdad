package scanner

import (
	"context"

	"github.com/codescan-dev/scanner/diff"
)

func start(ctx context.Context, skills []Skill, files []diff.File, opts Options, all bool) (*RunReport, error) {
	return nil, ErrNoProvider
}

func summarize(findings []Finding, hidden int, report *SkillReport) string { return "" }
