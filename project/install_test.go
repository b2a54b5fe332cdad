package project_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/project"
)

// gitRepo makes a repository of files and returns its directory.
func gitRepo(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, dir, nil, "init", "-q", "-b", "main")
	commitAll(t, dir)
	return dir
}

func commitAll(t *testing.T, dir string) {
	t.Helper()
	runGit(t, dir, nil, "add", "-A")
	runGit(t, dir, nil, "commit", "-q", "--allow-empty", "-m", "c")
}

func runGit(t *testing.T, dir string, stdin []byte, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func openProject(t *testing.T, dir string, env ...string) *project.Project {
	t.Helper()
	p, err := project.Open(t.Context(), project.Env{Dir: dir, Environ: append([]string{
		"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "TMPDIR=" + t.TempDir()}, env...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestFetchSkills(t *testing.T) {
	const text = "---\ndescription: d\n---\nLook.\n"
	many := map[string]string{"many/SKILL.md": text}
	for i := range 600 {
		many[fmt.Sprintf("many/%d", i)] = "x"
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		at    string   // what follows the repository
		names []string // that are chosen
		want  []string // the names of the skills and files, or the beginning of the error
	}{
		{"only one", map[string]string{"x/one/SKILL.md": text, "x/one/a/b.md": "", "x/two/README.md": ""}, "", nil, []string{"one", "SKILL.md", "a/b.md"}},
		{"at the root", map[string]string{"SKILL.md": text, ".github/x": "", "LICENSE": ""}, "", nil, []string{"my-skill", "LICENSE", "SKILL.md", "without .github: hidden"}},
		{"in a hidden directory", map[string]string{".claude/skills/one/SKILL.md": text}, "", nil, []string{"one", "SKILL.md"}},
		{"a directory has others", map[string]string{"a/SKILL.md": text, "a/b/SKILL.md": text, "C/SKILL.md": text}, "//a/", nil, []string{"a", "SKILL.md", "b/SKILL.md"}},
		{"several by name", map[string]string{"a/SKILL.md": text, "b/SKILL.md": text, "c/SKILL.md": text}, "", []string{"a", "c"}, []string{"a", "SKILL.md", "c", "SKILL.md"}},
		{"a name twice", map[string]string{"x/a/SKILL.md": text, "y/a/SKILL.md": text}, "", []string{"a"}, []string{"error", `2 skills of "`}},
		{"none", map[string]string{"README.md": text}, "", nil, []string{"error", `0 skills of "`}},
		{"no such directory", map[string]string{"SKILL.md": text}, "//x", nil, []string{"error", `"`}},
		{"no such branch", map[string]string{"SKILL.md": text}, "#x", nil, []string{"error", "git fetch: couldn't find remote ref x"}},
		{"broken", map[string]string{"a/SKILL.md": "\x00"}, "", nil, []string{"error", `skill "a": a/SKILL.md:1: not text`}},
		{"too many files", many, "", nil, []string{"error", `skill "many": more than 500 files`}},
		{"too large a file", map[string]string{"a/SKILL.md": text, "a/b": strings.Repeat("x", 1<<20+1)}, "", nil, []string{"a", "SKILL.md", "without b: file too large"}},
		{"binary", map[string]string{"a/SKILL.md": text, "a/b": "x\x00"}, "", nil, []string{"a", "SKILL.md", "without b: binary"}},
		{"programs of git", map[string]string{"a/SKILL.md": text, "a/.gitattributes": "* filter=x", "a/.gitmodules": "", "a/x/.githooks/y": ""}, "", nil,
			[]string{"a", "SKILL.md", "without .gitattributes: hidden", "without .gitmodules: hidden", "without x/.githooks: hidden"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := openProject(t, gitRepo(t, nil))
			list, err := p.FetchSkills(t.Context(), gitRepo(t, tt.files)+tt.at, tt.names)
			if tt.want[0] == "error" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.want[1]) {
					t.Errorf("got %v, want %s", err, tt.want[1])
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range list {
				var names []string
				for name := range f.Files {
					names = append(names, name)
				}
				slices.Sort(names)
				got = append(append(got, f.Skill.Name), names...)
				for _, s := range f.LeftOut {
					got = append(got, "without "+s)
				}
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("skills and files (-got +want):\n%s", d)
			}
		})
	}
}

// Names that no checkout could have come from objects that somebody made by hand.
func TestFetchOddTrees(t *testing.T) {
	dir := gitRepo(t, nil)
	blob := runGit(t, dir, []byte("Look.\n"), "hash-object", "-w", "--stdin")
	tree := runGit(t, dir, fmt.Appendf(nil, "100644 blob %[1]s\tSKILL.md\x00100644 blob %[1]s\t..\x00100644 blob %[1]s\t.git\x00100644 blob %[1]s\ta\nb\x00"+
		"100644 blob %[1]s\tGIT~1\x00160000 commit %[2]s\tmodule\x00120000 blob %[1]s\tlink\x00", blob, runGit(t, dir, nil, "rev-parse", "HEAD")), "mktree", "-z")
	root := runGit(t, dir, fmt.Appendf(nil, "040000 tree %s\tskill\n", tree), "mktree")
	runGit(t, dir, nil, "update-ref", "refs/heads/odd", runGit(t, dir, nil, "commit-tree", "-m", "c", root))
	project := gitRepo(t, nil)
	p := openProject(t, project)
	list, err := p.FetchSkills(t.Context(), dir+"#odd", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".git: not a regular file", "module: not a regular file", "link: not a regular file", "..: not a regular file", "a\nb: a name that not every system can have"}
	slices.Sort(want)
	slices.Sort(list[0].LeftOut)
	if d := cmp.Diff(list[0].LeftOut, want); d != "" {
		t.Errorf("left out (-got +want):\n%s", d)
	}
	if err := p.InstallSkill(&list[0]); err != nil {
		t.Fatal(err)
	}
	var written []string
	fs.WalkDir(os.DirFS(project), ".", func(name string, e fs.DirEntry, err error) error {
		if e.Name() == ".git" {
			return fs.SkipDir
		}
		if !e.IsDir() {
			written = append(written, name)
		}
		return nil
	})
	if d := cmp.Diff(written, []string{".scanner/skills/skill/GIT~1", ".scanner/skills/skill/SKILL.md", "scanner.toml"}); d != "" {
		t.Errorf("written (-got +want):\n%s", d)
	}
}

// A skill is the same in a commit and in checkouts with other line breaks.
func TestInstalledSkillInReview(t *testing.T) {
	source := gitRepo(t, map[string]string{"one/SKILL.md": "---\nname: one\ndescription: d\n---\nLook.\n", "one/crlf.md": "a\r\nb\n"})
	dir := gitRepo(t, map[string]string{"a.go": "package a\n"})
	p := openProject(t, dir)
	list, err := p.FetchSkills(t.Context(), source, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.InstallSkill(&list[0]); err != nil {
		t.Fatal(err)
	}
	toml := filepath.Join(dir, "scanner.toml")
	text, err := os.ReadFile(toml)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("name = \"one\"\n"), []byte("name = \"one\"\ntriggers = [{ type = \"pull_request\" }]\n"), 1)
	if err := os.WriteFile(toml, text, 0o666); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, nil, "config", "core.autocrlf", "true")
	commitAll(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, ".scanner")); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, nil, "checkout", "-q", ".")
	data, err := os.ReadFile(filepath.Join(dir, ".scanner/skills/one/SKILL.md"))
	if err != nil || !bytes.Contains(data, []byte("\r\n")) {
		t.Fatalf("got %q, %v, want CRLF", data, err)
	}
	base := runGit(t, dir, nil, "rev-parse", "HEAD")
	review := func(head string) error {
		t.Helper()
		_, err := openProject(t, dir).PlanReview(t.Context(), project.Review{Base: base, Head: head}, project.Options{Offline: true})
		return err
	}
	if _, _, err := openProject(t, dir).Check(t.Context(), project.Options{}); err != nil {
		t.Errorf("checkout: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\nvar x = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	commitAll(t, dir)
	if err := review(runGit(t, dir, nil, "rev-parse", "HEAD")); err != nil {
		t.Errorf("review: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".scanner/skills/one/SKILL.md"), []byte("Look away.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	commitAll(t, dir)
	if err := review(runGit(t, dir, nil, "rev-parse", "HEAD")); err != nil {
		t.Errorf("review of a changed skill, by the skill of its base: %v", err)
	}
	base = runGit(t, dir, nil, "rev-parse", "HEAD")
	err = review(base)
	if err == nil || !strings.Contains(err.Error(), `skill "one" is not the one`) || project.ExitCode(nil, err) != 2 {
		t.Errorf("review with a changed skill: %v", err)
	}
}
