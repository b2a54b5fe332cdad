package scanner_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/codescan-dev/scanner"

// importRule lists what a package may import in its non-test files.
type importRule struct {
	pkg string // relative to the module, "" for the root; "dir/*" for all below
	// ours are the packages of this module it may import, in the same form; nil
	// means none.
	ours   []string
	never  []string // packages of others, and of this module
	reason string
}

// importRules are in order of precedence: the first that matches a package
// counts. Every package needs one.
var importRules = []importRule{
	{
		pkg: "internal/text", never: sideEffects,
		reason: "every package can use it, so it depends on none",
	},
	{
		pkg: "internal/taint", never: sideEffects,
		reason: "it reads code, and knows nothing of where that comes from",
	},
	{
		pkg: "internal/syntax", never: sideEffects,
		reason: "it separates parts of a text, and knows nothing of where that comes from",
	},
	{
		pkg: "diff", ours: []string{"internal/syntax", "internal/text"}, never: sideEffects,
		reason: "what changed is a value: parsing and chunking depend on nothing around them",
	},
	{
		pkg: "provider", ours: []string{"internal/text", "internal/retry"}, never: sideEffects,
		reason: "the contract between the pipeline and the adapters must not know either",
	},
	{
		pkg: "internal/extract", ours: []string{"internal/text"}, never: sideEffects,
		reason: "it reads hostile text, and must be able to do nothing with it but return it",
	},
	{
		pkg: "internal/prefilter", never: sideEffects,
		reason: "it is about regular expressions alone",
	},
	{
		pkg: "internal/similar", never: sideEffects,
		reason: "it compares texts",
	},
	{
		pkg: "internal/match", ours: []string{"internal/similar", "internal/text"}, never: sideEffects,
		reason: "it compares hashes and titles, and knows neither reports nor code hosts",
	},
	{
		pkg: "internal/ignore", ours: []string{"internal/match", "internal/syntax", "internal/text", "internal/tomlfile"}, never: sideEffects,
		reason: "it reads bytes, and does not know where findings come from",
	},
	{
		pkg: "internal/regex", never: sideEffects,
		reason: "it is about regular expressions alone",
	},
	{
		pkg: "internal/weakness", never: sideEffects,
		reason: "it names what rules and judges refer to",
	},
	{
		pkg: "internal/seed", never: sideEffects,
		reason: "it changes text, and does not know where that is from",
	},
	{
		pkg: "internal/nearest", never: sideEffects,
		reason: "it compares words",
	},
	{
		pkg: "internal/complete", ours: []string{"internal/text"}, never: []string{"os/exec", "net/http", "flag"},
		reason: "it knows shells and directories, and nothing of what is completed",
	},
	{
		pkg: "internal/tomlfile", ours: []string{"internal/nearest", "internal/text"}, never: sideEffects,
		reason: "it decodes bytes, and the keys come from a type",
	},
	{
		pkg: "internal/format", never: sideEffects,
		reason: "it writes numbers",
	},
	{
		pkg: "internal/proc", never: []string{"net/http", "flag"},
		reason: "it starts and ends processes, and knows none of the programs",
	},
	{
		pkg: "internal/dotdir", ours: []string{"internal/text"}, never: []string{"net/http", "flag", "os/exec"},
		reason: "several packages keep files in it, which must not import each other",
	},
	{
		pkg: "internal/private", ours: []string{"internal/dotdir"}, never: []string{"net/http", "flag", "os/exec"},
		reason: "it looks at directories, and does not know what they are for",
	},
	{
		pkg: "internal/httperr", ours: []string{"provider", "internal/text"}, never: []string{"os", "os/exec", "flag"},
		reason: "it reads what adapters received, and makes no requests",
	},
	{
		pkg: "internal/httpapi", ours: []string{"provider", "internal/httperr"}, never: []string{"os", "os/exec", "flag"},
		reason: "it makes the requests of adapters, and knows none of their APIs",
	},
	{
		pkg: "internal/fallback", ours: []string{"provider"}, never: sideEffects,
		reason: "it decides what to send, and the pipeline and the tests of adapters send it",
	},
	{
		pkg: "internal/termtest", never: sideEffects,
		reason: "it shows what was written, and must not share the mistakes of what writes",
	},
	{
		pkg: "internal/retry", never: sideEffects,
		reason: "it repeats work, and knows neither models nor code hosts",
	},
	{
		pkg: "redact", ours: []string{"internal/*"}, never: sideEffects,
		reason: "it is about text alone",
	},
	{
		pkg: "internal/tools", ours: []string{"diff", "provider", "internal/prefilter", "internal/regex", "internal/text"}, never: sideEffects,
		reason: "what a model may read comes from the fs.FS it is given, and from nowhere else",
	},
	{
		pkg: "fix", ours: []string{"", "diff", "provider", "internal/*"}, never: []string{"net/http", "flag", "os/exec"},
		reason: "it changes files and nothing else",
	},
	{
		pkg: "internal/prompt", ours: []string{"diff", "provider", "internal/text"}, never: sideEffects,
		reason: "prompts are made of plain strings, so that they can be tested as text",
	},
	{
		pkg: "diff/gitdiff", ours: []string{"diff", "internal/*"}, never: []string{"net/http", "flag"},
		reason: "git is an adapter below the domain",
	},
	{
		pkg: "provider/*", ours: []string{"provider", "internal/*"}, never: []string{"flag"},
		reason: "adapters know the contract, and neither the domain nor each other",
	},
	{
		pkg: "", ours: []string{"diff", "provider", "internal/*"}, never: append([]string{"log", "testing"}, sideEffects...),
		reason: "the domain decides and measures; reading, writing and asking is done by what it is given",
	},
	{
		pkg: "skill", ours: []string{"", "diff", "provider", "internal/*"}, never: []string{"net/http", "flag", "os"},
		reason: "skills come from any fs.FS, a revision of the repository among them",
	},
	{
		pkg: "skill/skilltest", ours: []string{"", "diff", "skill", "jsonl", "provider", "provider/replay", "redact", "internal/*"}, never: []string{"flag", "os/exec", "net/http", "testing"},
		reason: "tests of skills run as part of other programs' tests, and make no requests of their own",
	},
	{
		pkg: "jsonl", ours: []string{"", "diff", "provider", "internal/*"}, never: []string{"net/http", "flag", "os/exec"},
		reason: "a format above the domain, not an adapter",
	},
	{
		pkg: "config", ours: []string{"", "diff", "provider", "internal/*"}, never: []string{"net/http", "flag", "os", "os/exec"},
		reason: "configuration is decoded from bytes, which may come from a revision",
	},
	{
		pkg: "cache", ours: []string{"", "diff", "provider", "internal/*"}, never: []string{"flag", "os/exec"},
		reason: "it keeps what the domain gives it",
	},
	{
		pkg: "internal/githubtest", ours: []string{"diff", "internal/hosttest"}, never: []string{"os", "os/exec", "flag", "testing", "net/http/httptest", module + "/github"},
		reason: "the tests of the client and those of the command use it, and it must not share the client's mistakes",
	},
	{
		pkg: "internal/gitlabtest", ours: []string{"diff", "internal/hosttest"}, never: []string{"os", "os/exec", "flag", "testing", "net/http/httptest", module + "/gitlab"},
		reason: "the tests of the client and those of the command use it, and it must not share the client's mistakes",
	},
	{
		pkg: "internal/hosttest", never: []string{"os", "os/exec", "flag", "testing", "net/http/httptest"},
		reason: "it makes answers for the tests of several packages, and knows no code host",
	},
	{
		pkg: "review", ours: []string{"", "diff", "jsonl", "internal/*"}, never: append([]string{"github.com/google/go-github"}, sideEffects...),
		reason: "what is posted on a change follows from the report, and is the same for every code host",
	},
	{
		pkg: "internal/posting", ours: []string{"review", "internal/httperr", "internal/retry"}, never: []string{"os", "os/exec", "flag"},
		reason: "it makes the writes of a plan, and knows none of the code hosts",
	},
	{
		pkg: "output", ours: []string{"", "diff", "jsonl", "review", "internal/*"}, never: sideEffects,
		reason: "it renders reports into writers that are handed in",
	},
	{
		pkg: "github", ours: []string{"", "diff", "review", "internal/*"}, never: []string{"os", "os/exec", "flag"},
		reason: "a code host is an adapter: it carries out a plan and runs nothing",
	},
	{
		pkg: "gitlab", ours: []string{"", "diff", "review", "internal/*"}, never: []string{"os", "os/exec", "flag"},
		reason: "a code host is an adapter: it carries out a plan and runs nothing",
	},
	{
		pkg: "internal/term", ours: []string{"", "diff", "provider", "internal/*"}, never: []string{"os", "os/exec", "net/http", "flag", "log", "github.com/urfave/cli/v2"},
		reason: "what a run looks like follows from the run; streams, width and clock are handed in",
	},
	{
		pkg: "project", ours: []string{"", "diff", "diff/gitdiff", "provider", "provider/*", "skill", "skill/skilltest", "config", "jsonl", "cache", "redact", "fix", "internal/*"},
		never:  []string{"flag", "log", "github.com/urfave/cli/v2", module + "/internal/term", module + "/internal/githubtest"},
		reason: "any program can embed it: it renders nothing, knows no code host, and its environment is handed in",
	},
	{
		pkg: "cmd/*", ours: []string{"*"},
		reason: "the command wires everything together",
	},
	{
		pkg: "internal/judge", ours: []string{"", "diff", "project", "internal/weakness"},
		reason: "it is a command for developers, and sees what users of the library see",
	},
	{
		pkg: "examples/*", ours: []string{"", "diff", "provider", "provider/openai", "skill", "skill/skilltest", "jsonl", "output", "review", "github", "project"},
		reason: "an example uses what any program can use",
	},
}

// sideEffects are the packages through which a program touches the world.
var sideEffects = []string{"os", "os/exec", "net/http", "flag"}

// TestImports walks the import graph of our own packages.
func TestImports(t *testing.T) {
	pkgs := list(t)
	if len(pkgs) < 8 {
		t.Fatalf("go list found %d packages: is the test run in the module?", len(pkgs))
	}
	for _, p := range pkgs {
		rel, _ := relative(p.ImportPath)
		i := slices.IndexFunc(importRules, func(r importRule) bool { return matches(r.pkg, rel) })
		if i < 0 {
			t.Errorf("package %q has no rule: add to importRules what it may import, and why", rel)
			continue
		}
		for _, imp := range p.Imports {
			if err := importRules[i].check(imp); err != nil {
				t.Errorf("package %q imports %q: %v", rel, imp, err)
			}
		}
	}
}

func TestImportRulesCatch(t *testing.T) {
	tests := []struct{ pkg, imp string }{
		{"diff", module},
		{"diff", "os"},
		{"", "net/http"},
		{"", module + "/config"},
		{"", "log"},
		{"provider/openai", module + "/provider/providertest"},
		{"provider/openai", module},
		{"config", module + "/jsonl"},
		{"internal/prompt", module},
	}
	for _, tt := range tests {
		i := slices.IndexFunc(importRules, func(r importRule) bool { return matches(r.pkg, tt.pkg) })
		if importRules[i].check(tt.imp) == nil {
			t.Errorf("the rules let %q import %q", tt.pkg, tt.imp)
		}
	}
}

func (r importRule) check(imp string) error {
	if slices.Contains(r.never, imp) {
		return fmt.Errorf("never, for %s", r.reason)
	}
	rel, ours := relative(imp)
	if !ours {
		return nil
	}
	for _, ok := range r.ours {
		if matches(ok, rel) {
			return nil
		}
	}
	return fmt.Errorf("of ours it may import %q only, for %s", r.ours, r.reason)
}

// relative returns a package of this module by its path in it.
func relative(pkg string) (rel string, ours bool) {
	if pkg == module {
		return "", true
	}
	return strings.CutPrefix(pkg, module+"/")
}

func matches(rule, rel string) bool {
	if rule == "*" {
		return true
	}
	if dir, ok := strings.CutSuffix(rule, "/*"); ok {
		return strings.HasPrefix(rel, dir+"/")
	}
	return rule == rel
}

type listed struct {
	ImportPath string
	Imports    []string
}

func list(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(describe(err))
	}
	var pkgs []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

func describe(err error) error {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w\n%s", err, e.Stderr)
	}
	return err
}
