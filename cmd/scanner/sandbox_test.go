package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/codescan-dev/scanner/provider/providertest"
)

// sandbox is a repository with a change on a branch, a remote repository, and a model that
// finds a problem in the change. The model is behind every address that a provider has.
type sandbox struct {
	dir string
	env []string
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs SSL_CERT_FILE")
	}
	archive, err := txtar.ParseFile("testdata/docs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	s := &sandbox{dir: filepath.Join(root, "shop")}
	var server *providertest.Server
	change := make(map[string][]byte)
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "base/"); ok {
			s.write(t, name, f.Data)
		} else if name, ok := strings.CutPrefix(f.Name, "change/"); ok {
			change[name] = f.Data
		} else {
			script, err := providertest.ParseScript(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			server = providertest.NewServer(script)
			t.Cleanup(server.Close)
		}
	}
	s.env = append(newProxy(t, server).env,
		"PATH="+os.Getenv("PATH"), "HOME="+root, "XDG_CACHE_HOME="+filepath.Join(root, "cache"), "TERM=xterm",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"SCANNER_PROVIDER=openai", "OPENAI_API_KEY=sk-test", "GITHUB_BASE_REF=main")
	out, err := s.run(t, `set -e
git init -q -b main .
git add .
git commit -q -m base
git init -q --bare ../origin
git remote add origin ../origin
git push -q origin main
git checkout -q -b topic`+foreignSkills)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, data := range change {
		s.write(t, name, data)
	}
	return s
}

func (s *sandbox) write(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// run types lines into a shell, and returns what they print.
func (s *sandbox) run(t *testing.T, lines string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", lines)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}
