package gitdiff

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The attributes of a commit can decide about any change.
func TestAttributes(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".gitattributes", "*.a linguist-generated\n[attr]gen linguist-generated\n")
	r.write("d/.gitattributes", "*.a -linguist-generated\n*.b gen\n")
	r.write("bad\xff/.gitattributes", "*.a linguist-generated=false\n")
	r.link("* linguist-generated", "link/.gitattributes")
	r.write(".gitattributes.d", "")
	r.commit()
	r.git("tag", "rules")
	r.remove(".gitattributes")
	r.remove("d/.gitattributes")
	r.remove("bad\xff/.gitattributes")
	r.git("commit", "-qam", "2")
	r.spoil()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "3")
	for _, n := range []string{"x.a", "x.b", "d/x.a", "d/x.b", "u/X.A", "bad\xff/x.a", "link/x.c", "x\n.a"} {
		r.write(n, "1\n")
	}
	byRules := []string{`+ "bad\377/x.a" +1 -0`, "+ d/x.a +1 -0", "+ d/x.b generated +1 -0", "+ link/x.c +1 -0", "+ u/X.A +1 -0",
		`+ "x\n.a" generated +1 -0`, "+ x.a generated +1 -0", "+ x.b +1 -0"}
	byNone := []string{`+ "bad\377/x.a" +1 -0`, "+ d/x.a +1 -0", "+ d/x.b +1 -0", "+ link/x.c +1 -0", "+ u/X.A +1 -0",
		`+ "x\n.a" +1 -0`, "+ x.a +1 -0", "+ x.b +1 -0"}
	r.checkChanges(Source{Attributes: "rules"}, byRules...)
	r.checkChanges(Source{Attributes: "HEAD~"}, byNone...)
	r.git("add", "-A")
	r.checkChanges(Source{Staged: true, Attributes: "rules"}, byRules...)
	r.checkChanges(Source{Base: "main", Attributes: "HEAD~"}, byNone...)
	_, err := r.open().Changes(context.Background(), Source{Attributes: "none"})
	checkError(t, err, UnresolvedRevision, `attributes reference "none" does not resolve`, "")
}

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
