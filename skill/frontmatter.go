package skill

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// maxFrontMatter is the most bytes of front matter.
const maxFrontMatter = 64 << 10

// frontKeys are the keys of the front matter that are used. Others are ignored.
var frontKeys = []string{"name", "description", "allowed-tools", "paths", "model"}

// splitFrontMatter cuts the text at its two lines of three dashes. The front matter
// begins with all that is before it, so that its line numbers are those of the file.
// Where the second line is missing, the front matter ends at a blank line, and is part
// of the body too.
func splitFrontMatter(text []byte) (front, body []byte, open bool) {
	isFence := func(line []byte) bool { return string(bytes.TrimRight(line, " \t")) == "---" }
	start := len(text) - len(bytes.TrimLeft(text, " \t\n"))
	first, _, _ := bytes.Cut(text[start:], []byte("\n"))
	if !isFence(first) {
		return nil, text, false
	}
	for at := start + len(first) + 1; at < min(len(text), maxFrontMatter); {
		line, rest, _ := bytes.Cut(text[at:], []byte("\n"))
		if isFence(line) {
			return text[:at], rest, false
		}
		at += len(line) + 1
	}
	front = text[:min(len(text), maxFrontMatter)]
	if end := bytes.Index(front[start:], []byte("\n\n")); end >= 0 {
		front = front[:start+end]
	}
	return front, text, true
}

// A frontReader reads the keys of the front matter, and collects what is wrong
// with their values.
type frontReader struct {
	// values are nodes, since their kinds and places are needed for messages.
	// Aliases are resolved, one step only, so that nothing expands. Nil means that
	// there is no front matter.
	values   map[string]*yaml.Node
	problems []tomlfile.Problem
	// others are the keys that are not used.
	others []*yaml.Node
	// ungranted are the tools of the skill that it cannot be granted.
	ungranted []string
}

// note adds a problem with a key, or with the file if key is empty.
func (r *frontReader) note(line int, key, msg string) {
	r.problems = append(r.problems, tomlfile.Problem{Line: line, Path: key, Message: msg})
}

// warning returns one warning for all problems.
func (r *frontReader) warning(file string) []Warning {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b tomlfile.Problem) int { return a.Line - b.Line })
	var messages []string
	for _, p := range r.problems {
		messages = append(messages, p.String())
	}
	return []Warning{{File: file, Line: r.problems[0].Line, Message: strings.Join(messages, "; ")}}
}

// front reads the front matter, and returns the text below it.
func (r *frontReader) front(text []byte) []byte {
	matter, body, open := splitFrontMatter(text)
	before := len(r.problems)
	if !r.decode(matter) {
		r.values, r.problems = nil, r.problems[:before]
		r.note(1, "", "front matter is missing, so the whole file is the instructions")
		return text
	}
	if open {
		r.note(1, "", "front matter does not end, so it is part of the instructions; close it with a line ---")
	}
	return body
}

// decode sets the values, and reports whether matter is front matter.
func (r *frontReader) decode(matter []byte) bool {
	r.values = make(map[string]*yaml.Node)
	root, err := mapping(matter)
	switch {
	case err != nil:
		p := yamlProblem(err)
		r.note(p.Line, "", p.Message)
		return r.salvage(string(matter))
	case root == nil:
		return len(matter) > 0
	case root.Kind != yaml.MappingNode:
		r.note(root.Line, "", "front matter is "+kind(root)+", want keys with values, so each line with a colon is read by itself")
		return r.salvage(string(matter))
	}
	repeated := make(map[string]bool)
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], resolve(root.Content[i+1])
		switch _, ok := r.values[k.Value]; {
		case k.Kind != yaml.ScalarNode || !slices.Contains(frontKeys, k.Value):
			r.others = append(r.others, k)
		case !ok:
			r.values[k.Value] = v
		case !repeated[k.Value]:
			repeated[k.Value] = true
			r.note(k.Line, k.Value, "is repeated; the first is used")
		}
	}
	return true
}

// mapping returns the node of a YAML document; nil if it is empty, or comments alone.
func mapping(doc []byte) (*yaml.Node, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(doc, &n); err != nil {
		return nil, err
	}
	if len(n.Content) == 0 || isNull(n.Content[0]) {
		return nil, nil
	}
	return n.Content[0], nil
}

// keyLine is a line that begins the value of a key.
var keyLine = regexp.MustCompile(`^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)$`)

// salvage sets the values of front matter that is not valid YAML: each key is read as a
// document, and as plain text if that is not valid either. It reports whether there are
// any keys, also such as are not used.
func (r *frontReader) salvage(matter string) (found bool) {
	lines := strings.Split(matter, "\n")
	for i, end := 0, 0; i < len(lines); i = end {
		for end = i + 1; end < len(lines) && !keyLine.MatchString(lines[end]); {
			end++
		}
		m := keyLine.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		found = true
		if !slices.Contains(frontKeys, m[1]) || r.values[m[1]] != nil {
			continue
		}
		root, err := mapping([]byte(strings.Join(lines[i:end], "\n")))
		var n *yaml.Node
		if err == nil && root != nil && root.Kind == yaml.MappingNode && len(root.Content) == 2 {
			n = resolve(root.Content[1])
		} else {
			n = plain(m[2], lines[i+1:end])
		}
		n.Line = i + 1
		r.values[m[1]] = n
	}
	return found
}

// plain returns the value of a key that is not valid YAML: a list if the lines below
// it are items, else text.
func plain(first string, below []string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	texts := []string{strings.TrimLeft(first, "|>+-")}
	for _, line := range below {
		line = strings.TrimSpace(line)
		if item, ok := strings.CutPrefix(line, "- "); ok {
			list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: unquote(item)})
		}
		texts = append(texts, line)
	}
	if len(list.Content) > 0 && first == "" {
		return list
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: unquote(strings.TrimSpace(strings.Join(texts, " ")))}
}

// unquote removes quotes, also a single one, and the brackets of a list.
func unquote(s string) string {
	if s == "" {
		return s
	}
	switch q := s[:1]; {
	case strings.ContainsAny(q, `"'`) && (strings.HasSuffix(s, q) || !strings.Contains(s[1:], q)):
		return strings.Trim(s, q)
	case q == "[" && strings.HasSuffix(s, "]"):
		return s[1 : len(s)-1]
	}
	return s
}

// resolve returns the node that n is an alias of, or n.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

var yamlErrorLine = regexp.MustCompile(`^line (\d+): `)

// yamlProblem describes an error of the YAML library.
func yamlProblem(err error) tomlfile.Problem {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	var p tomlfile.Problem
	if m := yamlErrorLine.FindStringSubmatch(msg); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
		if strings.HasPrefix(msg, "did not find expected") {
			p.Line++ // the library counts the lines of these errors from 0
		}
	}
	p.Message = "front matter is not valid YAML, so each key is read by itself: " + msg
	if strings.Contains(msg, "mapping values are not allowed") {
		p.Message += ` (put a text that contains ": " in quotes)`
	}
	return p
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
