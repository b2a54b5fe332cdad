package gitdiff

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gogitdiff "github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/diff"
)

// TestDifferential compares with git and with another parser, on generated
// repositories with odd names, odd contents and a hostile configuration.
func TestDifferential(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs a shell")
	}
	seeds := uint64(48)
	if testing.Short() {
		seeds = 12
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := &gen{testRepo: newRepo(t), rnd: rand.New(rand.NewPCG(seed, 2)), trees: map[string]map[string]string{}}
			g.build()
			if head, err := g.try("rev-parse", "-q", "--verify", "HEAD"); err == nil {
				g.head = strings.TrimSpace(head)
			}
			sources := []Source{{}, {Staged: true}}
			if g.head != "" {
				sources = append(sources, Source{Base: "main"})
			}
			var want []*reference
			for _, src := range sources {
				want = append(want, g.reference(src))
			}
			if g.head != "" {
				tip := g.commitAll()
				base := "main"
				if seed%3 == 0 {
					base = g.leaveBehind(tip)
				}
				src := Source{Base: base, Head: tip}
				sources = append(sources, src)
				want = append(want, g.reference(src))
			}
			ran := g.makeHostile(seed%2 == 0)
			repo := g.open()
			for i, src := range sources {
				got, err := repo.Changes(t.Context(), src)
				if err != nil {
					t.Fatal(err)
				}
				want[i].compare(t, got)
				if t.Failed() {
					t.Fatalf("source %+v", src)
				}
			}
			last := len(sources) - 1
			if seed%2 == 1 && sources[last].Head != "" {
				want[last].compare(t, g.spoiled().changes(sources[last]))
			}
			if exists(ran) {
				t.Error("a program was run")
			}
		})
	}
}

// reference is the output of git with a harmless configuration.
type reference struct {
	g         *gen
	records   []string // sorted lines
	numstat   map[string]string
	patch     string
	old, want map[string]string // trees
	others    []string
}

func (g *gen) reference(src Source) *reference {
	ref := &reference{g: g, numstat: map[string]string{}}
	tree := g.head
	if src.Head != "" {
		tree = strings.TrimSpace(g.git("merge-base", src.Base, src.Head))
	} else if src.Base != "" {
		tree = strings.TrimSpace(g.git("merge-base", src.Base, "HEAD"))
	} else if g.head == "" {
		tree = strings.TrimSpace(g.git("hash-object", "-t", "tree", "/dev/null"))
	}
	args := func(form ...string) []string {
		args := append([]string{"-c", "core.quotePath=true", "diff", "--text", "--no-ext-diff", "--no-textconv", "--no-abbrev", "-M", "--histogram", "--ignore-submodules=none"}, form...)
		if src.Staged {
			args = append(args, "--cached")
		}
		if src.Head != "" {
			return append(args, tree, src.Head, "--")
		}
		return append(args, tree, "--")
	}
	br := bufio.NewReader(strings.NewReader(g.git(args("--patch-with-raw", "-z")...)))
	records, err := readRecords(br)
	if err != nil {
		g.t.Fatal(err)
	}
	patch, err := io.ReadAll(br)
	if err != nil {
		g.t.Fatal(err)
	}
	ref.patch = string(patch)
	for _, r := range records {
		for _, p := range r.split() {
			ref.records = append(ref.records, recordLine(p.change().File))
		}
	}
	if !src.Staged && src.Head == "" {
		for p := range strings.SplitSeq(strings.TrimSuffix(g.git("ls-files", "-o", "--exclude-standard", "-z"), "\x00"), "\x00") {
			if p == "" {
				continue
			}
			ref.others = append(ref.others, p)
			f := diff.File{Path: strings.TrimSuffix(p, "/"), Status: diff.Added, Mode: modeSubmodule}
			if f.Path == p {
				info, err := os.Lstat(g.path(p))
				if err != nil {
					g.t.Fatal(err)
				}
				f.Mode = gitMode(info)
			}
			ref.records = append(ref.records, recordLine(f))
		}
	}
	slices.Sort(ref.records)
	ref.readNumstat(g.git(args("--numstat", "-z")...))

	ref.old = g.treeFiles(tree)
	ref.want = map[string]string{}
	switch {
	case src.Head != "":
		ref.want = g.treeFiles(src.Head)
	case src.Staged:
		ref.want = g.indexFiles()
	default:
		for _, p := range append(strings.Split(strings.TrimSuffix(g.git("ls-files", "-z"), "\x00"), "\x00"), ref.others...) {
			if c, err := content(g.path(p)); err == nil && !strings.HasSuffix(p, "/") {
				ref.want[p] = c
			}
		}
	}
	return ref
}

func recordLine(f diff.File) string {
	return fmt.Sprintf("%c %o %o %q %q", f.Status.Marker(), f.OldMode, f.Mode, f.OldPath, f.Path)
}

func (r *reference) readNumstat(out string) {
	fields := strings.Split(out, "\x00")
	for i := 0; i < len(fields)-1; i++ {
		counts, name := fields[i], ""
		if j := strings.LastIndexByte(counts, '\t'); j >= 0 && j == len(counts)-1 {
			name, i = fields[i+2], i+2
		} else {
			f := strings.SplitN(counts, "\t", 3)
			name = f[2]
			counts = f[0] + "\t" + f[1] + "\t"
		}
		r.numstat[name] = counts
	}
}

// treeFiles returns the files of a tree in the form of content.
func (g *gen) treeFiles(tree string) map[string]string {
	if files, ok := g.trees[tree]; ok {
		return maps.Clone(files)
	}
	var modes, oids, paths []string
	for line := range strings.SplitSeq(strings.TrimSuffix(g.git("ls-tree", "-r", "-z", "--full-tree", tree), "\x00"), "\x00") {
		info, path, ok := strings.Cut(line, "\t")
		if f := strings.Fields(info); ok && f[0] != "160000" {
			modes, oids, paths = append(modes, f[0]), append(oids, f[2]), append(paths, path)
		}
	}
	out := map[string]string{}
	for i, data := range g.blobs(oids) {
		if modes[i] == "120000" {
			out[paths[i]] = "-> " + data
		} else {
			out[paths[i]] = fmt.Sprintf("%v %s", modes[i] == "100755", data)
		}
	}
	g.trees[tree] = out
	return maps.Clone(out)
}

// indexFiles returns those of the index, without intended additions.
func (g *gen) indexFiles() map[string]string {
	return g.treeFiles(strings.TrimSpace(g.git("write-tree")))
}

// blobs returns the contents of objects.
func (g *gen) blobs(oids []string) []string {
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env = g.dir, g.env
	cmd.Stdin = strings.NewReader(strings.Join(oids, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatal(err)
	}
	var blobs []string
	for text := string(out); len(blobs) < len(oids); {
		head, rest, _ := strings.Cut(text, "\n")
		var oid, kind string
		var size int
		if _, err := fmt.Sscan(head, &oid, &kind, &size); err != nil {
			g.t.Fatalf("git cat-file: %q: %v", head, err)
		}
		blobs = append(blobs, rest[:size])
		text = rest[size+1:]
	}
	return blobs
}

func (r *reference) compare(t *testing.T, got []diff.File) {
	t.Helper()
	r.compareRecords(t, got)
	r.compareNumstat(t, got)
	r.compareParser(t, got)
	r.compareApply(t, got)
}

func (r *reference) compareRecords(t *testing.T, got []diff.File) {
	t.Helper()
	var lines []string
	for _, f := range got {
		lines = append(lines, recordLine(f))
	}
	slices.Sort(lines)
	if d := cmp.Diff(lines, r.records); d != "" {
		t.Errorf("records: got -, want +\n%s", d)
	}
	for _, f := range got {
		if f.Generated {
			t.Errorf("%q is marked as generated by the user's attributes", f.Path)
		}
	}
}

func (r *reference) compareNumstat(t *testing.T, got []diff.File) {
	t.Helper()
	untracked := map[string]bool{}
	for _, p := range r.others {
		untracked[strings.TrimSuffix(p, "/")] = true
	}
	type sums struct{ add, del int }
	total := map[string]sums{}
	for _, f := range got {
		if f.Binary || untracked[f.Path] || f.Skip == diff.ReasonSubmodule {
			continue
		}
		s := total[f.Path]
		add, del := count(f.Hunks)
		total[f.Path] = sums{s.add + add, s.del + del}
	}
	for p, s := range total {
		if want := r.numstat[p]; want != "-\t-\t" && fmt.Sprintf("%d\t%d\t", s.add, s.del) != want {
			t.Errorf("numstat of %q: got %v, want %q", p, s, want)
		}
	}
}

// compareParser compares the hunks with those that another parser reads in the
// patch of git.
func (r *reference) compareParser(t *testing.T, got []diff.File) {
	t.Helper()
	parsed, _, err := gogitdiff.Parse(strings.NewReader(r.patch))
	if err != nil {
		t.Errorf("the other parser fails: %v", err)
		return
	}
	want := map[string][]string{}
	for _, f := range parsed {
		name := f.NewName
		if f.IsDelete {
			name = "deleted " + f.OldName
		}
		for _, h := range f.TextFragments {
			var b strings.Builder
			for _, l := range h.Lines {
				b.WriteString(l.Op.String() + l.Line)
				if l.NoEOL() {
					b.WriteString("\n\\ No newline at end of file\n")
				}
			}
			want[name] = append(want[name], fmt.Sprintf("%d,%d %d,%d %s\n%s", h.OldPosition, h.OldLines, h.NewPosition, h.NewLines, h.Comment, b.String()))
		}
	}
	for _, f := range got {
		if f.Binary || slices.Contains(r.others, f.Path) {
			continue
		}
		name := f.Path
		if f.Status == diff.Deleted {
			name = "deleted " + name
		}
		var hunks []string
		for _, h := range f.Hunks {
			hunks = append(hunks, fmt.Sprintf("%d,%d %d,%d %s\n%s", h.OldStart, h.OldLines, h.NewStart, h.NewLines, h.Section, h.Body))
		}
		if d := cmp.Diff(hunks, want[name]); d != "" {
			t.Errorf("hunks of %q: got -, want +\n%s", f.Path, d)
		}
	}
}

// TestHostileConfigBites checks that the configuration of the other tests would
// run programs.
func TestHostileConfigBites(t *testing.T) {
	t.Parallel()
	for _, local := range []bool{false, true} {
		g := &gen{testRepo: newRepo(t)}
		g.write("a", "1\n")
		g.commit()
		g.write("a", "2\n")
		ran := g.makeHostile(local)
		g.try("diff", "HEAD")
		if !exists(ran) {
			t.Errorf("local %v: git diff runs no program", local)
		}
	}
}

// compareApply applies the hunks to the old tree with git apply, which must give
// the new tree byte for byte.
func (r *reference) compareApply(t *testing.T, got []diff.File) {
	t.Helper()
	dir := t.TempDir()
	for p, c := range r.old {
		full := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(c, "-> "); ok {
			err = os.Symlink(target, full)
		} else {
			exec, data, _ := strings.Cut(c, " ")
			mode := os.FileMode(0o644)
			if exec == "true" {
				mode = 0o755
			}
			err = os.WriteFile(full, []byte(data), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := maps.Clone(r.want)
	var patch []diff.File
	for _, f := range got {
		switch {
		case f.Skip == diff.ReasonSubmodule:
		case f.Binary && len(f.Hunks) == 0:
			// The patch does not have the contents: compared by name alone.
			delete(want, f.Path)
			delete(r.old, f.Path)
			os.Remove(filepath.Join(dir, filepath.FromSlash(f.Path)))
			if f.OldPath != "" {
				os.Remove(filepath.Join(dir, filepath.FromSlash(f.OldPath)))
			}
		default:
			patch = append(patch, f)
		}
	}
	// Deletions go first: a directory that replaces a file needs its place.
	slices.SortStableFunc(patch, func(a, b diff.File) int { return deleted(b) - deleted(a) })
	if text := formatPatch(patch); text != "" {
		cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
		cmd.Dir = dir
		cmd.Env = append(testEnv(t.TempDir(), os.DevNull), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("git apply: %v\n%s\n%s", err, out, shorten(text))
			return
		}
	}
	if d := cmp.Diff(snapshot(t, dir), want); d != "" {
		t.Errorf("tree after git apply: got -, want +\n%s", shorten(d))
	}
}

func shorten(s string) string {
	if b := []byte(s); len(b) > 4000 {
		return string(bytes.ToValidUTF8(b[:4000], nil)) + "..."
	}
	return s
}
