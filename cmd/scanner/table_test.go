package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// On a terminal, lists have titles and columns, and their last column is wrapped.
func TestTable(t *testing.T) {
	w := newWorld(t, map[string]string{
		"scanner.toml":                 "version = 1\n[[skills]]\nname = \"own\"\n",
		".scanner/skills/own/SKILL.md": "---\nname: own\ndescription: 検査 of everything that changes in a repository, with many words about it.\n---\nText.\n",
		".scanner/skills/own/patterns.toml": "[[patterns]]\nid = 'todo'\nregex = 'TODO'\nseverity = 'low'\nconfidence = 'high'\n" +
			"title = 'Something that should be done, and whose title is long'\ndescription = 'x'\n",
		".scanner/skills/bad/SKILL.md": "---\nname: bad\ndescription: d\n---\n",
	})
	w.tty = true
	if code := w.run(t.Context(), "skills", "list"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	got, _, _ := strings.Cut(w.stdout.String(), "\ncode-review")
	want := `NAME             FROM                 RULES  STATE
    DESCRIPTION
own              .scanner/skills/own  1      used
    検査 of everything that changes in a repository, with many words
    about it.
bad              .scanner/skills/bad         broken
    .scanner/skills/bad/SKILL.md: no instructions: write below the
    front matter what to look for, or add rules in patterns.toml`
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("skills list (-got +want):\n%s", d)
	}
	if code := w.run(t.Context(), "rules", "own"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	want = `RULE      SEVERITY  STATE  TITLE
own/todo  low       used   Something that should be done, and whose
                           title is long
`
	if d := cmp.Diff(w.stdout.String(), want); d != "" {
		t.Errorf("rules own (-got +want):\n%s", d)
	}
}
