package gitdiff

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The repository that borrows objects knows nothing else of the other one, nor of
// the user's configuration.
func TestBorrowedEnv(t *testing.T) {
	t.Parallel()
	env := []string{
		"PATH=/bin", "HOME=/home", "XDG_CONFIG_HOME=/xdg", "GIT_DIR=x", "GIT_WORK_TREE=x", "GIT_COMMON_DIR=x", "GIT_INDEX_FILE=x",
		"GIT_OBJECT_DIRECTORY=x", "GIT_NAMESPACE=x", "GIT_CONFIG_GLOBAL=x", "GIT_CONFIG_SYSTEM=x", "GIT_CONFIG_NOSYSTEM=0",
		"GIT_CONFIG_PARAMETERS='a.b=c'", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c",
		"GIT_QUARANTINE_PATH=/q", "GIT_TERMINAL_PROMPT=0", "GIT_EXEC_PATH=/exec",
	}
	want := []string{
		"PATH=/bin", "HOME=/home", "XDG_CONFIG_HOME=/xdg", "GIT_QUARANTINE_PATH=/q", "GIT_TERMINAL_PROMPT=0", "GIT_EXEC_PATH=/exec",
		// Of two values of a name, the last counts.
		"GIT_DIR=/dir", "GIT_OBJECT_DIRECTORY=/objects", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"HOME=/dir", "XDG_CONFIG_HOME=/dir",
	}
	if d := cmp.Diff(borrowedEnv(env, "/from", "/dir", "/objects"), want); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
}

func TestAbsoluteList(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	abs := filepath.Join(from, "x")
	tests := []struct{ in, want []string }{
		{[]string{""}, []string{""}},
		{[]string{abs, "a/b", "", "c"}, []string{abs, filepath.Join(from, "a/b"), "", filepath.Join(from, "c")}},
		{[]string{"a", `"b`, `c"`, "d"}, []string{filepath.Join(from, "a"), `"b`, `c"`, "d"}},
	}
	for _, tt := range tests {
		sep := string(os.PathListSeparator)
		if got, want := absoluteList(strings.Join(tt.in, sep), from), strings.Join(tt.want, sep); got != want {
			t.Errorf("%q: got %q, want %q", tt.in, got, want)
		}
	}
}
