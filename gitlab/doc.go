// Package gitlab is GitLab as a code host: a client that reads the state of a merge
// request and carries out what package review plans.
//
// A finding is a discussion on the lines of the diff, the summary is one note, and the
// result of a skill is a commit status. GitLab has no request for changes: a status that
// failed is in its place, and blocks a merge where pipelines must succeed. It has no
// neutral status either, so what does not fail is a success, and its description counts
// the findings.
//
// # Tokens
//
// A token of a project, of a group or of a person needs the scope api and the role
// Developer. With the role Reporter it comments, but sets no statuses and resolves no
// threads: notes of findings that are gone are edited instead. With the scope read_api
// nothing is posted. The token of a job only reads the head of the merge request: it
// knows neither its account nor discussions, so nothing is posted with it.
//
// What other accounts wrote is never taken for the work of an earlier run. A token of a
// project or a group has an account of its own, which it keeps when it is rotated; a new
// token has a new account, and everything is posted again.
//
// # Sources
//
// The requests follow the pages https://docs.gitlab.com/api/discussions/, notes,
// commits, merge_requests, members and users, https://docs.gitlab.com/ci/jobs/ci_job_token/,
// and the OpenAPI description in GitLab's repository, against which .ci/prism holds those
// of the tests. Texts are written for https://docs.gitlab.com/user/markdown/ and
// https://docs.gitlab.com/user/project/quick_actions/.
package gitlab
