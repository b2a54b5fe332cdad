package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/examples/workflows"
	"github.com/codescan-dev/scanner/project"
)

// checkInit is the check of the command init.
func checkInit(o *options) error {
	if !slices.Contains([]string{"", "github", "gitlab", "none"}, o.ci) {
		return usagef("--ci: got %q, want github, gitlab or none", o.ci)
	}
	return nil
}

const (
	afterInit = `
Next:
  scanner doctor            checks what a run needs here
  scanner scan --offline    runs the pattern rules, without a model
  commit the files: a review uses the scanner.toml of the base branch
`
	afterGitHub = `  set the secret SCANNER_PROVIDER_API_KEY of the repository, for instance with
    gh secret set SCANNER_PROVIDER_API_KEY
`
	afterGitLab = `  set the masked CI/CD variables SCANNER_PROVIDER_API_KEY and SCANNER_GITLAB_TOKEN;
    .gitlab/scanner.yml describes them
  if .gitlab-ci.yml was there before, add to it:
    include:
      - local: /.gitlab/scanner.yml
`
	afterNone = `  scanner init --ci=github, or --ci=gitlab, adds the review of pull requests
`
)

// initialize is the command init.
func (p *process) initialize(ctx context.Context, pr *project.Project, o *options) error {
	// An unreleased version has no tag.
	ref := "v" + version
	if strings.Contains(version, "-") {
		ref = "main"
	}
	files := [][2]string{{"scanner.toml", config.Starter("https://raw.githubusercontent.com/codescan-dev/scanner/" + ref + "/config/schema.json")}}
	next := afterInit
	switch host := cmp.Or(o.ci, pr.OriginHost(ctx)); {
	case strings.Contains(host, "github"):
		files = append(files, [2]string{".github/workflows/scanner.yml", workflows.GitHub()})
		next += afterGitHub
	case strings.Contains(host, "gitlab"):
		files = append(files, [2]string{".gitlab/scanner.yml", workflows.GitLab()},
			[2]string{".gitlab-ci.yml", "include:\n  - local: /.gitlab/scanner.yml\n"})
		next += afterGitLab
	case o.ci == "":
		next += afterNone
	}
	up := ""
	if below := pr.Below(); below != "" {
		up = strings.Repeat("../", strings.Count(below, "/")+1)
	}
	for _, f := range files {
		line := "wrote " + up + f[0]
		if err := pr.Create(f[0], f[1]); errors.Is(err, fs.ErrExist) {
			line = "left " + up + f[0] + " as it is: it exists"
		} else if err != nil {
			return err
		}
		fmt.Fprintln(p.stdout, line)
	}
	_, err := fmt.Fprint(p.stdout, next)
	return err
}
