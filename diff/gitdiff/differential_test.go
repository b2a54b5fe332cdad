package gitdiff

import (
	"bufio"
	"bytes"
	"fmt"
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

// hostileConfig holds what users set, and what could do harm. %[1]s is a program
// that must never run.
const hostileConfig = `
[core]
	quotePath = false
	fsmonitor = %[1]s
	hooksPath = %[2]s
	attributesFile = %[3]s
	bigFileThreshold = 1
	pager = %[1]s
	abbrev = 5
	whitespace = cr-at-eol
	askPass = %[1]s
[diff]
	noprefix = true
	mnemonicPrefix = true
	relative = true
	external = %[1]s
	context = 0
	interHunkContext = 50
	algorithm = patience
	renames = false
	renameLimit = 1
	suppressBlankEmpty = true
	wsErrorHighlight = all
	colorMoved = zebra
	orderFile = %[3]s
	ignoreSubmodules = all
	submodule = log
	indentHeuristic = false
	autoRefreshIndex = false
	srcPrefix = x/
	dstPrefix = y/
[diff "evil"]
	textconv = %[1]s
	command = %[1]s
	binary = true
	xfuncname = "([bad"
[diff "default"]
	xfuncname = "!^.*never.*$"
[filter "evil"]
	clean = %[1]s
	smudge = %[1]s
	process = %[1]s
	required = true
[filter "a=b.c"]
	clean = %[1]s
	required = true
[color]
	ui = always
	diff = always
[status]
	showUntrackedFiles = no
	relativePaths = true
[submodule]
	recurse = true
[credential]
	helper = !%[1]s
[log]
	showSignature = true
[column]
	ui = always
[grep]
	lineNumber = true
`

// makeHostile turns every screw that configuration and attributes have. It
// returns a file that exists once the program has run.
func (r *testRepo) makeHostile(local bool) (ran string) {
	r.t.Helper()
	dir := r.t.TempDir()
	ran = filepath.Join(dir, "ran")
	prog := filepath.Join(dir, "prog")
	attrs := filepath.Join(dir, "attributes")
	hooks := filepath.Join(dir, "hooks")
	must := func(err error) {
		r.t.Helper()
		if err != nil {
			r.t.Fatal(err)
		}
	}
	must(os.Mkdir(hooks, 0o777))
	script := "#!/bin/sh\ntouch " + ran + "\ncat\n"
	must(os.WriteFile(prog, []byte(script), 0o777))
	must(os.WriteFile(filepath.Join(hooks, "post-index-change"), []byte(script), 0o777))
	must(os.WriteFile(attrs, []byte("* -diff diff=evil filter=evil linguist-generated\n"), 0o666))
	conf := fmt.Sprintf(hostileConfig, prog, hooks, attrs)
	if local {
		f, err := os.OpenFile(filepath.Join(r.dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
		must(err)
		_, err = f.WriteString(conf)
		must(err)
		must(f.Close())
	} else {
		r.config(conf)
	}
	return ran
}

// names is what files are called in the generated repositories.
var names = []string{
	"plain.txt", "dir/inner.go", "with space.c", " lead", "trail ", "tab\tname", "new\nline", `quo"te`, `back\slash`,
	"ünïcode/ß.txt", "bad\xff\xfeutf8", "a b/ b/x", "-dash", "--", ":(top)magic", ":!x", "*", "[a-z]?", "dir/deep/er/f",
	"b/x b/x", "diff --git a", "null\x01", "CASE", "case", "x\ndiff --git a/y b/y", "~", "a", "b", "@@ -1 +1 @@", "ends.",
}

// gen generates a repository from a seed.
type gen struct {
	*testRepo
	rnd  *rand.Rand
	used []string // files that exist
}

func (g *gen) oneIn(n int) bool { return g.rnd.IntN(n) == 0 }

func (g *gen) name() string {
	for range 50 {
		n := names[g.rnd.IntN(len(names))]
		if g.oneIn(3) {
			n = fmt.Sprintf("%s%d", n, g.rnd.IntN(30))
		}
		if g.free(n) {
			return n
		}
	}
	return fmt.Sprintf("more/%d", g.rnd.IntN(1<<30))
}

// free says whether no file and no folder of that name is there, nor a file
// where a folder is needed.
func (g *gen) free(n string) bool {
	if exists(g.path(n)) {
		return false
	}
	for p := filepath.Dir(g.path(n)); len(p) > len(g.dir); p = filepath.Dir(p) {
		if info, err := os.Lstat(p); err == nil && !info.IsDir() {
			return false
		}
	}
	return true
}

var words = []string{"alpha", "beta", "", "  indented", "-- minus", "++ plus", "@@ -1,2 +3,4 @@", "diff --git a/a b/a", "\\ No newline",
	"func f() {", "}", "\x1b[31mred", "latin\xe9", "--- a/x", "+++ b/x", "tab\there", "GIT binary patch", "* Unmerged path x"}

func (g *gen) line(i int) string {
	eol := "\n"
	if g.oneIn(6) {
		eol = "\r\n"
	}
	return fmt.Sprintf("%s %d%s", words[g.rnd.IntN(len(words))], i, eol)
}

func (g *gen) text() string {
	switch g.rnd.IntN(14) {
	case 0:
		return ""
	case 1:
		return "\x00\x01" + strings.Repeat("x\n", g.rnd.IntN(9))
	case 2:
		return "one line"
	case 3:
		return "\n\n\n"
	case 4:
		return strings.Repeat("long", 40000) + "\n"
	}
	var b strings.Builder
	for i := range 1 + g.rnd.IntN(60) {
		b.WriteString(g.line(i))
	}
	s := b.String()
	if g.oneIn(4) {
		s = strings.TrimRight(s, "\r\n")
	}
	return s
}

// edit changes a few lines.
func (g *gen) edit(s string) string {
	lines := strings.SplitAfter(s, "\n")
	for range 1 + g.rnd.IntN(4) {
		i := g.rnd.IntN(len(lines))
		switch g.rnd.IntN(3) {
		case 0:
			lines[i] = g.line(1000 + i)
		case 1:
			lines = slices.Delete(lines, i, i+1)
			if len(lines) == 0 {
				lines = []string{"x"}
			}
		default:
			lines = slices.Insert(lines, i, g.line(2000+i))
		}
	}
	return strings.Join(lines, "")
}

func (g *gen) add() {
	n := g.name()
	switch {
	case g.oneIn(10):
		g.link(names[g.rnd.IntN(len(names))], n)
	default:
		g.write(n, g.text())
		if g.oneIn(6) {
			g.chmod(n)
		}
	}
	g.used = append(g.used, n)
}

func (g *gen) chmod(n string) {
	info, err := os.Lstat(g.path(n))
	if err == nil && info.Mode().IsRegular() {
		err = os.Chmod(g.path(n), info.Mode()^0o111)
	}
	if err != nil && !os.IsNotExist(err) {
		g.t.Fatal(err)
	}
}

// change does something to a file that exists.
func (g *gen) change() {
	if len(g.used) == 0 {
		return
	}
	i := g.rnd.IntN(len(g.used))
	n := g.used[i]
	info, err := os.Lstat(g.path(n))
	if err != nil {
		return // gone already
	}
	regular := info.Mode().IsRegular()
	switch k := g.rnd.IntN(12); {
	case k < 4 && regular:
		old, err := os.ReadFile(g.path(n))
		if err != nil {
			g.t.Fatal(err)
		}
		g.write(n, g.edit(string(old)))
	case k < 6:
		g.remove(n)
	case k < 8:
		to := g.name()
		if err := os.MkdirAll(filepath.Dir(g.path(to)), 0o777); err != nil {
			g.t.Fatal(err)
		}
		if err := os.Rename(g.path(n), g.path(to)); err != nil {
			g.t.Fatal(err)
		}
		g.used[i] = to
		if regular && g.oneIn(2) {
			old, _ := os.ReadFile(g.path(to))
			g.write(to, g.edit(string(old)))
		}
	case k == 8:
		g.remove(n)
		if regular {
			g.link("elsewhere", n)
		} else {
			g.write(n, g.text())
		}
	case k == 9 && regular:
		g.remove(n) // a folder in the place of a file
		g.write(n+"/inside", g.text())
	case k == 10:
		g.git("--literal-pathspecs", "add", "-A", "--", n)
	default:
		g.chmod(n)
	}
}

func (g *gen) build() {
	if g.oneIn(5) {
		g.git("config", "core.quotePath", "false")
	}
	for range 4 + g.rnd.IntN(14) {
		g.add()
	}
	if g.oneIn(8) {
		for range g.rnd.IntN(8) {
			g.stage()
			g.change()
		}
		return // no commit at all
	}
	if g.oneIn(3) {
		sub := g.at(filepath.Join(g.dir, "sub"))
		g.git("init", "-q", "sub")
		sub.write("s", "1\n")
		sub.commit()
		g.git("add", "sub")
		defer func() {
			sub.write("s", "2\n")
			if g.oneIn(2) {
				sub.commit()
			}
		}()
	}
	g.commit()
	if g.oneIn(2) {
		g.git("checkout", "-q", "-b", "topic")
		for range 5 {
			g.change()
			g.add()
		}
		g.commit()
		if g.oneIn(3) {
			g.git("checkout", "-q", "--detach")
		}
	}
	for range g.rnd.IntN(14) {
		switch g.rnd.IntN(4) {
		case 0:
			g.add()
		case 1:
			g.stage()
		default:
			g.change()
		}
	}
	if g.oneIn(4) {
		g.write(".gitattributes", "* -diff filter=evil diff=evil\n*.go filter=a=b.c\n")
	}
	if g.oneIn(4) {
		g.write(".gitignore", "ignored*\n")
		g.write("ignored.txt", "no\n")
	}
	if g.oneIn(5) {
		n := g.name()
		g.write(n, "intent\n")
		g.git("--literal-pathspecs", "add", "-N", "--", n)
	}
}

func (g *gen) stage() {
	if len(g.used) == 0 {
		return
	}
	n := g.used[g.rnd.IntN(len(g.used))]
	if exists(g.path(n)) {
		g.git("--literal-pathspecs", "add", "-A", "--", n)
	}
}

// TestDifferential compares with git and with another parser, on generated
// repositories with odd names, odd contents and a hostile configuration.
func TestDifferential(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs a shell")
	}
	for seed := range uint64(48) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := &gen{testRepo: newRepo(t), rnd: rand.New(rand.NewPCG(seed, 2))}
			g.build()
			sources := []Source{{}, {Staged: true}}
			if _, err := g.try("rev-parse", "-q", "--verify", "HEAD"); err == nil {
				sources = append(sources, Source{Base: "main"})
			}
			var want []*reference
			for _, src := range sources {
				want = append(want, g.reference(src))
			}
			ran := g.makeHostile(seed%2 == 0)
			for i, src := range sources {
				got := g.changes(src)
				want[i].compare(t, got)
				if t.Failed() {
					t.Fatalf("source %+v", src)
				}
			}
			if exists(ran) {
				t.Error("a program was run")
			}
		})
	}
}

// reference is what git says under a tame configuration.
type reference struct {
	g         *gen
	oids      int
	records   []string // sorted lines
	numstat   map[string]string
	patch     string
	old, want map[string]string // trees
	others    []string
}

func (g *gen) reference(src Source) *reference {
	ref := &reference{g: g, numstat: map[string]string{}}
	tree := "HEAD"
	if src.Base != "" {
		tree = strings.TrimSpace(g.git("merge-base", src.Base, "HEAD"))
	} else if _, err := g.try("rev-parse", "-q", "--verify", "HEAD"); err != nil {
		tree = strings.TrimSpace(g.git("hash-object", "-t", "tree", "/dev/null"))
	}
	args := func(form ...string) []string {
		args := append([]string{"-c", "core.quotePath=true", "diff", "--text", "--no-ext-diff", "--no-textconv", "--no-abbrev", "-M", "--histogram", "--ignore-submodules=none"}, form...)
		if src.Staged {
			args = append(args, "--cached")
		}
		return append(args, tree, "--")
	}
	br := bufio.NewReader(strings.NewReader(g.git(args("--raw", "-z")...)))
	records, err := readRecords(br)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, r := range records {
		for _, p := range r.split() {
			ref.records = append(ref.records, recordLine(p.change().File))
		}
	}
	if !src.Staged {
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
	ref.patch = g.git(args("-p")...)

	ref.old = g.treeFiles(tree)
	ref.want = map[string]string{}
	if src.Staged {
		ref.want = g.indexFiles()
	} else {
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
	return g.objects(g.git("ls-tree", "-r", "-z", "--full-tree", tree), func(f []string) (mode, oid string) { return f[0], f[2] })
}

func (g *gen) indexFiles() map[string]string {
	return g.treeFiles(strings.TrimSpace(g.git("write-tree"))) // leaves intended additions out
}

func (g *gen) objects(list string, get func([]string) (mode, oid string)) map[string]string {
	out := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		info, path, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		mode, oid := get(strings.Fields(info))
		switch mode {
		case "160000":
		case "120000":
			out[path] = "-> " + g.git("cat-file", "blob", oid)
		default:
			out[path] = fmt.Sprintf("%v %s", mode == "100755", g.git("cat-file", "blob", oid))
		}
	}
	return out
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
		if want := r.numstat[p]; fmt.Sprintf("%d\t%d\t", s.add, s.del) != want {
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
		t.Errorf("the other parser gives up: %v", err)
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

// TestHostileConfigBites makes sure that the configuration of the other tests
// would do harm.
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
			// The patch does not say it: compared by name alone.
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
	// Deletions go first: what replaces a file with a folder needs its place.
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
