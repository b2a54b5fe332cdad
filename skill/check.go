package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/nearest"
)

// What the open standard recommends at most.
const (
	goodLines       = 500 // of instructions
	goodTokens      = 5000
	goodDescription = 1024 // characters
)

// Problem is something that the author of a skill should know.
type Problem struct {
	Warning
	// Level is "error" if the skill cannot be used or a rule contradicts its examples,
	// "warning" for what should be changed, and "note" for what differs from other programs.
	Level string
}

// String returns the problem as "file:line: level: message".
func (p Problem) String() string { return position(p.File, p.Line, 0) + p.Level + ": " + p.Message }

// Check returns the problems of the skill in the directory dir of fsys, in the order of
// files and lines: all for which [Load] has warnings or an error, rules that do
// not find their examples of match, or find those of noMatch, and what other programs may
// read differently. The names of the files of a repository are compared with the globs of
// the skill; without any, globs are not checked. The error is that of ctx.
func Check(ctx context.Context, fsys fs.FS, dir string, files []string) ([]Problem, error) {
	c := &checker{files: files}
	dir = path.Clean(dir)
	file := path.Join(dir, skillMD)
	if data, err := dotdir.ReadRegular(fsys, file, maxFileSize); err == nil {
		c.checkSkillMD(file, path.Base(dir), data)
		c.checkLinks(fsys, file, string(data))
	}
	s, warnings, err := Load(fsys, dir)
	if _, n := s.Inlined(); n > 0 && !slices.Contains(s.AllowedTools, "Read") {
		c.add("warning", dir, 0, "%d resources do not fit into the 32 KiB that a model without the tool Read gets", n)
	}
	for _, w := range warnings {
		if w.File == dir { // about its resources; the others are reported above
			c.problems = append(c.problems, Problem{w, "warning"})
		}
	}
	if err != nil {
		c.fail(file, err)
	} else if data, err := dotdir.ReadRegular(fsys, path.Join(dir, patternsTOML), maxFileSize); err == nil {
		c.checkRules(ctx, path.Join(dir, patternsTOML), data)
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return c.problems, context.Cause(ctx)
}

// checker collects problems.
type checker struct {
	files    []string
	problems []Problem
}

func (c *checker) add(level, file string, line int, format string, args ...any) {
	c.problems = append(c.problems, Problem{Warning{file, line, fmt.Sprintf(format, args...)}, level})
}

// fail adds an error of [Load].
func (c *checker) fail(file string, err error) {
	e, ok := errors.AsType[*fileError](err)
	if !ok {
		c.add("error", file, 0, "%s", strings.TrimPrefix(err.Error(), printable(file)+": "))
		return
	}
	for _, p := range e.problems {
		c.add("error", e.file, p.Line, "%v", p)
	}
}

// checkSkillMD is about the front matter and the instructions.
func (c *checker) checkSkillMD(file, base string, data []byte) {
	var front frontReader
	s, err := front.parse(file, base, data)
	if err != nil {
		return // an error of Load
	}
	for _, p := range front.problems {
		c.add("warning", file, p.Line, "%v", p)
	}
	line := func(key string) int {
		if n := front.values[key]; n != nil {
			return n.Line
		}
		return 0
	}
	for _, k := range front.others {
		if near := nearest.Word(k.Value, frontKeys); near != "" && front.values[near] == nil {
			c.add("warning", file, k.Line, "%s: not a key that is used; did you mean %q?", k.Value, near)
		}
	}
	if n := utf8.RuneCountInString(s.Description); n > goodDescription {
		c.add("warning", file, line("description"), "description: %d characters; other programs may refuse more than %d", n, goodDescription)
	}
	for _, tool := range front.ungranted {
		if near := nearest.Word(tool, tools); near != "" && !slices.Contains(s.AllowedTools, near) {
			c.add("warning", file, line("allowed-tools"), "allowed-tools: %s: did you mean %q?", tool, near)
		}
	}
	if len(front.ungranted) > 0 {
		slices.Sort(front.ungranted)
		c.add("note", file, line("allowed-tools"), "allowed-tools: %s: not available in a review, which can use %s",
			strings.Join(slices.Compact(front.ungranted), ", "), strings.Join(tools, ", "))
	}
	for _, glob := range Unmatched(s.Paths, c.files) {
		c.add("warning", file, line("paths"), "paths: no file of the repository matches %q", glob)
	}
	lines, tokens := 1+strings.Count(s.Instructions, "\n"), len(s.Instructions)/4
	if lines > goodLines || tokens > goodTokens {
		c.add("warning", file, 0, "the instructions have %d lines and about %d tokens; beyond %d lines or %d tokens, move parts to files that they link",
			lines, tokens, goodLines, goodTokens)
	}
}

var (
	codeSpan = regexp.MustCompile("`[^`]*`")
	linkTo   = regexp.MustCompile(`\]\(<?([^()<>\s#?]+)`)
)

// checkLinks is about links to files, outside of code and without placeholders.
func (c *checker) checkLinks(fsys fs.FS, file, text string) {
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		if start := strings.TrimSpace(line); strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		for _, m := range linkTo.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
			target, err := url.Parse(m[1])
			if err != nil || strings.ContainsAny(m[1], "{$") || target.Scheme != "" || path.IsAbs(target.Path) {
				continue
			}
			to := path.Join(path.Dir(file), target.Path)
			if _, err := fs.Stat(fsys, to); fs.ValidPath(to) && errors.Is(err, fs.ErrNotExist) {
				c.add("warning", file, i+1, "the link to %q leads nowhere", m[1])
			}
		}
	}
}

// checkRules is about the rules of a skill that can be loaded.
func (c *checker) checkRules(ctx context.Context, file string, data []byte) {
	doc, rules := decodeRules(data)
	var unused []int
	for i := range rules {
		key := fmt.Sprintf("patterns[%d].", i)
		for _, p := range checkExamples(ctx, &rules[i]) {
			c.add("error", file, doc.Line(key+p.Path), "%s", p.Message)
		}
		if n := len(rules[i].Files); n > 0 && len(Unmatched(rules[i].Files, c.files)) == n {
			unused = append(unused, i)
		}
	}
	if n := len(unused); n > 0 {
		c.add("warning", file, doc.Line(fmt.Sprintf("patterns[%d].files", unused[0])),
			"no file of the repository matches the files of %d of %d patterns, first those of %q", n, len(rules), rules[unused[0]].ID)
	}
}

// Unmatched returns the globs that match none of the files, if there are any.
func Unmatched(globs, files []string) []string {
	return slices.DeleteFunc(slices.Clone(globs), func(glob string) bool {
		return len(files) == 0 || slices.ContainsFunc(files, diff.CompileGlob(glob).Match)
	})
}
