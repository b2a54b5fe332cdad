package output

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/codescan-dev/scanner"
)

// What is written of the Static Analysis Results Interchange Format, version 2.1.0 with
// Errata 01 (OASIS). Names of types are those of its objects.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"semanticVersion,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID         string         `json:"id"`
		Short      sarifText      `json:"shortDescription"`
		Full       sarifText      `json:"fullDescription"`
		Help       sarifText      `json:"help"`
		Default    sarifDefault   `json:"defaultConfiguration"`
		Properties sarifRuleExtra `json:"properties"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifRuleExtra struct {
		Tags []string `json:"tags"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Start         string              `json:"startTimeUtc,omitempty"`
		End           string              `json:"endTimeUtc,omitempty"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Fixes        []sarifFix         `json:"fixes,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Baseline     string             `json:"baselineState,omitempty"`
		Properties   sarifResultExtra   `json:"properties"`
	}
	sarifResultExtra struct {
		Skill        string `json:"skill"`
		Severity     string `json:"severity"`
		Confidence   string `json:"confidence,omitempty"`
		Verification string `json:"verification,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted *sarifText  `json:"insertedContent,omitempty"`
	}
)

const (
	projectURL  = "https://github.com/codescan-dev/scanner"
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// sourceRoot is the usual name of the directory that paths are relative to.
	sourceRoot = "%SRCROOT%"
	// fingerprint names the id of a finding among its fingerprints.
	fingerprint = "scannerFindingId/v1"
)

// writeSARIF writes one run of SARIF with all skills. Suppressed findings are results
// with a suppression, those of a baseline are results that are unchanged.
func writeSARIF(w io.Writer, r *report) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "scanner", Version: r.Version, URI: projectURL, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{r.sarifInvocation()},
		ColumnKind:  "utf16CodeUnits",
		Results:     []sarifResult{},
	}
	rules := make(map[string]int)
	baseline := slices.ContainsFunc(r.skills, func(s skillResult) bool { return scanner.CountSuppressed(s.Suppressed).Baseline > 0 })
	add := func(s *skillResult, f *scanner.Finding, places []scanner.Location) *sarifResult {
		id := line(ruleOf(f, s.Skill))
		index, ok := rules[id]
		if !ok {
			index = len(rules)
			rules[id] = index
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, r.sarifRule(id, s.Skill))
		}
		res := sarifResultOf(f, s.Skill, places)
		res.RuleID, res.RuleIndex = id, index
		if baseline {
			res.Baseline = "new"
		}
		run.Results = append(run.Results, res)
		return &run.Results[len(run.Results)-1]
	}
	for i := range r.skills {
		s := &r.skills[i]
		for j, places := range s.Places(s.Shown) {
			add(s, &s.Shown[j], places)
		}
		for j := range s.Suppressed {
			f := &s.Suppressed[j]
			var places []scanner.Location
			if f.Location != nil {
				places = append(places, *f.Location)
			}
			res := add(s, &f.Finding, places)
			switch f.Reason {
			case scanner.SuppressBaseline:
				res.Baseline = "unchanged"
			case scanner.SuppressInline:
				res.Suppressions = []sarifSuppression{{"inSource", line(f.Note)}}
			default:
				res.Suppressions = []sarifSuppression{{"external", line(f.Note)}}
			}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

func (r *report) sarifInvocation() sarifInvocation {
	inv := sarifInvocation{Successful: r.run.Complete()}
	if !r.Start.IsZero() {
		inv.Start = r.Start.UTC().Format(time.RFC3339)
		inv.End = r.Start.Add(r.run.Duration).UTC().Format(time.RFC3339)
	}
	for _, g := range r.gaps() {
		n := sarifNotification{Level: "error", Message: sarifText{g.message}}
		if g.at != nil {
			n.Locations = []sarifLocation{sarifPlace(*g.at)}
		}
		inv.Notifications = append(inv.Notifications, n)
	}
	return inv
}

// sarifRule describes what makes a finding. Levels and texts of results are their own;
// those of a rule are for lists of rules.
func (r *report) sarifRule(id, skill string) sarifRule {
	about := r.describe(skill)
	if about == "" {
		about = "Findings of the skill " + skill + "."
	}
	rule := sarifRule{
		ID: id, Short: sarifText{about}, Full: sarifText{about}, Help: sarifText{about},
		Default: sarifDefault{"warning"}, Properties: sarifRuleExtra{Tags: []string{skill}},
	}
	if p := r.pattern(id); p != nil {
		rule.Short.Text, rule.Full.Text = line(p.Title), clean(p.Description)
		rule.Help.Text = clean(p.Description) + fmt.Sprintf("\n\nThis is rule %s. To mark a finding as fine: scanner ignore, or the comment scanner:ignore[%s] with a reason.", id, id)
		rule.Default.Level = sarifLevels[p.Severity]
		if p.CWE > 0 {
			rule.Properties.Tags = append(rule.Properties.Tags, "security", fmt.Sprintf("external/cwe/cwe-%03d", p.CWE))
		}
	}
	return rule
}

func sarifResultOf(f *scanner.Finding, skill string, places []scanner.Location) sarifResult {
	message := strings.TrimSpace(clean(f.Description))
	if title := line(f.Title); title != message {
		message = title + "\n\n" + message
	}
	res := sarifResult{
		Level: sarifLevels[f.Severity],
		// In a message, text in brackets before a parenthesis is a link.
		Message:      sarifText{strings.ReplaceAll(message, "](", "] (")},
		Fingerprints: map[string]string{fingerprint: f.ID},
		Properties:   sarifResultExtra{skill, string(f.Severity), string(f.Confidence), clean(f.Verification)},
	}
	// Several locations of a result mean that it is about all of them together, so those
	// of similar findings are related ones.
	for i, l := range places {
		if i == 0 {
			res.Locations = append(res.Locations, sarifPlace(l))
		} else {
			res.Related = append(res.Related, sarifPlace(l))
		}
	}
	for _, l := range f.AdditionalLocations {
		if !slices.Contains(places, l) {
			res.Related = append(res.Related, sarifPlace(l))
		}
	}
	if fix := f.SuggestedFix; fix != nil && f.Location != nil && len(fix.Edits) > 0 {
		change := sarifChange{Artifact: sarifFile(f.Location.Path)}
		for _, e := range fix.Edits {
			change.Replacements = append(change.Replacements, sarifEdit(e))
		}
		res.Fixes = []sarifFix{{sarifText{clean(fix.Description)}, []sarifChange{change}}}
	}
	return res
}

// sarifEdit returns an edit of whole lines as one of text: up to the end of the last
// line that is replaced, whose line end stays; else up to the beginning of the next line.
func sarifEdit(e scanner.Edit) sarifReplacement {
	r := sarifReplacement{Deleted: sarifRegion{StartLine: e.Line, StartColumn: 1, EndLine: e.Line + len(e.Old), EndColumn: 1}}
	if len(e.New) == 0 {
		return r
	}
	r.Inserted = &sarifText{strings.Join(e.New, "\n")}
	if len(e.Old) == 0 {
		r.Inserted.Text += "\n"
		return r
	}
	last := e.Old[len(e.Old)-1]
	r.Deleted.EndLine--
	r.Deleted.EndColumn = len(utf16.Encode([]rune(last))) + 1
	return r
}

func sarifPlace(l scanner.Location) sarifLocation {
	region := &sarifRegion{StartLine: l.StartLine}
	if l.EndLine > l.StartLine {
		region.EndLine = l.EndLine
	}
	return sarifLocation{sarifPhysical{sarifFile(l.Path), region}}
}

func sarifFile(path string) sarifArtifact {
	return sarifArtifact{(&url.URL{Path: path}).String(), sourceRoot}
}

var sarifLevels = map[scanner.Severity]string{scanner.SeverityHigh: "error", scanner.SeverityMedium: "warning", scanner.SeverityLow: "note"}
