package config

import (
	"fmt"
	"slices"
)

// chosen is a skill that takes part in a run.
type chosen struct {
	name string
	// path is that of its table in scanner.toml, trigger that of the trigger that
	// matched. They are empty if it has none.
	path, trigger string
	triggers      []Trigger
}

// choose selects the skills of a run. A local run takes all that are configured
// except those with only schedule triggers; an event takes those with a trigger
// for it, and the first such trigger is the level. In a workflow, the names given
// by --skill select among these; in a local run, they are the skills to run.
func choose(f *File, names []string, event *Event) []chosen {
	var configured []Skill
	if f != nil {
		configured = f.skills
	}
	var skills []chosen
	for i, s := range configured {
		c := chosen{name: s.Name, path: fmt.Sprintf("skills[%d]", i), triggers: s.Triggers}
		named := slices.Contains(names, s.Name)
		if len(names) > 0 && !named {
			continue
		}
		if event != nil {
			trigger := slices.IndexFunc(s.Triggers, event.starts)
			if trigger < 0 {
				continue
			}
			c.trigger = fmt.Sprintf("%s.triggers[%d]", c.path, trigger)
		} else if !named && onlyScheduled(s.Triggers) {
			continue
		}
		skills = append(skills, c)
	}
	if event != nil {
		// A skill without a table has no triggers; only the default of a missing
		// configuration runs, on pull requests.
		if len(configured) == 0 && event.starts(Trigger{Type: TriggerPullRequest}) &&
			(len(names) == 0 || slices.Contains(names, defaultSkill)) {
			skills = append(skills, chosen{name: defaultSkill})
		}
		return skills
	}
	for i, name := range names {
		known := slices.ContainsFunc(configured, func(s Skill) bool { return s.Name == name })
		if !known && !slices.Contains(names[:i], name) {
			skills = append(skills, chosen{name: name})
		}
	}
	if len(configured) == 0 && len(names) == 0 {
		skills = append(skills, chosen{name: defaultSkill})
	}
	return skills
}

func onlyScheduled(triggers []Trigger) bool {
	return len(triggers) > 0 && !slices.ContainsFunc(triggers, func(t Trigger) bool { return t.Type != TriggerSchedule })
}

// starts reports whether e is an event of t.
func (e *Event) starts(t Trigger) bool {
	if t.Type != e.Type {
		return false
	}
	drafts := t.Drafts == nil || *t.Drafts
	switch {
	case e.Draft && !drafts:
		return false
	case t.Type == TriggerSchedule, e.Action == "":
		return true
	}
	actions := t.Actions
	if len(actions) == 0 {
		actions = []string{"opened", "synchronize", "reopened"}
		if !drafts { // it was not reviewed before
			actions = append(actions, "ready_for_review")
		}
	}
	return slices.Contains(actions, e.Action)
}
