package gitdiff

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The bare repository for attributes gets nothing but the objects of the other one, and nothing of
// the user's configuration.
func TestAttrEnv(t *testing.T) {
	t.Parallel()
	env := []string{
		"PATH=/bin", "HOME=/home", "XDG_CONFIG_HOME=/xdg", "GIT_DIR=x", "GIT_WORK_TREE=x", "GIT_COMMON_DIR=x", "GIT_INDEX_FILE=x",
		"GIT_OBJECT_DIRECTORY=x", "GIT_ALTERNATE_OBJECT_DIRECTORIES=/a", "GIT_NAMESPACE=x", "GIT_CONFIG_GLOBAL=x", "GIT_CONFIG_SYSTEM=x", "GIT_CONFIG_NOSYSTEM=0",
		"GIT_CONFIG_PARAMETERS='a.b=c'", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c",
		"GIT_TERMINAL_PROMPT=0", "GIT_EXEC_PATH=/exec",
	}
	want := []string{
		"PATH=/bin", "HOME=/home", "XDG_CONFIG_HOME=/xdg", "GIT_ALTERNATE_OBJECT_DIRECTORIES=/a", "GIT_TERMINAL_PROMPT=0", "GIT_EXEC_PATH=/exec",
		// Of two values of a name, the last counts.
		"GIT_DIR=/dir", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"HOME=/dir", "XDG_CONFIG_HOME=/dir",
	}
	if d := cmp.Diff(attrEnv(env, "/dir"), want); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
}
