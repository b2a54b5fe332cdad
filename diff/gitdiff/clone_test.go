package gitdiff

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemoteHost(t *testing.T) {
	for _, tt := range []struct{ remote, want string }{
		{"", ""},
		{"https://GitHub.com/owner/name.git", "github.com"},
		{"https://user:secret@gitlab.example.com:8443/group/name", "gitlab.example.com"},
		{"ssh://git@gitlab.com:22/group/name.git", "gitlab.com"},
		{"git@github.com:owner/name.git", "github.com"},
		{"github.com:owner/name", "github.com"},
		{"/srv/git/name.git", ""},
		{"../name:git", ""},
		{"file:///srv/git/github.com", ""},
	} {
		if got := remoteHost(tt.remote); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.remote, got, tt.want)
		}
	}
}

func TestClone(t *testing.T) {
	t.Parallel()
	origin := newRepo(t)
	for _, text := range []string{"one\n", "two\n"} {
		origin.write("a", text)
		origin.git("add", "a")
		origin.git("commit", "-q", "-m", text)
	}
	branch := strings.TrimSpace(origin.git("rev-parse", "--abbrev-ref", "HEAD"))
	clone := newRepo(t)
	clone.git("remote", "add", "origin", "file://"+origin.dir)
	check := func(want Clone) {
		t.Helper()
		got, err := clone.open().Clone(t.Context())
		if d := cmp.Diff(got, want); d != "" || err != nil {
			t.Errorf("%v (-got +want):\n%s", err, d)
		}
	}
	check(Clone{})
	clone.git("fetch", "-q", "--depth=1", "origin")
	clone.git("remote", "set-head", "origin", branch)
	clone.git("remote", "set-url", "origin", "git@github.com:owner/name.git")
	check(Clone{Shallow: true, OriginHost: "github.com", Default: "origin/" + branch})
}

// It is not parallel: a program that another process still has open cannot be started.
func TestVersion(t *testing.T) {
	v, err := Version(t.Context(), Options{Env: os.Environ()})
	if err != nil || !regexp.MustCompile(`^2\.\d+\.\d+`).MatchString(v) {
		t.Errorf("got %q, %v", v, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	bin := filepath.Join(t.TempDir(), "git")
	for text, want := range map[string]string{
		"git version 2.31.0":              "",
		"git version 2.50.1 (Apple Git-1": "",
		"git version 2.30.9":              `its version is "2.30.9"`,
		"git version 1.99":                `its version is "1.99"`,
		"hub":                             `its version is "hub"`,
	} {
		if err := os.WriteFile(bin, []byte("#!/bin/sh\necho '"+text+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := Version(t.Context(), Options{GitPath: bin})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
