package github

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

const (
	pullPayload = `{"action":"labeled","number":7,"label":{"name":"security"},
"pull_request":{"number":7,"title":"Add <b>","body":null,"draft":true,"user":{"login":"alice"},
"head":{"ref":"topic","sha":"1111111111111111111111111111111111111111","repo":{"full_name":"o/r"}},
"base":{"ref":"main","sha":"2222222222222222222222222222222222222222","repo":{"full_name":"o/r"}},
"labels":[{"name":"security"},{"name":"bug"}]},
"repository":{"full_name":"o/r"},"sender":{"login":"alice"}}`
	runPayload = `{"action":"completed","repository":{"id":1,"full_name":"o/r"},"workflow_run":{"event":"pull_request",
"head_sha":"1111111111111111111111111111111111111111","head_branch":"topic","head_repository":{"full_name":"fork/r"},"pull_requests":[]}}`
	groupPayload = `{"action":"checks_requested","merge_group":{"head_sha":"1111111111111111111111111111111111111111",
"head_ref":"refs/heads/gh-readonly-queue/main/pr-7-2222222","base_sha":"2222222222222222222222222222222222222222","base_ref":"refs/heads/main"},
"repository":{"full_name":"o/r"},"sender":{"login":"alice"}}`
)

func TestParseEvent(t *testing.T) {
	swap := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(pullPayload) }
	pull := Event{
		Name: EventPullRequest, Action: "labeled", Repo: Repo{"o", "r"}, Number: 7, Head: headSHA, Base: nextSHA,
		HeadRef: "topic", HeadRepo: Repo{"o", "r"}, Draft: true, Title: "Add <b>", Author: "alice",
	}
	edit := func(f func(*Event)) Event {
		ev := pull
		f(&ev)
		return ev
	}
	run := Event{Name: EventWorkflowRun, Action: "completed", Repo: Repo{"o", "r"}, Head: headSHA, HeadRef: "topic", HeadRepo: Repo{"fork", "r"}, Fork: true}
	tests := []struct {
		name, event, payload string
		want                 Event
		err                  string
	}{
		{"pull request", EventPullRequest, pullPayload, pull, ""},
		{"target", EventPullRequestTarget, pullPayload, edit(func(ev *Event) { ev.Name = EventPullRequestTarget }), ""},
		{"fork", EventPullRequest, swap(`topic","sha":"1111111111111111111111111111111111111111","repo":{"full_name":"o/r"}`, `topic","sha":"1111111111111111111111111111111111111111","repo":{"full_name":"fork/r"}`), edit(func(ev *Event) { ev.Fork, ev.HeadRepo = true, Repo{"fork", "r"} }), ""},
		{"fork that is gone", EventPullRequest, swap(`topic","sha":"1111111111111111111111111111111111111111","repo":{"full_name":"o/r"}`, `topic","sha":"1111111111111111111111111111111111111111","repo":null`), edit(func(ev *Event) { ev.Fork, ev.HeadRepo = true, Repo{} }), ""},
		{"letter case of the repository", EventPullRequest, swap(`topic","sha":"1111111111111111111111111111111111111111","repo":{"full_name":"o/r"}`, `topic","sha":"1111111111111111111111111111111111111111","repo":{"full_name":"O/R"}`), edit(func(ev *Event) { ev.HeadRepo = Repo{"O", "R"} }), ""},
		{"schedule", EventSchedule, `{"schedule":"0 0 * * *"}`, Event{Name: EventSchedule}, ""},
		{"schedule without payload", EventSchedule, ``, Event{Name: EventSchedule}, ""},
		{"dispatch", EventDispatch, `{"repository":{"full_name":"o/r"}}`, Event{Name: EventDispatch, Repo: Repo{"o", "r"}}, ""},
		{"workflow run", EventWorkflowRun, runPayload, run, ""},
		{"ready", EventPullRequest, swap(`"draft":true`, `"draft":false`), edit(func(ev *Event) { ev.Draft = false }), ""},
		{"merge group", EventMergeGroup, groupPayload, Event{Name: EventMergeGroup, Repo: Repo{"o", "r"}, Head: headSHA, Base: nextSHA}, ""},
		{"no merge group", EventMergeGroup, `{}`, Event{}, "merge_group is missing"},
		{"merge group, head", EventMergeGroup, strings.ReplaceAll(groupPayload, headSHA, "--upload-pack=x"), Event{}, "merge_group.head_sha"},
		{"merge group, base", EventMergeGroup, strings.ReplaceAll(groupPayload, nextSHA, "main"), Event{}, "merge_group.base_sha"},
		{"unknown", "push", pullPayload, Event{}, "not supported"},
		{"no JSON", EventPullRequest, `{`, Event{}, "unexpected end"},
		{"wrong type", EventPullRequest, `{"pull_request":7}`, Event{}, "pull_request"},
		{"no pull request", EventPullRequest, `{}`, Event{}, "pull_request is missing"},
		{"null", EventPullRequest, `null`, Event{}, "pull_request is missing"},
		{"number", EventPullRequest, swap(`"number":7`, `"number":-7`), Event{}, "number -7"},
		{"head", EventPullRequest, swap(headSHA, "--upload-pack=x"), Event{}, "head.sha"},
		{"base", EventPullRequest, swap(nextSHA, "main"), Event{}, "base.sha"},
		{"repository", EventPullRequest, swap("o/r", "../r"), Event{}, "base.repo"},
		{"workflow run, no head", EventWorkflowRun, `{"repository":{"full_name":"o/r"},"workflow_run":{}}`, Event{}, "head_sha"},
		{"workflow run, none", EventWorkflowRun, `{"repository":{"full_name":"o/r"}}`, Event{}, "workflow_run is missing"},
		{"workflow run, no repository", EventWorkflowRun, `{"workflow_run":{"head_sha":"` + headSHA + `"}}`, Event{}, "repository is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseEvent(tt.event, []byte(tt.payload))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("event (-got +want):\n%s", d)
			}
		})
	}
}

func FuzzParseEvent(f *testing.F) {
	for _, name := range []string{EventPullRequest, EventMergeGroup, EventSchedule, EventWorkflowRun} {
		for _, p := range []string{pullPayload, runPayload, groupPayload, "{}", ""} {
			f.Add(name, []byte(p))
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		ev, err := ParseEvent(name, data)
		if err != nil {
			if d := cmp.Diff(ev, Event{}); d != "" {
				t.Errorf("event with an error: %s", d)
			}
			return
		}
		if ev.Name == EventPullRequest && (ev.Number <= 0 || !review.IsCommit(ev.Head) || !review.IsCommit(ev.Base) || ev.Repo == (Repo{}) || !ev.Fork && ev.HeadRepo == (Repo{})) {
			t.Errorf("event %+v", ev)
		}
		if ev.Name == EventWorkflowRun && (!review.IsCommit(ev.Head) || ev.Number < 0) {
			t.Errorf("event %+v", ev)
		}
	})
}
