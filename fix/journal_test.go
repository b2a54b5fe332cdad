package fix

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUndoOddNames undoes applications that were cut short in the middle of
// files whose names mean something to git or a shell.
func TestUndoOddNames(t *testing.T) {
	files := make(tree)
	var suggestions []Suggestion
	for _, name := range oddNames {
		if checkName(name) != nil {
			t.Logf("%q is refused", name)
			continue
		}
		files[name] = "old\n"
		suggestions = append(suggestions, suggest(name, "-old\n+new\n")...)
	}
	if len(files) < 12 {
		t.Errorf("only %d of the names are allowed", len(files))
	}
	dir := t.TempDir()
	files.write(t, dir)
	root := openRoot(t, dir)
	p := files.plan(suggestions)
	n := 0
	_, err := Apply(root, p, Options{ID: "x", before: func(step, _ string) error {
		if step == "replace" {
			n++
		}
		if n > len(files)-2 {
			return errors.New("broken")
		}
		return nil
	}})
	if !errors.Is(err, ErrPartial) {
		t.Fatal(err)
	}
	pending, err := Pending(root)
	if err != nil || len(pending) != 1 {
		t.Fatalf("pending %+v, %v", pending, err)
	}
	must(t, Settle(root, "x"))
	if _, err := gitIn(t, dir, "", pending[0].Undo()[1:]...); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files, readTree(t, dir)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestUndoWhitespace undoes what changed lines with blanks at their end, where
// git is set to refuse or to remove those.
func TestUndoWhitespace(t *testing.T) {
	for _, setting := range []string{"warn", "error", "error-all", "fix"} {
		t.Run(setting, func(t *testing.T) {
			files := tree{"a.go": "one\nold \t\nthree\n"}
			dir := t.TempDir()
			files.write(t, dir)
			root := openRoot(t, dir)
			p := files.plan(suggest("a.go", "-old \t\n+new \t\n"))
			_, err := Apply(root, p, Options{ID: "x", before: func(step, _ string) error {
				if step == "done" {
					return errors.New("broken")
				}
				return nil
			}})
			if err == nil {
				t.Fatal("no error")
			}
			pending, err := Pending(root)
			if err != nil || len(pending) != 1 {
				t.Fatalf("pending %+v, %v", pending, err)
			}
			args := append([]string{"-c", "apply.whitespace=" + setting}, pending[0].Undo()[1:]...)
			if _, err := gitIn(t, dir, "", args...); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(files, readTree(t, dir)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestUndoCommand(t *testing.T) {
	j := Journal{Patch: ".scanner/fixes/x.patch", Files: []JournalFile{
		{Path: "it's [a] file.go", State: FileNew}, {Path: "b.go", State: FileOther}, {Path: "c.go", State: FileOld},
	}}
	const want = `git apply -R --whitespace=nowarn '--include=it'\''s \[a] file.go' .scanner/fixes/x.patch`
	if got := j.UndoCommand(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
