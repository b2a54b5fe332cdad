package gitdiff

import (
	"context"
	"testing"
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
