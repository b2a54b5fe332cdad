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
	"github.com/codescan-dev/scanner/internal/tomlfile"
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

// tools are those that a skill can be granted. All of them only read.
var tools = []string{"Read", "Grep", "Glob"}

// parse decodes a SKILL.md. The file's name is used in messages only. The skill
// has no patterns and no source, and its instructions may be empty. All problems
// are reported at once.
//
// Further keys of the front matter are ignored. Tools that are never granted are
// left out of the skill's AllowedTools, each with a warning.
func parse(file string, data []byte) (scanner.Skill, []Warning, error) {
	fail := func(p ...tomlfile.Problem) (scanner.Skill, []Warning, error) {
		return scanner.Skill{}, nil, &fileError{file, p}
	}
	if !utf8.Valid(data) {
		before := data[:bytes.IndexRune(data, utf8.RuneError)]
		return fail(tomlfile.Problem{Line: 1 + bytes.Count(before, []byte("\n")), Message: "not valid UTF-8; save the file as UTF-8"})
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n")) // to YAML that ends a line too
	matter, body, problem := splitFrontMatter(text)
	if problem != nil {
		return fail(*problem)
	}
	r := frontReader{file: file}
	if problem := r.decode(matter, "name", "description", "allowed-tools"); problem != nil {
		return fail(*problem)
	}
	s := scanner.Skill{
		Name:         r.text("name"),
		Description:  strings.Join(strings.Fields(r.text("description")), " "),
		Instructions: strings.TrimSpace(string(body)),
		AllowedTools: r.tools("allowed-tools"),
	}
	if s.Name != "" && !validName(s.Name) {
		r.problem(r.values["name"], "name", fmt.Sprintf("%q is not a valid name: want at most 64 lower-case letters, digits and single hyphens, such as %q",
			shorten(s.Name), suggestName(s.Name)))
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b tomlfile.Problem) int { return a.Line - b.Line })
		return fail(r.problems...)
	}
	return s, r.warnings, nil
}

// splitFrontMatter cuts the text at its two lines of three dashes. The front
// matter keeps the first, so that its line numbers are those of the file.
func splitFrontMatter(text []byte) (front, body []byte, problem *tomlfile.Problem) {
	isFence := func(line []byte) bool { return string(bytes.TrimRight(line, " \t")) == "---" }
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if !isFence(first) {
		return nil, nil, &tomlfile.Problem{Line: 1, Message: "front matter is missing; begin the file like this:" + frontMatterExample}
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
		return nil, nil, &tomlfile.Problem{Line: 1, Message: fmt.Sprintf("front matter does not end within %d bytes; close it with a line ---", maxFrontMatter)}
	}
	return nil, nil, &tomlfile.Problem{Line: 1, Message: "front matter does not end; close it with a line ---"}
}

var yamlErrorLine = regexp.MustCompile(`^line (\d+): `)

// yamlProblem describes an error of the YAML library.
func yamlProblem(err error) *tomlfile.Problem {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	var p tomlfile.Problem
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

// A frontReader reads the keys of the front matter, and collects what is wrong
// with their values.
type frontReader struct {
	file string
	// values are nodes, since their kinds and places are needed for messages.
	// Aliases are resolved, one step only, so that nothing expands.
	values   map[string]*yaml.Node
	problems []tomlfile.Problem
	warnings []Warning
}

// decode sets the values of keys.
func (r *frontReader) decode(matter []byte, keys ...string) *tomlfile.Problem {
	var doc yaml.Node
	if err := yaml.Unmarshal(matter, &doc); err != nil {
		return yamlProblem(err)
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) { // nothing, or comments alone
		return nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return &tomlfile.Problem{Line: root.Line, Column: root.Column,
			Message: "front matter is " + kind(root) + ", want keys with values:" + frontMatterExample}
	}
	lines := make(map[string]int)
	r.values = make(map[string]*yaml.Node)
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], resolve(root.Content[i+1])
		if k.Kind != yaml.ScalarNode || !slices.Contains(keys, k.Value) {
			continue
		}
		if line := lines[k.Value]; line > 0 {
			r.problem(k, k.Value, fmt.Sprintf("is repeated; the first is in line %d", line))
			continue
		}
		lines[k.Value] = k.Line
		if !isNull(v) {
			r.values[k.Value] = v
		}
	}
	return nil
}

// resolve returns the node that n is an alias of, or n.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!str" }

func (r *frontReader) problem(n *yaml.Node, key, msg string) {
	r.problems = append(r.problems, tomlfile.Problem{Line: n.Line, Column: n.Column, Path: key, Message: msg})
}

// text returns the value of a required key.
func (r *frontReader) text(key string) string {
	n := r.values[key]
	switch {
	case n == nil:
		r.problem(&yaml.Node{}, key, fmt.Sprintf("missing; add a line %q to the front matter", key+": "+exampleOf[key]))
	case !isText(n):
		msg := "want text, found " + kind(n)
		if n.Kind == yaml.ScalarNode {
			msg += "; put it in quotes"
		}
		r.problem(n, key, msg)
	case strings.TrimSpace(n.Value) == "":
		r.problem(n, key, fmt.Sprintf("empty; write for instance %q", key+": "+exampleOf[key]))
	default:
		return strings.TrimSpace(n.Value)
	}
	return ""
}

// tools returns the value of an optional key with tools: a YAML list, or a text
// with commas or spaces between.
func (r *frontReader) tools(key string) []string {
	n := r.values[key]
	if n == nil {
		return nil
	}
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	var granted []string
	seen := make(map[string]bool)
	for _, item := range items {
		item = resolve(item)
		if !isText(item) {
			r.problem(item, key, "want the names of tools, found "+kind(item))
			continue
		}
		for _, word := range toolWords(item.Value) {
			if seen[word] {
				continue
			}
			seen[word] = true
			i := slices.IndexFunc(tools, func(t string) bool { return strings.EqualFold(t, word) })
			if i >= 0 && !slices.Contains(granted, tools[i]) {
				granted = append(granted, tools[i])
			}
			if i < 0 && len(r.warnings) < maxWarnings {
				r.warnings = append(r.warnings, Warning{File: r.file, Line: item.Line, Message: fmt.Sprintf(
					"allowed-tools: %q is ignored; only %s can be granted", shorten(word), strings.Join(tools, ", "))})
			}
		}
	}
	return granted
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

// kind names the kind of a node in messages.
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

// suggestName returns a valid name like s; "my-skill" if s has no letter or digit
// to make it of.
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
