package skill

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// skillFile returns a SKILL.md with a name, and the place as its description.
func skillFile(name, where string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: " + where + "\n---\nLook.\n")}
}

func describe(c *Catalog) (entries, warnings []string) {
	for _, e := range c.entries {
		s := e.name + " | " + e.source
		if e.err != nil {
			s += " | broken"
		}
		entries = append(entries, s)
	}
	for _, w := range c.Warnings() {
		line, _, _ := strings.Cut(w.String(), "\n")
		warnings = append(warnings, line)
	}
	return entries, warnings
}

func TestDiscover(t *testing.T) {
	repo := fstest.MapFS{
		".scanner/skills/two/SKILL.md":             skillFile("two", "scanner"),
		".scanner/skills/one/SKILL.md":             skillFile("one", "scanner"),
		".scanner/skills/README.md":                {Data: []byte("not a skill")},
		".scanner/skills/.hidden/SKILL.md":         skillFile("hidden", "scanner"),
		".scanner/skills/notes/x.txt":              {},
		".scanner/skills/security-review/SKILL.md": {Data: []byte("\x00")},
		".agents/skills/one/SKILL.md":              skillFile("one", "agents"),
		".agents/skills/three/SKILL.md":            skillFile("three", "agents"),
		".agents/skills/other/SKILL.md":            skillFile("three", "agents, other folder"),
		".claude/skills/four/SKILL.md":             skillFile("five", "claude"),
		".github/skills/six/SKILL.md":              skillFile("six", "github"),
		".github/skills/one/SKILL.md":              skillFile("one", "github"),
	}
	user := fstest.MapFS{
		"one/SKILL.md":         skillFile("one", "user"),
		"code-review/SKILL.md": skillFile("code-review", "user"),
	}
	sources := append(ProjectSources(repo), Source{FS: user, Dir: ".", Label: "~/.config/scanner/skills"}, Source{Dir: "none"}, Builtin())
	entries, warnings := describe(Discover(sources...))
	if d := cmp.Diff(entries, []string{
		"one | .scanner/skills/one",
		"security-review | .scanner/skills/security-review | broken",
		"two | .scanner/skills/two",
		"three | .agents/skills/other",
		"five | .claude/skills/four",
		"six | .github/skills/six",
		"code-review | ~/.config/scanner/skills/code-review",
	}); d != "" {
		t.Errorf("entries (-) differ from want (+):\n%s", d)
	}
	if d := cmp.Diff(warnings, []string{
		".scanner/skills/notes: directory has no SKILL.md",
		".scanner/skills/security-review: skill cannot be used: .scanner/skills/security-review/SKILL.md:1: not text; save the file as UTF-8",
		`.agents/skills/three: skill is ignored: .agents/skills/other has the name "three" too`,
	}); d != "" {
		t.Errorf("warnings (-) differ from want (+):\n%s", d)
	}
}

// Skills in groups come after those next to the groups. What is in a skill, or deeper,
// is not searched.
func TestDiscoverGroups(t *testing.T) {
	repo := fstest.MapFS{
		"s/a/one/SKILL.md":           skillFile("one", "a group"),
		"s/a/b/three/SKILL.md":       skillFile("three", "a group in a group"),
		"s/a/b/two/SKILL.md":         skillFile("two", "a group in a group"),
		"s/a/b/c/four/SKILL.md":      skillFile("four", "too deep"),
		"s/a/.git/five/SKILL.md":     skillFile("five", "hidden"),
		"s/one/SKILL.md":             skillFile("one", "no group"),
		"s/one/examples/in/SKILL.md": skillFile("in", "in a skill"),
		"s/two/SKILL.md":             skillFile("zwei", "no group"),
		"s/none/x.txt":               {},
		"s/lower/skill.txt":          {},
		"s/lower/tests/one/a.go":     {},
		"s/lower/tests/two/a.go":     {},
	}
	entries, warnings := describe(Discover(Source{FS: repo, Dir: "s"}))
	if d := cmp.Diff(entries, []string{
		"one | s/one",
		"zwei | s/two",
		"three | s/a/b/three",
		"two | s/a/b/two",
	}); d != "" {
		t.Errorf("entries (-) differ from want (+):\n%s", d)
	}
	if d := cmp.Diff(warnings, []string{
		"s/lower: directory has no SKILL.md",
		"s/none: directory has no SKILL.md",
		"s/a/b/c: directory has no SKILL.md",
		`s/a/one: skill is ignored: s/one has the name "one" too`,
	}); d != "" {
		t.Errorf("warnings (-) differ from want (+):\n%s", d)
	}
}

func TestCatalogFind(t *testing.T) {
	repo := fstest.MapFS{
		".scanner/skills/one/SKILL.md":             skillFile("one", "scanner"),
		".scanner/skills/one/patterns.toml":        {Data: []byte(okPattern)},
		".scanner/skills/bad-rules/SKILL.md":       skillFile("bad-rules", "scanner"),
		".scanner/skills/bad-rules/patterns.toml":  {Data: []byte("x = 1\n")},
		".scanner/skills/security-review/SKILL.md": {Data: []byte("\x00")},
		".scanner/skills/folder-name/SKILL.md":     skillFile("skill-name", "scanner"),
		".scanner/skills/notes/x.txt":              {},
	}
	c := Discover(append(ProjectSources(repo), Builtin())...)

	s, warnings, err := c.Find("one")
	if err != nil || len(warnings) > 0 {
		t.Fatalf("Find(one): %v, %v", warnings, err)
	}
	if s.Name != "one" || s.Source != ".scanner/skills/one" || len(s.Patterns) != 1 {
		t.Errorf("Find(one) = %+v", s)
	}
	if s, _, err := c.Find("code-review"); err != nil || s.Source != "built-in" {
		t.Errorf("Find(code-review) = %q, %v", s.Source, err)
	}
	if _, warnings, err := c.Find("skill-name"); err != nil || len(warnings) != 1 {
		t.Errorf("Find(skill-name): warnings %v, error %v; want one warning", warnings, err)
	}

	const found = "found bad-rules (.scanner/skills/bad-rules), code-review (built-in), one (.scanner/skills/one), " +
		"security-review (.scanner/skills/security-review, broken), skill-name (.scanner/skills/folder-name)"
	errorTests := []struct {
		name, want string
	}{
		{"bad-rules", `skill "bad-rules" cannot be used: .scanner/skills/bad-rules/patterns.toml:1:1: x: unknown key (known keys are patterns)`},
		{"security-review", `skill "security-review" cannot be used: .scanner/skills/security-review/SKILL.md:1: not text; save the file as UTF-8`},
		{"code-revew", `unknown skill "code-revew": ` + found + "\nhint: did you mean \"code-review\"?"},
		{"review", `unknown skill "review": ` + found + "\nhint: did you mean \"code-review\"?"},
		{"folder-name", `unknown skill "folder-name": ` + found + "\nhint: the skill in .scanner/skills/folder-name is named \"skill-name\""},
		{"notes", `unknown skill "notes": ` + found + "\nhint: the directory .scanner/skills/notes has no SKILL.md"},
		{"licenses", `unknown skill "licenses": ` + found + "\nhint: to add it, write .scanner/skills/licenses/SKILL.md"},
		{"../x\n", `unknown skill "../x\n": ` + found},
		{"", `unknown skill "": ` + found},
	}
	for _, tt := range errorTests {
		s, _, err := c.Find(tt.name)
		if err == nil || err.Error() != tt.want {
			t.Errorf("Find(%q):\n got %v\nwant %v", tt.name, err, tt.want)
		}
		if s.Name != "" {
			t.Errorf("Find(%q): a skill in addition to an error", tt.name)
		}
	}

	_, _, err = new(Catalog).Find("x")
	if want := `unknown skill "x": none found`; err == nil || err.Error() != want {
		t.Errorf("Find in nothing: %v, want %v", err, want)
	}
}

func TestDiscoverIsBounded(t *testing.T) {
	repo := fstest.MapFS{}
	for i := range maxDirs + 100 {
		repo[fmt.Sprintf(".scanner/skills/s%04d/SKILL.md", i)] = skillFile(fmt.Sprintf("s%04d", i), "x")
	}
	for i := range maxWarnings + 10 {
		repo[fmt.Sprintf(".agents/skills/b%04d/SKILL.md", i)] = &fstest.MapFile{Data: []byte("\x00")}
	}
	c := Discover(ProjectSources(repo)...)
	if got, want := len(c.entries), maxDirs+maxWarnings+10; got != want {
		t.Errorf("%d entries, want %d", got, want)
	}
	warnings := c.Warnings()
	if got, want := len(warnings), 1+maxWarnings+1; got != want {
		t.Fatalf("%d warnings, want %d", got, want)
	}
	if got, want := warnings[0].String(), ".scanner/skills: 600 directories; only the first 500 are searched"; got != want {
		t.Errorf("warning %q, want %q", got, want)
	}
	if got, want := warnings[maxWarnings+1].String(), ".agents/skills: 10 more warnings"; got != want {
		t.Errorf("warning %q, want %q", got, want)
	}
	_, _, err := c.Find("unknown-skill")
	if err == nil || !strings.Contains(err.Error(), ", and 530 more") {
		t.Errorf("Find() = %v, want a list that ends", err)
	}
}

// unreadable is a file system whose directories cannot be listed.
type unreadable struct{ fs.FS }

func (unreadable) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func TestDiscoverUnreadable(t *testing.T) {
	_, warnings := describe(Discover(
		Source{FS: unreadable{}, Dir: "x", Label: "there"},
		Source{FS: fstest.MapFS{"y": {}}, Dir: "y"},
		Source{FS: fstest.MapFS{}, Dir: "../z"},
	))
	if len(warnings) != 3 ||
		warnings[0] != "there: cannot be read: permission denied" ||
		!strings.HasPrefix(warnings[1], "y: cannot be read: ") ||
		!strings.HasPrefix(warnings[2], `../z: skill directory "../z": want a relative path`) {
		t.Errorf("warnings:\n%s", strings.Join(warnings, "\n"))
	}
}

// Links inside the tree are followed, those that leave it are not, and none of
// them ends the search.
func TestDiscoverLinks(t *testing.T) {
	dir := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		file = filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, file string) {
		t.Helper()
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	write("outside/a/SKILL.md", okSkill)
	write("repo/.agents/skills/b/SKILL.md", strings.Replace(okSkill, "name: a", "name: b", 1))
	write("repo/.claude/skills/c/SKILL.md", strings.Replace(okSkill, "name: a", "name: c", 1))
	link("../../../outside/a", "repo/.claude/skills/a")
	link("../../.agents/skills/b", "repo/.claude/skills/z")
	link("loop", "repo/.claude/skills/loop")
	link("gone", "repo/.claude/skills/dangling")
	link("/dev/zero", "repo/.claude/skills/zero")
	root, err := os.OpenRoot(filepath.Join(dir, "repo"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	entries, _ := describe(Discover(Source{FS: root.FS(), Dir: ".claude/skills"}))
	for _, e := range entries {
		usable := !strings.HasSuffix(e, "broken")
		if name := e[:1]; usable != (name == "b" || name == "c") {
			t.Errorf("entry %q", e)
		}
	}
	if s := strings.Join(entries, "\n"); !strings.Contains(s, "b | .claude/skills/z") || !strings.Contains(s, "c | .claude/skills/c") {
		t.Errorf("entries:\n%s", s)
	}
}
