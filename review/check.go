package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
)

// The limits of check runs.
const (
	maxAnnotations       = 1000 // of a check run; hosts show no more
	maxAnnotationTitle   = 250  // characters; hosts take 255
	maxAnnotationMessage = 10_000
	maxAnnotationLines   = 10_000
	maxLine              = 1 << 30 // hosts count in 32 bits
)

// Conclusion is how a check run ends.
type Conclusion string

// The conclusions that are used.
const (
	Success Conclusion = "success"
	// Neutral means that there are findings, or that some may be missing: because
	// the result is not complete, because files could not be read, or because a
	// person should look at a change.
	Neutral Conclusion = "neutral"
	// Failure means that findings reach failOn.
	Failure Conclusion = "failure"
)

// Check is a check run about one skill.
type Check struct {
	// Name is "scanner/" and the skill, marked for an untrusted result.
	Name  string
	Skill string
	// ExternalID recognizes the check run: it names the policy, and holds a hash
	// of the contents.
	ExternalID string
	Conclusion Conclusion
	Title      string
	// Summary is Markdown.
	Summary     string
	Annotations []Annotation
}

// Annotation is a place of a finding in a check run. Its texts are plain.
type Annotation struct {
	Path               string
	StartLine, EndLine int
	// Level is "failure", "warning" or "notice".
	Level          string
	Title, Message string
}

// checkName returns the name of a skill's check run. An untrusted result has its
// own: it must not replace a failure.
func checkName(skill string, untrusted bool) string {
	name := "scanner/" + skill
	if untrusted {
		name += " (unverified)"
	}
	return name
}

// checks renders one check run for each skill.
func (v *view) checks() []*Check {
	list := make([]*Check, len(v.Skills))
	for i := range v.Skills {
		list[i] = v.check(&v.Skills[i])
	}
	return list
}

func (v *view) check(s *SkillResult) *Check {
	shown := s.Selection.Shown
	c := &Check{
		Name:       checkName(s.name(), v.Untrusted),
		Skill:      s.name(),
		Conclusion: v.conclusion(s),
		Title:      v.headline([]SkillResult{*s}) + skippedTitle(s),
	}
	if v.wholeFiles() {
		// It must not replace the result of a pull request with the same head.
		c.Name += " (whole files)"
	}
	for i, places := range s.Report.Places(shown) {
		for _, a := range Annotate(&shown[i], places) {
			if a.Path != "" && a.Message != "" && len(c.Annotations) < maxAnnotations {
				c.Annotations = append(c.Annotations, a)
			}
		}
	}
	parts := []string{v.notices([]SkillResult{*s}), v.failuresText(s), skillLine(s, "")}
	if v.Number > 0 {
		change := cmp.Or(v.Flavor.Change, "pull request")
		if v.Flavor.ChangeURL != nil {
			change = linkTo(change, v.Flavor.ChangeURL(v.Number))
		}
		parts = append(parts, "The findings are also in the "+change+".")
	} else {
		parts = append(parts, v.withoutComments(s, maxBody/2))
	}
	parts = append(parts, skippedText(s.Report.SkippedFiles))
	c.Summary = fit(parts, maxBody)
	c.ExternalID = v.externalID(s, c)
	return c
}

// conclusion never claims more than is known: an untrusted result neither passes
// nor fails, and one that is incomplete, or lacks files that could not be read, or has changes that a person should look at, does not pass.
func (v *view) conclusion(s *SkillResult) Conclusion {
	switch {
	case v.Untrusted:
		return Neutral
	case s.Selection.Fails:
		return Failure
	case len(s.Selection.Shown) > 0, v.Stopped != nil, s.incomplete(), s.Report.PatternsOnly,
		len(v.unread([]SkillResult{*s})) > 0, len(v.notable) > 0:
		return Neutral
	default:
		return Success
	}
}

// Annotate renders a finding as annotations, one for each of its places. The path
// is empty where a host cannot show the place, or if there is none.
func Annotate(f *scanner.Finding, places []scanner.Location) []Annotation {
	a := Annotation{
		// Hosts refuse an empty one, to which hidden characters may come down.
		Level: "notice", Title: cmp.Or(oneLine(f.Title, maxAnnotationTitle), "untitled"),
		Message: strings.TrimSpace(text.Clean(text.Truncate(f.Description, maxAnnotationMessage))),
	}
	switch f.Severity {
	case scanner.SeverityHigh:
		a.Level = "failure"
	case scanner.SeverityMedium:
		a.Level = "warning"
	}
	a.Message = cmp.Or(a.Message, a.Title)
	var about []string
	if f.Rule != "" {
		about = append(about, "rule "+f.Rule)
	}
	if f.Confidence != "" {
		about = append(about, string(f.Confidence)+" confidence")
	}
	if f.ID != "" {
		about = append(about, "id "+f.ID)
	}
	if len(about) > 0 {
		a.Message += "\n\n" + oneLine(strings.Join(about, ", "), maxAnnotationTitle)
	}
	list := []Annotation{a}
	if len(places) > 0 {
		list = slices.Repeat(list, len(places))
	}
	for i, l := range places {
		if text.Clean(l.Path) == l.Path && 1 <= l.StartLine && l.StartLine <= maxLine {
			list[i].Path, list[i].StartLine, list[i].EndLine = l.Path, l.StartLine, min(l.LastLine(), l.StartLine+maxAnnotationLines)
		}
	}
	return list
}

// The states in external ids.
const (
	stateComplete   = "complete"
	stateIncomplete = "incomplete"
	// stateSilent is complete, with nothing for a summary comment.
	stateSilent = "silent"
)

// idPrefix is the beginning of the external ids of check runs.
func idPrefix(untrusted bool) string {
	if untrusted {
		return "scanner:1:untrusted:"
	}
	return "scanner:1:trusted:"
}

// externalID is "scanner:1:trust:state:policy:contents".
func (v *view) externalID(s *SkillResult, c *Check) string {
	state := stateComplete
	switch {
	case v.Stopped != nil || s.incomplete():
		state = stateIncomplete
	case !v.needsSummary():
		state = stateSilent
	}
	parts := []string{string(c.Conclusion), c.Title}
	for _, a := range c.Annotations {
		parts = append(parts, a.Path, fmt.Sprint(a.StartLine, a.EndLine), a.Level, a.Title, a.Message)
	}
	return idPrefix(v.Untrusted) + strings.Join([]string{state, hash(16, v.Policy), hash(16, parts...)}, ":")
}
