package output

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/review"
)

// What is written of Reviewdog's diagnostic format, rdjson: the JSON form of the message
// DiagnosticResult in its proto/rdf/reviewdog.proto.
type (
	rdResult struct {
		Source      rdSource       `json:"source"`
		Diagnostics []rdDiagnostic `json:"diagnostics"`
	}
	rdSource struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	rdDiagnostic struct {
		Message     string         `json:"message"`
		Location    rdLocation     `json:"location"`
		Severity    string         `json:"severity"`
		Code        *rdCode        `json:"code,omitempty"`
		Suggestions []rdSuggestion `json:"suggestions,omitempty"`
	}
	rdCode struct {
		Value string `json:"value"`
	}
	rdLocation struct {
		Path  string   `json:"path"`
		Range *rdRange `json:"range,omitempty"`
	}
	rdRange struct {
		Start rdPosition  `json:"start"`
		End   *rdPosition `json:"end,omitempty"`
	}
	// rdPosition without a column is a whole line.
	rdPosition struct {
		Line   int `json:"line"`
		Column int `json:"column,omitempty"`
	}
	rdSuggestion struct {
		Range rdRange `json:"range"`
		Text  string  `json:"text"`
	}
)

// writeRDJSON writes a diagnostic for each place of each finding, and for what was not
// analyzed.
func writeRDJSON(w io.Writer, r *report) error {
	out := rdResult{Source: rdSource{"scanner", projectURL}, Diagnostics: []rdDiagnostic{}}
	for i := range r.skills {
		s := &r.skills[i]
		for j, places := range s.Places(s.Shown) {
			f := &s.Shown[j]
			d := rdDiagnostic{
				Message:  line(f.Title) + "\n\n" + review.Annotate(f, nil)[0].Message,
				Severity: rdSeverities[f.Severity], Code: &rdCode{line(ruleOf(f, s.Skill))},
				Location: rdPlace(f.Location), Suggestions: rdSuggestions(f),
			}
			out.Diagnostics = append(out.Diagnostics, d)
			d.Suggestions = nil
			for _, l := range places[min(len(places), 1):] {
				d.Location = rdPlace(&l)
				out.Diagnostics = append(out.Diagnostics, d)
			}
		}
	}
	for _, g := range r.gaps() {
		out.Diagnostics = append(out.Diagnostics, rdDiagnostic{Message: g.message, Location: rdPlace(g.at), Severity: "INFO", Code: &rdCode{"incomplete"}})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(out)
}

func rdPlace(l *scanner.Location) rdLocation {
	if l == nil {
		return rdLocation{}
	}
	place := rdLocation{Path: l.Path, Range: &rdRange{Start: rdPosition{Line: l.StartLine}}}
	if l.EndLine > l.StartLine {
		place.Range.End = &rdPosition{Line: l.EndLine}
	}
	return place
}

// rdSuggestions returns a fix that is a single edit. Several suggestions would be applied
// one by one, and a part of a fix is none.
func rdSuggestions(f *scanner.Finding) []rdSuggestion {
	if f.SuggestedFix == nil || len(f.SuggestedFix.Edits) != 1 {
		return nil
	}
	e := f.SuggestedFix.Edits[0]
	s := rdSuggestion{Range: rdRange{Start: rdPosition{Line: e.Line}}, Text: strings.Join(e.New, "\n")}
	switch {
	case len(e.Old) == 0: // before the first byte of the line
		s.Range.Start.Column = 1
		s.Range.End = &rdPosition{e.Line, 1}
		s.Text += "\n"
	case len(e.New) == 0: // with the line end
		s.Range.Start.Column = 1
		s.Range.End = &rdPosition{e.Line + len(e.Old), 1}
	default:
		s.Range.End = &rdPosition{Line: e.Line + len(e.Old) - 1}
	}
	return []rdSuggestion{s}
}

var rdSeverities = map[scanner.Severity]string{scanner.SeverityHigh: "ERROR", scanner.SeverityMedium: "WARNING", scanner.SeverityLow: "INFO"}
