package skilltest_test

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/skill/skilltest"
)

const report = `{"run":{"timestamp":"2026-02-18T14:32:15.123Z","durationMs":2100,"cwd":"/src/shop","runId":"0f8fad5b-d9cb-469f-a165-70867728950e","traceId":"99-1","headSha":"c0ffee"},"skill":"own","summary":"1 finding","findings":[{"id":"6f1c0d2e9a7b","severity":"high","title":"A < B && C","description":"d","location":{"path":"a.go","startLine":42},"elapsedMs":3.5}],"durationMs":2000,"files":[{"filename":"a.go","findings":1,"durationMs":1,"usage":{"inputTokens":9,"outputTokens":1,"costUSD":1e-7}}]}
{"run":{"timestamp":"2026-02-18T14:32:15.123Z","durationMs":2500,"cwd":"/src/shop","runId":"0f8fad5b-d9cb-469f-a165-70867728950e"},"type":"summary","totalFindings":1}
`

// TestDiffLogsEqual: a later run elsewhere has the same result.
func TestDiffLogsEqual(t *testing.T) {
	later := strings.NewReplacer("2026-02-18", "2027-03-19", "2100", "2600", "2500", "1", "/src/shop", `C:\\shop`, "0f8fad5b", "12345678",
		"99-1", "100-1", "c0ffee", "decade", "3.5", "1e3", `,"costUSD":1e-7`, "", `"durationMs":2000,`, "", `"durationMs":1,`, "").Replace(report)
	for _, got := range []string{report, later, strings.ReplaceAll(later, "\n", "\r\n"), strings.TrimSpace(later)} {
		if d := skilltest.DiffLogs([]byte(report), []byte(got)); d != "" {
			t.Errorf("got a difference:\n%s", d)
		}
	}
}

// TestDiffLogs: each result that differs is a difference, in lines of its own.
func TestDiffLogs(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{`"high"`, `"low"`, "-      \"severity\": \"high\",\n+      \"severity\": \"low\",\n"},
		{"42", "43", "-        \"startLine\": 42\n+        \"startLine\": 43\n"},
		{"A < B && C", "A > B && C", "-      \"title\": \"A < B && C\"\n+      \"title\": \"A > B && C\"\n"},
		{`"inputTokens":9`, `"inputTokens":8`, "-        \"inputTokens\": 9,\n+        \"inputTokens\": 8,\n"},
		{`"summary":`, `"model":"m","summary":`, "+  \"model\": \"m\",\n"},
		{"\n{", "\nnot {", "+not {\"run\":"},
		{report, "", "-      \"id\": \"6f1c0d2e9a7b\",\n"},
	} {
		changed := strings.Replace(report, tt.old, tt.new, 1)
		if d := skilltest.DiffLogs([]byte(report), []byte(changed)); !strings.Contains(d, tt.want) {
			t.Errorf("%q to %q: got\n%s\nwant in it\n%s", tt.old, tt.new, d, tt.want)
		}
		if skilltest.DiffLogs([]byte(changed), []byte(report)) == "" {
			t.Errorf("%q to %q: no difference the other way round", tt.old, tt.new)
		}
	}
}
