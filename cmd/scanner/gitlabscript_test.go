package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/codescan-dev/scanner/internal/gitlabtest"
)

// pipeline starts GitLab, or moves the head of its merge request, and makes the
// environment that of a job:
//
//	pipeline merge_request_event base=main head=topic
//	pipeline merge_request_event head=topic merged  on the merge commit HEAD
//	pipeline merge_request_event fork               in the fork, without variables
//	pipeline schedule
func cmdPipeline(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: pipeline source [base=rev] [head=rev] [merged] [fork]")
	}
	opts := map[string]string{"base": "main", "head": "HEAD"}
	for _, arg := range args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		opts[key] = value
	}
	_, fork := opts["fork"]
	_, merged := opts["merged"]
	base := gitOut(ts, "rev-parse", "--verify", opts["base"]+"^{commit}")
	head := gitOut(ts, "rev-parse", "--verify", opts["head"]+"^{commit}")
	slot := ts.Value(hostKey{}).(*hostSlot)
	if slot.host == nil {
		slot.host = &scriptHost{gitlab: gitlabtest.New(head, nil)}
		slot.host.gitlab.Token = hostToken
		server := httptest.NewServer(slot.host.gitlab)
		ts.Defer(server.Close)
		ts.Setenv("CI_API_V4_URL", server.URL+"/api/v4")
	}
	h := slot.host.gitlab
	files := pullFiles(ts, base, head)
	h.Do(func() {
		h.Push(head, files)
		h.Pipelines = map[string]int{head: 99}
		if merged {
			h.Pipelines = nil // it is of the merge commit
		}
	})
	env := map[string]string{
		"CI": "true", "GITLAB_CI": "true", "CI_SERVER_URL": gitlabtest.WebURL, "CI_PIPELINE_ID": "99",
		"CI_PIPELINE_SOURCE": args[0], "CI_COMMIT_SHA": head, "CI_PROJECT_ID": "42", "CI_PROJECT_PATH": h.Project,
		"CI_JOB_URL": gitlabtest.WebURL + "/" + h.Project + "/-/jobs/55", "CI_JOB_TOKEN": "job-secret",
		"SCANNER_GITLAB_TOKEN": hostToken, "SCANNER_DOTENV_FILE": "scanner.env",
		"CI_MERGE_REQUEST_IID": "", "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "",
	}
	if args[0] == "merge_request_event" {
		for key, value := range map[string]string{
			"IID": "7", "DIFF_BASE_SHA": gitOut(ts, "merge-base", base, head), "TITLE": "Change", "DESCRIPTION": "A change.",
			"PROJECT_ID": "42", "PROJECT_PATH": h.Project, "SOURCE_PROJECT_ID": "42", "SOURCE_PROJECT_PATH": h.Project,
			"SOURCE_BRANCH_NAME": "topic", "TARGET_BRANCH_NAME": "main",
		} {
			env["CI_MERGE_REQUEST_"+key] = value
		}
	}
	if merged {
		env["CI_COMMIT_SHA"] = gitOut(ts, "rev-parse", "HEAD")
		env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"], env["CI_MERGE_REQUEST_TARGET_BRANCH_SHA"] = head, base
	}
	if fork {
		env["CI_PROJECT_ID"], env["CI_PROJECT_PATH"] = "43", "fork/p"
		env["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"], env["CI_MERGE_REQUEST_SOURCE_PROJECT_PATH"] = "43", "fork/p"
		env["SCANNER_GITLAB_TOKEN"] = ""
	}
	for key, value := range env {
		ts.Setenv(key, value)
	}
}

// log returns what calls a function while no request is answered, and the lists of
// writes and of problems.
func (h *scriptHost) log() (do func(func()), writes, problems *[]string) {
	if g := h.gitlab; g != nil {
		return g.Do, &g.Writes, &g.Problems
	}
	return h.Do, &h.Writes, &h.Problems
}

// dump returns the state of the host, without the commit of the head.
func (h *scriptHost) dump() string {
	text, head := "", ""
	if g := h.gitlab; g != nil {
		text, head = g.Dump(), g.Head
	} else {
		text, head = h.Dump(), h.Head
	}
	return strings.NewReplacer(head, "HEAD", head[:7], "HEAD").Replace(text)
}

// gitlabCommand is the command host for GitLab.
func (h *scriptHost) gitlabCommand(ts *testscript.TestScript, args []string) {
	g := h.gitlab
	g.Do(func() {
		switch args[0] {
		case "bodies":
			var b bytes.Buffer
			for _, d := range g.Discussions {
				for _, n := range d.Notes {
					b.WriteString(n.Body + "\n")
				}
			}
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o644))
		case "deny":
			g.Deny[args[1]] = true
		case "reporter":
			g.Roles[g.Account] = gitlabtest.Reporter
		case "reset":
			g.Deny, g.Problems = make(map[string]bool), nil
			g.Roles[g.Account] = gitlabtest.Developer
		default:
			ts.Fatalf("host: unknown %q", args[0])
		}
	})
}
