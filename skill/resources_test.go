package skill_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/skill"
)

// skillWith returns a file system with a skill "s" of instructions and further files.
func skillWith(instructions string, files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{"s/SKILL.md": {Data: []byte("---\nname: s\ndescription: d\n---\n" + instructions)}}
	for name, text := range files {
		fsys["s/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// listed returns the resources of a skill, each as "name=text".
func listed(s scanner.Skill) (list []string) {
	for _, r := range s.Resources {
		list = append(list, r.Name+"="+r.Text)
	}
	return list
}

func TestResources(t *testing.T) {
	big := strings.Repeat("x", 64<<10)
	for _, tt := range []struct {
		name, instructions string
		files              map[string]string
		want               []string
		warning            string
	}{
		{"none", "Look.", map[string]string{"other.md": "o", "docs/x.md": "x", "patterns.toml": ""}, nil, ""},
		{"usual directories", "Look.", map[string]string{"references/b.md": "b", "references/deep/a.md": "a", "assets/t.txt": "t", "Assets/u.txt": "u", "scripts/run.sh": "run"},
			[]string{"Assets/u.txt=u", "assets/t.txt=t", "references/b.md=b", "references/deep/a.md=a", "scripts/run.sh="}, ""},
		{"named files come first", "See [x](x.md), `docs/y.md`, references/z.md.", map[string]string{"x.md": "x", "docs/y.md": "y", "docs/n.md": "n", "references/a.md": "a", "references/z.md": "z"},
			[]string{"docs/y.md=y", "references/z.md=z", "x.md=x", "references/a.md=a"}, ""},
		{"a section", "See [x](x.md#part), <y.md>?", map[string]string{"x.md": "x", "y.md": "y"}, []string{"x.md=x", "y.md=y"}, ""},
		{"another case", "See REFERENCE.md.", map[string]string{"reference.md": "r"}, []string{"reference.md=r"}, ""},
		{"a placeholder and a dot", "Read {baseDir}/x.md and ./y.md", map[string]string{"x.md": "x", "y.md": "y"}, []string{"x.md=x", "y.md=y"}, ""},
		{"other alphabets", "参见 指南/规则.md，还有 é.md", map[string]string{"指南/规则.md": "g", "é.md": "e"}, []string{"é.md=e", "指南/规则.md=g"}, ""},
		{"parts of names", "Use ax.md, x.mdx, https://example.com/docs/x.md and a/x.md.", map[string]string{"x.md": "x", "docs/x.md": "x"}, nil, ""},
		{"itself", "See SKILL.md, patterns.toml, ., .. and ../s/SKILL.md.", map[string]string{"patterns.toml": ""}, nil, ""},
		{"outside", "See ../secret.md, /etc/passwd, ..\\secret.md and a/../../secret.md.", nil, nil, ""},
		{"separators of Windows", `See docs\x.md.`, map[string]string{"docs/x.md": "x"}, nil, ""},
		{"tests", "See tests/a/want.toml and Tests/b.", map[string]string{"tests/a/want.toml": "w", "Tests/b": "b", "references/tests/ok.md": "o"},
			[]string{"references/tests/ok.md=o"}, ""},
		{"hidden and credential files", "See .env, references/.x/y.md and references/id_rsa.", map[string]string{
			".env": "A=1", "references/.hidden": "h", "references/.x/y.md": "y", "references/id_rsa": "k", "scripts/prod.env": "k", "scripts/.x": "x"}, nil, ""},
		{"binary files", "Look.", map[string]string{"assets/a.png": "\x89PNG\x00", "assets/latin.txt": "caf\xe9", "assets/empty.txt": "\n"}, nil, ""},
		{"a named binary file", "See assets/a.png.", map[string]string{"assets/a.png": "\x89PNG\x00"}, nil, "s: left out of its resources: assets/a.png (not text)"},
		{"hidden text", "Look.", map[string]string{"references/a.md": "a\U000E0052\U000E0065\u202e\x1b[8mb\u200b", "references/b.md": "\U000E0052"}, []string{"references/a.md=ab"}, ""},
		{"line ends", "Look.", map[string]string{"references/a.md": "\ufeffa\r\nb\rc"}, []string{"references/a.md=a\nb\nc"}, ""},
		{"a large file", "Look.", map[string]string{"references/a.md": big + "x", "references/b.md": big},
			[]string{"references/b.md=" + big}, "s: left out of its resources: references/a.md (larger than 65536 bytes)"},
		{"a large script", "Look.", map[string]string{"scripts/a.sh": big + "x"}, []string{"scripts/a.sh="}, ""},
		{"a name with a newline", "Look.", map[string]string{"references/a\nb.md": "a", "references/c\nd.md": big + "x"}, []string{"references/a\nb.md=a"},
			`s: left out of its resources: "references/c\nd.md" (larger than 65536 bytes)`},
		{"a name that is not UTF-8", "Look.", map[string]string{"scripts/\xff": "a"}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, warnings, err := skill.Load(skillWith(tt.instructions, tt.files), "s")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, listed(s)); diff != "" {
				t.Errorf("resources (-want +got):\n%s", diff)
			}
			var got []string
			for _, w := range warnings {
				got = append(got, w.String())
			}
			if strings.Join(got, "\n") != tt.warning {
				t.Errorf("warnings %q, want %q", got, tt.warning)
			}
		})
	}
}

// More than the bounds is left out with one warning.
func TestResourcesBounds(t *testing.T) {
	for _, tt := range []struct {
		files, size, want int
		warning           string
	}{
		{100, 10, 100, ""},
		{101, 10, 100, "references/0100.md (more than 100 files or 1 MiB in all)"},
		{17, 64 << 10, 16, "references/0016.md (more than 100 files or 1 MiB in all)"},
		{10_000, 10, 100, "(more than 100 files or 1 MiB in all), and 1893 more"},
	} {
		files := make(map[string]string)
		for i := range tt.files {
			files[fmt.Sprintf("references/%04d.md", i)] = strings.Repeat("x", tt.size)
		}
		s, warnings, err := skill.Load(skillWith("Look.", files), "s")
		if err != nil || len(s.Resources) != tt.want {
			t.Errorf("%d files: %d resources, %v, want %d", tt.files, len(s.Resources), err, tt.want)
		}
		if (len(warnings) == 1) != (tt.warning != "") || len(warnings) > 1 || tt.warning != "" && !strings.Contains(warnings[0].String(), tt.warning) {
			t.Errorf("%d files: warnings %v, want %q", tt.files, warnings, tt.warning)
		}
	}
}

// Of a directory on disk, nothing is read through links, and a named pipe is not waited for.
func TestResourcesOnDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("secret", "SECRET")
	write("s/SKILL.md", "---\nname: s\ndescription: d\n---\nSee top.md, loop/SKILL.md and references/kept.md.")
	write("s/references/kept.md", "kept")
	for link, target := range map[string]string{
		"s/references/out.md": "../../secret", "s/references/in.md": "kept.md", "s/references/self": "self",
		"s/references/loop": "..", "s/loop": ".", "s/top.md": "references/kept.md", "s/assets": "references", "s/references/parent": "../..",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if err := exec.Command("mkfifo", filepath.Join(dir, "s/references/pipe.md")).Run(); err != nil {
		t.Log("no named pipe:", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, fsys := range []fs.FS{os.DirFS(dir), root.FS()} {
		s, warnings, err := skill.Load(fsys, "s")
		if err != nil || len(warnings) > 0 {
			t.Fatal(warnings, err)
		}
		if diff := cmp.Diff([]string{"references/kept.md=kept"}, listed(s)); diff != "" {
			t.Errorf("resources (-want +got):\n%s", diff)
		}
	}
}

func FuzzResources(f *testing.F) {
	f.Add("See [x](references/x.md) and `y.md`.", "references/x.md", "text")
	f.Add("../.././/a//b/.", "a/b", "\x00")
	f.Fuzz(func(t *testing.T, instructions, name, text string) {
		fsys := skillWith("Look.\n"+instructions, nil)
		if !fs.ValidPath(name) || name == "." || name == "SKILL.md" || strings.HasPrefix(name, "SKILL.md/") || name == "patterns.toml" {
			t.Skip()
		}
		fsys["s/"+name] = &fstest.MapFile{Data: []byte(text)}
		s, _, err := skill.Load(fsys, "s")
		if err != nil {
			return
		}
		for _, r := range s.Resources {
			if r.Name != name || strings.HasPrefix(strings.ToLower(name), "tests/") || strings.Contains("/"+name, "/.") {
				t.Errorf("resource %q of %q", r.Name, name)
			}
		}
	})
}

// A check reports what is left out.
func TestCheckResources(t *testing.T) {
	long := strings.Repeat("x", 20<<10)
	for want, files := range map[string]map[string]string{
		"s: warning: left out of its resources: x.png (not text)":                                    {"x.png": "\x00", "references/a.md": "a"},
		"s: warning: 1 resources do not fit into the 32 KiB that a model without the tool Read gets": {"references/a.md": long, "references/b.md": long},
	} {
		problems, err := skill.Check(t.Context(), skillWith("See x.png.", files), "s", nil)
		if err != nil || len(problems) != 1 || problems[0].String() != want {
			t.Errorf("problems %v, %v; want %s", problems, err, want)
		}
	}
}
