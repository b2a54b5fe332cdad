package config

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExplain compares the whole list with a golden.
func TestExplain(t *testing.T) {
	file, err := Parse("scanner.toml", []byte(commentedKey.ReplaceAllString(example, "$1")))
	if err != nil {
		t.Fatal(err)
	}
	user, err := ParseUser("config.toml", []byte(userExample))
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"SCANNER_PROVIDER_API_KEY":  " hunter2\n",
		"SCANNER_PROVIDER_BASE_URL": "https://example.com/v1?key=hunter2",
		"SCANNER_AGENT":             " ",
	}
	s, err := Resolve(Input{
		Flags: Flags{FailOn: new("off"), Skills: []string{"security-review", "my skill"}},
		Env:   ReadEnv(func(name string) string { return env[name] }),
		File:  file,
		User:  user,
		Event: nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Provider.APIKey.Reveal(); got != "hunter2" {
		t.Errorf("got key %q, want hunter2", got)
	}
	var b strings.Builder
	for _, o := range s.Explain() {
		b.WriteString(o.String() + "\n")
	}
	got := b.String()
	if strings.Contains(got, "hunter2") {
		t.Error("a secret is shown")
	}
	const golden = "testdata/explain.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got, string(want)); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	if got, want := s.Origin(s.Skills[1].Key("failOn")), "--fail-on"; got != want {
		t.Errorf("got origin %q, want %q", got, want)
	}
	if got := s.Origin("no.such.key"); got != "" {
		t.Errorf("got origin %q of a key that does not exist", got)
	}
}
