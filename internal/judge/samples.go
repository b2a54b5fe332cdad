package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// read returns the labels of a checkout: those of a project that has them in its
// tests, else those in comments.
func read(tree fs.FS) (*labeled, error) {
	s := &labeled{make(map[string][]byte), make(map[place]verdict)}
	for file, read := range map[string]func(fs.FS) error{
		"testutils/sample_types.go":           s.readGosec,
		"tests/functional/test_functional.py": s.readBandit,
		"lib/brakeman.rb":                     s.readBrakeman,
	} {
		if _, err := fs.Stat(tree, file); err == nil {
			return s, read(tree)
		}
	}
	return s, s.readComments(tree)
}

// each calls f with the files that a pattern matches.
func each(tree fs.FS, pattern string, f func(name string, data []byte)) error {
	names, err := fs.Glob(tree, pattern)
	for _, name := range names {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		f(name, data)
	}
	return err
}

//go:embed classes.txt
var classList string

// classOf returns the class of what a project names in its tests, else the name.
func classOf(source, name string) string {
	for line := range strings.Lines(classList) {
		if class, ok := strings.CutPrefix(strings.TrimSpace(line), source+" "+name+": "); ok {
			return class
		}
	}
	return name
}

var gosecSample = regexp.MustCompile("\\[\\]string\\{\\s*`([^`]*)`,?\\s*\\},\\s*(?:Errors:\\s*)?(\\d+),\\s*(?:Config:\\s*)?gosec\\.NewConfig\\(\\)")

// readGosec reads the programs that gosec is tested with, each with the number of
// problems that one of its rules finds somewhere in it. Those of several files, and
// with a configuration, are left out.
func (s *labeled) readGosec(tree fs.FS) error {
	return each(tree, "testutils/g*_samples.go", func(name string, data []byte) {
		id := strings.TrimSuffix(path.Base(name), "_samples.go")
		for i, m := range gosecSample.FindAllSubmatch(data, -1) {
			want, _ := strconv.Atoi(string(m[2]))
			name := fmt.Sprintf("%s/%d.go", id, i)
			s.files[name] = m[1]
			s.add(place{path: name, class: classOf("gosec", id)}, want, false)
		}
	})
}

var banditTest = regexp.MustCompile(`"SEVERITY": \{[^}]*"MEDIUM": (\d+),\s*"HIGH": (\d+),?\s*\}(?s:.{0,400}?)check_example\("([^"]+)\.py"`)

// readBandit reads the examples of bandit, each with the number of problems that its
// tests expect somewhere in it, without those of low severity: these are notices. Those
// with problems of several classes are left out.
func (s *labeled) readBandit(tree fs.FS) error {
	tests, err := fs.ReadFile(tree, "tests/functional/test_functional.py")
	for _, m := range banditTest.FindAllStringSubmatch(string(tests), -1) {
		name, class := m[3]+".py", classOf("bandit", m[3])
		if class == m[3] || s.files[name] != nil {
			continue
		}
		if s.files[name], err = fs.ReadFile(tree, "examples/"+name); err != nil {
			return err
		}
		medium, _ := strconv.Atoi(m[1])
		high, _ := strconv.Atoi(m[2])
		s.add(place{path: name, class: class}, medium+high, false)
	}
	return err
}

var (
	brakemanScan = regexp.MustCompile(`run_scan "([^"]+)"`)
	brakemanTest = regexp.MustCompile(`(?s)assert_(no_)?warning[ (](.*?)\n\s*(?:\n|end|assert)`)
	brakemanKey  = regexp.MustCompile(`\b(warning_type|line|file|relative_path)(?::| =>) (?:"([^"]+)"|(\d+)|/(.+?)/)`)
	// brakemanSource is in the lines that are proof by themselves.
	brakemanSource = regexp.MustCompile(`\b(?:params|cookies|request)\b`)
)

// readBrakeman reads the warnings at a line of Ruby that the tests of brakeman expect,
// or do not expect, in its example applications.
func (s *labeled) readBrakeman(tree fs.FS) error {
	return each(tree, "test/tests/*.rb", func(_ string, data []byte) {
		m := brakemanScan.FindSubmatch(data)
		if m == nil {
			return
		}
		app := "test/apps/" + string(m[1])
		var names strings.Builder
		fs.WalkDir(tree, app, func(name string, _ fs.DirEntry, _ error) error {
			names.WriteString(strings.TrimPrefix(name, app+"/") + "\n")
			return nil
		})
		for _, m := range brakemanTest.FindAllStringSubmatch(string(data), -1) {
			key := make(map[string]string)
			for _, k := range brakemanKey.FindAllStringSubmatch(m[2], -1) {
				key[k[1]] = k[2] + k[3] + k[4]
			}
			file := cmp.Or(key["file"], "^"+regexp.QuoteMeta(key["relative_path"])+"$")
			re, err := regexp.Compile("(?m)^.*(?:" + file + ").*$")
			if err != nil {
				continue
			}
			found := re.FindAllString(names.String(), -1)
			if len(found) != 1 || language(found[0]) != "ruby" {
				continue
			}
			name := path.Join(app, found[0])
			text, _ := fs.ReadFile(tree, name)
			lines := strings.Split(string(text), "\n")
			if n, _ := strconv.Atoi(key["line"]); n > 0 && n <= len(lines) {
				s.files[name] = text
				p := place{name, classOf("brakeman", key["warning_type"]), n, statementEnd(lines, n-1)}
				s.add(p, 1-len(m[1])/len("no_"), brakemanSource.MatchString(lines[n-1]))
			}
		}
	})
}
