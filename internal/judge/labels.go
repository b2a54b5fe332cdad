package main

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/codescan-dev/scanner/internal/weakness"
)

// label is what someone decided about a place in a file.
type label struct {
	path string
	// first and last are the lines of the place; 0 means anywhere in the file.
	first, last int
	class       string
	// want is the number of problems of the class there; 0 means that it has none.
	want int
	// evident is set if the lines alone prove the problem.
	evident bool
}

// labeled are files with their labels.
type labeled struct {
	files  map[string][]byte
	labels []label
}

// labelComment matches a comment that labels the line below it. Those of the kinds
// that match as "todo" are known mistakes of the foreign rule, or beyond its reach.
var labelComment = regexp.MustCompile(`^\s*\{?\s*(?:#|//|/\*|<!--|--|;|\(\*|%|<%#|\*)\s*((?:todo|deep|pro)*)(ruleid|ok)\s?:\s*(.*?)\s*(?:\*/\s*\}?|-->|\*\)|%>)?\s*$`)

// readComments reads files that have "ruleid: <ids>" and "ok: <ids>" in comments. An
// id is that of a rule in a YAML file of the same directory, else the name of a class.
func readComments(tree fs.FS) (*labeled, error) {
	set := &labeled{files: make(map[string][]byte)}
	rules := make(map[string]map[string]foreignRule)
	err := fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && strings.HasPrefix(e.Name(), ".git") && e.Name() != ".github":
			return fs.SkipDir
		case !e.Type().IsRegular() || strings.Contains(e.Name(), ".fixed."):
			return nil // the labels of a fixed file are those from before
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil || !bytes.Contains(data, []byte("ruleid")) && !bytes.Contains(data, []byte("ok")) {
			return err
		}
		dir := path.Dir(name)
		if rules[dir] == nil {
			if rules[dir], err = foreignRules(tree, dir); err != nil {
				return err
			}
		}
		if path.Base(dir) == "github-actions" { // rules for workflows look only there
			name = path.Join(dir, ".github/workflows", e.Name())
		}
		if labels := commentLabels(name, data, rules[dir]); len(labels) > 0 {
			set.files[name] = data
			set.labels = append(set.labels, labels...)
		}
		return nil
	})
	return set, err
}

// commentLabels returns the labels of a file. Several for the same line and class
// are one, which wants a finding if one of them does.
func commentLabels(name string, data []byte, rules map[string]foreignRule) []label {
	lines := strings.Split(string(data), "\n")
	var labels []label
	for i := 0; i < len(lines); i++ {
		first := len(labels)
		for ; i < len(lines); i++ {
			m := labelComment.FindStringSubmatch(lines[i])
			if m == nil {
				break
			}
			if m[1] != "" {
				continue
			}
			for id := range strings.SplitSeq(m[3], ",") {
				words := strings.Fields(id)
				if len(words) == 0 {
					continue
				}
				id = words[0]
				r, ok := rules[id]
				if !ok {
					r.class = id
				}
				l := label{path: name, class: r.class, evident: r.evident}
				if m[2] == "ruleid" {
					l.want = 1
				}
				j := slices.IndexFunc(labels[first:], func(o label) bool { return o.class == l.class })
				if j < 0 {
					labels = append(labels, l)
					continue
				}
				same := &labels[first+j]
				same.evident = l.want >= same.want && l.evident || same.want >= l.want && same.evident
				same.want = max(same.want, l.want)
			}
		}
		for j := first; j < len(labels); j++ {
			labels[j].first, labels[j].last = i+1, statementEnd(lines, i)+1
		}
	}
	return labels
}

// statementEnd returns the index of the last line of the statement that begins at a
// line, as far as brackets show it, within five lines.
func statementEnd(lines []string, first int) int {
	depth := 0
	for i := first; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		for _, r := range line {
			switch r {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
		continues := line != "" && strings.ContainsAny(line[len(line)-1:], `:\,=+.&|`) || strings.HasPrefix(line, "@") ||
			i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), ".")
		if i == first+4 || depth <= 0 && !continues || labelComment.MatchString(lines[min(i+1, len(lines)-1)]) {
			return i
		}
	}
	return len(lines) - 1
}

// foreignRule is what is used of a rule of others.
type foreignRule struct {
	class string
	// evident is set for a rule that searches, instead of following values, and whose
	// patterns have no "..." between statements: what it matches is in one place.
	evident bool
}

// foreignRules reads the rules in the YAML files of a directory.
func foreignRules(tree fs.FS, dir string) (map[string]foreignRule, error) {
	rules := make(map[string]foreignRule)
	entries, err := fs.ReadDir(tree, dir)
	for _, e := range entries {
		if ext := path.Ext(e.Name()); ext != ".yaml" && ext != ".yml" {
			continue
		}
		data, err := fs.ReadFile(tree, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		var file struct {
			Rules []struct {
				ID       string
				Mode     string
				Metadata struct {
					CWE      oneOrMore
					Category string
				}
				Rest map[string]yaml.Node `yaml:",inline"`
			}
		}
		if yaml.Unmarshal(data, &file) != nil {
			continue // a labelled file that is YAML itself
		}
		for _, r := range file.Rules {
			f := foreignRule{class: r.Metadata.Category, evident: r.Mode == "" || r.Mode == "search"}
			for i, text := range r.Metadata.CWE {
				if class := classOf(text); i == 0 || strings.HasPrefix(f.class, "cwe-") && !strings.HasPrefix(class, "cwe-") {
					f.class = class
				}
			}
			for key, node := range r.Rest {
				if hasEllipsis(key, &node) {
					f.evident = false
				}
			}
			rules[r.ID] = f
		}
	}
	return rules, err
}

// hasEllipsis reports whether a pattern below a key of a rule has "..." between
// statements. Those that only exclude matches are ignored.
func hasEllipsis(key string, n *yaml.Node) bool {
	switch n.Kind {
	case yaml.ScalarNode:
		return strings.HasPrefix(key, "pattern") && !strings.HasPrefix(key, "pattern-not") &&
			slices.ContainsFunc(strings.Split(n.Value, "\n"), func(line string) bool { return strings.TrimSpace(line) == "..." })
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if hasEllipsis(n.Content[i].Value, n.Content[i+1]) {
				return true
			}
		}
	case yaml.SequenceNode:
		return slices.ContainsFunc(n.Content, func(n *yaml.Node) bool { return hasEllipsis(key, n) })
	}
	return false
}

// oneOrMore is a string, or a list of them.
type oneOrMore []string

func (o *oneOrMore) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*o = []string{n.Value}
		return nil
	}
	return n.Decode((*[]string)(o))
}

var cweNumber = regexp.MustCompile(`\d+`)

// classOf returns the class of a text such as "CWE-89: SQL injection".
func classOf(cwe string) string {
	n, _ := strconv.Atoi(cweNumber.FindString(cwe))
	return weakness.Class(n)
}
