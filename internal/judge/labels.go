package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/codescan-dev/scanner/internal/weakness"
)

// place is where code has a problem of a class, or looks as if. Its lines are 0 if it
// is a whole file.
type place struct {
	path, class string
	first, last int
}

// verdict is the decision about a place.
type verdict struct {
	// want is the number of problems there; 0 means that it must stay silent.
	want int
	// evident is set if the lines alone prove the problem.
	evident bool
}

// labeled are files with the verdicts about them.
type labeled struct {
	files    map[string][]byte
	verdicts map[place]verdict
}

// add records a verdict. Of several about a place, those with a problem count.
func (s *labeled) add(p place, want int, evident bool) {
	v := s.verdicts[p]
	s.verdicts[p] = verdict{max(v.want, want), v.evident || want > 0 && evident}
}

// labelComment matches a comment about the next line. Those with a prefix are about
// mistakes of the foreign rule, or beyond it.
var labelComment = regexp.MustCompile(`^\s*\{?(?:#|//|/\*|<!--|--|;|\(\*|%|<%#|\*)\s*((?:todo|deep|pro)*)(ruleid|ok)\s?:\s*(.*)$`)

// readComments reads the labels in the comments "ruleid: <ids>" and "ok: <ids>".
func (s *labeled) readComments(tree fs.FS) error {
	rules := make(map[string]map[string]foreignRule) // by directory
	return fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case !e.Type().IsRegular() || strings.Contains(e.Name(), ".fixed.") || path.Ext(name) == ".md":
			return nil // a fixed file has the labels from before, and Markdown explains them
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil || !bytes.Contains(data, []byte("ruleid")) && !bytes.Contains(data, []byte("ok:")) {
			return err
		}
		dir := path.Dir(name)
		if rules[dir] == nil {
			if rules[dir], err = foreignRules(tree, dir); err != nil {
				return err
			}
		}
		if strings.Contains(dir, "github-actions") { // a workflow is one by its place
			name = path.Join(".github/workflows", e.Name())
		}
		s.addComments(name, data, rules[dir])
		return nil
	})
}

func (s *labeled) addComments(name string, data []byte, rules map[string]foreignRule) {
	lines := strings.Split(string(data), "\n")
	var pending [][]string
	for i, line := range lines {
		if m := labelComment.FindStringSubmatch(line); m != nil {
			s.files[name] = data
			pending = append(pending, m)
			continue
		}
		for _, m := range pending {
			for id := range strings.SplitSeq(m[3], ",") {
				id, _, _ = strings.Cut(strings.TrimSpace(id), " ")
				if r := rules[id]; m[1] == "" && id != "" {
					p := place{path: name, class: cmp.Or(r.class, id), first: i + 1, last: statementEnd(lines, i)}
					s.add(p, len(m[2])/len("ruleid"), r.evident)
				}
			}
		}
		pending = nil
	}
}

// yamlBlock matches a line of YAML that can have a block below it.
var yamlBlock = regexp.MustCompile(`^\s*(?:- |[\w.-]+:(?:\s|$))`)

// statementEnd returns the number of the last line of the statement that begins at
// lines[first], as far as brackets and the indentation of YAML show it, within five lines.
func statementEnd(lines []string, first int) int {
	depth := 0
	block := yamlBlock.MatchString(lines[first])
	for i, line := range lines[first:min(first+5, len(lines))] {
		line = strings.TrimSpace(line)
		if i > 0 && labelComment.MatchString(line) {
			return first + i
		}
		depth += strings.Count(line, "(") + strings.Count(line, "[") + strings.Count(line, "{")
		depth -= strings.Count(line, ")") + strings.Count(line, "]") + strings.Count(line, "}")
		continued := block && first+i+1 < len(lines) && indent(lines[first+i+1]) > indent(lines[first]) || line != "" && strings.Contains(`:\,=+.&|`, line[len(line)-1:]) || strings.HasPrefix(line, "@") ||
			first+i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[first+i+1]), ".")
		if depth <= 0 && !continued {
			return first + i + 1
		}
	}
	return min(first+5, len(lines))
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// foreignRule is what is used of a rule of others.
type foreignRule struct {
	class string
	// evident is set if the rule searches, instead of following values, and none of its
	// patterns has "..." between statements: what it matches is in one place.
	evident bool
}

// foreignRules reads the rules in the YAML files of a directory, by id. The class is
// that of the first weakness that is in one, else the category.
func foreignRules(tree fs.FS, dir string) (map[string]foreignRule, error) {
	rules := make(map[string]foreignRule)
	err := each(tree, dir+"/*.y*ml", func(_ string, data []byte) {
		var file struct{ Rules []map[string]any }
		if yaml.Unmarshal(data, &file) != nil {
			return // labeled YAML, not rules
		}
		for _, r := range file.Rules {
			meta, _ := r["metadata"].(map[string]any)
			f := foreignRule{class: fmt.Sprint(meta["category"])}
			for i, m := range cweNumber.FindAllStringSubmatch(fmt.Sprint(meta["cwe"]), -1) {
				n, _ := strconv.Atoi(m[1])
				if class := weakness.Class(n); i == 0 || strings.HasPrefix(f.class, "cwe-") {
					f.class = class
				}
			}
			f.evident = (r["mode"] == nil || r["mode"] == "search") && !hasEllipsis("", r)
			rules[fmt.Sprint(r["id"])] = f
		}
	})
	return rules, err
}

var (
	cweNumber = regexp.MustCompile(`CWE-(\d+)`)
	ellipsis  = regexp.MustCompile(`(?m)^\s*\.\.\.\s*$`)
)

// hasEllipsis reports whether a pattern below a key of a rule has "..." on a line of
// its own. Patterns that only exclude matches are ignored.
func hasEllipsis(key string, value any) bool {
	switch v := value.(type) {
	case string:
		return strings.HasPrefix(key, "pattern") && !strings.HasPrefix(key, "pattern-not") && ellipsis.MatchString(v)
	case []any:
		return slices.ContainsFunc(v, func(v any) bool { return hasEllipsis(key, v) })
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Keys(v)), func(key string) bool { return hasEllipsis(key, v[key]) })
	}
	return false
}
