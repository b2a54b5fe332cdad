package skill_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner/skill"
)

const rule = `[[patterns]]
id = "todo"
regex = 'TODO'
severity = "low"
confidence = "high"
title = "To do"
description = "Not done."
`

func TestCheck(t *testing.T) {
	head := "---\nname: s\ndescription: d\n---\n"
	for _, tt := range []struct {
		name           string
		skillMD, rules string
		files          []string
		want           string // problems, with s/ cut off
	}{
		{name: "good", skillMD: head + "Look.", rules: rule + "match = ['TODO']\nnoMatch = ['todo']\nfiles = ['*.go', '*.rb']", files: []string{"a.go"}},
		{name: "missing", want: "SKILL.md: error: file does not exist"},
		{name: "no instructions", skillMD: head, want: "SKILL.md: error: no instructions: write below the front matter what to look for, or add rules in patterns.toml"},
		{name: "not text", skillMD: "Look.\n\x00", want: "SKILL.md:2: error: not text; save the file as UTF-8"},
		{name: "several mistakes, each with its line", skillMD: "---\nname: S\ndescription:\npaths: '['\n---\nLook.",
			want: `SKILL.md:2: warning: name: "S" is not a valid name (want at most 64 lower-case letters, digits and single hyphens), so "s" is used
SKILL.md:3: warning: description: empty, so the first paragraph is used
SKILL.md:4: warning: paths: glob "[" has an error: an open [ or {, an empty [], or a backslash at the end, so the skill looks at all files`},
		{name: "no files to compare with", skillMD: "---\nname: s\ndescription: d\npaths: a.go\n---\nLook."},
		{name: "globs", skillMD: "---\nname: s\ndescription: d\npaths: '*.go, *.rb'\n---\nLook.", files: []string{"a.rb"},
			rules: rule + "files = ['*.go']\n" + strings.Replace(rule, "todo", "done", 1) + "files = ['*.js', '*.ts']",
			want: `SKILL.md:4: warning: paths: no file of the repository matches "*.go"
patterns.toml:8: warning: no file of the repository matches the files of 2 of 2 patterns, first those of "todo"`},
		{name: "examples", skillMD: head + "Look.", rules: rule + "match = [\n  'TODO',\n  'todo',\n]\nnoMatch = ['TODO']",
			want: `patterns.toml:10: error: pattern "todo": does not match "todo"
patterns.toml:12: error: pattern "todo": matches "TODO"`},
		{name: "long", skillMD: "---\nname: s\ndescription: " + strings.Repeat("ä", 1025) + "\n---\n" + strings.Repeat("x\n", 501),
			want: `SKILL.md: warning: the instructions have 501 lines and about 250 tokens; beyond 500 lines or 5000 tokens, move parts to files that they link
SKILL.md:3: warning: description: 1025 characters; other programs may refuse more than 1024`},
		{name: "as long as can be", skillMD: "---\nname: s\ndescription: " + strings.Repeat("ä", 1024) + "\n---\n" + strings.Repeat("x\n", 500)},
		{name: "links", skillMD: head + "[a](SKILL.md#part) [b](<other.md>) ![c](img/c.png \"C\") [d](https://example.com/d.md) [e](#part) [f](../../f.md)\n" +
			"`[g](g.md)` [h](/h.md) [i]({dir}/i.md) [j](mailto:a@example.com) [k](.)\n~~~\n[l](l.md)\n~~~\n[m](m%20n.md)",
			want: `SKILL.md:5: warning: the link to "other.md" leads nowhere
SKILL.md:5: warning: the link to "img/c.png" leads nowhere
SKILL.md:10: warning: the link to "m%20n.md" leads nowhere`},
		{name: "tools", skillMD: "---\nname: s\nallowed-tools: [Read, 'Bash(git log:*)', Write, Bash]\ndescription: d\n---\nLook.",
			want: "SKILL.md:3: note: allowed-tools: Bash, Write: not available in a review, which can use Read, Grep, Glob"},
		{name: "mistyped keys and tools", skillMD: "---\nname: s\ndescripton: d\nalowed-tools: Read\nlicense: MIT\nPaths: a\n---\nLook.",
			want: `SKILL.md: warning: description: missing, so the first paragraph is used
SKILL.md:3: warning: descripton: not a key that is used; did you mean "description"?
SKILL.md:4: warning: alowed-tools: not a key that is used; did you mean "allowed-tools"?
SKILL.md:6: warning: Paths: not a key that is used; did you mean "paths"?`},
		{name: "a mistyped tool", skillMD: "---\nname: s\ndescription: d\nallowed-tools: Grpe, Read, ReadMany, Write\ndisallowed-tools: Glob\n---\nLook.",
			want: `SKILL.md:4: warning: allowed-tools: Grpe: did you mean "Grep"?
SKILL.md:4: note: allowed-tools: Grpe, ReadMany, Write: not available in a review, which can use Read, Grep, Glob`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range map[string]string{"s/SKILL.md": tt.skillMD, "s/patterns.toml": tt.rules} {
				if text != "" {
					fsys[name] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			problems, err := skill.Check(t.Context(), fsys, "s", tt.files)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range problems {
				got = append(got, strings.TrimPrefix(p.String(), "s/"))
			}
			if got := strings.Join(got, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestCheckCanceled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	fsys := fstest.MapFS{"s/SKILL.md": {Data: []byte("Look.")}, "s/patterns.toml": {Data: []byte(rule + "match = ['TODO']")}}
	if _, err := skill.Check(ctx, fsys, "s", nil); !errors.Is(err, why) {
		t.Errorf("got the error %v, want %v", err, why)
	}
}
