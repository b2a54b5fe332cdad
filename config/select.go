package config

import (
	"fmt"
	"slices"

	"github.com/codescan-dev/scanner"
)

// chosen is a skill that takes part in a run.
type chosen struct {
	name    string
	path    string // of its table in scanner.toml; empty if it has none
	config  *Skill
	trigger int // index of the trigger that matched; -1 for none
}

// choose picks the skills of a run. A local run takes all that are configured
// but those with only schedule triggers; an event takes those with a trigger for
// it, the first such trigger being the level. Names given by --skill narrow the
// choice in a workflow; in a local run they make it.
func choose(f *File, names []string, event *Event) []chosen {
	var skills []chosen
	for i := range f.Skills {
		c := chosen{name: f.Skills[i].Name, path: fmt.Sprintf("skills[%d]", i), config: &f.Skills[i], trigger: -1}
		named := slices.Contains(names, c.name)
		if len(names) > 0 && !named {
			continue
		}
		if event == nil {
			if !named && onlyScheduled(c.config.Triggers) {
				continue
			}
		} else if c.trigger = slices.IndexFunc(c.config.Triggers, event.starts); c.trigger < 0 {
			continue
		}
		skills = append(skills, c)
	}
	if event != nil {
		// A skill without a table has no triggers; only the one that stands in
		// for a missing configuration runs, on pull requests.
		if len(f.Skills) == 0 && event.starts(Trigger{Type: TriggerPullRequest}) &&
			(len(names) == 0 || slices.Contains(names, DefaultSkill)) {
			skills = append(skills, builtInSkill())
		}
		return skills
	}
	for i, name := range names {
		configured := slices.ContainsFunc(f.Skills, func(s Skill) bool { return s.Name == name })
		if !configured && !slices.Contains(names[:i], name) {
			skills = append(skills, chosen{name: name, config: &Skill{}, trigger: -1})
		}
	}
	if len(f.Skills) == 0 && len(names) == 0 {
		skills = append(skills, builtInSkill())
	}
	return skills
}

func builtInSkill() chosen {
	return chosen{name: DefaultSkill, config: &Skill{}, trigger: -1}
}

func onlyScheduled(triggers []Trigger) bool {
	return len(triggers) > 0 && !slices.ContainsFunc(triggers, func(t Trigger) bool { return t.Type != TriggerSchedule })
}

// starts reports whether e is an event that t waits for.
func (e *Event) starts(t Trigger) bool {
	if t.Type != e.Type {
		return false
	}
	if t.Type == TriggerSchedule {
		return true
	}
	actions := t.Actions
	if actions == nil {
		actions = []string{"opened", "synchronize", "reopened"}
	}
	return slices.Contains(actions, e.Action)
}

// skill resolves the settings of one skill.
func (r *resolver) skill(c chosen) SkillSettings {
	s := SkillSettings{Name: c.name}
	trigger, triggerPath := Trigger{}, ""
	if c.trigger >= 0 {
		trigger, triggerPath = c.config.Triggers[c.trigger], fmt.Sprintf("%s.triggers[%d].", c.path, c.trigger)
	}
	path := c.path + "."
	project, user := &r.project.Defaults, &r.user.Defaults

	s.Path = pick(r, s.Key("path"), "", from(r.project, path+"path", c.config.Path))
	s.Paths = pickList(r, s.Key("paths"), list(r.project, path+"paths", c.config.Paths))
	s.IgnorePaths = pickList(r, s.Key("ignorePaths"), list(r.project, path+"ignorePaths", c.config.IgnorePaths))
	s.Model = pick(r, s.Key("model"), "",
		given("--model", r.flags.Model), variable(envModel, r.env.Model), from(r.project, path+"model", c.config.Model),
		from(r.project, "provider.model", r.project.Provider.Model), from(r.user, "provider.model", r.user.Provider.Model))
	threshold := func(key, flag string, given *string, levels ...*scanner.Threshold) scanner.Threshold {
		return pick(r, s.Key(key), scanner.ThresholdNone,
			thresholdFlag(flag, given),
			from(r.project, triggerPath+key, levels[0]),
			from(r.project, path+key, levels[1]),
			from(r.project, "defaults."+key, levels[2]),
			from(r.user, "defaults."+key, levels[3]))
	}
	s.Policy.ReportOn = threshold("reportOn", "--report-on", r.flags.ReportOn,
		trigger.ReportOn, c.config.ReportOn, project.ReportOn, user.ReportOn)
	s.Policy.MinConfidence = threshold("minConfidence", "--min-confidence", r.flags.MinConfidence,
		trigger.MinConfidence, c.config.MinConfidence, project.MinConfidence, user.MinConfidence)
	s.Policy.MaxFindings = pick(r, s.Key("maxFindings"), 0,
		given("--max-findings", r.flags.MaxFindings),
		from(r.project, triggerPath+"maxFindings", trigger.MaxFindings),
		from(r.project, path+"maxFindings", c.config.MaxFindings),
		from(r.project, "defaults.maxFindings", project.MaxFindings),
		from(r.user, "defaults.maxFindings", user.MaxFindings))
	s.Policy.FailOn = threshold("failOn", "--fail-on", r.flags.FailOn,
		trigger.FailOn, c.config.FailOn, project.FailOn, user.FailOn)
	s.Verify = pick(r, s.Key("verify"), false,
		from(r.project, path+"verify", c.config.Verify), from(r.project, "defaults.verify", project.Verify))
	s.RequestChanges = pick(r, s.Key("requestChanges"), false,
		from(r.project, path+"requestChanges", c.config.RequestChanges),
		from(r.project, "defaults.requestChanges", project.RequestChanges))
	return s
}
