package fix_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/fix"
)

// A child process of TestKill applies fixes in the directory of dirEnv, and ends
// before it replaces the file with the index of stepEnv.
const (
	dirEnv  = "SCANNER_FIX_TEST_DIR"
	stepEnv = "SCANNER_FIX_TEST_STEP"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(dirEnv); dir != "" {
		fmt.Println(applyAndDie(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const killed = 9 // the exit code of a child

// killFiles are the files of TestKill, in the order in which they are replaced.
// Some of the names mean something to git or to a shell.
var killFiles = []string{"[a]*.go", "a.go", "b c/it's.go", "b c/z.go"}

func killPlan(root *os.Root) *fix.Plan {
	var all []fix.Suggestion
	for _, path := range killFiles {
		all = append(all, suggest(path, edit(1, "old ", "new |more")))
	}
	return fix.NewPlan(fix.Input{Suggestions: all, Files: killFiles, Read: root.ReadFile})
}

func applyAndDie(dir string) error {
	step, err := strconv.Atoi(os.Getenv(stepEnv))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	_, err = fix.Apply(root, killPlan(root), fix.Options{ID: "run"}.BeforeRename(func(string) error {
		if step--; step < 0 {
			os.Exit(killed)
		}
		return nil
	}))
	return err
}

// TestKill ends a process before it replaces each of the files. Every file has
// its old or its new contents, and git can undo the change of each of them.
func TestKill(t *testing.T) {
	skipOddNames(t)
	for step := range killFiles {
		t.Run(strconv.Itoa(step), func(t *testing.T) { testKill(t, step) })
	}
}

func testKill(t *testing.T, step int) {
	dir := t.TempDir()
	before, after := make(tree), make(tree)
	undo := []string{"apply", "-R", "--whitespace=nowarn"}
	for i, path := range killFiles {
		before[path], after[path] = "old \nrest\n", "old \nrest\n"
		if i < step {
			after[path] = "new \nmore\nrest\n"
			undo = append(undo, "--include="+strings.NewReplacer("[", `\[`, "*", `\*`).Replace(path))
		}
	}
	before.write(t, dir)
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), dirEnv+"="+dir, stepEnv+"="+strconv.Itoa(step))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != killed {
		t.Fatalf("the child ended with %v: %s", err, out)
	}

	got := readTree(t, dir)
	maps.DeleteFunc(got, func(path, _ string) bool { return strings.HasSuffix(path, ".tmp") })
	if d := cmp.Diff(after, got); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if step == 0 {
		return
	}
	git(t, dir, "", append(undo, ".scanner/fixes/run.patch")...)
	got = readTree(t, dir)
	maps.DeleteFunc(got, func(path, _ string) bool { return strings.HasSuffix(path, ".tmp") })
	if d := cmp.Diff(before, got); d != "" {
		t.Errorf("not undone (-want +got):\n%s", d)
	}
}
