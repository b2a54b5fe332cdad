// Package workflows has the files that make a code host run scanner. They are examples
// to copy, and what "scanner init" writes.
package workflows

import _ "embed"

//go:embed review.yml
var github string

//go:embed .gitlab-ci.yml
var gitlab string

// GitHub returns the workflow of GitHub that reviews pull requests.
func GitHub() string { return github }

// GitLab returns the jobs of GitLab that review merge requests.
func GitLab() string { return gitlab }
