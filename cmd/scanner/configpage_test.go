package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/config"
)

// docs/configuration.md names every environment variable that the program reads or that a
// help describes, its example is valid, and its commands work.
func TestConfigurationPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	var names []string
	config.ReadEnv(func(name string) string {
		names = append(names, name)
		return ""
	})
	for _, help := range helps(t) {
		names = append(names, regexp.MustCompile(`\b[A-Z]+_[A-Z0-9_]+\b`).FindAllString(help, -1)...)
	}
	// Variables of other programs, and those that a job writes.
	others := []string{"CI_JOB_TOKEN", "GIT_DEPTH", "SCANNER_FINDINGS_COUNT", "SCANNER_HIGH_COUNT", "SCANNER_REPORT_PATH"}
	for _, name := range names {
		if !strings.Contains(page, name) && !slices.Contains(others, name) {
			t.Errorf("docs/configuration.md lacks %s", name)
		}
	}
	_, example, _ := strings.Cut(page, "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	if _, err := config.Parse("example", []byte(example)); err != nil || example == "" {
		t.Errorf("the example: %v", err)
	}
	w := newWorld(t, map[string]string{"scanner.toml": example})
	commands := regexp.MustCompile(`(?m)^    scanner ([^#\n]*)`).FindAllStringSubmatch(page, -1)
	if len(commands) < 5 {
		t.Errorf("%d commands", len(commands))
	}
	for _, c := range commands {
		if code := w.run(t.Context(), strings.Fields(c[1])...); code != exitOK {
			t.Errorf("scanner %s: exit code %d: %s", c[1], code, &w.stderr)
		}
	}
}
