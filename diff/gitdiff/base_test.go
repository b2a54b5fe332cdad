package gitdiff

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestMergeBase(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	n := 0
	commit := func(parents ...string) string {
		n++
		r.write("id", fmt.Sprintln(n))
		r.git("add", "id")
		return r.commitTree(strings.TrimSpace(r.git("write-tree")), parents...)
	}
	root := commit()
	a, b := commit(root), commit(root)
	left, right := commit(a, b), commit(b, a) // criss-cross
	left2, right2 := commit(left), commit(right)
	octopus := commit(left2, right2, root)
	alone := commit()
	repo := r.open()
	pairs := [][2]string{{left, right}, {right, left}, {left2, right2}, {right2, left2}, {a, b}, {root, left2}, {left2, root}, {octopus, left}}
	for _, p := range pairs {
		got, err := repo.MergeBase(context.Background(), p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		// The old side's object name shows which one git takes.
		want := r.git("diff", "--raw", "--no-abbrev", p[0]+"..."+p[1])
		old := strings.TrimSpace(r.git("rev-parse", got+":id"))
		if got == strings.TrimSpace(r.git("rev-parse", p[1])) {
			if want != "" {
				t.Errorf("%v: got %s, git diff has %q", p, got, want)
			}
		} else if !strings.Contains(want, " "+old+" ") {
			t.Errorf("%v: got %s with %s, git diff has %q", p, got, old, want)
		}
	}
	tests := []struct {
		name, base, head string
		kind             Kind
		msg              string
	}{
		{"no common history", root, alone, UnrelatedBase, "no common history"},
		{"unknown base", "none", root, UnresolvedBase, `base reference "none"`},
		{"unknown head", root, "none", UnresolvedRevision, `head reference "none"`},
		{"empty base", "", root, BadBase, "cannot be a reference"},
		{"empty head", root, "", BadBase, "cannot be a reference"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := repo.MergeBase(context.Background(), tt.base, tt.head)
			checkError(t, err, tt.kind, tt.msg, "")
			if got != "" {
				t.Errorf("got %q", got)
			}
		})
	}
}
