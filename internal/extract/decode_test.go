package extract_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	. "github.com/codescan-dev/scanner/internal/extract"
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
		{f.Title, 1000}, {f.Severity, 200}, {f.Description, 20_000},
	} {
		if strings.TrimSpace(s.text) == "" {
			t.Errorf("required string %q in %+v", s.text, f)
		}
	}
	all := []string{f.Title, f.Severity, f.Confidence, f.Description, f.Verification, f.Path, f.Quote}
	if f.Fix != nil {
		all = append(all, f.Fix.Description)
		for _, p := range f.Fix.Pairs {
			if !utf8.ValidString(p.Old + p.New) {
				t.Errorf("pair %q", p)
			}
		}
		if f.Fix.Description == "" || len(f.Fix.Pairs) == 0 || f.FixErr != nil {
			t.Errorf("half a fix: %+v", f.Fix)
		}
	}
	for _, s := range all {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || len(s) > 200_000 {
			t.Errorf("string %q", s)
		}
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
	name   string
	in     string // behind the required members, or all of it when it starts with a brace
	want   Raw    // without the required members
	err    string
	fixErr string
}{
	{name: "nothing more"},
	{name: "as asked for", in: `"confidence":"low","verification":"V",
		"location":{"path":"a.go","startLine":3,"endLine":5,"quote":"q"},
		"additionalLocations":[{"path":"b.go","startLine":7,"endLine":null}],
		"suggestedFix":{"description":"F","replace":[{"old":"a\n","new":"b"},{"old":"c\nd","new":""}]}`,
		want: Raw{Confidence: "low", Verification: "V", Path: "a.go", StartLine: 3, EndLine: 5, Quote: "q",
			Additional: []RawLocation{{Path: "b.go", StartLine: 7}},
			Fix:        &Fix{Description: "F", Pairs: []Pair{{"a", "b"}, {"c\nd", ""}}}}},
	{name: "nulls", in: `"confidence":null,"verification":null,"location":null,"additionalLocations":null,"suggestedFix":null`},
	{name: "extra keys", in: `"cwe":89,"tags":["a"],"elapsedMs":"x"`},

	{name: "other spellings", in: `{"Title":"T","SEVERITY":"high","description":"D","file":"a.go","line":4,"line":5}`,
		want: Raw{Path: "a.go", StartLine: 5}},
	{name: "snake case", in: `"location":{"path":"a.go","start_line":3,"end_line":"5","Quote":"q"},"suggested_fix":{"Replace":[{"old":"a","new":"b"}]}`,
		want: Raw{Path: "a.go", StartLine: 3, EndLine: 5, Quote: "q", Fix: &Fix{Description: "T", Pairs: []Pair{{"a", "b"}}}}},
	{name: "flat", in: `"path":"a.go","startLine":3,"endLine":5,"quote":"q"`,
		want: Raw{Path: "a.go", StartLine: 3, EndLine: 5, Quote: "q"}},
	{name: "path in the location, lines flat", in: `"location":{"path":"a.go"},"line":3`,
		want: Raw{Path: "a.go", StartLine: 3}},
	{name: "quote beside the location", in: `"location":{"path":"a.go","startLine":3},"quote":"q"`,
		want: Raw{Path: "a.go", StartLine: 3, Quote: "q"}},

	{name: "location is a number", in: `"location":12`, err: `location is 12, not an object`},
	{name: "location in text", in: `"location":"src/a.go:12-15"`, err: `location is "src/a.go:12-15", not an object`},

	{name: "line in text", in: `"line":"12"`, want: Raw{StartLine: 12}},
	{name: "line as a float", in: `"line":12.0,"endLine":1.4e1`, want: Raw{StartLine: 12, EndLine: 14}},
	{name: "end before start", in: `"startLine":12,"endLine":3`, want: Raw{StartLine: 12}},
	{name: "end is start", in: `"startLine":12,"endLine":12`, want: Raw{StartLine: 12}},
	{name: "end is absurd", in: `"startLine":12,"endLine":1e300`, want: Raw{StartLine: 12}},
	{name: "end without start", in: `"endLine":12`},
	{name: "line 0", in: `"location":{"path":"a.go","startLine":0,"endLine":0}`, want: Raw{Path: "a.go"}},
	{name: "empty line", in: `"location":{"path":"a.go","startLine":""}`, want: Raw{Path: "a.go"}},
	{name: "negative line", in: `"location":{"path":"a.go","startLine":-5}`, err: `location: startLine -5 is not a line number`},
	{name: "huge line", in: `"startLine":1e300`, err: `location: startLine 1e300 is not a line number`},
	{name: "fraction", in: `"startLine":1.5`, err: `location: startLine 1.5 is not a line number`},
	{name: "boolean line", in: `"startLine":true`, err: `location: startLine true is not a line number`},
	{name: "word for a line", in: `"startLine":"top"`, err: `location: startLine "top" is not a line number`},
	{name: "absurd line with a quote", in: `"startLine":-5,"quote":"q"`, want: Raw{Quote: "q"}},
	{name: "quote alone", in: `"location":{"quote":"q"}`, want: Raw{Quote: "q"}},
	{name: "blank quote", in: `"location":{"path":"a.go","quote":" \n"}`, want: Raw{Path: "a.go"}},
	{name: "additional places of all kinds", in: `"additionalLocations":[{"path":"b.go","line":7},{"file":"c.go","line":"8","endLine":9},{"path":"d.go"},3,null,{"line":-1}]`,
		want: Raw{Additional: []RawLocation{{Path: "b.go", StartLine: 7}, {Path: "c.go", StartLine: 8, EndLine: 9}}}},

	{name: "diff", in: `"suggestedFix":{"description":"F","diff":"@@ -1 +1 @@\n-a\n+b\n"}`, want: Raw{Fix: &Fix{Description: "F", Pairs: []Pair{{"a", "b"}}}}},
	{name: "diff with headers, wrong numbers and several hunks",
		in:   `"suggestedFix":{"diff":"diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -999,1 +7 @@ func f\n a\n-b\n+B\n\n@@ @@\n--- x\n+-- y\n\\ No newline at end of file\n"}`,
		want: Raw{Fix: &Fix{Description: "T", Pairs: []Pair{{"a\nb", "a\nB"}, {"-- x", "-- y"}}}}},
	{name: "diff that only inserts", in: `"suggestedFix":{"diff":"@@ -1,0 +2 @@\n+b\n"}`, want: Raw{Fix: &Fix{Description: "T", Pairs: []Pair{{"", "b"}}}}},
	{name: "diff whose lines lost their first column", in: `"suggestedFix":{"diff":"@@ -1 +1 @@\na\n-b\n+c\n"}`, fixErr: "the diff of the fix has a line that is neither context nor a change"},
	{name: "diff of several files", in: `"suggestedFix":{"diff":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n"}`, fixErr: "the diff of the fix changes several files"},
	{name: "diff that names its file for each hunk", in: `"suggestedFix":{"diff":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/x\n+++ b/x\n@@ -3 +3 @@\n-c\n+d\n"}`,
		want: Raw{Fix: &Fix{Description: "T", Pairs: []Pair{{"a", "b"}, {"c", "d"}}}}},
	{name: "fix without a change", in: `"suggestedFix":{"description":"F","replace":[]}`, fixErr: "the fix has no text to replace"},
	{name: "fix with an empty diff", in: `"suggestedFix":{"description":"F","diff":""}`, fixErr: "the fix has no text to replace"},
	{name: "fix of another form", in: `"suggestedFix":{"description":"F","replace":["a"]}`, fixErr: "the fix has no text to replace"},
	{name: "advice in place of a fix", in: `"suggestedFix":"use a parameter"`},

	{name: "severity as it is", in: `{"title":"T","severity":"CRITICAL ","description":"D"}`},
	{name: "confidence is a number", in: `"confidence":0.9`},
	{name: "control characters stay", in: `"verification":"a\u001b[31m\nb\u0000c"`, want: Raw{Verification: "a\x1b[31m\nbc"}},
	{name: "half a surrogate", in: `"verification":"\ud800x"`, want: Raw{Verification: "\ufffdx"}},
	{name: "invalid UTF-8", in: "\"verification\":\"\xff\"", want: Raw{Verification: "\ufffd"}},

	{name: "title missing", in: `{"severity":"high","description":"D"}`, err: "title is missing"},
	{name: "title null", in: `{"title":null,"severity":"high","description":"D"}`, err: "title is missing"},
	{name: "title empty", in: `{"title":" ","severity":"high","description":"D"}`, err: "title is empty"},
	{name: "title only NUL", in: `{"title":"\u0000","severity":"high","description":"D"}`, err: "title is empty"},
	{name: "title a number", in: `{"title":3,"severity":"high","description":"D"}`, err: "title is 3, not a string"},
	{name: "severity missing", in: `{"title":"T","description":"D"}`, err: "severity is missing"},
	{name: "severity a list", in: `{"title":"T","severity":["high"],"description":"D"}`, err: `severity is ["high"], not a string`},
	{name: "description missing", in: `{"title":"T","severity":"high"}`, err: "description is missing"},
	{name: "description an object", in: `{"title":"T","severity":"high","description":{}}`, err: "description is {}, not a string"},
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
			if got.FixErr != nil || c.fixErr != "" {
				if got.FixErr == nil || got.FixErr.Error() != c.fixErr {
					t.Errorf("fix error %v, want %q", got.FixErr, c.fixErr)
				}
				got.FixErr = nil
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
		``:     "the finding is missing, not an object",
		`null`: "the finding is null, not an object",
		`"x"`:  `the finding is "x", not an object`,
		`3`:    "the finding is 3, not an object",
		`[]`:   "the finding is [], not an object",
		`true`: "the finding is true, not an object",
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
	places := strings.Repeat(`{"path":"a.go","line":1},`, 200) + `{"path":"a.go","line":1}`
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
		{"title", f.Title, 1000},
		{"description", f.Description, 20_000},
		{"verification", f.Verification, 20_000},
		{"path", f.Path, 4096},
		{"quote", f.Quote, 8000},
	} {
		if len(c.got) != c.want || !utf8.ValidString(c.got) {
			t.Errorf("%s has %d bytes, want %d", c.name, len(c.got), c.want)
		}
	}
	if f.Fix != nil || f.FixErr == nil {
		t.Error("a fix that is too long is kept")
	}
	if len(f.Additional) != 50 {
		t.Errorf("%d additional locations, want 50", len(f.Additional))
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range decodeCases {
		f.Add([]byte(decodeInput(c.in)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkRaw(t, raw) })
}
