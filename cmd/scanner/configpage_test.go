package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/config"
)

// docs/configuration.md names every environment variable that the settings come from, or
// that a help describes.
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
}
