package fix_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/fix"
)

// tree is files by path, as a test writes and reads them.
type tree map[string]string

// write creates the files of a tree in a directory.
func (t tree) write(tb testing.TB, dir string) {
	tb.Helper()
	for path, data := range t {
		name := filepath.Join(dir, filepath.FromSlash(path))
		must(tb, os.MkdirAll(filepath.Dir(name), 0o777))
		must(tb, os.WriteFile(name, []byte(data), 0o644))
	}
}

// plan plans fixes of the files of a tree.
func (t tree) plan(suggestions ...fix.Suggestion) *fix.Plan {
	return fix.NewPlan(fix.Input{
		Suggestions: suggestions,
		Files:       slices.Sorted(maps.Keys(t)),
		Read:        func(path string) ([]byte, error) { return []byte(t[path]), nil },
		Redacted:    func(text string) bool { return strings.Contains(text, "[REDACTED]") },
	})
}

// after returns the tree as a plan leaves it.
func (t tree) after(p *fix.Plan) tree {
	files := maps.Clone(t)
	for _, ch := range p.Changes {
		files[ch.Path] = string(ch.After)
	}
	return files
}

// readTree reads the files of a directory; symbolic links are "-> target", and
// other things their type. It passes over directories and what scanner itself
// writes to .scanner.
func readTree(tb testing.TB, dir string) tree {
	tb.Helper()
	files := make(tree)
	must(tb, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case strings.Contains(rel, ".scanner/fixes/"), strings.HasSuffix(rel, ".scanner/.gitignore"):
		case d.Type().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files[rel] = string(data)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			files[rel] = "-> " + target
		default:
			files[rel] = d.Type().String()
		}
		return nil
	}))
	return files
}

// edit replaces lines of a file, from a line on. "a|b" are two lines, and an
// empty text is none.
func edit(line int, from, to string) scanner.Edit {
	split := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, "|")
	}
	return scanner.Edit{Line: line, Old: split(from), New: split(to)}
}

// suggest returns a suggestion for a file.
func suggest(path string, edits ...scanner.Edit) fix.Suggestion {
	return fix.Suggestion{Path: path, Fix: scanner.SuggestedFix{Description: "d", Edits: edits}}
}

// summary returns a line for each outcome.
func summary(outcomes []fix.Outcome) []string {
	var lines []string
	for _, o := range outcomes {
		s := string(o.Status)
		if o.Reason != "" {
			s += " " + string(o.Reason)
		}
		if o.By >= 0 {
			s += fmt.Sprintf(" by %d", o.By)
		}
		lines = append(lines, s)
	}
	return lines
}

func openRoot(tb testing.TB, dir string) *os.Root {
	tb.Helper()
	root, err := os.OpenRoot(dir)
	must(tb, err)
	tb.Cleanup(func() { root.Close() })
	return root
}

// skipOddNames skips a test whose files have names that a system does not allow.
func skipOddNames(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not allow the names")
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// git runs git in a directory, with settings that are strict about white space.
func git(tb testing.TB, dir, stdin string, args ...string) {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		tb.Skip("git is not installed")
	}
	cmd := exec.Command("git", append([]string{"-c", "apply.whitespace=error-all"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("git %q: %v: %s", args, err, out)
	}
}
