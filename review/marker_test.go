package review

import (
	"encoding/json"
	"testing"
)

func FuzzMarker(f *testing.F) {
	f.Add("text\n\n" + marker(markerFinding, findingMarker{Skill: "s", Path: "p", Line: "l", Title: "-->"}))
	f.Add(sectionText("s", "text") + marker(markerSummary, summaryMarker{Head: headSHA, Done: []done{{Policy: "p"}}}))
	f.Add("<!-- scanner:finding !! -->")
	f.Fuzz(func(t *testing.T, body string) {
		var m findingMarker
		if readMarker(body, markerFinding, &m) {
			var again findingMarker
			// Any title comes back, as JSON has it.
			if !readMarker("x\n\n"+marker(markerFinding, m), markerFinding, &again) {
				t.Fatal("a marker that was read cannot be written")
			}
			a, _ := json.Marshal(m)
			b, _ := json.Marshal(again)
			if string(a) != string(b) {
				t.Errorf("%s, then %s", a, b)
			}
			v := &view{Result: &Result{Head: headSHA}}
			if g := v.goneBody(&ownThread{&Thread{Posted: Posted{Body: body}}, m}, "No longer found"); !readMarker(g, markerFinding, &again) || !again.Gone {
				t.Errorf("gone: %q", g)
			}
		}
		for _, s := range readSections(body) {
			if got := readSections(sectionText(s.skill, s.text)); len(got) != 1 || got[0] != s {
				t.Errorf("section %q, then %q", s, got)
			}
		}
	})
}
