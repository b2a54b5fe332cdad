// Package gitlab is GitLab as a code host: a client that reads the state of a merge
// request and carries out what package review plans.
package gitlab
