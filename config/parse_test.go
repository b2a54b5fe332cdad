package config

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/tomlfile"
)

var update = flag.Bool("update", false, "write the goldens in testdata")

// TestGolden compares the whole message of each bad file with its golden. Files whose name begins with "user" are read as the user's file.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			read, shown := Parse, "scanner.toml"
			if strings.HasPrefix(name, "user") {
				read, shown = ParseUser, "~/.config/scanner/config.toml"
			}
			f, err := read(shown, data)
			if err == nil || f != nil {
				t.Fatalf("got %v, %v, want an error and no file", f, err)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("a secret is shown:\n%v", err)
			}
			got := err.Error() + "\n"
			golden := strings.TrimSuffix(file, ".toml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, string(want)); d != "" {
				t.Errorf("message (-got +want):\n%s", d)
			}
		})
	}
}

func TestParseProblems(t *testing.T) {
	problem := func(line, column int, path, message, hint string) tomlfile.Problem {
		return tomlfile.Problem{Line: line, Column: column, Path: path, Message: message, Hint: hint}
	}
	tests := []struct {
		name string
		text string
		want []tomlfile.Problem
	}{
		{"empty", "", []tomlfile.Problem{problem(1, 1, "version", "`version = 1` is required", "make it the first line of the file")}},
		{"key of a table of the other file", "version = 1\nmaxAge = '3d'", []tomlfile.Problem{problem(2, 1, "maxAge", "unknown key", "known keys are version, defaults, skills, provider, runner, logs")}},
		{"comment only", "# nothing\n", []tomlfile.Problem{problem(1, 1, "version", "`version = 1` is required", "make it the first line of the file")}},
		{"other version", "version = 2", []tomlfile.Problem{problem(1, 11, "version", "got 2, want the number 1: `version = 1` is required", "")}},
		{"negative version", "version = -1", []tomlfile.Problem{problem(1, 11, "version", "got -1, want the number 1: `version = 1` is required", "")}},
		{"version zero", "version = 0", []tomlfile.Problem{problem(1, 11, "version", "got 0, want the number 1: `version = 1` is required", "")}},
		{"version as a string", `version = "1"`, []tomlfile.Problem{problem(1, 11, "version", "got a string, want the number 1: `version = 1` is required", "")}},
		{"version as a float", `version = 1.0`, []tomlfile.Problem{problem(1, 11, "version", "got a number with a fraction, want the number 1: `version = 1` is required", "")}},
		{"version in a table", "[version]\n", []tomlfile.Problem{problem(1, 2, "version", "got a table, want the number 1: `version = 1` is required", "")}},
		{"misspelled version is not missing, too", "Version = 1", []tomlfile.Problem{problem(1, 1, "Version", `unknown key, did you mean "version"?`, "keys are case-sensitive")}},
		{"columns count characters", "version = 1\nlogs = { \"größe\" = \"äöü\", cleanup = \"x\" }\n", []tomlfile.Problem{
			problem(2, 10, `logs."größe"`, "unknown key", "known keys are cleanup, retentionDays"),
			problem(2, 37, "logs.cleanup", `got "x", want ask, auto or never`, ""),
		}},
		{"byte order mark and CRLF", "\ufeffversion = 2\r\nlog = 1\r\n", []tomlfile.Problem{
			problem(1, 11, "version", "got 2, want the number 1: `version = 1` is required", ""),
			problem(2, 1, "log", `unknown key, did you mean "logs"?`, ""),
		}},
		{"not UTF-8", "version = 1\n# caf\xe9\n", []tomlfile.Problem{problem(2, 6, "", "not valid UTF-8", "save the file as UTF-8")}},
		{"UTF-16", "\xff\xfev\x00e\x00", []tomlfile.Problem{problem(1, 1, "", "not valid UTF-8", "save the file as UTF-8")}},
		{"NUL", "version = 1\nname = \"\x00\"", []tomlfile.Problem{problem(2, 9, "", "not valid TOML: basic strings cannot have control characters", "")}},
		{"syntax", "version = 1\n[defaults\nreportOn = 3", []tomlfile.Problem{problem(2, 10, "", "not valid TOML: expected ']' to close table name", "")}},
		{"syntax after wide characters", "version = 1\n\"äöü\" = ", []tomlfile.Problem{problem(2, 8, "", "not valid TOML: expected value, not end of input", "")}},
		{"a letter that is not ASCII", "version = 1\nß = 1\n", []tomlfile.Problem{problem(2, 1, "", "not valid TOML: invalid character at start of key: U+00DF 'ß'", "")}},
		{"key twice", "version = 1\nversion = 1\n", []tomlfile.Problem{problem(2, 1, "version", "not valid TOML: key version is already defined", "")}},
		{"table twice", "version = 1\n[logs]\n[logs]\n", []tomlfile.Problem{problem(3, 2, "logs", "not valid TOML: table logs already exists", "")}},
		{"too large a number", "version = 1\n[runner]\nconcurrency = 9223372036854775808", []tomlfile.Problem{
			problem(3, 15, "runner.concurrency", "not valid TOML: decimal number is too large to fit in a 64-bit signed integer", "")}},
		{"path of a syntax error with indexes", "version = 1\n[[skills]]\n[[skills]]\n[[skills.triggers]]\nmaxFindings = 99999999999999999999\n", []tomlfile.Problem{
			problem(5, 15, "skills[1].triggers[0].maxFindings", "not valid TOML: decimal number is too large to fit in a 64-bit signed integer", "")}},
		{"unknown keys are escaped", "version = 1\n\"\\u001b[31m\\n\\u202e\" = 1", []tomlfile.Problem{
			problem(2, 1, `"\x1b[31m\n\u202e"`, "unknown key", "known keys are version, defaults, skills, provider, runner, logs")}},
		{"values are escaped and cut", "version = 1\nlogs.cleanup = \"\\u001b]" + strings.Repeat("x", 100) + "\"", []tomlfile.Problem{
			problem(2, 16, "logs.cleanup", `got "\x1b]`+strings.Repeat("x", 58)+`…", want ask, auto or never`, "")}},
		{"dotted and inline keys have places", "version = 1\nrunner.concurrency = 0\ndefaults = {chunking = {coalesce = {maxChunkSize = 0}}}", []tomlfile.Problem{
			problem(2, 22, "runner.concurrency", "got 0, want a whole number from 1 to 1000", ""),
			problem(3, 52, "defaults.chunking.coalesce.maxChunkSize", "got 0, want a whole number of characters from 1 to 10000000", ""),
		}},
		{"an element of a wrong type hides no other", "version = 1\nskills = [3, {name = \"\"}, {}]", []tomlfile.Problem{
			problem(2, 11, "skills[0]", "got a whole number, want a table", ""),
			problem(2, 22, "skills[1].name", `got "", want a name without slashes and control characters`, ""),
			problem(2, 27, "skills[2].name", "missing, want a name without slashes and control characters", ""),
		}},
		{"commit and hash of a skill", "version = 1\nskills = [{name = \"a\", rev = \"main\", sha256 = \"" + strings.Repeat("A", 64) + "\"}, {name = \"b\", rev = \"" + strings.Repeat("0", 40) + "\"}]", []tomlfile.Problem{
			problem(2, 11, "skills[0].source", "source is required with rev", ""),
			problem(2, 30, "skills[0].rev", `got "main", want the full name of a commit`, ""),
			problem(2, 47, "skills[0].sha256", `got "`+strings.Repeat("A", 60)+`…", want 64 hexadecimal digits`, ""),
			problem(2, 116, "skills[1].source", "source is required with rev", ""),
		}},
		{"names with an empty one between", "version = 1\nskills = [{name = \"a\"}, {name = \"b\"}, {name = \"a\"}, {name = \"a\"}, {name = \"b\"}]", []tomlfile.Problem{
			problem(2, 47, "skills[2].name", "Duplicate skill names: a", "names must be unique"),
			problem(2, 75, "skills[4].name", "Duplicate skill names: b", "names must be unique"),
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Parse("scanner.toml", []byte(tt.text))
			e, ok := errors.AsType[*tomlfile.Error](err)
			if !ok || f != nil {
				t.Fatalf("got %v, %v, want an *Error", f, err)
			}
			if d := cmp.Diff(e.Problems, tt.want); d != "" {
				t.Errorf("problems (-got +want):\n%s", d)
			}
		})
	}
}

// TestParseValues checks single values, good and bad, of every key with a range.
func TestParseValues(t *testing.T) {
	threshold := []string{`"high"`, `"medium"`, `"low"`, `"off"`}
	noThreshold := []string{`"critical"`, `"info"`, `"High"`, `"high "`, `""`, `0`, `true`, `["high"]`}
	keys := []struct {
		key       string // with a verb for the value
		good, bad []string
	}{
		{"defaults.reportOn = %s", threshold, noThreshold},
		{"defaults.minConfidence = %s", threshold, noThreshold},
		{"defaults.failOn = %s", threshold, noThreshold},
		{"skills = [{name = 'a', reportOn = %s}]", threshold, noThreshold},
		{"skills = [{name = 'a', minConfidence = %s}]", threshold, noThreshold},
		{"skills = [{name = 'a', failOn = %s}]", threshold, noThreshold},
		{"skills = [{name = 'a', triggers = [{type = 'pull_request', reportOn = %s}]}]", threshold, noThreshold},
		{"skills = [{name = 'a', triggers = [{type = 'pull_request', minConfidence = %s}]}]", threshold, noThreshold},
		{"skills = [{name = 'a', triggers = [{type = 'pull_request', failOn = %s}]}]", threshold, noThreshold},
		{"defaults.maxFindings = %s", []string{"1", "1_000", "0x10"}, []string{"0", "-1", "1.0", `"1"`}},
		{"skills = [{name = 'a', maxFindings = %s}]", []string{"1"}, []string{"0", "-1"}},
		{"skills = [{name = 'a', triggers = [{type = 'pull_request', maxFindings = %s}]}]", []string{"1"}, []string{"0", "-1"}},
		{"defaults.ignorePaths = %s", []string{"[]", "['a/**', 'b/', '*.{x,y}']"}, []string{"'a'", "['']", "['[']", "['!a']", "['../a']", "['a', 1]", "[['a']]"}},
		{"defaults.batchDelayMs = %s", []string{"0", "86400000"}, []string{"-1", "86400001", "0.5"}},
		{"defaults.reportOnSuccess = %s", []string{"true", "false"}, []string{"1", `"true"`, `"yes"`}},
		{"defaults.chunking.coalesce.enabled = %s", []string{"true", "false"}, []string{"1"}},
		{"defaults.chunking.coalesce.maxGapLines = %s", []string{"0", "30"}, []string{"-1", "2.5"}},
		{"defaults.chunking.coalesce.maxChunkSize = %s", []string{"1", "8000"}, []string{"0", "-1", "99999999999"}},
		{"defaults.chunking.filePatterns = [{pattern = %s}]", []string{"'*.x'"}, []string{"''", "'{'", "1"}},
		{"defaults.chunking.filePatterns = [{pattern = '*', mode = %s}]", []string{"'skip'", "'per-chunk'", "'whole-file'"}, []string{"'Skip'", "''", "'perChunk'"}},
		{"runner.concurrency = %s", []string{"1", "1000"}, []string{"0", "-4", "1001", "1.5", "'2'"}},
		{"runner.timeoutMs = %s", []string{"1", "86400000"}, []string{"0", "-1", "9223372036854775807"}},
		{"runner.maxCost = %s", []string{"0.01", "5", "1e3"}, []string{"0", "0.0", "-1.5", "inf", "nan", "-inf", "'5'"}},
		{"runner.maxTokens = %s", []string{"1", "9223372036854775807"}, []string{"0", "-1", "1e6"}},
		{"logs.cleanup = %s", []string{"'ask'", "'auto'", "'never'"}, []string{"'Ask'", "''", "'always'", "false"}},
		{"logs.retentionDays = %s", []string{"1", "100000"}, []string{"0", "-30", "100001", "30.0", "2026-01-01"}},
		{"provider.model = %s", []string{"'gpt-4.1'", "'org/model:tag'"}, []string{"''", "' '", `"a\nb"`, "1"}},
		{"provider.auxiliaryModel = %s", []string{"'x'"}, []string{"''"}},
		{"provider.agent = %s", []string{"'claude'", "'codex'", "'gemini'", "'opencode'"}, []string{"''", "'Claude'", "'/bin/sh'"}},
		{"skills = [{name = %s}]", []string{"'a'", "'Ünï code'", "'a.b'"}, []string{"''", "' a'", "'a/b'", `'a\b'`, "'..'", "'.'", `"a\u0000b"`, `"a\nb"`, `"a\u202eb"`, "1"}},
		{"skills = [{name = 'a', path = %s}]", []string{"'skills/a'", "'.scanner/skills/a'"}, []string{"''", "'.'", "'..'", "'../a'", "'/a'", "'a/../b'", "'./a'", "'a/'", "'a//b'", `'a\b'`, "'C:/a'", `"a\u0007"`}},
		{"skills = [{name = 'a', paths = %s}]", []string{"[]", "['src/**']"}, []string{"'src/**'", "['']", "['src/[']"}},
		{"skills = [{name = 'a', ignorePaths = %s}]", []string{"['src/**']"}, []string{"['!x']"}},
		{"skills = [{name = 'a', model = %s}]", []string{"'m'"}, []string{"''"}},
		{"skills = [{name = 'a', triggers = [%s]}]",
			[]string{"{type = 'pull_request'}", "{type = 'pull_request', actions = ['opened', 'synchronize', 'reopened', 'ready_for_review', 'labeled', 'closed']}", "{type = 'pull_request', drafts = true}", "{type = 'pull_request', drafts = false}"},
			[]string{"{}", "{type = ''}", "{type = 'push'}", "{type = 'schedule'}", "{type = 'pull_request', actions = []}", "{type = 'pull_request', actions = ['edited']}", "{type = 'pull_request', actions = 'opened'}", "{type = 'pull_request', drafts = 'no'}"}},
		{"skills = [{name = 'a', paths = ['**'], triggers = [%s]}]",
			[]string{"{type = 'schedule'}", "{type = 'schedule'}, {type = 'pull_request'}"},
			[]string{"{type = 'schedule', actions = ['opened']}", "{type = 'schedule', actions = []}", "{type = 'schedule', drafts = true}", "{type = 'schedule', drafts = false}"}},
	}
	for _, k := range keys {
		for _, v := range k.good {
			text := "version = 1\n" + fmt.Sprintf(k.key, v)
			if _, err := Parse("scanner.toml", []byte(text)); err != nil {
				t.Errorf("%s\ngot %v, want no error", text, err)
			}
			checkJudgment(t, inProject, text, nil)
		}
		for _, v := range k.bad {
			text := "version = 1\n" + fmt.Sprintf(k.key, v)
			_, err := Parse("scanner.toml", []byte(text))
			checkJudgment(t, inProject, text, err)
			e, ok := errors.AsType[*tomlfile.Error](err)
			if !ok || len(e.Problems) != 1 || e.Problems[0].Line != 2 || e.Problems[0].Path == "" {
				t.Errorf("%s\ngot %v, want one problem in line 2", text, err)
			}
		}
	}
}

func TestParseUserValues(t *testing.T) {
	tests := []struct {
		key       string
		good, bad []string
	}{
		{"provider.kind = %s", []string{"'openai'", "'anthropic'", "'gemini'"}, []string{"''", "'OpenAI'", "'ollama'"}},
		{"provider.baseURL = %s",
			[]string{"'https://api.example.com/v1'", "'http://127.0.0.1:8080'", "'http://[::1]:80/v1?api-version=2'"},
			[]string{"''", "'api.example.com'", "'ftp://x'", "'https://'", "'https://u:hunter2@h'", "'https://h#f'", "'http://:80'", `"http://h\u0007"`, "1"}},
		{"provider.redact = %s", []string{"true", "false"}, []string{"1"}},
		{"provider.agentEnv = %s", []string{`["AWS_PROFILE", "AWS_*", "_x"]`}, []string{`"AWS_PROFILE"`, `["*"]`, `["A=1"]`, `["A*B"]`, `[""]`, `["1"]`}},
		{"provider.sendFiles = %s", []string{`["/dev.env", "test/"]`}, []string{`"x"`, `["["]`}},
		{"provider.prices.m = %s",
			[]string{"{input = 1, output = 2}", "{input = 0.0, output = 0, cacheRead = 0.1, cacheWrite = 1.25}"},
			[]string{"1", "{input = 1}", "{input = -1, output = 2}", "{input = 1, output = nan}", "{input = 1, output = 'x'}", "{input = 1, output = 1, cacheRead = -0.1}", "{input = 1, output = 2, cached = 1}"}},
		{"cache.url = %s", []string{"'https://u:p@cache.example.com/x'", "'http://127.0.0.1:8080'"},
			[]string{"''", "'cache.example.com'", "'ftp://x'", "'https://h?q'", "'https://h#f'", "1"}},
		{"cache.maxSize = %s", []string{"'1 B'", "'500MB'", "'2 TiB'"}, []string{"''", "'0 B'", "'1.5 GB'", "'10'", "'-1 B'", "'1  MB'", "'1 mb'", "'999999999 TiB'", "1000"}},
		{"cache.maxAge = %s", []string{"'1m'", "'12h'", "'30 d'"}, []string{"''", "'0d'", "'1w'", "'1d12h'", "'999999999d'", "30"}},
		{"fix.check = %s", []string{"[]", "['go vet ./...']"}, []string{"'go vet'", "['']", "[['go']]", `["a\nb"]`}},
	}
	for _, k := range tests {
		for _, v := range k.good {
			text := "version = 1\n" + fmt.Sprintf(k.key, v)
			if _, err := ParseUser("config.toml", []byte(text)); err != nil {
				t.Errorf("%s\ngot %v, want no error", text, err)
			}
			checkJudgment(t, inUser, text, nil)
			_, err := Parse("scanner.toml", []byte(text))
			checkJudgment(t, inProject, text, err)
			if err == nil || !strings.Contains(err.Error(), "belongs in the user's file, $XDG_CONFIG_HOME/scanner/config.toml") {
				t.Errorf("%s\nin scanner.toml: got %v, want the place where it belongs", text, err)
			}
		}
		for _, v := range k.bad {
			text := "version = 1\n" + fmt.Sprintf(k.key, v)
			_, err := ParseUser("config.toml", []byte(text))
			checkJudgment(t, inUser, text, err)
			e, ok := errors.AsType[*tomlfile.Error](err)
			if !ok || len(e.Problems) != 1 || e.Problems[0].Line != 2 || e.Problems[0].Path == "" {
				t.Errorf("%s\ngot %v, want one problem in line 2", text, err)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s\na password is shown: %v", text, err)
			}
		}
	}
}

func TestParseGood(t *testing.T) {
	text := `
version = 1
skills = []
[defaults]
reportOn = "off"
maxFindings = 3
chunking.filePatterns = [
  { pattern = "*.x" },
  { pattern = "**", mode = "whole-file" }, # last
]
[runner]
maxCost = 2
`
	want := builtIn()
	want.Skills = []Skill{{Name: defaultSkill, Thresholds: Thresholds{ReportOn: scanner.ThresholdOff, MaxFindings: 3}}}
	want.Defaults.ReportOn, want.Defaults.MaxFindings = scanner.ThresholdOff, 3
	want.Defaults.Chunking.FilePatterns = []FilePattern{{Pattern: "*.x"}, {Pattern: "**", Mode: "whole-file"}}
	want.Runner.MaxCost = 2
	for name, data := range map[string]string{
		"LF":              text,
		"CRLF":            strings.ReplaceAll(text, "\n", "\r\n"),
		"byte order mark": "\ufeff" + text,
		"no final newline": strings.TrimSuffix(text,
			"\n"),
	} {
		in := []byte(data)
		file, err := Parse("scanner.toml", in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := Resolve(Input{File: file})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(*got, want, cmpopts.IgnoreUnexported(Settings{}, Secret{})); d != "" {
			t.Errorf("%s (-got +want):\n%s", name, d)
		}
		if string(in) != data {
			t.Errorf("%s: the input was changed", name)
		}
	}
}

func TestParseTooLarge(t *testing.T) {
	data := append([]byte("version = 1\n"), bytes.Repeat([]byte("#"), MaxSize)...)
	_, err := Parse("scanner.toml", data)
	want := "Failed to parse scanner.toml\n  scanner.toml:1:1: the file has 262156 bytes, at most 262144 are read"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestParseHostile reads files of several bad shapes: each must end soon, with
// any message.
func TestParseHostile(t *testing.T) {
	const size = 16 << 10 // the decoder takes quadratic time, and the race detector many times that
	fill := func(head, body, tail string) string {
		return head + strings.Repeat(body, (size-len(head)-len(tail))/len(body)) + tail
	}
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	tests := map[string]string{
		"nested arrays":        fill("a = ", "[", ""),
		"nested tables":        fill("a = ", "{a=", ""),
		"deep arrays":          "version = 1\nskills = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"a key of many parts":  fill("a", ".a", " = 1"),
		"a header of many":     fill("[a", ".a", "]"),
		"unknown keys":         numbered("a%d=1\n"),
		"one line of them":     "logs = {" + numbered("a%d=1,") + "a=1}",
		"a line of bad values": "defaults.ignorePaths = [" + fill("", "'',", "]"),
		"skills":               fill("version = 1\n", "[[skills]]\n", ""),
		"the same skill":       fill("version = 1\n", "[[skills]]\nname='a'\n", ""),
		"headers":              numbered("[a%d]\n"),
		"long keys":            fill("", strings.Repeat("k", 60)+".", "a = 1"),
		"one long string":      fill("logs.cleanup = '", "é", "'"),
		"escapes":              fill("logs.cleanup = \"", `\u00e9`, "\""),
		"triggers":             fill("version = 1\n[[skills]]\nname='a'\n", "[[skills.triggers]]\n", ""),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Parse("scanner.toml", []byte(text))
			if err == nil {
				t.Error("got no error")
			}
			_ = err.Error()
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("took %v", d)
			} else {
				t.Log(d)
			}
		})
	}
}

func TestErrorNameIsPrintable(t *testing.T) {
	_, err := Parse("\x1b[2J\nx.toml", nil)
	want := "Failed to parse x.toml\nInvalid value at path: version\n  x.toml:1:1: `version = 1` is required\n  hint: make it the first line of the file"
	if err == nil || err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// TestStrictDecoder compares the schema with the decoder's own strict mode: they
// must find the same unknown keys.
func TestStrictDecoder(t *testing.T) {
	text := "version = 1\nx = 1\n[logs]\ny.z = 1\n[w]\n[[skills]]\nname = 'a'\nv = {}\n[[skills.triggers]]\ntype = 'pull_request'\nu = 1\n"
	var f contents
	strict, ok := errors.AsType[*toml.StrictMissingError](toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(&f))
	if !ok {
		t.Fatal("the decoder accepts it")
	}
	var want []int
	for _, e := range strict.Errors {
		line, _ := e.Position()
		want = append(want, line)
	}
	_, err := Parse("scanner.toml", []byte(text))
	e, ok := errors.AsType[*tomlfile.Error](err)
	if !ok {
		t.Fatal(err)
	}
	var got []int
	for _, p := range e.Problems {
		got = append(got, p.Line)
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("lines (-got +want):\n%s", d)
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.toml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{
		example, userExample, "", "version = 1", "\ufeffversion=1\r\n", "a.b.c = 1\n[a.b]\n", "[[skills]]\n[skills.triggers]\n",
		"skills = [[{}]]", "[[defaults]]\n[[defaults.chunking]]\n", "provider.prices = [1]", "provider.prices.\"a.b[0]\" = {}",
		"\"\" = 1", "''.'' = {}", "version = 1979-05-27", "skills = [{}, 3, {name = 1}]", "[provider.prices.'']\ninput = 1",
		"[[skills]]\n[[skills.name]]\n", "[defaults.reportOn.x]\n", "skills.name = 1", "[[provider.prices]]\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, in := range []scope{inProject, inUser} {
			read := func(name string, data []byte) (*File, error) { return parse(name, data, in) }
			before := bytes.Clone(data)
			file, err := read("f.toml", data)
			if !bytes.Equal(before, data) {
				t.Fatal("the input was changed")
			}
			if (file == nil) == (err == nil) {
				t.Fatalf("got %v and %v, want one of them", file, err)
			}
			_, again := read("f.toml", data)
			if fmt.Sprint(err) != fmt.Sprint(again) {
				t.Fatalf("got\n%v\nand then\n%v", err, again)
			}
			if err == nil {
				// The decoder itself must accept the file, too, and it must be
				// possible to resolve it.
				var plain contents
				if err := toml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))).DisallowUnknownFields().Decode(&plain); err != nil {
					t.Fatalf("accepted, but the decoder fails with %v", err)
				}
				s, err := Resolve(Input{File: file, User: file})
				if err != nil {
					t.Fatal(err)
				}
				checkJudgment(t, in, string(data), nil)
				if err := s.Chunking().Validate(); err != nil {
					t.Fatal(err)
				}
				continue
			}
			e, ok := errors.AsType[*tomlfile.Error](err)
			if !ok || len(e.Problems) == 0 {
				t.Fatalf("got %T without problems", err)
			}
			lines := strings.Split(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\n")
			for i, p := range e.Problems {
				if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len([]rune(lines[p.Line-1]))+2 {
					t.Fatalf("%+v is outside of the text", p)
				}
				if i > 0 && (p.Line < e.Problems[i-1].Line || p.Line == e.Problems[i-1].Line && p.Column < e.Problems[i-1].Column) {
					t.Fatalf("%+v is out of order", p)
				}
				if p.Message == "" || strings.HasPrefix(p.Path, ".") {
					t.Fatalf("%+v is malformed", p)
				}
			}
			for _, r := range err.Error() {
				if r != '\n' && (r < ' ' || r == 0x7f || r == 0x202e || r == 0x9b) {
					t.Fatalf("unsafe to print: %q", err.Error())
				}
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	data := []byte(example)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("scanner.toml", data); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNothingIsLost breaks random lines of the examples: each must be reported,
// and nothing else.
func TestNothingIsLost(t *testing.T) {
	mistakes := []func(key, value string) string{
		func(key, _ string) string { return key + " = {}" },
		func(key, _ string) string { return key + " = 1979-05-27" },
		func(key, value string) string { return key + "Xyz = " + value },
		func(key, value string) string { return strings.ToUpper(key) + " = " + value },
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		for text, read := range map[string]func(string, []byte) (*File, error){example: Parse, userExample: ParseUser} {
			lines := strings.Split(text, "\n")
			var want []int
			for i, line := range lines {
				key, value, ok := strings.Cut(line, " = ")
				if ok && !strings.HasPrefix(key, "#") && rnd.IntN(3) == 0 {
					lines[i] = mistakes[rnd.IntN(len(mistakes))](key, value)
					want = append(want, i+1)
				}
			}
			text := strings.Join(lines, "\n")
			_, err := read("f.toml", []byte(text))
			var got []int
			if e, ok := errors.AsType[*tomlfile.Error](err); ok {
				for _, p := range e.Problems {
					if !strings.HasPrefix(p.Message, "paths is required") { // follows from broken paths
						got = append(got, p.Line)
					}
				}
			}
			if d := cmp.Diff(got, want); d != "" {
				t.Fatalf("lines with problems (-got +want):\n%s\n%v\n%s", d, err, text)
			}
		}
	}
}
