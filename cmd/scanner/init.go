package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/examples/workflows"
)

// The values of --ci.
const (
	ciGitHub = "github"
	ciGitLab = "gitlab"
	ciNone   = "none"
)

// gitlabInclude is a .gitlab-ci.yml that has only the jobs of scanner.
const gitlabInclude = "include:\n  - local: /.gitlab/scanner.yml\n"

func initFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "ci", Usage: "write what this code `HOST` needs: github, gitlab or none"},
	}
}

// secrets describes how the secrets of the workflow are set.
var secrets = map[string]string{
	ciGitHub: `  set the secret SCANNER_PROVIDER_API_KEY of the repository, for instance with
    gh secret set SCANNER_PROVIDER_API_KEY
`,
	ciGitLab: `  set the masked CI/CD variables SCANNER_PROVIDER_API_KEY and SCANNER_GITLAB_TOKEN;
    the file describes them
`,
	ciNone: "",
}

// initialize is the command init.
func (p *process) initialize(ctx context.Context, o *options) error {
	c := p.console(o)
	defer c.Close()
	pr, err := p.openProject(ctx, c, o)
	if err != nil {
		return err
	}
	defer pr.Close()
	up := ""
	if below := pr.Below(); below != "" {
		up = strings.Repeat("../", strings.Count(below, "/")+1)
	}
	create := func(name, text string) (created bool, err error) {
		switch err := pr.Create(name, text); {
		case errors.Is(err, fs.ErrExist):
			_, err = fmt.Fprintf(p.stdout, "left %s%s as it is: it exists\n", up, name)
			return false, err
		case err != nil:
			return false, err
		}
		_, err = fmt.Fprintf(p.stdout, "wrote %s%s\n", up, name)
		return true, err
	}
	if _, err := create("scanner.toml", config.Starter(schemaURL(version))); err != nil {
		return err
	}
	next := ""
	switch o.ci = chooseCI(o.ci, pr.OriginHost(ctx)); o.ci {
	case "":
		o.ci, next = ciNone, "  scanner init --ci=github, or --ci=gitlab, adds the review of pull requests\n"
	case ciGitHub:
		_, err = create(".github/workflows/scanner.yml", workflows.GitHub())
	case ciGitLab:
		if _, err = create(".gitlab/scanner.yml", workflows.GitLab()); err != nil {
			return err
		}
		var created bool
		if created, err = create(".gitlab-ci.yml", gitlabInclude); !created {
			next = "  add to .gitlab-ci.yml, if it is not there:\n    include:\n      - local: /.gitlab/scanner.yml\n"
		}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, `
Next:
  scanner doctor            checks what a run needs here
  scanner scan --offline    runs the pattern rules, without a model
%s%s  commit the files: a review uses the scanner.toml of the base branch
`, next, secrets[o.ci])
	return err
}

// chooseCI returns the value of --ci, or that for a host; empty if it is not known.
func chooseCI(flag, host string) string {
	switch {
	case flag != "":
		return flag
	case strings.Contains(host, ciGitHub):
		return ciGitHub
	case strings.Contains(host, ciGitLab):
		return ciGitLab
	}
	return ""
}

// schemaURL returns the address of the schema of scanner.toml for a version. One that is
// not a release has no tag.
func schemaURL(version string) string {
	ref := "v" + version
	if strings.Contains(version, "-") {
		ref = "main"
	}
	return "https://raw.githubusercontent.com/codescan-dev/scanner/" + ref + "/config/schema.json"
}

// checkInit is the check of the command.
func checkInit(o *options) error {
	switch o.ci {
	case "", ciGitHub, ciGitLab, ciNone:
		return noArguments("init")(o)
	}
	return usagef("--ci: got %q, want github, gitlab or none", o.ci)
}
