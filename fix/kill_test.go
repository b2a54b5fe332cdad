package fix_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
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
		all = append(all, fix.Suggestion{Path: path, Fix: scanner.SuggestedFix{Diff: "@@ -1 +1,2 @@\n-old \n+new \n+more\n"}})
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
	for step := range killFiles {
		t.Run(strconv.Itoa(step), func(t *testing.T) { testKill(t, step) })
	}
}

func testKill(t *testing.T, step int) {
	dir := t.TempDir()
	for _, path := range killFiles {
		name := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("old \nrest\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), dirEnv+"="+dir, stepEnv+"="+strconv.Itoa(step))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != killed {
		t.Fatalf("the child ended with %v: %s", err, out)
	}

	undo := []string{"apply", "-R", "--whitespace=nowarn"}
	for i, path := range killFiles {
		want := "old \nrest\n"
		if i < step {
			want = "new \nmore\nrest\n"
			undo = append(undo, "--include="+strings.NewReplacer("[", `\[`, "*", `\*`).Replace(path))
		}
		if got, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v, want %q", path, got, err, want)
		}
	}
	if step == 0 {
		return
	}
	git(t, dir, append(undo, ".scanner/fixes/run.patch")...)
	for _, path := range killFiles {
		if got, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(got) != "old \nrest\n" {
			t.Errorf("%s is %q, %v after it was undone", path, got, err)
		}
	}
}

// git runs git in a directory, with settings that are hard on white space.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", append([]string{"-c", "apply.whitespace=error-all"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
}
