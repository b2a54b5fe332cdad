package diff

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/google/go-cmp/cmp"
)

// TestPlanProperties plans random changes in many ways and checks everything
// that must hold for all settings.
func TestPlanProperties(t *testing.T) {
	rounds := 1500
	if testing.Short() {
		rounds = 200
	}
	for seed := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(seed), 7))
		old := randomText(rnd, rnd.IntN(120))
		edited := randomEdit(rnd, old, 1+rnd.IntN(8))
		patch := unified("f.go", old, edited, rnd.IntN(4))
		if patch == "" {
			continue
		}
		files, err := Parse([]byte(patch))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, patch)
		}
		fsys := fstest.MapFS{"f.go": {Data: []byte(strings.Join(edited, ""))}}
		c := Chunking{
			FilePatterns: []FilePattern{{"*", []FileMode{ModePerChunk, ModePerChunk, ModeWholeFile}[rnd.IntN(3)]}},
			Coalesce: Coalesce{
				Disabled:     rnd.IntN(4) == 0,
				MaxGapLines:  rnd.IntN(12) - 1,
				MaxChunkSize: []int{0, 1 + rnd.IntN(60), 200, 1000}[rnd.IntN(4)],
			},
			ContextLines: rnd.IntN(8) - 1,
		}
		name := fmt.Sprintf("seed %d", seed)
		checkPlan(t, name, c, files[0], fsys, edited)
		checkPlan(t, name+" alone", c, files[0], nil, edited)
		whole := File{Path: "f.go", Load: func() ([]byte, error) { return fsys["f.go"].Data, nil }}
		checkLoaded(t, name+" whole", c, whole, edited)
		if t.Failed() {
			t.Fatalf("%s\n%+v\n%s", name, c, patch)
		}
	}
}

// checkPlan checks the chunks of a change. edited are the lines of the new side,
// nil when they are not known; then fsys is nil too.
func checkPlan(t *testing.T, name string, c Chunking, f File, fsys fs.FS, edited []string) {
	t.Helper()
	p := c.Plan(f, fsys)
	if p.Skip != nil {
		return
	}
	checkRanges(t, name, c, p)
	byNew := make(map[int]Line)
	var changed []Line // all lines of the chunks that are changes, in order
	for i := range p.Chunks {
		text, err := p.Chunks[i].Text()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, l := range text.Lines {
			if l.Op != Context {
				changed = append(changed, l)
			}
			if l.New > 0 {
				if _, twice := byNew[l.New]; twice {
					t.Errorf("%s: line %d is in two chunks", name, l.New)
				}
				byNew[l.New] = l
			}
			if (l.Op == Add) != (l.Old == 0) && l.Op != Context || (l.Op == Delete) != (l.New == 0) {
				t.Errorf("%s: wrong numbers: %+v", name, l)
			}
		}
		for _, l := range append(text.Before, text.After...) {
			if l.Op != Context || l.New == 0 {
				t.Errorf("%s: wrong line around a chunk: %+v", name, l)
			}
		}
		// The lines around it join on without a gap.
		if n := len(text.Before); n > 0 && text.Before[n-1].New >= p.Chunks[i].StartLine+1 {
			t.Errorf("%s: chunk %d begins at %d, the lines before end at %d", name, i, p.Chunks[i].StartLine, text.Before[n-1].New)
		}
		for l := range text.NewSide() {
			if edited != nil && (l.New > len(edited) || !sameText(edited[l.New-1], l)) {
				t.Errorf("%s: line %d is %q", name, l.New, l.Text)
			}
		}
	}
	// Every line of every hunk is there once, in order, with its old number.
	var want []Line
	for i := range f.Hunks {
		for _, l := range f.Hunks[i].lines() {
			if l.Op != Context {
				want = append(want, l)
			}
			if l.New > 0 && byNew[l.New] != l {
				t.Errorf("%s: line %d is %+v in the chunks, %+v in the hunk", name, l.New, byNew[l.New], l)
			}
		}
	}
	if d := cmp.Diff(changed, want); d != "" {
		t.Errorf("%s: changed lines: got -, want +\n%s", name, d)
	}
}

// checkRanges checks that chunks are in order, numbered, not too large, and do
// not overlap, unless one of them is a pure deletion at its edge.
func checkRanges(t *testing.T, name string, c Chunking, p Plan) {
	t.Helper()
	if len(p.Chunks) == 0 {
		t.Errorf("%s: no chunks and no reason", name)
	}
	end := 0
	for i := range p.Chunks {
		chunk := &p.Chunks[i]
		text, err := chunk.Text()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		size := 0
		for _, l := range text.Lines {
			size += lineSize(l.Text)
		}
		if size > c.maxSize() && len(text.Lines) > 1 {
			t.Errorf("%s: chunk %d has the size %d, the limit is %d", name, i, size, c.maxSize())
		}
		if chunk.Index != i || chunk.Path != p.File.Path || chunk.StartLine < 1 || chunk.EndLine < chunk.StartLine {
			t.Errorf("%s: chunk %d: %+v", name, i, chunk)
		}
		first, last := 0, 0
		for _, l := range text.Lines {
			if l.New > 0 {
				if first == 0 {
					first = l.New
				}
				last = l.New
			}
		}
		if first > 0 {
			if first <= end {
				t.Errorf("%s: chunk %d begins at %d, the one before ends at %d", name, i, first, end)
			}
			end = last
			if chunk.StartLine > first || chunk.EndLine < last {
				t.Errorf("%s: chunk %d has the range %d-%d and the lines %d-%d", name, i, chunk.StartLine, chunk.EndLine, first, last)
			}
		}
		if i > 0 && chunk.StartLine < p.Chunks[i-1].StartLine {
			t.Errorf("%s: chunk %d begins before the one before it", name, i)
		}
	}
}

// checkLoaded checks that the chunks of a whole file are its lines.
func checkLoaded(t *testing.T, name string, c Chunking, f File, lines []string) {
	t.Helper()
	p := c.Plan(f, nil)
	if p.Skip != nil {
		if len(lines) > 0 {
			t.Errorf("%s: skipped: %+v", name, p.Skip)
		}
		return
	}
	checkRanges(t, name, c, p)
	n := 0
	for i := range p.Chunks {
		text, err := p.Chunks[i].Text()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, l := range text.Lines {
			if n++; l.New != n || l.Op != Add || n > len(lines) || !sameText(lines[n-1], l) {
				t.Errorf("%s: line %d is %+v", name, n, l)
			}
		}
		if first := text.Lines[0].New; p.Chunks[i].StartLine != first || p.Chunks[i].EndLine != n {
			t.Errorf("%s: chunk %d has the range %d-%d and the lines %d-%d", name, i, p.Chunks[i].StartLine, p.Chunks[i].EndLine, first, n)
		}
	}
	if n != len(lines) {
		t.Errorf("%s: got %d lines, want %d", name, n, len(lines))
	}
}

// sameText compares a raw line with its ending to a line of a chunk.
func sameText(raw string, l Line) bool {
	text, ended := strings.CutSuffix(raw, "\n")
	if ended {
		text = strings.TrimSuffix(text, "\r")
	}
	return text == l.Text && ended != l.NoEOL
}

// Every line of a parsed hunk is that of the two sides at its number, and none
// is missing.
func TestParseRebuilds(t *testing.T) {
	for seed := range 500 {
		rnd := rand.New(rand.NewPCG(uint64(seed), 11))
		old := randomText(rnd, rnd.IntN(60))
		edited := randomEdit(rnd, old, 1+rnd.IntN(5))
		patch := unified("f", old, edited, rnd.IntN(4))
		files, err := Parse([]byte(patch))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, patch)
		}
		oldLine, newLine := 1, 1
		equalUpTo := func(n int) {
			for ; newLine < n; oldLine, newLine = oldLine+1, newLine+1 {
				if old[oldLine-1] != edited[newLine-1] {
					t.Fatalf("seed %d: lines %d and %d differ outside of hunks\n%s", seed, oldLine, newLine, patch)
				}
			}
		}
		for _, f := range files {
			for i := range f.Hunks {
				equalUpTo(f.Hunks[i].newBegin())
				for _, l := range f.Hunks[i].lines() {
					if l.Old > 0 && (l.Old != oldLine || !sameText(old[l.Old-1], l)) ||
						l.New > 0 && (l.New != newLine || !sameText(edited[l.New-1], l)) {
						t.Fatalf("seed %d: %+v is not the line %d or %d\n%s", seed, l, oldLine, newLine, patch)
					}
					if l.Old > 0 {
						oldLine++
					}
					if l.New > 0 {
						newLine++
					}
				}
			}
		}
		equalUpTo(len(edited) + 1)
		if oldLine != len(old)+1 {
			t.Fatalf("seed %d: got %d old lines, want %d\n%s", seed, oldLine-1, len(old), patch)
		}
	}
}

// TestParseSecondOpinion compares with another parser on generated diffs.
func TestParseSecondOpinion(t *testing.T) {
	for seed := range 300 {
		rnd := rand.New(rand.NewPCG(uint64(seed), 13))
		var patch strings.Builder
		for i := range 1 + rnd.IntN(4) {
			old := randomText(rnd, rnd.IntN(60))
			patch.WriteString(unified(fmt.Sprintf("d/file %d b/x.go", i), old, randomEdit(rnd, old, 4), 1+rnd.IntN(3)))
		}
		comparePatch(t, fmt.Sprintf("seed %d", seed), patch.String())
	}
}

// TestParseGit compares with another parser on what git writes, for odd names
// and contents, in many of its formats.
func TestParseGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"plain.go", "with space.go", "d b/x b/y.go", "tab\there", "new\nline", "quote\"d", "back\\slash", "ümläut", "bad\xff", "a/a", "b/a", "-dash", " lead", "trail "}
	text := strings.Join(numbered(40, nil), "")
	git("init", "-q")
	for _, n := range names {
		write(n, text)
		write("moved/"+n, n+text)
		write("gone/"+n, text)
		write("mode/"+n, text)
	}
	write("binary", "a\x00b")
	git("add", "-A")
	git("commit", "-qm", "one")
	for i, n := range names {
		write(n, strings.Join(numbered(40, map[int]string{3: "-- x\n", 4: "++ y\n", 20: "", 40 - i: "end\r\n"}), "")+"no newline")
		write("added/"+n, n)
		write("empty/"+n, "")
		write("renamed/"+n+".go", n+text)
		for _, path := range []string{"moved/" + n, "gone/" + n} {
			if err := os.Remove(filepath.Join(dir, path)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(filepath.Join(dir, "mode", n), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write("binary", "a\x00c")
	git("add", "-A", ".")
	if err := os.Symlink("plain.go", filepath.Join(dir, "link")); err == nil {
		git("add", "link")
	}
	git("update-index", "--add", "--cacheinfo", "160000,1234567890123456789012345678901234567890,sub")
	git("commit", "-qm", "two")
	want := strings.Split(strings.TrimSuffix(git("diff", "--name-only", "-z", "-M", "HEAD^", "HEAD"), "\x00"), "\x00")
	check := func(args []string, patch string) {
		t.Helper()
		files, err := Parse([]byte(patch))
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		var paths []string
		for _, f := range files {
			paths = append(paths, f.Path)
		}
		if d := cmp.Diff(paths, want); d != "" {
			t.Errorf("%v: got -, want +\n%s", args, d)
		}
	}
	for _, args := range [][]string{
		{}, {"-U0"}, {"-U10"}, {"--no-prefix"}, {"--binary"}, {"--full-index"}, {"--text"},
		{"--src-prefix=one/", "--dst-prefix=two/"}, {"--inter-hunk-context=5"}, {"--function-context"}, {"--stat", "-p"},
	} {
		patch := git(append([]string{"diff", "-M", "HEAD^", "HEAD"}, args...)...)
		check(args, patch)
		if !slices.Contains(args, "--no-prefix") { // which the other parser cannot read
			comparePatch(t, strings.Join(args, " "), patch)
		}
	}
	for _, args := range [][]string{{"format-patch", "-M", "--stdout", "HEAD^"}, {"show", "-M"}, {"log", "-p", "-1", "-M"}} {
		check(args, git(args...))
	}
}

// comparePatch parses a patch with two parsers and compares the results.
func comparePatch(t *testing.T, name, patch string) {
	t.Helper()
	got, err := Parse([]byte(patch))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, patch)
	}
	want, _, err := gitdiff.Parse(strings.NewReader(patch))
	if err != nil {
		t.Fatalf("%s: the other parser: %v\n%s", name, err, patch)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: got %d files, want %d", name, len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		status := Modified
		switch {
		case w.IsNew:
			status = Added
		case w.IsDelete:
			status = Deleted
		case w.IsRename:
			status = Renamed
		case w.IsCopy:
			status = Copied
		}
		path := w.NewName
		if w.IsDelete {
			path = w.OldName
		}
		// The other parser removes any first element, or none from
		// the names of renames.
		if g.Path != path && !strings.HasSuffix(g.Path, "/"+path) || g.Status != status || len(g.Hunks) != len(w.TextFragments) {
			t.Errorf("%s: got %q, %c, %d hunks, want %q, %c, %d", name, g.Path, g.Status.Marker(), len(g.Hunks), path, status.Marker(), len(w.TextFragments))
			continue
		}
		for k, wh := range w.TextFragments {
			h := g.Hunks[k]
			var body strings.Builder
			for _, l := range wh.Lines {
				body.WriteString(l.Op.String() + l.Line)
				if l.NoEOL() {
					body.WriteString("\n\\ No newline at end of file\n")
				}
			}
			wantHunk := Hunk{int(wh.OldPosition), int(wh.OldLines), int(wh.NewPosition), int(wh.NewLines), wh.Comment, body.String()}
			if d := cmp.Diff(h, wantHunk); d != "" {
				t.Errorf("%s: %q: got -, want +\n%s", name, g.Path, d)
			}
		}
	}
}
