package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/diff/gitdiff"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/internal/gitlabtest"
	"github.com/codescan-dev/scanner/internal/hosttest"
)

// hostToken authorizes with the code host of scripts.
const hostToken = "tok-secret"

// scriptHost is the code host of a script, and the workflow that runs for it.
type scriptHost struct {
	*githubtest.Host
	gitlab *gitlabtest.Host // instead, after pipeline
	base   string
	writes int // that were checked
	reads  int
}

func hostOf(ts *testscript.TestScript) *scriptHost {
	h, _ := ts.Value(hostKey{}).(*hostSlot)
	if h.host == nil {
		ts.Fatalf("no host: begin with an event")
	}
	return h.host
}

type (
	hostKey  struct{}
	hostSlot struct{ host *scriptHost }
)

// event starts the code host, or moves the head of its pull request, and makes
// the environment that of a workflow for an event:
//
//	event pull_request opened base=main head=topic fork
//	event pull_request opened draft
//	event merge_group checks_requested base=main head=queue
//	event schedule
//
// base and head are references of git.
func cmdEvent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: event name [action] [base=rev] [head=rev] [fork] [author=login]")
	}
	name, action := args[0], ""
	opts := map[string]string{"base": "main", "head": "HEAD", "author": "alice", "from": "o/r", "title": "Change", "body": "A change."}
	for _, arg := range args[1:] {
		key, value, ok := strings.Cut(arg, "=")
		switch {
		case ok:
			opts[key] = value
		case arg == "fork":
			opts["from"] = "fork/r"
		case arg == "draft":
			opts["draft"] = "true"
		default:
			action = arg
		}
	}
	head := gitOut(ts, "rev-parse", "--verify", opts["head"]+"^{commit}")
	slot := ts.Value(hostKey{}).(*hostSlot)
	first := slot.host == nil
	if first {
		slot.host = &scriptHost{Host: githubtest.New(head, nil)}
		slot.host.Token = hostToken
	}
	h := slot.host
	if name != "schedule" && name != "workflow_dispatch" {
		h.base = gitOut(ts, "rev-parse", "--verify", opts["base"]+"^{commit}")
		files := pullFiles(ts, h.base, head)
		h.Do(func() {
			h.Push(head, files)
			h.Pulls = []githubtest.Pull{{Number: h.Number, Head: head, HeadRef: "topic", HeadRepo: opts["from"]}}
		})
	}
	ts.Check(os.WriteFile(ts.MkAbs(".home/event.json"), payload(ts, name, action, h, head, opts), 0o644))
	if first {
		server := httptest.NewServer(h)
		ts.Defer(server.Close)
		ts.Setenv("GITHUB_API_URL", server.URL)
		ts.Setenv("GITHUB_GRAPHQL_URL", server.URL+"/graphql")
	}
	home := ts.Getenv("HOME")
	for key, value := range map[string]string{
		"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": name,
		"GITHUB_EVENT_PATH": filepath.Join(home, "event.json"),
		"GITHUB_REPOSITORY": h.Repo, "GITHUB_SHA": strings.Repeat("0", 40), "GITHUB_SERVER_URL": githubtest.WebURL,
		"GITHUB_RUN_ID": "99", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_TOKEN": hostToken,
		"GITHUB_STEP_SUMMARY": filepath.Join(home, "summary.md"), "GITHUB_OUTPUT": filepath.Join(home, "output"),
	} {
		ts.Setenv(key, value)
	}
}

func gitOut(ts *testscript.TestScript, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = gitEnv(ts)
	out, err := cmd.Output()
	if err != nil {
		ts.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// gitEnv is the environment for git. It is not that of the tests, which may run in
// a hook of git.
func gitEnv(ts *testscript.TestScript) []string {
	return []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "GIT_CONFIG_NOSYSTEM=1"}
}

// pullFiles returns the files of a pull request as the host lists them.
func pullFiles(ts *testscript.TestScript, base, head string) []diff.File {
	ctx := context.Background()
	repo, err := gitdiff.Open(ctx, ts.MkAbs("."), gitdiff.Options{Env: gitEnv(ts)})
	ts.Check(err)
	defer repo.Close()
	files, err := repo.Changes(ctx, gitdiff.Source{Base: base, Head: head})
	ts.Check(err)
	return files
}

// payload returns what the runner writes for an event.
func payload(ts *testscript.TestScript, name, action string, h *scriptHost, head string, opts map[string]string) []byte {
	type m = map[string]any
	repo := func(name string) m { return m{"full_name": name} }
	event := m{"repository": repo(h.Repo), "sender": m{"login": opts["author"]}}
	if action != "" {
		event["action"] = action
	}
	switch name {
	case "schedule":
		event["schedule"] = "0 4 * * *"
		delete(event, "repository")
	case "workflow_dispatch":
		event["inputs"] = nil
	case "merge_group":
		event["merge_group"] = m{"head_sha": head, "base_sha": h.base, "head_ref": "refs/heads/gh-readonly-queue/main/pr-7-" + head, "base_ref": "refs/heads/main"}
	case "workflow_run":
		event["workflow_run"] = m{
			"event": "pull_request", "head_sha": head, "head_branch": "topic",
			"head_repository": repo(opts["from"]), "pull_requests": []any{},
		}
	default:
		event["number"] = h.Number
		event["pull_request"] = m{
			"number": h.Number, "title": opts["title"], "body": opts["body"], "draft": opts["draft"] == "true", "user": m{"login": opts["author"]},
			"head": m{"sha": head, "ref": "topic", "repo": repo(opts["from"])},
			"base": m{"sha": h.base, "ref": "main", "repo": repo(h.Repo)},
		}
	}
	data, err := json.Marshal(event)
	ts.Check(err)
	return data
}

// writes checks the number of write requests to the host since the last check.
func cmdWrites(ts *testscript.TestScript, neg bool, args []string) {
	h := hostOf(ts)
	do, writes, found := h.log()
	var got, problems []string
	do(func() {
		got, problems = slices.Clone((*writes)[h.writes:]), slices.Clone(*found)
		h.writes = len(*writes)
	})
	if want, err := strconv.Atoi(args[0]); err != nil || len(got) != want {
		ts.Fatalf("%d writes, want %s:\n%s", len(got), args[0], strings.Join(got, "\n"))
	}
	if len(problems) > 0 {
		ts.Fatalf("problems: %q", problems)
	}
}

// host writes the state of the pull request to a file, or changes it:
//
//	host dump file             the state, as text without random parts
//	host bodies file           the whole text of all comments
//	host summary file          the summary comment, without random parts
//	host requests file         the requests so far
//	host deny 'checks: write'  take a permission away
//	host readonly              take them all away
//	host refuse path text      refuse requests to a path, with status 403 and a text
//	host line a.go 6           refuse comments on a line
//	host account robot         make the token that of another account
//	host reply bob text        reply to the first inline comment
//	host permit alice write    give an account a permission for the repository
//	host offered file          the diff that the summary offers
//	host comment mallory file  comment on the pull request
//	host move                  move the head during the run
//	host fault kind 3          let the third write from now fail
//	host reset                 forget faults, permissions and problems
func cmdHost(ts *testscript.TestScript, neg bool, args []string) {
	h := hostOf(ts)
	if args[0] == "dump" || args[0] == "summary" {
		text := h.dump()
		if args[0] == "summary" {
			_, text, _ = strings.Cut(text, "\ncomment by github-actions[bot]\n")
			text, _, _ = strings.Cut(text, "\n\n  <!-- scanner:summary -->")
			text = regexp.MustCompile(`(?m)^  `).ReplaceAllString(text, "")
			text = regexp.MustCompile(`/commit/[0-9a-f]{40}`).ReplaceAllString(text, "/commit/BEFORE")
			text = regexp.MustCompile("`[0-9a-f]{7}`").ReplaceAllString(text, "`BEFORE`")
		}
		text = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(text, "127.0.0.1")
		text = regexp.MustCompile(` in \d+(ms|\.\ds) `).ReplaceAllString(text, " in 1ms ")
		text = regexp.MustCompile(`/(runs|c)/\d{4,}`).ReplaceAllString(text, "/$1/N")
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.TrimRight(text, "\n")+"\n"), 0o644))
		return
	}
	if h.gitlab != nil {
		h.gitlabCommand(ts, args)
		return
	}
	h.Do(func() {
		switch args[0] {
		case "bodies":
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), h.bodies(), 0o644))
		case "requests":
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(h.Requests[h.reads:], "\n")+"\n"), 0o644))
			h.reads = len(h.Requests)
		case "deny":
			if h.Deny == nil {
				h.Deny = make(map[string]bool)
			}
			h.Deny[args[1]] = true
		case "refuse":
			h.Refuse = func(req *http.Request) string {
				if strings.Contains(req.URL.Path, args[1]) && (args[1] == "/" || req.Method != http.MethodGet) {
					return args[2]
				}
				return ""
			}
		case "line":
			h.RefuseLine = func(path string, line int) bool { return path == args[1] && strconv.Itoa(line) == args[2] }
		case "account":
			h.Account = args[1]
		case "readonly":
			h.ReadOnly()
		case "reply":
			i := slices.IndexFunc(h.Comments, func(c *githubtest.Comment) bool { return c.InReplyTo == 0 })
			h.Reply(h.Comments[i], args[1], args[2])
		case "permit":
			if h.Permissions == nil {
				h.Permissions = make(map[string]string)
			}
			h.Permissions[args[1]] = args[2]
		case "offered":
			_, text, _ := strings.Cut(h.IssueComments[0].Body, "\n```diff\n")
			text, _, _ = strings.Cut(text, "\n```")
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text+"\n"), 0o644))
		case "comment":
			h.IssueComments = append(h.IssueComments, &githubtest.Comment{ID: h.NextID(), User: args[1], Body: ts.ReadFile(args[2])})
		case "move":
			h.Push(strings.Repeat("9", 40), h.Files)
		case "fault":
			n, err := strconv.Atoi(args[2])
			ts.Check(err)
			h.FailWrite(n, hosttest.Fault(args[1]))
		case "reset":
			h.Fault, h.Refuse, h.RefuseLine, h.Deny, h.Problems = nil, nil, nil, nil, nil
		default:
			ts.Fatalf("host: unknown %q", args[0])
		}
	})
}

func (h *scriptHost) bodies() []byte {
	var b bytes.Buffer
	for _, c := range h.IssueComments {
		b.WriteString(c.Body + "\n")
	}
	for _, r := range h.Reviews {
		b.WriteString(r.Body + "\n")
	}
	for _, c := range h.Comments {
		b.WriteString(c.Body + "\n")
	}
	for _, c := range h.Checks {
		b.WriteString(c.Title + "\n" + c.Summary + "\n")
	}
	return b.Bytes()
}

var _ http.Handler = (*githubtest.Host)(nil)
