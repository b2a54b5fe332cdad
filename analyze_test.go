package scanner_test

import (
	"context"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
	secrets "github.com/codescan-dev/scanner/redact"
)

// A line of a private key that git takes for the heading of a section gives its
// nature only beside others of its kind, and file names and the texts of a pull
// request can hold keys, too. Neither the requests for findings nor those for a
// second opinion have them.
// A secret that only the code gives away is not sent in the description either.
func TestRedactDescription(t *testing.T) {
	const password = "tr0mbone-42"
	file := added("a.go", 1)
	file.Hunks[0].NewLines = 1
	file.Hunks[0].Body = "+var password = \"" + password + "\"\n"
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if strings.Contains(user(req), password) || !strings.Contains(user(req), "and [REDACTED:password] there") {
			t.Errorf("sent:\n%s", user(req))
		}
		return answer(findings()), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{file}, scanner.Options{
		Provider: p, Redact: secrets.New().Redact,
		PullRequest: &scanner.PullRequest{Title: "Use " + password, Description: "Here\nand " + password + " there"},
	})
	if err != nil || report.Redacted != 3 {
		t.Errorf("error %v, redacted %v; want 3", err, report.Redacted)
	}
}

func TestRedactAroundCode(t *testing.T) {
	const (
		token   = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
		heading = "cKPLFNHzIRFD0seLFm9jm8KZC4hhU3Uta/VUGs6QB00yFNzzWW/vN89yIEGt8/y8"
		line    = "Zb2J5pUqX0c8mVt4wYk1sRz7nLf3hGd9aQe6iOx+KjMuBvCyTrEwPl/SgDhFa5N2"
	)
	key := added("keys/"+token+".txt", 10)
	key.Hunks[0].Section = heading
	key.Hunks[0].NewLines = 6
	key.Hunks[0].Body = strings.Repeat("+"+line+"\n", 6)
	renamed := added("b.go", 5)
	renamed.Status, renamed.OldPath = diff.Renamed, "old-"+token+".go"

	requests := 0
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		requests++
		for _, secret := range []string{token, heading, line} {
			if strings.Contains(user(req), secret) {
				t.Errorf("%q was sent:\n%s", secret, user(req))
			}
		}
		if strings.Contains(req.System, "You check findings") {
			return answer(findings(`{"number": 1, "verdict": "keep"}`)), nil
		}
		if strings.Contains(user(req), "b.go:5") {
			return answer(findings(finding("low", "Other", "first of b.go:5", 5))), nil
		}
		return answer(findings(finding("high", "Key in code", "[REDACTED:key-material]", 12))), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{key, renamed}, scanner.Options{
		Provider: p, Redact: secrets.New().Redact, Verify: true, Concurrency: 1,
		PullRequest: &scanner.PullRequest{Title: "Use " + token, Description: "It is\n" + token + "\nand no other."},
	})
	if err != nil {
		t.Fatal(err)
	}
	if requests != 4 || report.Redacted != 7 {
		t.Errorf("%d requests, redacted %v; want 4, and 7: the key, two names, and twice two texts", requests, report.Redacted)
	}
	if len(report.Findings) != 2 || report.Findings[0].Location.Path != key.Path || report.Findings[0].Location.StartLine != 12 {
		t.Errorf("findings %+v; want those of both files, at their real paths", report.Findings)
	}
}
