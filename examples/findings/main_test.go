package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/jsonl"
)

// input has a finding that is 30 lines away from what it quotes, one that is repeated
// elsewhere, one below the threshold, one in code that was not changed, and one twice.
const input = `
{"path": "a.go", "line": 40, "quote": "exit(1)", "severity": "high", "title": "Ends the program", "message": "Return an error instead."}
{"path": "a.go", "line": 13, "severity": "high", "title": "Ends the program", "message": "Return an error instead."}
{"path": "a.go", "line": 13, "severity": "high", "title": "Ends the program", "message": "Return an error instead."}
{"path": "a.go", "line": 12, "severity": "low", "title": "Long name", "message": "Shorten it."}
{"path": "a.go", "line": 90, "severity": "medium", "title": "Old", "message": "It was there before."}
{"path": "b.go", "quote": "exit(1)", "severity": "medium", "title": "Other file", "message": "It did not change."}`

const patch = "--- a/a.go\n+++ b/a.go\n@@ -10,2 +10,5 @@\n func f() {\n+\texit(1)\n+\tlongName()\n+\tos.Exit(2)\n }\n"

func TestConvert(t *testing.T) {
	var out strings.Builder
	if err := convert(strings.NewReader(input), &out, []byte(patch)); !errors.Is(err, errFails) {
		t.Errorf("error %v, want %v", err, errFails)
	}
	log, err := jsonl.ReadAll(strings.NewReader(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	rec := log.Skills[0]
	if len(rec.Findings) != 1 || rec.Findings[0].Location.StartLine != 11 || len(rec.Findings[0].ID) != 12 || rec.Findings[0].AdditionalLocations[0].StartLine != 13 {
		t.Errorf("findings %+v, want one at line 11 and 13", rec.Findings)
	}
	if rec.Summary != "1 findings (1 high, 0 medium, 0 low), 1 hidden" || rec.Metadata.Hidden.ReportOn.Low != 1 {
		t.Errorf("summary %q, hidden %+v", rec.Summary, rec.Metadata.Hidden)
	}
	if log.Summary == nil || log.Summary.TotalFindings != 1 || len(rec.Metadata.Places) == 0 {
		t.Errorf("log:\n%s", &out)
	}

	// The id is the same when the code moves.
	var moved strings.Builder
	_ = convert(strings.NewReader(input), &moved, []byte(strings.Replace(patch, "-10,2 +10,5", "-30,2 +30,5", 1)))
	if !strings.Contains(moved.String(), rec.Findings[0].ID) {
		t.Errorf("another id in:\n%s", &moved)
	}
}

func TestConvertFails(t *testing.T) {
	for _, tt := range []struct{ input, patch, want string }{
		{"{", patch, "unexpected EOF"},
		{"", "--- a\n+++ b\n@@ x\n", "hunk"},
		{`{"path": "a.go", "line": 11, "severity": "fatal"}`, patch, `fatal`},
	} {
		if err := convert(strings.NewReader(tt.input), os.Stdout, []byte(tt.patch)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %q", tt.input, err, tt.want)
		}
	}
}
