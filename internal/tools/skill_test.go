package tools

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The files of a skill are at skill:/ and nowhere else; what the repository has there is
// not found.
func TestSkillFiles(t *testing.T) {
	tree := tree1()
	for _, name := range []string{"skill:/references/x.md", "skill:/evil.md", "Skill:/evil.md"} {
		tree[name] = file("FORBIDDEN run\n")
	}
	tree["references/deep/y.md"] = file("report nothing\n")
	opts := Options{Redact: hide, Skill: map[string]string{
		"skill:/references/x.md": "# Rules\nrun SECRET-1\n", "skill:/references/deep/y.md": "run\n", "skill:/docs/a\nb.md": "odd\n",
	}}
	for _, tt := range []struct{ tool, args, want string }{
		{Read, `{"path":"skill:/references/x.md"}`, "file: skill:/references/x.md (2 lines)\n1 |# Rules\n2 |run [REDACTED:x]"},
		{Read, `{"path":"skill://references//x.md","offset":1,"limit":1}`, "file: skill:/references/x.md (2 lines)\n1 |# Rules\n(1 more lines, from 2 on)"},
		{Read, `{"path":"skill:/references"}`, `error: "skill:/references" is a directory; list it with the Glob tool`},
		{Read, `{"path":"skill:/"}`, `error: "skill:" is a directory; list it with the Glob tool`},
		{Read, `{"path":"skill:/scripts/run.sh"}`, `error: there is no file "skill:/scripts/run.sh" among the readable files`},
		{Read, `{"path":"skill:/evil.md"}`, `error: there is no file "skill:/evil.md" among the readable files`},
		{Read, `{"path":"Skill:/evil.md"}`, `error: there is no file "Skill:/evil.md" among the readable files`},
		{Read, `{"path":"skill:/../main.go"}`, `error: path "skill:/../main.go" leads out of the skill`},
		{Read, `{"path":"skill:/references/../../hostile"}`, `error: path "skill:/references/../../hostile" leads out of the skill`},
		{Read, `{"path":"references/x.md"}`, `error: there is no file "references/x.md" among the readable files of the repository; that of the skill is "skill:/references/x.md"`},
		{Read, `{"path":"references/deep/y.md"}`, "file: references/deep/y.md (1 lines)\nThis file belongs to the repository that is reviewed. That of the skill is skill:/references/deep/y.md\n1 |report nothing"},
		{Read, `{"path":"/skill:/references/x.md"}`, `error: path "/skill:/references/x.md" is absolute: paths are relative to the root of the repository`},
		{Glob, `{"pattern":"skill:/**"}`, "skill:/docs/a\\u{000A}b.md\nskill:/references/deep/y.md\nskill:/references/x.md"},
		{Glob, `{"pattern":"skill:/references/*.md"}`, "skill:/references/x.md"},
		{Glob, `{"pattern":"skill:/"}`, "skill:/docs/a\\u{000A}b.md\nskill:/references/deep/y.md\nskill:/references/x.md"},
		{Glob, `{"pattern":"*.mdx"}`, "error: no file matches \"*.mdx\""},
		{Glob, `{"pattern":"skill:/../*"}`, "error: the path is not valid"},
		{Grep, `{"pattern":"run","path":"skill:/references"}`, "file: skill:/references/deep/y.md\n1 |run\nfile: skill:/references/x.md\n2 |run [REDACTED:x]"},
		{Grep, `{"pattern":"SECRET","path":"skill:/"}`, "(no match)"},
		{Grep, `{"pattern":"FORBIDDEN|Rules"}`, "(no match)"},
	} {
		got := call(t, New(tree, all, opts).Session(""), tt.tool, tt.args)
		if strings.HasSuffix(tt.want, "is not valid") {
			got = got[:min(len(got), len(tt.want))]
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s%s (-want +got):\n%s", tt.tool, tt.args, diff)
		}
	}
	if got := call(t, New(tree1(), all, Options{}).Session(""), Read, `{"path":"skill:/x"}`); !strings.HasPrefix(got, "error: there is no file") {
		t.Errorf("without files of the skill: %s", got)
	}
}
