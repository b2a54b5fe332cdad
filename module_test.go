package scanner_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestModule builds and tests a module of its own, which can use only what is exported,
// and looks at what its program links. It needs no network.
func TestModule(t *testing.T) {
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = "examples/module"
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s\nAfter a change of dependencies: cd %s && go mod tidy", strings.Join(args, " "), err, out, cmd.Dir)
		}
		return string(out)
	}
	run("vet", "./...")
	run("test", "./...")
	checkLinks(t, strings.Fields(run("list", "-deps", ".")))
}

// TestLibraryLinks shows that a program that embeds the library does not carry
// what only the command needs.
func TestLibraryLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module).Output()
	if err != nil {
		t.Fatal(describe(err))
	}
	checkLinks(t, strings.Fields(string(out)))
}

func checkLinks(t *testing.T, deps []string) {
	t.Helper()
	if !slices.Contains(deps, module+"/diff") {
		t.Fatal("go list -deps does not list the dependencies")
	}
	for _, never := range []string{
		"net/http", "os/exec", "flag", "github.com/urfave/cli", "github.com/google/go-github",
		"gitlab.com/gitlab-org/api/client-go", "github.com/sashabaranov/go-openai",
	} {
		for _, dep := range deps {
			if dep == never || strings.HasPrefix(dep, never+"/") {
				t.Errorf("a program with package scanner links %s", dep)
			}
		}
	}
}
