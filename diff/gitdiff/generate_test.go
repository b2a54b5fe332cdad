package gitdiff

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// makeHostile sets everything in configuration and attributes that could alter a
// result. It returns a file that exists once the program has run.
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

// names are the names of files in the generated repositories.
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

	head  string                       // the commit, "" without one
	trees map[string]map[string]string // the files of trees that were read
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

// free reports whether there is neither a file or directory of that name, nor a
// file where a directory is needed.
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
		g.remove(n) // a directory in the place of a file
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

// commitAll makes a commit of all files, which no branch names, and leaves the
// index as it is.
func (g *gen) commitAll() string {
	side := *g.testRepo
	side.env = append(slices.Clone(g.env), "GIT_INDEX_FILE="+filepath.Join(g.t.TempDir(), "index"))
	side.git("read-tree", "HEAD")
	side.git("add", "-A")
	return side.commitTree(strings.TrimSpace(side.git("write-tree")), "HEAD")
}

// leaveBehind returns a sibling of tip that differs in every file.
func (g *gen) leaveBehind(tip string) string {
	return g.commitTree(strings.TrimSpace(g.git("hash-object", "-t", "tree", "-w", os.DevNull)), tip+"~")
}

func (r *testRepo) commitTree(tree string, parents ...string) string {
	r.t.Helper()
	args := []string{"commit-tree", "-m", "c", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return strings.TrimSpace(r.git(args...))
}

// spoiled returns the repository with an index that git cannot read, and with only
// misleading attributes in the working tree.
func (g *gen) spoiled() *testRepo {
	entries, err := os.ReadDir(g.dir)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			g.remove(e.Name())
		}
	}
	const attributes = "* -diff -text filter=evil diff=python linguist-generated\n"
	g.write(".gitattributes", attributes)
	g.write("dir/.gitattributes", attributes)
	g.write(".git/info/attributes", attributes)
	g.write(".git/index", "no index")
	return g.testRepo
}
