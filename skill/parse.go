package skill

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/codescan-dev/scanner"
)

// maxFrontMatter is the most bytes of front matter.
const maxFrontMatter = 64 << 10

const frontMatterExample = `
	---
	name: my-skill
	description: What it looks for, in a sentence.
	---
	What to look for, and what not to report.`

var exampleOf = map[string]string{
	"name":        "my-skill",
	"description": "What it looks for, in a sentence.",
}

// Tools returns the names of the tools that a skill can be granted. All of them
// only read.
func Tools() []string { return []string{"Read", "Grep", "Glob"} }

// Parse reads a SKILL.md. The file's name is used in messages only. The skill it
// returns has no patterns and no source, and its instructions may be empty. All
// problems are reported at once, as an [*Error].
//
// Further keys of the front matter are ignored. Tools that are never granted are
// left out of the skill's AllowedTools, each with a warning.
func Parse(file string, data []byte) (scanner.Skill, []Warning, error) {
	fail := func(p ...Problem) (scanner.Skill, []Warning, error) {
		return scanner.Skill{}, nil, &Error{File: file, Problems: p}
	}
	if line := invalidUTF8(data); line > 0 {
		return fail(Problem{Line: line, Message: "not valid UTF-8; save the file as UTF-8"})
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n")) // to YAML that ends a line too
	front, body, problem := splitFrontMatter(text)
	if problem != nil {
		return fail(*problem)
	}
	m, problem := frontMapping(front)
	if problem != nil {
		return fail(*problem)
	}

	r := frontReader{file: file, mapping: m}
	s := scanner.Skill{
		Name:         r.text("name"),
		Description:  strings.Join(strings.Fields(r.text("description")), " "),
		Instructions: strings.TrimSpace(string(body)),
		AllowedTools: r.tools("allowed-tools"),
	}
	if s.Name != "" && !validName(s.Name) {
		_, v := m.get("name")
		r.problem(v, "name", fmt.Sprintf("%q is no valid name: want at most 64 lower-case letters, digits and single hyphens, such as %q",
			shorten(s.Name), suggestName(s.Name)))
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
		return fail(r.problems...)
	}
	return s, r.warnings, nil
}

// splitFrontMatter cuts the text at its two lines of three dashes. The front
// matter keeps the first, so that its lines count as in the file.
func splitFrontMatter(text []byte) (front, body []byte, problem *Problem) {
	isFence := func(line []byte) bool { return string(bytes.TrimRight(line, " \t")) == "---" }
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if !isFence(first) {
		return nil, nil, &Problem{Line: 1, Message: "front matter is missing; begin the file like this:" + frontMatterExample}
	}
	for at := len(first) + 1; at < len(text); {
		line, _, found := bytes.Cut(text[at:], []byte("\n"))
		if isFence(line) {
			if at > maxFrontMatter {
				break
			}
			rest := at + len(line)
			if found {
				rest++
			}
			return text[:at], text[rest:], nil
		}
		at += len(line) + 1
	}
	if len(text) > maxFrontMatter {
		return nil, nil, &Problem{Line: 1, Message: fmt.Sprintf("front matter does not end within %d bytes; close it with a line ---", maxFrontMatter)}
	}
	return nil, nil, &Problem{Line: 1, Message: "front matter does not end; close it with a line ---"}
}

// A mapping is the front matter's top level. Only nodes are looked at, and
// aliases are followed one step where a value is wanted: nothing is expanded.
type mapping []*yaml.Node

// frontMapping parses the front matter.
func frontMapping(front []byte) (mapping, *Problem) {
	var doc yaml.Node
	if err := yaml.Unmarshal(front, &doc); err != nil {
		return nil, yamlProblem(err)
	}
	if doc.Kind == 0 || len(doc.Content) == 0 { // nothing, or comments alone
		return nil, nil
	}
	root := doc.Content[0]
	switch {
	case root.Kind == yaml.MappingNode:
		return root.Content, nil
	case root.Kind == yaml.ScalarNode && root.Tag == "!!null":
		return nil, nil
	}
	return nil, &Problem{Line: root.Line, Column: root.Column, Message: "front matter is " + kind(root) + ", want keys with values:" + frontMatterExample}
}

var yamlErrorLine = regexp.MustCompile(`^line (\d+): `)

// yamlProblem takes the line out of an error of the YAML library.
func yamlProblem(err error) *Problem {
	var p Problem
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlErrorLine.FindStringSubmatch(msg); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
		if strings.HasPrefix(msg, "did not find expected") {
			p.Line++ // the library counts the lines of these errors from 0
		}
	}
	p.Message = "front matter is not valid YAML: " + msg
	if strings.Contains(msg, "mapping values are not allowed") {
		p.Message += `; put a text that contains ": " in quotes`
	}
	return &p
}

// get returns the nodes of a key and its value, aliases resolved; nil if the
// front matter has no such key.
func (m mapping) get(key string) (k, v *yaml.Node) {
	for i := 0; i+1 < len(m); i += 2 {
		if m[i].Kind == yaml.ScalarNode && m[i].Value == key {
			return m[i], resolve(m[i+1])
		}
	}
	return nil, nil
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// A frontReader reads the keys of the front matter and collects what is wrong
// with them.
type frontReader struct {
	file     string
	mapping  mapping
	problems []Problem
	warnings []Warning
}

func (r *frontReader) problem(n *yaml.Node, key, msg string) {
	p := Problem{Key: key, Message: msg}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	r.problems = append(r.problems, p)
}

// value returns the value of key, nil if there is none, and complains about a
// key that stands twice.
func (r *frontReader) value(key string) *yaml.Node {
	first, v := r.mapping.get(key)
	for i := 0; i+1 < len(r.mapping); i += 2 {
		if n := r.mapping[i]; n != first && n.Kind == yaml.ScalarNode && n.Value == key {
			r.problem(n, key, fmt.Sprintf("stands twice; the first is in line %d", first.Line))
		}
	}
	if v == nil || v.Kind == yaml.ScalarNode && v.Tag == "!!null" {
		return nil
	}
	return v
}

// text reads a required key.
func (r *frontReader) text(key string) string {
	v := r.value(key)
	switch {
	case v == nil:
		r.problem(nil, key, fmt.Sprintf("missing; add a line %q to the front matter", key+": "+exampleOf[key]))
		return ""
	case v.Kind != yaml.ScalarNode || v.Tag != "!!str":
		msg := "want text, found " + kind(v)
		if v.Kind == yaml.ScalarNode {
			msg += "; put it in quotes"
		}
		r.problem(v, key, msg)
		return ""
	case strings.TrimSpace(v.Value) == "":
		r.problem(v, key, fmt.Sprintf("empty; write for instance %q", key+": "+exampleOf[key]))
		return ""
	}
	return strings.TrimSpace(v.Value)
}

// tools reads an optional list of tools: a YAML list, or a text with commas or
// spaces between.
func (r *frontReader) tools(key string) []string {
	v := r.value(key)
	if v == nil {
		return nil
	}
	type word struct {
		text string
		line int
	}
	var words []word
	switch {
	case v.Kind == yaml.ScalarNode && v.Tag == "!!str":
		for _, w := range toolWords(v.Value) {
			words = append(words, word{w, v.Line})
		}
	case v.Kind == yaml.SequenceNode:
		for _, item := range v.Content {
			item = resolve(item)
			if item.Kind != yaml.ScalarNode || item.Tag != "!!str" {
				r.problem(item, key, "want the names of tools, found "+kind(item))
				continue
			}
			for _, w := range toolWords(item.Value) {
				words = append(words, word{w, item.Line})
			}
		}
	default:
		r.problem(v, key, "want text or a list, found "+kind(v))
	}

	var tools []string
	seen := make(map[string]bool)
	for _, w := range words {
		if seen[w.text] {
			continue
		}
		seen[w.text] = true
		i := slices.IndexFunc(Tools(), func(t string) bool { return strings.EqualFold(t, w.text) })
		switch {
		case i < 0:
			if len(r.warnings) < maxWarnings {
				r.warnings = append(r.warnings, Warning{File: r.file, Line: w.line, Message: fmt.Sprintf(
					"allowed-tools: %q is ignored; only %s can be granted", shorten(w.text), strings.Join(Tools(), ", "))})
			}
		case !slices.Contains(tools, Tools()[i]):
			tools = append(tools, Tools()[i])
		}
	}
	return tools
}

// toolWords splits at commas and white space outside of parentheses, which may
// limit a tool: "Read, Bash(git diff:*)" names two.
func toolWords(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		case ',', ' ', '\t', '\n':
			return depth == 0
		}
		return false
	})
}

// kind names what a node is, for messages.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a table"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.Tag {
	case "!!str":
		return "text"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	case "!!timestamp":
		return "a date"
	case "!!null":
		return "nothing"
	}
	return "a value of type " + strconv.Quote(shorten(n.Tag))
}

// validName follows the open Agent Skills layout.
func validName(s string) bool {
	return len(s) <= 64 && s != "" && s == suggestName(s)
}

// suggestName makes a valid name of s; "my-skill" if there is nothing to make it
// of.
func suggestName(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(words, "-")
	name = strings.TrimRight(name[:min(len(name), 64)], "-")
	if name == "" {
		return "my-skill"
	}
	return name
}

// invalidUTF8 returns the first line with a byte that is not UTF-8, 0 if there
// is none.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return 0
	}
	line := 1
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		data = data[n:]
	}
	return line
}
