package skill

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

const okSkill = "---\nname: a\ndescription: d\n---\nLook.\n"

func TestLoad(t *testing.T) {
	fsys := fstest.MapFS{
		"s/a/SKILL.md":        {Data: []byte(okSkill)},
		"s/a/patterns.toml":   {Data: []byte(okPattern)},
		"s/b/SKILL.md":        {Data: []byte(okSkill)},
		"SKILL.md":            {Data: []byte(okSkill)},
		"rules/SKILL.md":      {Data: []byte("---\nname: rules\ndescription: d\n---\n")},
		"rules/patterns.toml": {Data: []byte(okPattern)},
	}
	tests := []struct {
		dir, source string
		patterns    int
		warning     string
	}{
		{"s/a", "s/a", 1, ""},
		{"./s/a/", "s/a", 1, ""},
		{"s/b", "s/b", 0, `s/b/SKILL.md: the skill is named "a" but its directory "b"; rename one of them`},
		{".", ".", 0, ""},
		{"rules", "rules", 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.dir, func(t *testing.T) {
			s, warnings, err := Load(fsys, tt.dir)
			if err != nil {
				t.Fatal(err)
			}
			if s.Source != tt.source || len(s.Patterns) != tt.patterns {
				t.Errorf("source %q with %d patterns, want %q with %d", s.Source, len(s.Patterns), tt.source, tt.patterns)
			}
			got := ""
			for _, w := range warnings {
				got += w.String()
			}
			if got != tt.warning {
				t.Errorf("warnings %q, want %q", got, tt.warning)
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	fsys := fstest.MapFS{
		"empty/readme":            {},
		"nothing/SKILL.md":        {Data: []byte("---\nname: nothing\ndescription: d\n---\n")},
		"blank/SKILL.md":          {Data: []byte(" \n")},
		"binary/SKILL.md":         {Data: []byte("Look.\x00")},
		"rules/SKILL.md":          {Data: []byte(okSkill)},
		"rules/patterns.toml":     {Data: []byte("[[patterns]]\nid = 'x'\n")},
		"huge/SKILL.md":           {Data: []byte(okSkill + strings.Repeat("x", maxFileSize))},
		"hugerules/SKILL.md":      {Data: []byte(okSkill)},
		"hugerules/patterns.toml": {Data: []byte(strings.Repeat("#\n", maxFileSize))},
		"folder/SKILL.md/x":       {},
		"pipe/SKILL.md":           {Mode: fs.ModeNamedPipe},
		"new\nline/SKILL.md":      {Data: []byte("\x00")},
	}
	tests := []struct{ dir, want string }{
		{"gone", "gone/SKILL.md: file does not exist"},
		{"empty", "empty/SKILL.md: file does not exist"},
		{"nothing", "nothing/SKILL.md: no instructions: write below the front matter what to look for, or add rules in patterns.toml"},
		{"blank", "blank/SKILL.md: no instructions: write below the front matter what to look for, or add rules in patterns.toml"},
		{"binary", "binary/SKILL.md:1: not text; save the file as UTF-8"},
		{"rules", "rules/patterns.toml:1:3: patterns[0].confidence: missing, want a string"},
		{"huge", "huge/SKILL.md: larger than 1048576 bytes"},
		{"hugerules", "hugerules/patterns.toml: larger than 1048576 bytes"},
		{"folder", "folder/SKILL.md: is not a regular file"},
		{"pipe", "pipe/SKILL.md: is not a regular file"},
		{"new\nline", `"new\nline/SKILL.md":1: not text`},
		{"../x", `skill directory "../x": want a relative path`},
		{"/x", `skill directory "/x": want a relative path`},
		{"", `skill directory "": want a relative path`},
	}
	for _, tt := range tests {
		t.Run(tt.dir, func(t *testing.T) {
			s, _, err := Load(fsys, tt.dir)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("Load() = %v, want %q", err, tt.want)
			}
			if s.Name != "" {
				t.Errorf("a skill in addition to an error: %+v", s)
			}
			if missing := tt.dir == "gone" || tt.dir == "empty"; errors.Is(err, fs.ErrNotExist) != missing {
				t.Errorf("errors.Is(err, fs.ErrNotExist) = %v", !missing)
			}
		})
	}
}

// A file of exactly the largest size is read.
func TestLoadLargestFile(t *testing.T) {
	data := okSkill + strings.Repeat("x", maxFileSize-len(okSkill))
	if _, _, err := Load(fstest.MapFS{"a/SKILL.md": {Data: []byte(data)}}, "a"); err != nil {
		t.Error(err)
	}
}

// The skills that the project offers for copying must load, without a warning,
// and pass their own examples.
func TestExampleSkills(t *testing.T) {
	root := filepath.Join("..", "examples", "skills")
	folders, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) == 0 {
		t.Fatal("no example skills")
	}
	fsys := os.DirFS(root)
	for _, f := range folders {
		if !f.IsDir() { // their tests
			continue
		}
		t.Run(f.Name(), func(t *testing.T) {
			s, warnings, err := Load(fsys, f.Name())
			if err != nil {
				t.Fatal(err)
			}
			if len(warnings) > 0 {
				t.Errorf("warnings: %v", warnings)
			}
			if s.Instructions == "" || len(s.Patterns) == 0 {
				t.Error("an example should have instructions and rules")
			}
			problems, err := Check(t.Context(), fsys, f.Name(), nil)
			if err != nil || len(problems) > 0 {
				t.Errorf("problems: %v, %v", problems, err)
			}
		})
	}
}
