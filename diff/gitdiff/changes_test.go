package gitdiff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("line\n", 30)
	tests := []struct {
		name  string
		setup func(r *testRepo)
		src   Source
		want  []string
	}{
		{"nothing", func(r *testRepo) { r.write("a", "1\n"); r.commit() }, Source{}, nil},
		{"staged, unstaged and untracked", func(r *testRepo) {
			r.write("a", "1\n")
			r.write("b", "1\n")
			r.commit()
			r.write("a", "2\n")
			r.git("add", "a")
			r.write("b", "1\n2\n")
			r.write("c", "x\ny")
			r.write("ignored", "x")
			r.write(".git/info/exclude", "ignored\n")
		}, Source{}, []string{"~ a +1 -1", "~ b +1 -0", "+ c +2 -0"}},
		{"contents that are not wanted", func(r *testRepo) {
			r.write("old", lines)
			r.commit()
			r.git("mv", "old", "new")
			r.write("new", lines+"more\n")
			r.write("a", "1\n")
			r.write("b", "1\n")
		}, Source{Keep: func(path string) bool { return path == "b" || path == "new" }}, []string{"+ a", "+ b +1 -0", "> new from old +1 -0"}},
		{"no commits", func(r *testRepo) {
			r.write("a", "1\n")
			r.write("b", "1\n")
			r.git("add", "a")
		}, Source{}, []string{"+ a +1 -0", "+ b +1 -0"}},
		{"no commits, staged", func(r *testRepo) {
			r.write("a", "1\n")
			r.write("b", "1\n")
			r.git("add", "a")
		}, Source{Staged: true}, []string{"+ a +1 -0"}},
		{"staged shows the index", func(r *testRepo) {
			r.write("a", "1\n")
			r.commit()
			r.write("a", "2\n3\n")
			r.git("add", "a")
			r.write("a", "2\n3\n4\n")
		}, Source{Staged: true}, []string{"~ a +2 -1"}},
		{"staged and then undone on disk", func(r *testRepo) {
			r.write("a", "1\n")
			r.commit()
			r.write("a", "2\n")
			r.git("add", "a")
			r.write("a", "1\n")
		}, Source{}, nil},
		{"base", func(r *testRepo) {
			r.write("a", "1\n")
			r.commit()
			r.git("checkout", "-q", "-b", "topic")
			r.write("b", "1\n")
			r.commit()
			r.write("c", "1\n")
			r.git("checkout", "-q", "main")
			r.write("a", "main changed\n")
			r.git("commit", "-qam", "main")
			r.git("checkout", "-q", "topic")
		}, Source{Base: "main"}, []string{"+ b +1 -0", "+ c +1 -0"}},
		{"rename, mode, empty", func(r *testRepo) {
			r.write("a", lines)
			r.write("b", lines+"b\n")
			r.write("m", "m\n")
			r.write("gone", "1\n")
			r.commit()
			r.git("mv", "a", "a2")
			r.git("mv", "b", "b b")
			r.git("update-index", "--chmod=+x", "m")
			r.git("rm", "-q", "gone")
			r.write("empty", "")
			r.git("add", "empty")
		}, Source{Staged: true}, []string{"> a2 from a", "> b b from b", "+ empty", "- gone +0 -1", "~ m"}},
		{"file becomes a link", func(r *testRepo) {
			r.write("a", "1\n")
			r.commit()
			r.remove("a")
			r.link("b", "a")
		}, Source{}, []string{"- a +0 -1", "+ a link +1 -0"}},
		{"link becomes a file", func(r *testRepo) {
			r.link("b", "a")
			r.commit()
			r.remove("a")
			r.write("a", "1\n2\n")
		}, Source{}, []string{"- a link +0 -1", "+ a +2 -0"}},
		{"file becomes a directory", func(r *testRepo) {
			r.write("a", "1\n")
			r.commit()
			r.remove("a")
			r.write("a/b", "1\n")
		}, Source{}, []string{"- a +0 -1", "+ a/b +1 -0"}},
		{"removed from the index alone", func(r *testRepo) {
			r.write("a", "1\n")
			r.commit()
			r.git("rm", "-q", "--cached", "a")
		}, Source{}, []string{"- a +0 -1", "+ a +1 -0"}},
		{"intent to add", func(r *testRepo) {
			r.commit()
			r.write("a", "1\n")
			r.git("add", "-N", "a")
		}, Source{}, []string{"+ a +1 -0"}},
		{"intent to add is not staged", func(r *testRepo) {
			r.commit()
			r.write("a", "1\n")
			r.git("add", "-N", "a")
		}, Source{Staged: true}, nil},
		{"binary and late NUL", func(r *testRepo) {
			r.write("a", lines+"\x00")
			r.write("b", "1\n")
			r.write("was", "\x00")
			r.commit()
			r.write("a", "first\n"+lines+"\x00")
			r.write("b", "\x00\n")
			r.write("was", "text\n")
			r.write("new", "\x00")
		}, Source{}, []string{"~ a binary +1 -0", "~ b +1 -1", "+ new binary +1 -0", "~ was binary +1 -1"}},
		{"attributes do not make a file binary", func(r *testRepo) {
			r.write(".gitattributes", "* -diff -text binary\n")
			r.write("a", "1\n")
			r.commit()
			r.write("a", "2\n")
		}, Source{}, []string{"~ a +1 -1"}},
		{"generated", func(r *testRepo) {
			r.write(".gitattributes", "*.pb linguist-generated\n*.gen linguist-generated=true\n*.not linguist-generated=false\n")
			r.commit()
			r.write("a.pb", "1\n")
			r.write("b.gen", "1\n")
			r.write("c.not", "1\n")
		}, Source{}, []string{"+ a.pb generated +1 -0", "+ b.gen generated +1 -0", "+ c.not +1 -0"}},
		{"conflict", conflict, Source{}, []string{"~ a +4 -0", "+ b +1 -0", "- c +0 -1", "~ n +4 -0"}},
		{"conflict, staged", conflict, Source{Staged: true},
			[]string{"~ a unreadable", "~ b unreadable", "- c +0 -1", "~ n unreadable"}},
		{"nested repository", func(r *testRepo) {
			r.commit()
			r.git("init", "-q", "nested")
			r.write("nested/a", "1\n")
		}, Source{}, []string{"+ nested submodule"}},
		{"limit", func(r *testRepo) {
			r.commit()
			r.write("a/b", "1\n")
			r.write("ab", "1\n")
			r.write("c", "1\n")
			r.git("add", "ab")
		}, Source{Paths: []string{"a", "c"}}, []string{"+ a/b +1 -0", "+ c +1 -0"}},
		{"limit is literal", func(r *testRepo) {
			r.commit()
			r.write(":(top)x", "1\n")
			r.write("*", "1\n")
			r.write("b", "1\n")
			r.git("add", "-A")
		}, Source{Paths: []string{":(top)x", "*"}}, []string{"+ * +1 -0", "+ :(top)x +1 -0"}},
		{"limit to a deleted file", func(r *testRepo) {
			r.write("a", "1\n")
			r.commit()
			r.remove("a")
		}, Source{Paths: []string{"a"}}, []string{"- a +0 -1"}},
		{"touched", func(r *testRepo) {
			r.write("a", "1\n")
			r.write("b", "1\n")
			r.commit()
			r.remove("a")
			r.write("a", "1\n")
			r.write("b", "2\n")
		}, Source{}, []string{"~ b +1 -1"}},
		{"line endings", func(r *testRepo) {
			r.write("crlf", "1\r\n2\r\n")
			r.commit()
			r.config("[core]\n\tautocrlf = true\n")
			r.write("crlf", "1\r\n3\r\n")
		}, Source{}, []string{"~ crlf +1 -1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			tt.setup(r)
			got := summary(r.changes(tt.src))
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("got -, want +\n%s", d)
			}
		})
	}
}

// conflict leaves a merge with conflicts of three kinds: both changed, deleted
// here and changed there, both added.
func conflict(r *testRepo) {
	for _, n := range []string{"a", "b", "c"} {
		r.write(n, n+"\n")
	}
	r.commit()
	r.git("checkout", "-q", "-b", "other")
	r.write("a", "other\n")
	r.remove("c")
	r.write("b", "other b\n")
	r.write("n", "other n\n")
	r.commit()
	r.git("checkout", "-q", "main")
	r.write("a", "main\n")
	r.remove("b")
	r.write("n", "main n\n")
	r.commit()
	if _, err := r.try("merge", "other"); err == nil {
		r.t.Fatal("the merge has no conflict")
	}
}
