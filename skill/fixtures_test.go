package skill_test

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
	"github.com/codescan-dev/scanner/provider/replay"
	"github.com/codescan-dev/scanner/skill"
	"github.com/codescan-dev/scanner/skill/skilltest"
)

// TestBuiltinFixtures tests the built-in skills with their fixtures. With -update it first
// records the answers of a model that follows a script.
func TestBuiltinFixtures(t *testing.T) {
	update := flag.Lookup("update").Value.String() == "true"
	fsys := os.DirFS("builtin")
	for _, name := range []string{skill.CodeReview, "security-review"} {
		t.Run(name, func(t *testing.T) {
			s, _, err := skill.Discover(skill.Builtin()).Find(name)
			if err != nil {
				t.Fatal(err)
			}
			fixtures := load(t, fsys, name)
			if update {
				for i := range fixtures {
					if fixtures[i].NeedsModel(s) {
						record(t, &fixtures[i], s)
					}
				}
				fixtures = load(t, fsys, name)
			}
			var rules, scripted figures
			for i := range fixtures {
				t.Run(fixtures[i].Name, func(t *testing.T) {
					res, err := fixtures[i].Test(t.Context(), s, scanner.Options{})
					if err != nil {
						t.Fatal(err)
					}
					for _, w := range res.Warnings {
						t.Log(w)
					}
					for _, d := range res.Differences {
						t.Error(d)
					}
					if res.NotRun != "" {
						t.Error(res.NotRun)
					}
					if fixtures[i].NeedsModel(s) {
						scripted.add(res)
					} else {
						rules.add(res)
					}
				})
			}
			t.Logf("rules: %+v", rules)
			t.Logf("scripted answers: %+v", scripted)
			for _, f := range []figures{rules, scripted} {
				if f.True < 5 || f.False < 3 {
					t.Errorf("%d fixtures in which something is to be found, and %d others", f.True, f.False)
				}
			}
			if n := rules.True + rules.False + scripted.True + scripted.False; n < 25 {
				t.Errorf("%d fixtures, want at least 25", n)
			}
			if n := len(languages(t, fsys, name)); n < 6 {
				t.Errorf("fixtures of %d languages, want at least 6", n)
			}
		})
	}
}

func load(t *testing.T, fsys fs.FS, name string) []skilltest.Fixture {
	t.Helper()
	fixtures, err := skilltest.Load(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return fixtures
}

// figures are those of several fixtures.
type figures struct{ True, False, Expected, Found, Unexpected int }

func (f *figures) add(res *skilltest.Result) {
	if res.Expected > 0 {
		f.True++
	} else {
		f.False++
	}
	f.Expected += res.Expected
	f.Found += res.Found
	f.Unexpected += res.Unexpected
}

// languages returns the extensions of the code in the fixtures of a skill.
func languages(t *testing.T, fsys fs.FS, name string) map[string]bool {
	t.Helper()
	all := make(map[string]bool)
	err := fs.WalkDir(fsys, path.Join(name, "tests"), func(file string, d fs.DirEntry, err error) error {
		switch ext := path.Ext(file); ext {
		case "", ".toml", ".txt", ".diff", ".mod", ".md":
		default:
			all[ext] = !d.IsDir()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// shown matches a line of code in a request.
var shown = regexp.MustCompile(`(?m)^ *(\d+) *\+?\|(.*)$`)

// record records the answers that the script has for a fixture.
func record(t *testing.T, f *skilltest.Fixture, s scanner.Skill) {
	t.Helper()
	answer := func(_ int, req provider.Request) providertest.Answer {
		type location struct {
			Path      string `json:"path"`
			StartLine int    `json:"startLine"`
			Quote     string `json:"quote"`
		}
		type finding struct {
			Severity    scanner.Severity   `json:"severity"`
			Confidence  scanner.Confidence `json:"confidence"`
			Title       string             `json:"title"`
			Description string             `json:"description"`
			Location    location           `json:"location"`
		}
		findings := []finding{}
		for _, a := range script[s.Name+"/"+f.Name] {
			for _, line := range shown.FindAllStringSubmatch(req.Messages[0].Text, -1) {
				if n, err := strconv.Atoi(line[1]); err == nil && strings.Contains(line[2], a.quote) {
					findings = append(findings, finding{a.severity, scanner.ConfidenceHigh, a.title, a.description, location{req.Task.Path, n, line[2]}})
				}
			}
		}
		text, err := json.Marshal(map[string]any{"findings": findings})
		if err != nil {
			return providertest.Answer{Err: err}
		}
		reply := providertest.Text(string(text))
		reply.Response.Model = "scripted"
		return reply
	}
	dir := filepath.Join("builtin", s.Name, "tests", f.Name, "answers")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC) }
	recorder, err := replay.Record(dir, providertest.Func(answer), nil, clock)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Test(t.Context(), s, scanner.Options{Provider: recorder, Model: "scripted"}); err != nil {
		t.Fatal(err)
	}
}
