package skill

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// maxDescription is the most characters of a description that is made of the
// instructions.
const maxDescription = 200

// tools are those that a skill can be granted. All of them only read.
var tools = []string{"Read", "Grep", "Glob"}

// parse decodes a SKILL.md. The file's name is used in messages only, base is the name
// of its directory. The skill has no patterns and no source, and its instructions may be
// empty.
//
// What is malformed is replaced, and reported by a single warning. The only error is
// that the file is not text.
func parse(file, base string, data []byte) (scanner.Skill, []Warning, error) {
	var r frontReader
	s, err := r.parse(file, base, data)
	return s, r.warning(file), err
}

// parse is the function of that name, which keeps what is known of the front matter.
func (r *frontReader) parse(file, base string, data []byte) (s scanner.Skill, err error) {
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return s, &fileError{file, []tomlfile.Problem{
			{Line: 1 + bytes.Count(data[:at], []byte("\n")), Message: "not text; save the file as UTF-8"}}}
	}
	if !utf8.Valid(data) {
		before := data[:bytes.IndexRune(data, utf8.RuneError)]
		r.note(1+bytes.Count(before, []byte("\n")), "", "not valid UTF-8; save the file as UTF-8")
		data = bytes.ToValidUTF8(data, []byte("\ufffd"))
	}
	data = plainText(data)
	if at := bytes.IndexFunc(data, hides); at >= 0 {
		r.note(1+bytes.Count(data[:at], []byte("\n")), "", "invisible characters are left out")
	}
	s.Instructions = strings.TrimSpace(text.Clean(string(r.front(data))))
	s.Name = r.name(base)
	s.Description = r.description(&s)
	s.AllowedTools = r.tools()
	s.Paths = r.paths()
	if s.PreferredModel, _ = r.text("model"); s.PreferredModel == "inherit" {
		s.PreferredModel = ""
	}
	return s, nil
}

// hides reports whether a character can hide something from a reader. Those that choose the
// look of an emoji, and join several to one, are common.
func hides(r rune) bool { return text.Hidden(r) && !strings.ContainsRune("\t\n\ufe0e\ufe0f\u200d", r) }

// plainText returns a text without a byte order mark, with \n at the ends of lines.
func plainText(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(data, []byte("\r"), []byte("\n")) // to YAML that ends a line too
}

// text returns the value of a key in one line, or why there is none.
func (r *frontReader) text(key string) (value, problem string) {
	n := r.values[key]
	switch {
	case n == nil:
		return "", "missing"
	case isNull(n):
		return "", "empty"
	case n.Kind != yaml.ScalarNode:
		return "", "want text, found " + kind(n)
	}
	if value = strings.Join(strings.Fields(n.Value), " "); value == "" {
		problem = "empty"
	}
	return value, problem
}

// replaced notes why the value of a required key is replaced, and by what.
func (r *frontReader) replaced(key, problem, by string) {
	line := 0
	if n := r.values[key]; n != nil {
		line = n.Line
	}
	if r.values != nil { // without front matter, nothing else is expected
		r.note(line, key, problem+", so "+by+" is used")
	}
}

// name returns the name of the skill: without a valid one, that of the directory.
func (r *frontReader) name(base string) string {
	name, problem := r.text("name")
	if validName(name) {
		if base != name && base != "." {
			r.note(0, "", fmt.Sprintf("the skill is named %q but its directory %q; rename one of them", name, base))
		}
		return name
	}
	if problem == "" {
		problem = fmt.Sprintf("%q is not a valid name (want at most 64 lower-case letters, digits and single hyphens)", shorten(name))
	}
	valid := cmp.Or(toName(base), toName(name), "my-skill")
	r.replaced("name", problem, strconv.Quote(valid))
	return valid
}

// description returns the description of the skill: without one, the first paragraph of
// its instructions.
func (r *frontReader) description(s *scanner.Skill) string {
	description, problem := r.text("description")
	if problem == "" {
		return text.OneLine(description)
	}
	first, by := firstParagraph(s.Instructions), "the first paragraph"
	if first == "" {
		first, by = s.Name, "the name"
	}
	r.replaced("description", problem, by)
	return text.Truncate(first, maxDescription)
}

// firstParagraph returns the first paragraph of a Markdown text in one line, without
// headings, comments, rules and fences.
func firstParagraph(markdown string) string {
	var words []string
	for line := range strings.SplitSeq(markdown, "\n") {
		line = strings.TrimSpace(line)
		if line == "" && len(words) > 0 {
			break
		}
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "<!--") && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "```") {
			words = append(words, strings.Fields(line)...)
		}
	}
	return strings.Join(words, " ")
}

// list returns the value of an optional key: a YAML list, or a text with commas or
// spaces between.
func (r *frontReader) list(key string) (values []string) {
	n := r.values[key]
	switch {
	case n == nil || isNull(n):
		return nil
	case n.Kind == yaml.ScalarNode:
		return words(n.Value)
	case n.Kind != yaml.SequenceNode:
		r.note(n.Line, key, "is ignored: want a list, found "+kind(n))
		return nil
	}
	for _, item := range n.Content {
		item = resolve(item)
		if item.Kind != yaml.ScalarNode {
			r.note(n.Line, key, "is ignored: want a list of texts, found "+kind(item)+" in it")
			return nil
		}
		values = append(values, item.Value)
	}
	return values
}

// tools returns the tools that can be granted.
func (r *frontReader) tools() (granted []string) {
	for _, item := range r.list("allowed-tools") {
		for _, word := range words(item) {
			i := slices.IndexFunc(tools, func(t string) bool { return strings.EqualFold(t, word) })
			if i < 0 {
				name, _, _ := strings.Cut(word, "(")
				r.ungranted = append(r.ungranted, name)
			} else if !slices.Contains(granted, tools[i]) {
				granted = append(granted, tools[i])
			}
		}
	}
	return granted
}

// paths returns the globs of the files to look at. If one of them is invalid, there are
// none: a skill that looks at too much does not miss anything.
func (r *frontReader) paths() []string {
	globs := r.list("paths")
	for _, glob := range globs {
		if err := diff.ValidatePattern(glob); err != nil {
			r.note(r.values["paths"].Line, "paths", err.Error()+", so the skill looks at all files")
			return nil
		}
	}
	return globs
}

// words splits at commas and white space outside of brackets, which limit a tool, or
// are part of a glob: "Read, Bash(git diff:*)" and "*.{c,h} *.go" have two words.
func words(s string) []string {
	depth := 0
	list := strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth = max(0, depth-1)
		case ',', ' ', '\t', '\n':
			return depth == 0
		}
		return false
	})
	for i := range list {
		list[i] = strings.Trim(list[i], `"'`)
	}
	return list
}

// validName follows the open Agent Skills layout.
func validName(s string) bool {
	return len(s) <= 64 && s != "" && s == toName(s)
}

// toName returns a valid name like s; empty if s has no letter or digit to make it of.
func toName(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(words, "-")
	return strings.TrimRight(name[:min(len(name), 64)], "-")
}
