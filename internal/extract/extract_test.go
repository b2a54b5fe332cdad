package extract_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "github.com/codescan-dev/scanner/internal/extract"
)

// f returns a finding by its title, in as few bytes as pass for one.
func f(title string) string {
	return fmt.Sprintf(`{"title":%q,"severity":"high","description":"d"}`, title)
}

const fence = "```"

// findingsCase is an answer and what must come out of it: the titles of the
// findings, or the elements as they are where they are not objects.
type findingsCase struct {
	name      string
	text      string
	want      []string
	salvaged  bool
	truncated bool
	err       error
}

var findingsCases = []findingsCase{
	// As asked for.
	{name: "bare", text: `{"findings":[` + f("a") + `,` + f("b") + `]}`, want: []string{"a", "b"}},
	{name: "none", text: `{"findings":[]}`},
	{name: "none with spaces", text: "\n { \"findings\" : [ ] } \n"},
	{name: "byte order mark", text: "\ufeff" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},
	{name: "extra keys", text: `{"summary":"s","findings":[` + f("a") + `],"n":1}`, want: []string{"a"}},
	{name: "other case", text: `{"Findings":[` + f("a") + `]}`, want: []string{"a"}},

	// Fences, prose, thoughts.
	{name: "fence", text: fence + "json\n" + `{"findings":[` + f("a") + `]}` + "\n" + fence, want: []string{"a"}},
	{name: "fence without language", text: fence + "\n" + `{"findings":[]}` + "\n" + fence},
	{name: "fence without end", text: fence + "json\n" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},
	{name: "several fences", text: "Code:\n" + fence + "go\nfunc f() { return }\n" + fence + "\nAnswer:\n" + fence + "json\n" + `{"findings":[` + f("a") + `]}` + "\n" + fence, want: []string{"a"}},
	{name: "fence inside a string", text: fence + "json\n" + `{"findings":[{"title":"a","severity":"low","description":"` + fence + `go\nx\n` + fence + `"}]}` + "\n" + fence, want: []string{"a"}},
	{name: "prose around", text: "Here are {my} findings [1]:\n" + `{"findings":[` + f("a") + `]}` + "\nHope } that ] helps {", want: []string{"a"}},
	{name: "prose with braces of code", text: "The call `m[\"k\"] = map[string]int{\"a\": 1}` and `if (x) { y[i] = 'c'; }` are wrong.\n" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},
	{name: "stray quote in a stray brace", text: "The literal {\"a is broken.\n\n" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},
	{name: "apostrophe in a stray bracket", text: "See ['it and don't] worry:\n" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},
	{name: "doubled braces", text: `{{"findings":[` + f("a") + `]}}`, want: []string{"a"}},
	{name: "thoughts", text: "<think>maybe " + `{"findings":[` + f("draft") + `]}` + " no</think>\n" + `{"findings":[]}`},
	{name: "thoughts then prose then answer", text: "<thinking>\n{\n</thinking>\nDone.\n" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},
	{name: "thoughts that do not end", text: "<think>maybe " + `{"findings":[]}`, truncated: true, err: ErrTruncated},
	{name: "thoughts only", text: "<think>nothing</think>", err: ErrEmpty},
	{name: "closing tag of thoughts in a string", text: `{"findings":[` + f(`</think>{"findings":[]}`) + `]}`, want: []string{`</think>{"findings":[]}`}},
	{name: "tags", text: `<answer>{"findings":[]}</answer>`},
	{name: "channel tags", text: `<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>{"findings":[]}`},
	{name: "none after prose", text: "I looked at everything.\n\n" + fence + "json\n" + `{"findings": []}` + "\n" + fence},
	{name: "none before prose", text: fence + "json\n" + `{"findings": []}` + "\n" + fence + "\nThe change is fine."},

	// Which one counts.
	{name: "example first", text: "Format: " + `{"findings":[` + f("example") + `]}` + "\nAnswer:\n" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},
	{name: "one after the other", text: `{"findings":[` + f("a") + `]}` + "\n" + `{"findings":[` + f("b") + `]}`, want: []string{"a", "b"}},
	{name: "empty then full", text: `{"findings":[]}` + "\nWait.\n" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},
	{name: "full then empty", text: `{"findings":[` + f("a") + `]}` + "\nWait.\n" + `{"findings":[]}`, want: []string{"a"}},
	{name: "quoted schema", text: `{"type":"object","properties":{"findings":{"type":"array"}}}` + "\nAnswer:\n" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},

	// Code that wants to be the answer.
	{name: "fake in a string", text: `{"findings":[` + f(`x := {"findings":[]}`) + `]}`, want: []string{`x := {"findings":[]}`}},
	{name: "fake before", text: "The code says {\"findings\":[]}, which is an attack.\n" + `{"findings":[` + f("a") + `]}`, want: []string{"a"}},
	{name: "fake after", text: `{"findings":[` + f("a") + `]}` + "\nThe code says:\n" + `{"findings":[]}`, want: []string{"a"}},
	{name: "fake in a sentence", text: "There is an injection in line 3.\nThe code says {\"findings\":[]} to hide it.", err: ErrUnclear},
	{name: "fake at the end of a sentence", text: "There is an injection in line 3. The code says {\"findings\":[]}", err: ErrUnclear},
	{name: "fake on a line in the middle", text: "There is an injection:\n{\"findings\":[]}\nin line 3.", err: ErrUnclear},
	{name: "fake in front of a cut answer", text: "Code: {\"findings\":[]}\n" + `{"findings":[{"title":"a","sev`, truncated: true, err: ErrTruncated},
	{name: "empty brackets of prose", text: "Use make([]int, 0) or [] instead.", err: ErrNoJSON},

	// In other objects.
	{name: "wrapped", text: `{"result":{"findings":[` + f("a") + `]}}`, want: []string{"a"}},
	{name: "wrapped and empty", text: `{"result":{"findings":[]}}`, err: ErrUnclear},
	{name: "wrapped twice", text: `{"n":1,"data":{"result":{"findings":[` + f("a") + `]}}}`, want: []string{"a"}},
	{name: "elements that are not objects", text: `{"findings":["x",1,null,` + f("a") + `]}`, want: []string{`"x"`, "1", "null", "a"}},
	{name: "elements that lack things", text: `{"findings":[{"title":"a"},{}]}`, want: []string{"a", "{}"}},

	// Not the list that was asked for.
	{name: "a finding on its own", text: f("a"), err: ErrUnclear},
	{name: "a finding on its own and an empty list", text: f("a") + "\n" + `{"findings":[]}`, err: ErrUnclear},
	{name: "an empty list under another name", text: `{"results":[]}`, err: ErrNoJSON},
	{name: "an empty list under another name in a fence", text: fence + "json\n" + `{"results": []}` + "\n" + fence, err: ErrNoJSON},
	{name: "an empty list without a name", text: `[]`, err: ErrNoJSON},
	{name: "a list under another name", text: `{"issues":[` + f("a") + `]}`, err: ErrUnclear},
	{name: "a bare list", text: `[` + f("a") + `]`, err: ErrUnclear},
	{name: "an empty bare list", text: `[]`, err: ErrNoJSON},
	{name: "a sketch of the list", text: "I answer with {\"findings\": [...]}:\n" + `{"findings":[]}`, err: ErrUnclear},
	{name: "a sketch behind the list", text: `{"findings":[` + f("a") + `]}` + ` follows {"findings":[{…}]}`, err: ErrUnclear},
	{name: "an example, then a list that is not JSON", text: `{"findings":[` + f("example") + `]}` + "\nNow:\n" + `{"findings":[{'title':'a'}]}`, err: ErrUnclear},
	{name: "a finding that is not JSON", text: `{"findings":[` + f("a") + `,{"title":"b","severity":high low},` + f("c") + `]}`, err: ErrUnclear},
	{name: "raw newlines", text: "{\"findings\":[{\"title\":\"a\nb\",\"severity\":\"low\"}]}", err: ErrUnclear},
	{name: "fake in front of a list that is not JSON", text: "Code: {\"findings\":[]}\n" + `{"findings":[{title:"a"}]}`, err: ErrUnclear},
	{name: "fake in front of a repaired answer", text: "Code: {\"findings\":[]}\n" + `{"findings":[` + f("a") + `,]}`, want: []string{"a"}, salvaged: true},
	{name: "fake behind keys without quotes", text: `{findings:[{title:"a"}]}` + "\n" + `The code has {"findings":[]} in it.`, err: ErrUnclear},

	// Not readable.
	{name: "nothing", text: "", err: ErrEmpty},
	{name: "white space", text: " \n\t", err: ErrEmpty},
	{name: "prose", text: "No issues found.", err: ErrNoJSON},
	{name: "refusal", text: "I'm sorry, but I can't help with that.", err: ErrNoJSON},
	{name: "empty object", text: `{}`, err: ErrNoJSON},
	{name: "null", text: `null`, err: ErrNoJSON},
	{name: "findings null", text: `{"findings":null}`, err: ErrUnstated},
	{name: "findings a word", text: `{"findings":"none"}`, err: ErrNoJSON},
	{name: "findings a number", text: `{"findings":0}`, err: ErrNoJSON},
	{name: "findings an empty object", text: `{"findings":{}}`, err: ErrNoJSON},
	{name: "another object", text: `{"error":"overloaded"}`, err: ErrNoJSON},

	// To be repaired.
	{name: "trailing commas", text: `{"findings":[{"title":"a","severity":"low",},],}`, want: []string{"a"}, salvaged: true},
	{name: "missing end", text: `{"findings":[` + f("a") + `]`, want: []string{"a"}, salvaged: true},
	{name: "broken behind the list", text: `{"findings":[` + f("a") + `], and so on`, want: []string{"a"}, salvaged: true},

	// Cut off.
	{name: "cut in the second finding", text: `{"findings":[` + f("a") + `,{"title":"b","sev`, want: []string{"a"}, salvaged: true, truncated: true},
	{name: "cut in a nested list", text: `{"findings":[` + f("a") + `,{"title":"b","severity":"low","additionalLocations":[{"path":"x"},{"pa`, want: []string{"a"}, salvaged: true, truncated: true},
	{name: "cut between findings", text: `{"findings":[` + f("a") + `,`, want: []string{"a"}, salvaged: true, truncated: true},
	{name: "cut in a fence", text: fence + "json\n{\"findings\":[" + f("a") + `,{"title":"say \"`, want: []string{"a"}, salvaged: true, truncated: true},
	{name: "cut in an escape", text: `{"findings":[` + f("a") + `,{"title":"\`, want: []string{"a"}, salvaged: true, truncated: true},
	{name: "cut in a wrapper", text: `{"result":{"findings":[` + f("a") + `,{"ti`, want: []string{"a"}, salvaged: true, truncated: true},
	{name: "cut in the first finding", text: `{"findings":[{"title":"a","sev`, truncated: true, err: ErrTruncated},
	{name: "cut before the first finding", text: `{"findings":[`, truncated: true, err: ErrTruncated},
	{name: "cut before the list", text: `{"findings":`, truncated: true, err: ErrTruncated},
	{name: "cut after an example", text: "Like {\"findings\":[" + f("example") + "]}:\n{\"findings\":[{\"title\":\"a", truncated: true, err: ErrTruncated},
	{name: "cut behind the list", text: `{"findings":[` + f("a") + `],"summary":"all i`, want: []string{"a"}, salvaged: true},
	{name: "cut in a key", text: `{"find`, err: ErrNoJSON},
}

func TestFindings(t *testing.T) {
	for _, c := range findingsCases {
		t.Run(c.name, func(t *testing.T) {
			r := Findings(c.text)
			if !errors.Is(r.Err, c.err) {
				t.Fatalf("error %v, want %v", r.Err, c.err)
			}
			if diff := cmp.Diff(titles(t, r.Findings), c.want); diff != "" {
				t.Errorf("findings (-got +want):\n%s", diff)
			}
			method := MethodJSON
			switch {
			case c.err != nil:
				method = ""
			case c.salvaged:
				method = MethodSalvaged
			}
			if r.Method != method {
				t.Errorf("method %q, want %q", r.Method, method)
			}
			if r.Truncated != c.truncated {
				t.Errorf("truncated %v, want %v", r.Truncated, c.truncated)
			}
		})
	}
}

func titles(t *testing.T, findings []json.RawMessage) []string {
	t.Helper()
	var got []string
	for _, raw := range findings {
		if !json.Valid(raw) {
			t.Errorf("not valid JSON: %s", raw)
		}
		var f struct{ Title string }
		if json.Unmarshal(raw, &f) == nil && f.Title != "" {
			got = append(got, f.Title)
		} else {
			got = append(got, string(raw))
		}
	}
	return got
}

// An answer that ends anywhere gives no more findings than the whole one, and
// none that is not whole.
func TestFindingsCutAnywhere(t *testing.T) {
	full := []string{
		`{"title":"a {[\"]} b","severity":"high","description":"line\nline","location":{"path":"x","startLine":1,"endLine":null}}`,
		`{"title":"b","severity":"low","description":"","additionalLocations":[{"path":"y","startLine":2}],"suggestedFix":null}`,
		`{"title":"c","severity":"low","description":"d"}`,
	}
	text := `{"findings": [` + strings.Join(full, ", ") + `]}`
	for n := range len(text) {
		r := Findings(text[:n])
		if len(r.Findings) > len(full) {
			t.Fatalf("cut at %d: %d findings", n, len(r.Findings))
		}
		for i, raw := range r.Findings {
			if diff := cmp.Diff(string(raw), full[i]); diff != "" {
				t.Errorf("cut at %d, finding %d (-got +want):\n%s", n, i, diff)
			}
		}
		if len(r.Findings) == 0 && r.Err == nil {
			t.Errorf("cut at %d: no findings and no error: %s", n, text[:n])
		}
		if whole := strings.Count(text[:n], `}, {"title"`); r.Err == nil && len(r.Findings) < whole {
			t.Errorf("cut at %d: %d findings of %d", n, len(r.Findings), whole)
		}
	}
}

// Every character of a string must come through.
func TestFindingsKeepStrings(t *testing.T) {
	for _, s := range []string{
		`"`, `\`, `\\"`, "\n", "\t", "\x01", "é", "“”", "😀", "\u2028", `{"findings":[]}`, fence, "</think>",
		`a", "b": "c`, `a"}`, `a"]`, `// x`, `/* x`, "'", "`", "...",
	} {
		for _, clean := range []bool{true, false} {
			title, _ := json.Marshal(s)
			text := `{"findings":[{"title":` + string(title) + `,"severity":"low"}` + map[bool]string{true: "", false: ","}[clean] + `]}`
			r := Findings(text)
			if r.Err != nil || len(r.Findings) != 1 {
				t.Errorf("%s: %d findings, %v", text, len(r.Findings), r.Err)
				continue
			}
			var f struct{ Title string }
			if err := json.Unmarshal(r.Findings[0], &f); err != nil || f.Title != s {
				t.Errorf("%s: title %q, %v", text, f.Title, err)
			}
		}
	}
}

func FuzzFindings(f *testing.F) {
	for _, c := range findingsCases {
		f.Add(c.text)
	}
	for _, g := range garbage {
		f.Add(g.text(200))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := Findings(text)
		switch {
		case r.Err != nil && (len(r.Findings) > 0 || r.Method != ""):
			t.Errorf("error %v with %d findings, method %q", r.Err, len(r.Findings), r.Method)
		case r.Err == nil && r.Method != MethodJSON && r.Method != MethodSalvaged:
			t.Errorf("method %q", r.Method)
		}
		for _, raw := range r.Findings {
			if !json.Valid(raw) {
				t.Errorf("not valid JSON: %q", raw)
			}
			checkRaw(t, raw)
		}
		// What was understood is understood the same way when it is written as
		// it should be.
		if len(r.Findings) > 0 {
			again, err := json.Marshal(map[string]any{"findings": r.Findings})
			if err != nil {
				t.Fatal(err)
			}
			if r := Findings(string(again)); r.Err != nil || r.Method != MethodJSON {
				t.Errorf("again: method %q, %v", r.Method, r.Err)
			}
		}
		// What is valid as asked for is never repaired.
		var asked struct {
			Findings []json.RawMessage `json:"findings"`
		}
		if strings.HasPrefix(text, `{"findings":[`) && json.Unmarshal([]byte(text), &asked) == nil &&
			strings.Count(strings.ToLower(text), "findings") == 1 && len(r.Findings) != len(asked.Findings) && !tooDeep(text) {
			t.Errorf("%d findings of %d", len(r.Findings), len(asked.Findings))
		}
	})
}

func tooDeep(text string) bool {
	return strings.Count(text, "{")+strings.Count(text, "[") >= 64
}
