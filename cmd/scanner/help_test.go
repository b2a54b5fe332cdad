package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// helps returns the help of the program and of each command by its name.
func helps(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	for _, cmd := range append([]command{{}}, commands()...) {
		var b strings.Builder
		if err := writeHelp(&b, cmd.name); err != nil {
			t.Fatalf("help of %q: %v", cmd.name, err)
		}
		texts[cmd.name] = b.String()
	}
	return texts
}

func TestHelpFits(t *testing.T) {
	for name, text := range helps(t) {
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if n := displaywidth.String(line); n > 80 || line != strings.TrimRight(line, " ") || strings.Contains(line, "\t") {
				t.Errorf("scanner %s --help: %d columns in %q", name, n, line)
			}
		}
	}
}

// Each way to get the help of a command prints the same.
func TestHelpForms(t *testing.T) {
	w := newWorld(t, nil)
	for name, want := range helps(t) {
		words := strings.Fields(name)
		for _, args := range [][]string{append(slices.Clone(words), "--help"), append(slices.Clone(words), "-h"), append([]string{"help"}, words...)} {
			if code := w.run(t.Context(), args...); code != exitOK || w.stdout.String() != want || w.stderr.Len() > 0 {
				t.Errorf("scanner %q: exit code %d, %s, got %q, want %q", args, code, &w.stderr, &w.stdout, want)
			}
		}
	}
}

// A file of a help that no command shows was left behind.
func TestHelpFiles(t *testing.T) {
	files, err := helpTexts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.ReplaceAll(strings.TrimSuffix(f.Name(), ".txt"), "-", " ")
		if name != "scanner" && findCommand(name) == nil {
			t.Errorf("no command %q for help/%s", name, f.Name())
		}
	}
}
