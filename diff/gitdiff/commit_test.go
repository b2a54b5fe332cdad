package gitdiff

import (
	"testing"
)

// pull makes a repository with a pull request from topic to main, whose merge
// base is behind main, and leaves a mess in the working tree and index.
func pull(r *testRepo) {
	r.write(".gitattributes", "*.base linguist-generated\n")
	r.write("a", "1\n")
	r.write("x.base", "1\n")
	r.write("x.head", "1\n")
	r.commit()
	r.git("checkout", "-q", "-b", "topic")
	r.write(".gitattributes", "*.head linguist-generated\n")
	r.write("a", "2\n")
	r.write("x.base", "2\n")
	r.write("x.head", "2\n")
	r.commit()
	r.git("checkout", "-q", "main")
	r.write("a", "main went on\n")
	r.commit()
	r.git("checkout", "-q", "--detach")
	r.write("a", "dirty\n")
	r.write(".gitattributes", "* linguist-generated\n")
	r.write("untracked", "1\n")
	r.write("staged", "1\n")
	r.git("add", "staged")
	r.write(".git/info/attributes", "* linguist-generated\n")
}

func TestHead(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	pull(r)
	r.checkChanges(Source{Base: "main", Head: "topic"},
		"~ .gitattributes +1 -1", "~ a +1 -1", "~ x.base +1 -1", "~ x.head generated +1 -1")
	r.checkChanges(Source{Base: "main", Head: "topic", Attributes: "main"},
		"~ .gitattributes +1 -1", "~ a +1 -1", "~ x.base generated +1 -1", "~ x.head +1 -1")
}
