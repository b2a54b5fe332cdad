package scanner

import (
	"cmp"
	"context"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/similar"
	"github.com/codescan-dev/scanner/internal/weakness"
)

// unite makes one finding of what the model and a rule both found in a chunk. The
// first n findings are those of the skill's rules. Where a rule of another skill found
// the same, the finding of the model gets its identity: what that skill reports is then
// recognized as a duplicate, or this one is, by their order.
func (a *analysis) unite(ctx context.Context, n int, text diff.Text) {
	found := a.found[:n:n]
	var others []located
	if len(a.found) > n {
		others = a.ofOtherRules(ctx, text)
	}
	for _, f := range a.found[n:] {
		if i := a.sameThing(found[:n], &f.Finding); i >= 0 {
			found[i].Finding = a.united(found[i].Finding, f.Finding)
			found[i].raw, found[i].how = f.raw, f.how
			continue
		}
		if i := a.sameThing(others, &f.Finding); i >= 0 {
			f.Finding, f.PlaceText = a.united(others[i].Finding, f.Finding), others[i].PlaceText
		}
		found = append(found, f)
	}
	a.found = found
}

// ofOtherRules returns what the rules of the other skills that analyze the file find in
// the chunk.
func (a *analysis) ofOtherRules(ctx context.Context, text diff.Text) []located {
	file := &a.s.plans[a.file].File
	var found []located
	for _, s := range a.skills {
		if skip, wants := s.skill.skips(file.Path); s == a.s || skip != nil || !wants {
			continue
		}
		// Of what takes too long, that skill reports it.
		findings, _ := matchRules(ctx, a.patternLimit(), s.rulesFor(file, analyzedScopes...), a.code)
		found = append(found, ofRules(findings, text, a.diffChunk())...)
	}
	return found
}

// sameThing returns the first of the findings of rules that is about the same as that of
// a model: its line is among those of the model's, and the model names the class of
// weakness that the rule is about, or uses the words of its title. It returns -1 if
// there is none.
func (a *analysis) sameThing(rules []located, f *Finding) int {
	for i := range rules {
		r := &rules[i].Finding
		if f.Location == nil || r.Location.StartLine < f.Location.StartLine || r.Location.StartLine > f.Location.LastLine() {
			continue
		}
		if similar.Related(r.Title, f.Title) || weakness.Mentions(f.Title+"\n"+f.Description, a.rule(r.Rule).CWE) {
			return i
		}
	}
	return -1
}

// rule returns the rule of any skill that has a name.
func (r *run) rule(name string) *rule {
	for _, s := range r.skills {
		for i := range s.rules {
			if s.rules[i].name == name {
				return &s.rules[i]
			}
		}
	}
	return nil
}

// united returns the finding of a rule with what that of a model adds: the higher of
// both severities, unless that of the rule is lower in files of this kind, and of both
// confidences, and what the rule does not have.
func (a *analysis) united(rule, model Finding) Finding {
	if model.Severity.Rank() < rule.Severity.Rank() && rule.Severity == a.rule(rule.Rule).Severity {
		rule.Severity = model.Severity
	}
	if model.Confidence.Rank() < rule.Confidence.Rank() {
		rule.Confidence = model.Confidence
	}
	rule.Verification = cmp.Or(rule.Verification, model.Verification)
	rule.SuggestedFix = cmp.Or(rule.SuggestedFix, model.SuggestedFix)
	at := newPlaces(rule)
	for _, l := range model.AdditionalLocations {
		at.add(l)
	}
	rule.AdditionalLocations = at.list
	return rule
}
