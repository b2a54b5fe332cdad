package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChoose(t *testing.T) {
	const configured = `
version = 1
[[skills]]
name = "always"
[[skills]]
name = "pull"
[[skills.triggers]]
type = "pull_request"
[[skills]]
name = "labels"
paths = ["**"]
[[skills.triggers]]
type = "schedule"
[[skills.triggers]]
type = "pull_request"
actions = ["labeled", "opened"]
maxFindings = 1
[[skills.triggers]]
type = "pull_request"
actions = ["opened", "closed"]
maxFindings = 2
[[skills]]
name = "nightly"
paths = ["**"]
[[skills.triggers]]
type = "schedule"
`
	const drafts = `
version = 1
[[skills]]
name = "ready"
triggers = [{ type = "pull_request", drafts = false }]
[[skills]]
name = "ready when opened"
triggers = [{ type = "pull_request", drafts = false, actions = ["opened"] }]
[[skills]]
name = "any"
triggers = [{ type = "pull_request", drafts = true }]
[[skills]]
name = "nightly"
paths = ["**"]
triggers = [{ type = "schedule" }]
`
	const none = "version = 1\n"
	pull := func(action string) *Event { return &Event{Type: TriggerPullRequest, Action: action} }
	tests := []struct {
		name  string
		text  string // empty for no file
		flags []string
		event *Event
		want  []string
	}{
		{"no file", "", nil, nil, []string{"code-review"}},
		{"no skill in the file", none, nil, nil, []string{"code-review"}},
		{"all but the scheduled", configured, nil, nil, []string{"always", "pull", "labels"}},
		{"only scheduled ones", "version = 1\n[[skills]]\nname = 'n'\npaths = ['a']\n[[skills.triggers]]\ntype = 'schedule'\n", nil, nil, nil},
		{"named", configured, []string{"pull"}, nil, []string{"pull"}},
		{"a scheduled one is named", configured, []string{"nightly"}, nil, []string{"nightly"}},
		{"configuration order, then the others in the order of the flags, each once", configured,
			[]string{"z", "pull", "a", "always", "z", "pull"}, nil, []string{"always", "pull", "z", "a"}},
		{"named without a file", "", []string{"security-review"}, nil, []string{"security-review"}},
		{"opened", configured, nil, pull("opened"), []string{"pull", "labels"}},
		{"synchronize is a default action", configured, nil, pull("synchronize"), []string{"pull"}},
		{"labeled", configured, nil, pull("labeled"), []string{"labels"}},
		{"closed", configured, nil, pull("closed"), []string{"labels"}},
		{"an action nobody waits for", configured, nil, pull("edited"), nil},
		{"schedule", configured, nil, &Event{Type: TriggerSchedule}, []string{"labels", "nightly"}},
		{"opened as a draft", drafts, nil, &Event{Type: TriggerPullRequest, Action: "opened", Draft: true}, []string{"any"}},
		{"opened, no draft", drafts, nil, pull("opened"), []string{"ready", "ready when opened", "any"}},
		{"no longer a draft", drafts, nil, pull("ready_for_review"), []string{"ready"}},
		{"a draft where nothing is set", configured, nil, &Event{Type: TriggerPullRequest, Action: "synchronize", Draft: true}, []string{"pull"}},
		{"a draft without a file", "", nil, &Event{Type: TriggerPullRequest, Action: "opened", Draft: true}, []string{"code-review"}},
		{"a merge group", drafts, nil, pull(""), []string{"ready", "ready when opened", "any"}},
		{"a merge group without a file", "", nil, pull(""), []string{"code-review"}},
		{"an unknown event", configured, nil, &Event{Type: "push"}, nil},
		{"an event and a name", configured, []string{"labels", "other"}, pull("opened"), []string{"labels"}},
		{"an event without a file", "", nil, pull("opened"), []string{"code-review"}},
		{"an event without a file, another name", "", []string{"other"}, pull("opened"), nil},
		{"an action without a file", "", nil, pull("labeled"), nil},
		{"a schedule without a file", "", nil, &Event{Type: TriggerSchedule}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Flags: Flags{Skills: tt.flags}, Event: tt.event}
			if tt.text != "" {
				f, err := Parse("scanner.toml", []byte(tt.text))
				if err != nil {
					t.Fatal(err)
				}
				in.File = f
			}
			s, err := Resolve(in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, skill := range s.Skills {
				got = append(got, skill.Name)
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("skills (-got +want):\n%s", d)
			}
		})
	}

	t.Run("the first trigger that matches is the level", func(t *testing.T) {
		f, err := Parse("scanner.toml", []byte(configured))
		if err != nil {
			t.Fatal(err)
		}
		for action, want := range map[string]int{"labeled": 1, "opened": 1, "closed": 2} {
			s, err := Resolve(Input{File: f, Event: pull(action), Flags: Flags{Skills: []string{"labels"}}})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Skills[0].Thresholds.MaxFindings; got != want {
				t.Errorf("%s: got maxFindings %d, want %d", action, got, want)
			}
		}
	})
}
