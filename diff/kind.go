package diff

import (
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Kind is what a file is for.
type Kind string

// The kinds.
const (
	KindProduct       Kind = "" // everything else
	KindFixture       Kind = "fixture"
	KindTest          Kind = "test"
	KindVendored      Kind = "vendored"
	KindExample       Kind = "example"
	KindDocumentation Kind = "documentation"
)

// kinds are in the order of precedence: a file in "vendor/x/testdata" is a fixture.
var kinds = []Kind{KindFixture, KindTest, KindVendored, KindExample, KindDocumentation, KindProduct}

// kindWords are words that names of directories and files of a kind begin or end with.
var kindWords = map[string]Kind{
	"fixture": KindFixture, "fixtures": KindFixture, "testdata": KindFixture, "mock": KindFixture, "mocks": KindFixture,
	"fake": KindFixture, "fakes": KindFixture,
	"test": KindTest, "tests": KindTest, "testing": KindTest, "testsuite": KindTest, "testcase": KindTest, "testcases": KindTest,
	"unittest": KindTest, "unittests": KindTest, "e2e": KindTest, "conftest": KindTest,
	"example": KindExample, "examples": KindExample, "sample": KindExample, "samples": KindExample,
	"demo": KindExample, "demos": KindExample, "tutorial": KindExample, "tutorials": KindExample,
	"jquery": KindVendored,
}

// lastWords are such words that have another meaning at the beginning of a name.
var lastWords = map[string]Kind{
	"spec": KindTest, "specs": KindTest,
	"doc": KindDocumentation, "docs": KindDocumentation, "documentation": KindDocumentation,
}

// dirNames are the names of directories that have several words or mean something else
// as a part of a name, without what is neither a letter nor a digit.
var dirNames = map[string]Kind{
	"vendor": KindVendored, "vendored": KindVendored, "thirdparty": KindVendored, "3rdparty": KindVendored, "nodemodules": KindVendored,
	"bowercomponents": KindVendored, "jspmpackages": KindVendored, "sitepackages": KindVendored, "pods": KindVendored, "godeps": KindVendored,
}

var documentExtensions = []string{".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".rdoc", ".tex"}

// versioned matches the name of a copy of a web library.
var versioned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[-.]v?[0-9]+\.[0-9]`) })

// KindOf returns the kind of a file, by the names in its path. A name is of a kind if its
// first or last word is one of that kind ("integration-tests", "user.spec.ts",
// "TestLogin.java", "config.sample.yml"), in some languages also by its ending; the name
// of a file in a hidden directory does not count. Of several kinds the first is used in
// the order fixture, test, vendored, example, documentation.
func KindOf(p string) Kind {
	found := make([]Kind, 0, 32)
	var buf [8]string
	dir, file := path.Split(p)
	for name := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		words := appendWords(buf[:0], name)
		found = append(found, dirNames[strings.Join(words, "")])
		if n := len(words); n > 0 {
			found = append(found, kindWords[words[0]], kindWords[words[n-1]], lastWords[words[n-1]])
		}
	}
	if !strings.HasPrefix(dir, ".") && !strings.Contains(dir, "/.") { // ".github/workflows/tests.yml" is not a test
		found = appendFileKinds(found, file)
	}
	for _, k := range kinds {
		if slices.Contains(found, k) {
			return k
		}
	}
	return KindProduct
}

// appendFileKinds appends the kinds that the name of a file has.
func appendFileKinds(found []Kind, file string) []Kind {
	ext := strings.ToLower(path.Ext(file))
	add := func(k Kind) {
		if k != KindTest || ext != ".go" { // the go command takes no other file for a test
			found = append(found, k)
		}
	}
	add(kindWords[strings.TrimPrefix(ext, ".")]) // ".env.example"
	var buf [8]string
	words := appendWords(buf[:0], strings.TrimSuffix(file, path.Ext(file)))
	if n := len(words); n > 0 {
		add(kindWords[words[0]])
		add(kindWords[words[n-1]])
		if n > 1 {
			add(lastWords[words[n-1]])
		}
	}
	switch {
	case strings.HasSuffix(file, "_test.go"):
		return append(found, KindTest)
	case (ext == ".js" || ext == ".css") && versioned().MatchString(file):
		return append(found, KindVendored)
	case slices.Contains(documentExtensions, ext):
		return append(found, KindDocumentation)
	}
	return found
}

// testImport matches the line that makes a framework for tests known to a file.
var testImport = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(?:import|from|using|use|require|#\s*include)\b.*\b(?:pytest|unittest|gtest|[jnx]unit|testng|phpunit|rspec|vitest|minitest|node:test|playwright/test|@jest)\b`)
})

// importsTests reports whether one of lines is such an import. Only those that the file
// had before the change count, so that a change cannot make a file a test.
func importsTests(lines iter.Seq[string]) bool {
	for l := range lines {
		// All have one of these, and the expression is slow.
		if (strings.Contains(l, "est") || strings.Contains(l, "nit") || strings.Contains(l, "spec")) && testImport().MatchString(l) {
			return true
		}
	}
	return false
}
