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

// kindWords are in names of directories and files of a kind, as their first or last
// word.
var kindWords = map[Kind][]string{
	KindFixture:  {"fixture", "fixtures", "testdata", "mock", "mocks", "fake", "fakes"},
	KindTest:     {"test", "tests", "testing", "testsuite", "testcase", "testcases", "unittest", "unittests", "e2e", "conftest"},
	KindVendored: {"jquery"},
	KindExample:  {"example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials"},
}

// lastWords are such words that have another meaning at the beginning of a name.
var lastWords = map[Kind][]string{
	KindTest:          {"spec", "specs"},
	KindDocumentation: {"doc", "docs", "documentation"},
}

// kindNames are other names of directories, without what is not a letter or digit.
var kindNames = map[Kind][]string{
	KindVendored: {"vendor", "vendored", "thirdparty", "3rdparty", "nodemodules", "bowercomponents", "jspmpackages", "sitepackages", "pods", "godeps"},
}

var documentExtensions = []string{".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".rdoc", ".tex"}

// versioned matches the name of a copy of a web library.
var versioned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[-.]v?[0-9]+\.[0-9]+[^/]*\.(?:js|css)$`)
})

// KindOf returns the kind of a file, by the names in its path. A name is of a kind if its
// first or last word is one of that kind ("integration-tests", "user.spec.ts",
// "TestLogin.java", "config.sample.yml"), in some languages also by its ending; the name
// of a file in a hidden directory does not count. Of several kinds the first is used in the order fixture, test, vendored, example,
// documentation.
func KindOf(p string) Kind {
	best := len(kinds) - 1
	dir, file := path.Split(p)
	for name := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		words := nameWords(name)
		best = min(best, firstKind(func(k Kind) bool {
			return isKind(k, words) || slices.Contains(kindNames[k], strings.Join(words, ""))
		}))
	}
	if strings.HasPrefix(dir, ".") || strings.Contains(dir, "/.") {
		return kinds[best] // ".github/workflows/tests.yml" is not a test
	}
	ext := strings.ToLower(path.Ext(file))
	stem := nameWords(strings.TrimSuffix(file, path.Ext(file)))
	best = min(best, firstKind(func(k Kind) bool {
		switch {
		case k == KindTest && ext == ".go": // no other file is one for the go command
			return strings.HasSuffix(file, "_test.go")
		case k == KindTest && len(stem) == 1 && slices.Contains(lastWords[k], stem[0]):
			return false
		case k == KindVendored && versioned().MatchString(file),
			k == KindDocumentation && slices.Contains(documentExtensions, ext),
			k == KindExample && isKind(k, nameWords(file)): // ".env.example"
			return true
		}
		return isKind(k, stem)
	}))
	return kinds[best]
}

// firstKind returns the index of the first kind that is one; KindProduct always is.
func firstKind(is func(Kind) bool) int {
	return slices.IndexFunc(kinds, func(k Kind) bool { return k == KindProduct || is(k) })
}

// isKind reports whether the words of a name make it one of a kind.
func isKind(k Kind, words []string) bool {
	if len(words) == 0 {
		return false
	}
	first, last := words[0], words[len(words)-1]
	return slices.Contains(kindWords[k], first) || slices.Contains(kindWords[k], last) || slices.Contains(lastWords[k], last)
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
