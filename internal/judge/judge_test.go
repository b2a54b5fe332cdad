package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// verdictsOf returns what read finds in files, by place.
func verdictsOf(t *testing.T, files map[string]string) map[place]verdict {
	t.Helper()
	tree := make(fstest.MapFS)
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	s, err := read(tree)
	if err != nil {
		t.Fatal(err)
	}
	for p := range s.verdicts {
		if s.files[p.path] == nil {
			t.Errorf("no contents of %q", p.path)
		}
	}
	return s.verdicts
}

func diffVerdicts(t *testing.T, got, want map[place]verdict) {
	t.Helper()
	if d := cmp.Diff(want, got, cmp.AllowUnexported(place{}, verdict{})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestReadComments(t *testing.T) {
	const rules = `
rules:
- id: search
  metadata: {cwe: "CWE-89: SQL injection", category: security}
  patterns:
  - pattern: $DB.query($X + $Y)
  - pattern-not-inside: |
      def f():
        ...
- id: over-lines
  metadata: {cwe: ["CWE-1: other", "CWE-78: command injection"]}
  pattern: |
    $X = input()
    ...
    system($X)
- id: taint
  mode: taint
  metadata: {cwe: ["CWE-79: XSS"]}
  pattern-sinks: [{pattern: show(...)}]
- id: style
  metadata: {category: best-practice}
  pattern: f()
`
	tests := []struct {
		name, file, text string
		want             map[place]verdict
	}{
		{"problem", "a/x.py", "import db\n# ruleid: search\ndb.query(a + b)\n", map[place]verdict{
			{"a/x.py", "sql-injection", 3, 3}: {1, true},
		}},
		{"good place", "a/x.js", "  //ok:taint\n  show('x')\n", map[place]verdict{
			{"a/x.js", "xss", 2, 2}: {0, false},
		}},
		{"statement over lines", "a/x.py", "# ruleid: over-lines\nsystem(\n  x,\n)\ny()\n", map[place]verdict{
			{"a/x.py", "command-injection", 2, 4}: {1, false},
		}},
		{"long statement", "a/x.py", "# ruleid: search\nf(\n1,\n2,\n3,\n4,\n5)\n", map[place]verdict{
			{"a/x.py", "sql-injection", 2, 6}: {1, true},
		}},
		{"statement up to the next label", "a/x.py", "# ruleid: search\nif x:\n  # ok: search\n  y()\n", map[place]verdict{
			{"a/x.py", "sql-injection", 2, 2}: {1, true},
			{"a/x.py", "sql-injection", 4, 4}: {0, false},
		}},
		{"several ids", "a/x.html", "<!-- ruleid: taint, style -->\n<p>\n", map[place]verdict{
			{"a/x.html", "xss", 2, 2}:           {1, false},
			{"a/x.html", "best-practice", 2, 2}: {1, true},
		}},
		{"several labels of a class", "a/x.py", "# ok: search\n# ruleid: sql-injection\nq()\n", map[place]verdict{
			{"a/x.py", "sql-injection", 3, 3}: {1, false},
		}},
		{"class by name", "b/x.c", "/* ruleid: memory-safety */\ngets(b);\n", map[place]verdict{
			{"b/x.c", "memory-safety", 2, 2}: {1, false},
		}},
		{"workflow", "yaml/github-actions/security/x.test.yaml", "a:\n# ruleid: workflow-injection\n- run: x\n", map[place]verdict{
			{".github/workflows/x.test.yaml", "workflow-injection", 3, 3}: {1, false},
		}},
		{"block of YAML", "c/x.yaml", "steps:\n# ruleid: permissions\n- uses: x\n  with:\n    a: b\n- run: y\n", map[place]verdict{
			{"c/x.yaml", "permissions", 3, 5}: {1, false},
		}},
		{"mistake of the foreign rule", "a/x.py", "# todoruleid: search\nq(x)\n# todook: search\nq(x)\n# deepruleid: search\nq()\n", map[place]verdict{}},
		{"fixed file", "a/x.fixed.py", "# ruleid: search\nq(x)\n", map[place]verdict{}},
		{"not a comment", "a/x.py", "ok: search\nif ok:\n  q()\n", map[place]verdict{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			diffVerdicts(t, verdictsOf(t, map[string]string{"a/rules.yaml": rules, tt.file: tt.text}), tt.want)
		})
	}
}

func TestReadTestsOfOthers(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  map[place]verdict
	}{
		{"gosec", map[string]string{
			"testutils/sample_types.go": "package testutils",
			"testutils/g204_samples.go": "var SampleCodeG204 = []CodeSample{\n" +
				"\t{[]string{`\npackage a\n`}, 2, gosec.NewConfig()},\n" +
				"\t{Code: []string{`\npackage b\n`}, Errors: 0, Config: gosec.NewConfig()},\n" +
				"\t{[]string{`package c`}, 1, gosec.Config{\"G204\": nil}},\n" +
				"\t{[]string{`package d`, `package e`}, 1, gosec.NewConfig()},\n}\n",
		}, map[place]verdict{
			{path: "g204/0.go", class: "command-injection"}: {2, false},
			{path: "g204/1.go", class: "command-injection"}: {0, false},
		}},
		{"bandit", map[string]string{
			"tests/functional/test_functional.py": `
    def test_eval(self):
        expect = {
            "SEVERITY": {"UNDEFINED": 0, "LOW": 5, "MEDIUM": 3, "HIGH": 1},
            "CONFIDENCE": {"UNDEFINED": 0, "LOW": 0, "MEDIUM": 0, "HIGH": 9},
        }
        self.check_example("eval.py", expect)

    def test_several_classes(self):
        expect = {
            "SEVERITY": {"UNDEFINED": 0, "LOW": 5, "MEDIUM": 3, "HIGH": 1},
            "CONFIDENCE": {"UNDEFINED": 0, "LOW": 0, "MEDIUM": 0, "HIGH": 9},
        }
        self.check_example("imports.py", expect)
`,
			"examples/eval.py": "eval(x)\n",
		}, map[place]verdict{
			{path: "eval.py", class: "code-injection"}: {4, false},
		}},
		{"brakeman", map[string]string{
			"lib/brakeman.rb": "",
			"test/tests/rails.rb": `
class RailsTests < Minitest::Test
  def report
    BrakemanTester.run_scan "rails", "Rails"
  end

  def test_sql
    assert_warning :type => :warning,
      :warning_type => "SQL Injection",
      :line => 1,
      :message => /^Possible/,
      :file => /user\.rb/
  end

  def test_redirect
    assert_no_warning type: :warning,
      warning_type: "Redirect",
      line: 2,
      relative_path: "app/models/user.rb"
  end

  def test_version
    assert_warning :warning_type => "SQL Injection",
      :line => 1,
      :file => /Gemfile/
  end
end
`,
			"test/apps/rails/app/models/user.rb": "find(params[:x])\nredirect_to '/'\n",
			"test/apps/rails/Gemfile":            "gem 'x'\n",
		}, map[place]verdict{
			{"test/apps/rails/app/models/user.rb", "sql-injection", 1, 1}: {1, true},
			{"test/apps/rails/app/models/user.rb", "open-redirect", 2, 2}: {0, false},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { diffVerdicts(t, verdictsOf(t, tt.files), tt.want) })
	}
}

// TestScore shows what counts as found and as an alarm.
func TestScore(t *testing.T) {
	sql, xss, secret := &rule{class: "sql-injection"}, &rule{class: "xss"}, &rule{}
	s := &labeled{verdicts: map[place]verdict{
		{"a.py", "sql-injection", 3, 5}:        {1, true},  // found by two findings
		{"a.py", "sql-injection", 9, 9}:        {1, false}, // found only by another class
		{"a.py", "sql-injection", 20, 20}:      {0, false}, // alarm
		{"a.py", "sql-injection", 30, 30}:      {0, false}, // silent
		{"b.py", "xss", 0, 0}:                  {3, false}, // two of three lines
		{"a.py", "deserialization", 40, 40}:    {1, true},  // no rule at all
		{path: "c.zzz", class: "xss", last: 1}: {1, true},
	}}
	hits := map[string][]*hit{
		"a.py": {
			{rule: sql, first: 5, last: 5}, {rule: sql, first: 1, last: 3}, {rule: sql, first: 6, last: 8},
			{rule: xss, first: 9, last: 9}, {rule: sql, first: 20, last: 20}, {rule: secret, first: 40, last: 40},
		},
		"b.py": {{rule: xss, first: 1, last: 1}, {rule: xss, first: 1, last: 2}, {rule: xss, first: 7, last: 7}},
	}
	rules := map[string]*rule{"s/sql": sql, "s/xss": xss, "s/secret": secret}

	var figures, perRule strings.Builder
	printFigures(&figures, score("test", s, rules, hits))
	printRules(&perRule, rules)
	want := `
source  class          language  bad  found  recall  evident  found  recall  good  alarms  rate
test    sql-injection  python    2    1      50%     1        1      100%    2     1       50%
test    xss            python    3    2      67%     0        0      -       0     0       -
test    xss            zzz       1    0      0%      1        0      0%      0     0       -
# all   claimed        -         6    3      50%     2        1      50%     2     1       50%
# all   not-claimed    -         1    0      0%      1        0      0%      0     0       -
# test  claimed        -         6    3      50%     2        1      50%     2     1       50%
# test  not-claimed    -         1    0      0%      1        0      0%      0     0       -
`
	if d := cmp.Diff(want, "\n"+figures.String()); d != "" {
		t.Errorf("figures (-want +got)\n%s", d)
	}
	want = `
rule      found  alarms  precision  unlabeled
s/secret  0      0       -          1
s/sql     1      1       50%        1
s/xss     1      0       100%       1
`
	if d := cmp.Diff(want, "\n"+perRule.String()); d != "" {
		t.Errorf("rules (-want +got)\n%s", d)
	}
}
