package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/skill"
)

// page is a page of the documentation.
type page struct {
	name   string // relative to the root of the repository
	prose  string // without blocks of code
	blocks []block
}

// block is a fenced block of code.
type block struct {
	line       int
	lang, text string
}

var fence = regexp.MustCompile("^ *```+([a-z]*)$")

func readPages(t *testing.T) []page {
	t.Helper()
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var pages []page
	for _, name := range append(names, "../../README.md", "../../SECURITY.md", "../../CONTRIBUTING.md", "../../examples/shop/README.md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p := page{name: filepath.ToSlash(strings.TrimPrefix(name, "../../"))}
		var prose strings.Builder
		var open *block
		for i, line := range strings.Split(string(data), "\n") {
			m := fence.FindStringSubmatch(line)
			switch {
			case m != nil && open == nil:
				open = &block{line: i + 1, lang: m[1]}
			case m != nil:
				p.blocks = append(p.blocks, *open)
				open = nil
			case open != nil:
				open.text += line + "\n"
			default:
				prose.WriteString(line + "\n")
			}
		}
		if open != nil {
			t.Errorf("%s:%d: the block does not end", p.name, open.line)
		}
		p.prose = prose.String()
		pages = append(pages, p)
	}
	return pages
}

// standIns take the place of programs that need the network, or take minutes.
var standIns = map[string]string{
	// The command of this test takes the place of the one that go run builds, and what else
	// go does is up to the gate.
	"go": `case "$1 $2" in "run ./cmd/scanner") shift 2; exec scanner "$@" ;; esac`,
	// What they install, and where from, is tried by .ci/release.
	"curl": ":", "docker": ":", "gh": ":", "sudo": ":", "tar": ":",
}

// needHost are the commands that need a code host, and the script that runs them.
var needHost = map[string]string{"action": "pull-requests.txtar", "post": "action-fork.txtar"}

// oneRun matches where a shell starts scanner.
var oneRun = regexp.MustCompile(`(?m)(?:^|[|;&] *)(?:scanner|go run \./cmd/scanner) `)

// workflowStep matches a command in a workflow.
var workflowStep = regexp.MustCompile(`(?m)^ *- run: (.*\n)`)

// TestGoldenDocs runs every block of shell commands, and those in blocks of a workflow, a page
// in one repository: scanner starts as often as the block names it, and its exit code is 0, or 1 because of findings;
// that of other commands is 0. A block of text after it is what it prints.
func TestGoldenDocs(t *testing.T) {
	indented := regexp.MustCompile(`(?m)^\n {4,}(?:scanner|go|git|export|curl|docker) .*`)
	for _, p := range readPages(t) {
		if m := indented.FindString(p.prose); m != "" && p.name != "CONTRIBUTING.md" {
			t.Errorf("%s: put it into a block with ```sh, so that it is run:%s", p.name, m)
		}
		if !slices.ContainsFunc(p.blocks, func(b block) bool { return b.lang == "sh" }) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			log := s.wrap(t)
			var out string
			for _, b := range p.blocks {
				if b.lang == "text" {
					p.golden(t, b, out)
				}
				if b.lang == "yaml" {
					steps := workflowStep.FindAllStringSubmatch(b.text, -1)
					b.lang, b.text = "sh", ""
					for _, m := range steps {
						b.text += m[1]
					}
				}
				if b.lang != "sh" || b.text == "" {
					continue
				}
				text := s.fillIn(t, b.text)
				if err := os.RemoveAll(log); err != nil {
					t.Fatal(err)
				}
				var failed error
				if out, failed = s.run(t, "set -e\n"+text); failed != nil {
					t.Errorf("%s:%d: %v\n%s", p.name, b.line, failed, out)
				}
				started, err := os.ReadFile(log)
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				if got, want := bytes.Count(started, []byte("\n")), len(oneRun.FindAllString(b.text, -1)); got != want {
					t.Errorf("%s:%d: scanner was started %d times, want %d\n%s", p.name, b.line, got, want, out)
				}
				for line := range strings.Lines(string(started)) {
					if code, _, _ := strings.Cut(line, " "); code != "0" && code != "1" {
						t.Errorf("%s:%d: exit code %s\n%s", p.name, b.line, line, out)
					}
				}
			}
		})
	}
}

var clock = regexp.MustCompile(`(?m)^\[\S+Z\]|Total time: \S+`)

// golden compares a block of text with what the commands before it print, with other times.
func (p page) golden(t *testing.T, b block, out string) {
	t.Helper()
	out = clock.ReplaceAllStringFunc(out, func(s string) string {
		if s[0] == '[' {
			return "[2026-11-22T09:30:00.000Z]"
		}
		return "Total time: 20ms"
	})
	if out == b.text {
		return
	}
	if !*update {
		t.Errorf("%s:%d: got (-) differs from the page (+); -update rewrites it:\n%s", p.name, b.line, cmp.Diff(out, b.text))
		return
	}
	file := filepath.Join("../..", p.name)
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.Replace(string(data), "```text\n"+b.text+"```", "```text\n"+out+"```", 1)), 0o666)
	}
	if err != nil {
		t.Error(err)
	}
}

// wrap puts programs before those of the PATH: the stand-ins, and one that starts scanner
// and logs its exit code and arguments. It returns the name of the log.
func (s *sandbox) wrap(t *testing.T) (log string) {
	t.Helper()
	real, err := exec.LookPath("scanner")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(filepath.Dir(s.dir), "bin")
	log = filepath.Join(filepath.Dir(s.dir), "log")
	for _, script := range needHost {
		if _, err := os.Stat(filepath.Join("testdata/script", script)); err != nil {
			t.Error(err)
		}
	}
	parse := strings.Join(slices.Sorted(maps.Keys(needHost)), "|")
	programs := map[string]string{"scanner": fmt.Sprintf(`case "$1" in %s) set -- "$@" --help ;; esac
%s "$@"; code=$?
echo "$code scanner $*" >>%s
[ $code = 1 ] || exit $code`, parse, real, log)}
	for name, text := range standIns {
		programs[name] = text
	}
	if _, err := exec.LookPath("jq"); err != nil {
		programs["jq"] = "cat"
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(s.dir, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	s.write(t, ".git/info/exclude", []byte("/examples/\n"))
	s.env = append(s.env, "PATH="+bin+":"+os.Getenv("PATH"))
	return log
}

// exampleID is the id of a finding in the documentation.
const exampleID = "0f3a9c51d2e4"

// fillIn puts the id of a finding of the latest run into a command.
func (s *sandbox) fillIn(t *testing.T, text string) string {
	t.Helper()
	if !strings.Contains(text, exampleID) {
		return text
	}
	out, err := s.run(t, "scanner scan --offline --skill=security-review --output=-")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	id := regexp.MustCompile(`"id":"([0-9a-f]{12})"`).FindStringSubmatch(out)
	if id == nil {
		t.Fatalf("no finding in:\n%s", out)
	}
	return strings.ReplaceAll(text, exampleID, id[1])
}

var (
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	flagName = regexp.MustCompile(`(?:^| )(--?[a-z][a-z-]*)`)
	variable = regexp.MustCompile(`\bSCANNER_[A-Z_]*[A-Z]\b`)
)

// TestDocsNames sees that the commands and flags in texts exist, and that the variables of
// the environment are read.
func TestDocsNames(t *testing.T) {
	source := goSource(t)
	var help strings.Builder
	for _, text := range helps(t) {
		help.WriteString(text)
	}
	known := strings.Fields(help.String() + " --include --jinja") // and flags of git and llama.cpp
	for i := range known {
		known[i] = strings.Trim(known[i], ",;[]")
	}
	for _, p := range readPages(t) {
		for _, m := range codeSpan.FindAllStringSubmatch(p.prose, -1) {
			span := m[1]
			switch words := strings.Fields(span); {
			case words[0] == "scanner" && len(words) > 1 && !isCommand(words[1:]):
				t.Errorf("%s: no such command: `%s`", p.name, span)
			case words[0] != "scanner" && span[0] != '-':
				continue
			}
			for _, f := range flagName.FindAllStringSubmatch(span, -1) {
				if !slices.Contains(known, f[1]) {
					t.Errorf("%s: no flag %s in `%s`", p.name, f[1], span)
				}
			}
		}
		for _, name := range variable.FindAllString(p.prose, -1) {
			if !strings.Contains(source, name) {
				t.Errorf("%s: nothing reads %s", p.name, name)
			}
		}
	}
}

// isCommand reports whether words begin with a command, and its verb if it has verbs.
func isCommand(words []string) bool {
	switch vs := verbs(words[0]); {
	case words[0][0] == '-':
		return true
	case len(vs) > 0 && len(words) > 1 && words[1][0] != '-':
		return findCommand(words[0]+" "+words[1]) != nil
	default:
		return len(vs) > 0 || findCommand(words[0]) != nil
	}
}

// goSource returns all Go source but the tests.
func goSource(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir("../..", func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := os.ReadFile(name)
		b.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDocsSnippets parses the snippets of files: configuration, rules, workflows and
// programs.
func TestDocsSnippets(t *testing.T) {
	programs := goSource(t)
	for _, p := range readPages(t) {
		for _, b := range p.blocks {
			switch b.lang {
			case "toml":
				if err := parseTOML(b.text); err != nil {
					t.Errorf("%s:%d: %v", p.name, b.line, err)
				}
			case "yaml":
				var v any
				if err := yaml.Unmarshal([]byte(b.text), &v); err != nil {
					t.Errorf("%s:%d: %v", p.name, b.line, err)
				}
			case "go":
				for line := range strings.Lines(b.text) {
					if p.name == "docs/embedding.md" && line != "// ...\n" && !strings.Contains(programs, "\t"+line) {
						t.Errorf("%s:%d: not in an example: %s", p.name, b.line, line)
					}
				}
			}
		}
	}
}

// TestREADMECosts sees that the prices of the README are those of the page.
func TestREADMECosts(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `.*")
	text := make(map[string][]string)
	for _, p := range readPages(t) {
		text[p.name] = row.FindAllString(p.prose, -1)
	}
	if len(text["README.md"]) == 0 {
		t.Error("no prices")
	}
	for _, r := range text["README.md"] {
		if !slices.Contains(text["docs/costs.md"], r) {
			t.Errorf("not in docs/costs.md: %s", r)
		}
	}
}

// parseTOML parses a snippet of patterns.toml, of scanner.toml or of a user's own
// configuration.
func parseTOML(text string) error {
	if strings.Contains(text, "[[patterns]]") {
		_, warnings, err := skill.Load(fstest.MapFS{
			"a/SKILL.md":      {Data: []byte("---\nname: a\ndescription: A.\n---\nLook.\n")},
			"a/patterns.toml": {Data: []byte(text)},
		}, "a")
		if err == nil && len(warnings) > 0 {
			err = fmt.Errorf("%v", warnings)
		}
		return err
	}
	if !strings.Contains(text, "version = 1") {
		text = "version = 1\n" + text
	}
	_, err := config.Parse("scanner.toml", []byte(text))
	if err == nil {
		return nil
	}
	if _, err2 := config.ParseUser("config.toml", []byte(text)); err2 != nil {
		return fmt.Errorf("%w\n%w", err, err2)
	}
	return nil
}

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// TestDocsLinks follows the relative links of the pages, to a heading too.
func TestDocsLinks(t *testing.T) {
	pages := readPages(t)
	anchors := make(map[string][]string)
	for _, p := range pages {
		for _, m := range heading.FindAllStringSubmatch(p.prose, -1) {
			anchors[p.name] = append(anchors[p.name], slug(m[1]))
		}
	}
	for _, p := range pages {
		for _, m := range link.FindAllStringSubmatch(p.prose, -1) {
			target, anchor, found := strings.Cut(m[1], "#")
			if strings.HasPrefix(target, "https://") {
				continue
			}
			name := p.name
			if target != "" {
				name = path.Join(path.Dir(p.name), target)
			}
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				t.Errorf("%s: %v", p.name, err)
			} else if found && !slices.Contains(anchors[name], anchor) {
				t.Errorf("%s: no heading #%s in %s", p.name, anchor, name)
			}
		}
	}
	for _, p := range pages {
		if dir, file := path.Split(p.name); dir == "docs/" && file != "README.md" && !slices.ContainsFunc(pages, func(index page) bool {
			return index.name == "docs/README.md" && strings.Contains(index.prose, "("+file+")")
		}) {
			t.Errorf("docs/README.md does not list %s", file)
		}
	}
}

// slug returns the anchor of a heading on GitHub.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestDocsVersion sees that the pages on installation name the version that is released.
func TestDocsVersion(t *testing.T) {
	number := regexp.MustCompile(`\b\d+\.\d+\.\d+\b`)
	for _, name := range []string{"../../docs/install.md", "../../docs/ci.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range number.FindAllString(string(data), -1) {
			if got != version {
				t.Errorf("%s: version %s, want %s", name, got, version)
			}
		}
	}
}

// TestDocsMessages sees that the headings of the page on messages are in the source.
func TestDocsMessages(t *testing.T) {
	source := strings.ReplaceAll(goSource(t), `\"`, `"`)
	for _, p := range readPages(t) {
		if p.name != "docs/troubleshooting.md" {
			continue
		}
		n := 0
		for _, h := range heading.FindAllStringSubmatch(p.prose, -1) {
			for _, m := range codeSpan.FindAllStringSubmatch(h[1], -1) {
				n++
				for part := range strings.SplitSeq(m[1], "…") {
					if part = strings.Trim(part, " :(,"); !strings.Contains(source, part) {
						t.Errorf("no message %q: %q is not in the source", m[1], part)
					}
				}
			}
		}
		if n < 40 {
			t.Errorf("only %d messages", n)
		}
	}
}
