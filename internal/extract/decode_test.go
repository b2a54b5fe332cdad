package extract

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// checkRaw checks what holds for every finding that was decoded.
func checkRaw(t *testing.T, raw json.RawMessage) {
	t.Helper()
	f, err := Decode(raw)
	if err != nil {
		if err.Error() == "" || strings.ContainsAny(err.Error(), "\n\x00") {
			t.Errorf("error %q", err)
		}
		return
	}
	for _, s := range []struct {
		text  string
		limit int
	}{
		{f.Title, maxTitle}, {f.Severity, maxWord}, {f.Description, maxText},
	} {
		if strings.TrimSpace(s.text) == "" {
			t.Errorf("required string %q in %+v", s.text, f)
		}
	}
	for _, s := range []string{f.ID, f.Title, f.Severity, f.Confidence, f.Description, f.Verification, f.Path, f.Quote, f.FixDescription, f.FixDiff} {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || len(s) > maxDiff {
			t.Errorf("string %q", s)
		}
	}
	if (f.FixDescription == "") != (f.FixDiff == "") {
		t.Errorf("half a fix: %+v", f)
	}
	if f.HasLocation != (f.StartLine > 0 || f.Quote != "") {
		t.Errorf("HasLocation %v in %+v", f.HasLocation, f)
	}
	for _, l := range append(f.Additional, RawLocation{Path: f.Path, StartLine: f.StartLine, EndLine: f.EndLine}) {
		if l.StartLine < 0 || l.EndLine != 0 && l.EndLine <= l.StartLine {
			t.Errorf("lines %d-%d in %+v", l.StartLine, l.EndLine, f)
		}
	}
	for _, l := range f.Additional {
		if l.StartLine == 0 {
			t.Errorf("additional location without a line in %+v", f)
		}
	}
}

const required = `"title":"T","severity":"high","description":"D"`

var decodeCases = []struct {
	name string
	in   string // behind the required members, or all of it when it starts with a brace
	want Raw    // without the required members
	err  string
}{
	{name: "nothing more"},
	{name: "as asked for", in: `"confidence":"low","verification":"V","id":"x",
		"location":{"path":"a.go","startLine":3,"endLine":5,"quote":"q"},
		"additionalLocations":[{"path":"b.go","startLine":7,"endLine":null}],
		"suggestedFix":{"description":"F","diff":"@@ -1 +1 @@\n-a\n+b\n"}`,
		want: Raw{ID: "x", Confidence: "low", Verification: "V", HasLocation: true, Path: "a.go", StartLine: 3, EndLine: 5, Quote: "q",
			Additional: []RawLocation{{Path: "b.go", StartLine: 7}}, FixDescription: "F", FixDiff: "@@ -1 +1 @@\n-a\n+b\n"}},
	{name: "nulls", in: `"confidence":null,"verification":null,"location":null,"additionalLocations":null,"suggestedFix":null`},
	{name: "extra keys", in: `"cwe":89,"tags":["a"],"elapsedMs":"x"`},

	{name: "other spellings", in: `{"Title":"T","SEVERITY":"high","message":"D","file":"a.go","line":4}`,
		want: Raw{HasLocation: true, Path: "a.go", StartLine: 4}},
	{name: "snake case", in: `"location":{"file_path":"a.go","start_line":3,"end_line":5,"code_snippet":"q"},"suggested_fix":{"explanation":"F","patch":"d"}`,
		want: Raw{HasLocation: true, Path: "a.go", StartLine: 3, EndLine: 5, Quote: "q", FixDescription: "F", FixDiff: "d"}},
	{name: "flat", in: `"path":"a.go","startLine":3,"endLine":5,"quote":"q"`,
		want: Raw{HasLocation: true, Path: "a.go", StartLine: 3, EndLine: 5, Quote: "q"}},
	{name: "path in the location, lines flat", in: `"location":{"path":"a.go"},"line":3`,
		want: Raw{HasLocation: true, Path: "a.go", StartLine: 3}},
	{name: "quote beside the location", in: `"location":{"path":"a.go","startLine":3},"quote":"q"`,
		want: Raw{HasLocation: true, Path: "a.go", StartLine: 3, Quote: "q"}},
	{name: "null before an alias", in: `"path":null,"file":"a.go","line":1`, want: Raw{HasLocation: true, Path: "a.go", StartLine: 1}},

	{name: "location in text", in: `"location":"src/a.go:12-15"`, want: Raw{HasLocation: true, Path: "src/a.go", StartLine: 12, EndLine: 15}},
	{name: "location with a column", in: `"location":"a.go:12:5"`, want: Raw{HasLocation: true, Path: "a.go", StartLine: 12}},
	{name: "location as a link", in: `"location":"a.go#L12-L15"`, want: Raw{HasLocation: true, Path: "a.go", StartLine: 12, EndLine: 15}},
	{name: "location is lines", in: `"location":"lines 12-15"`, want: Raw{HasLocation: true, StartLine: 12, EndLine: 15}},
	{name: "location is a path", in: `"location":"a b/c.go"`, want: Raw{Path: "a b/c.go"}},
	{name: "location is a list", in: `"location":[{"path":"a.go","line":1},{"path":"b.go","line":2}]`,
		want: Raw{HasLocation: true, Path: "a.go", StartLine: 1, Additional: []RawLocation{{Path: "b.go", StartLine: 2}}}},
	{name: "location is an empty list", in: `"location":[]`},
	{name: "location is a number", in: `"location":12`, err: `location is a number, not an object`},

	{name: "line in text", in: `"line":"12"`, want: Raw{HasLocation: true, StartLine: 12}},
	{name: "range in text", in: `"line":"12-15"`, want: Raw{HasLocation: true, StartLine: 12, EndLine: 15}},
	{name: "range in words", in: `"lines":"Lines 12 to 15"`, want: Raw{HasLocation: true, StartLine: 12, EndLine: 15}},
	{name: "range in a list", in: `"lines":[12,15]`, want: Raw{HasLocation: true, StartLine: 12, EndLine: 15}},
	{name: "line with L", in: `"line":"L12","endLine":"L14"`, want: Raw{HasLocation: true, StartLine: 12, EndLine: 14}},
	{name: "line as a float", in: `"line":12.0,"endLine":1.4e1`, want: Raw{HasLocation: true, StartLine: 12, EndLine: 14}},
	{name: "line in an object", in: `"start":{"line":12,"column":1},"end":{"line":14}`, want: Raw{HasLocation: true, StartLine: 12, EndLine: 14}},
	{name: "end before start", in: `"startLine":12,"endLine":3`, want: Raw{HasLocation: true, StartLine: 12}},
	{name: "end is start", in: `"startLine":12,"endLine":12`, want: Raw{HasLocation: true, StartLine: 12}},
	{name: "end is absurd", in: `"startLine":12,"endLine":1e300`, want: Raw{HasLocation: true, StartLine: 12}},
	{name: "end without start", in: `"endLine":12`},
	{name: "line 0", in: `"location":{"path":"a.go","startLine":0,"endLine":0}`, want: Raw{Path: "a.go"}},
	{name: "empty line", in: `"location":{"path":"a.go","startLine":""}`, want: Raw{Path: "a.go"}},
	{name: "negative line", in: `"location":{"path":"a.go","startLine":-5}`, err: `location: startLine -5 is not a line number`},
	{name: "huge line", in: `"startLine":1e300`, err: `location: startLine 1e300 is not a line number`},
	{name: "huge line in digits", in: `"startLine":"99999999999999999999"`, err: `location: startLine "99999999999999999999" is not a line number`},
	{name: "fraction", in: `"startLine":1.5`, err: `location: startLine 1.5 is not a line number`},
	{name: "boolean line", in: `"startLine":true`, err: `location: startLine true is not a line number`},
	{name: "word for a line", in: `"startLine":"top"`, err: `location: startLine "top" is not a line number`},
	{name: "absurd line with a quote", in: `"startLine":-5,"quote":"q"`, want: Raw{HasLocation: true, Quote: "q"}},
	{name: "quote alone", in: `"location":{"quote":"q"}`, want: Raw{HasLocation: true, Quote: "q"}},
	{name: "blank quote", in: `"location":{"path":"a.go","quote":" \n"}`, want: Raw{Path: "a.go"}},
	{name: "additional places of all kinds", in: `"additionalLocations":["b.go:7",{"file":"c.go","line":"8-9"},{"path":"d.go"},3,null,{"line":-1}]`,
		want: Raw{Additional: []RawLocation{{Path: "b.go", StartLine: 7}, {Path: "c.go", StartLine: 8, EndLine: 9}}}},

	{name: "fix is an empty string", in: `"suggestedFix":""`},
	{name: "fix is advice", in: `"suggestedFix":"use a parameter"`},
	{name: "fix is a diff", in: `"suggestedFix":"@@ -1 +1 @@\n-a\n+b\n"`, want: Raw{FixDescription: "T", FixDiff: "@@ -1 +1 @@\n-a\n+b\n"}},
	{name: "fix with an empty diff", in: `"suggestedFix":{"description":"F","diff":" "}`},
	{name: "fix without a diff", in: `"suggestedFix":{"description":"F"}`},
	{name: "fix with a null diff", in: `"suggestedFix":{"description":"F","diff":null}`},
	{name: "fix without a description", in: `"suggestedFix":{"diff":"@@ -1 +1 @@\n-a\n+b\n"}`, want: Raw{FixDescription: "T", FixDiff: "@@ -1 +1 @@\n-a\n+b\n"}},
	{name: "fix is a number", in: `"suggestedFix":7`},
	{name: "fix is a list", in: `"suggestedFix":[]`},

	{name: "severity as it is", in: `{"title":"T","severity":"CRITICAL ","description":"D"}`},
	{name: "confidence is a number", in: `"confidence":0.9`},
	{name: "name twice, the last counts", in: `"id":"a","id":"b"`, want: Raw{ID: "b"}},
	{name: "control characters stay", in: `"verification":"a\u001b[31m\nb\u0000c"`, want: Raw{Verification: "a\x1b[31m\nbc"}},
	{name: "half a surrogate", in: `"verification":"\ud800x"`, want: Raw{Verification: "\ufffdx"}},
	{name: "invalid UTF-8", in: "\"verification\":\"\xff\"", want: Raw{Verification: "\ufffd"}},

	{name: "title missing", in: `{"severity":"high","description":"D"}`, err: "title is missing"},
	{name: "title null", in: `{"title":null,"severity":"high","description":"D"}`, err: "title is missing"},
	{name: "title empty", in: `{"title":" ","severity":"high","description":"D"}`, err: "title is empty"},
	{name: "title only NUL", in: `{"title":"\u0000","severity":"high","description":"D"}`, err: "title is empty"},
	{name: "title a number", in: `{"title":3,"severity":"high","description":"D"}`, err: "title is a number, not a string"},
	{name: "severity missing", in: `{"title":"T","description":"D"}`, err: "severity is missing"},
	{name: "severity a list", in: `{"title":"T","severity":["high"],"description":"D"}`, err: "severity is a list, not a string"},
	{name: "description missing", in: `{"title":"T","severity":"high"}`, err: "description is missing"},
	{name: "description an object", in: `{"title":"T","severity":"high","description":{}}`, err: "description is an object, not a string"},
}

func TestDecode(t *testing.T) {
	for _, c := range decodeCases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Decode(decodeInput(c.in))
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			want.Title, want.Severity, want.Description = "T", "high", "D"
			if c.name == "severity as it is" {
				want.Severity = "CRITICAL "
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func decodeInput(in string) json.RawMessage {
	switch {
	case strings.HasPrefix(in, "{"):
		return json.RawMessage(in)
	case in == "":
		return json.RawMessage("{" + required + "}")
	}
	return json.RawMessage("{" + required + "," + in + "}")
}

func TestDecodeNoObject(t *testing.T) {
	for in, want := range map[string]string{
		``:         "the finding is nothing, not an object",
		`null`:     "the finding is null, not an object",
		`"x"`:      "the finding is a string, not an object",
		`3`:        "the finding is a number, not an object",
		`[]`:       "the finding is a list, not an object",
		`true`:     "the finding is a boolean, not an object",
		unreadable: "the finding is a string, not an object",
	} {
		if _, err := Decode(json.RawMessage(in)); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %q", in, err, want)
		}
	}
	for _, in := range []string{`{`, `{"title"`, `{"title":}`, `{1:2}`} {
		if _, err := Decode(json.RawMessage(in)); err == nil {
			t.Errorf("%s: no error", in)
		}
	}
}

func TestDecodeLimits(t *testing.T) {
	long, _ := json.Marshal(strings.Repeat("é", 200_000))
	s := string(long)
	places := strings.Repeat(`"a.go:1",`, 200) + `"a.go:1"`
	f, err := Decode(json.RawMessage(`{"title":` + s + `,"severity":"low","description":` + s + `,"verification":` + s +
		`,"location":{"path":` + s + `,"quote":` + s + `},"additionalLocations":[` + places + `],
		"suggestedFix":{"description":"d","diff":` + s + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		got  string
		want int
	}{
		{"title", f.Title, maxTitle},
		{"description", f.Description, maxText},
		{"verification", f.Verification, maxText},
		{"path", f.Path, maxPath},
		{"quote", f.Quote, maxQuote},
		{"diff", f.FixDiff, 0},
		{"fix description", f.FixDescription, 0},
	} {
		if len(c.got) != c.want || !utf8.ValidString(c.got) {
			t.Errorf("%s has %d bytes, want %d", c.name, len(c.got), c.want)
		}
	}
	if !f.FixTooLong {
		t.Error("nothing says that the diff is too long")
	}
	if len(f.Additional) != maxAdditional {
		t.Errorf("%d additional locations, want %d", len(f.Additional), maxAdditional)
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range decodeCases {
		f.Add([]byte(decodeInput(c.in)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkRaw(t, raw) })
}
