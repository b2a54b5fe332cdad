package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// level is one place where a setting can be.
type level struct {
	flags   func(*Flags)
	env     [2]string
	trigger string // lines of TOML
	skill   string
	project string
	user    string

	want   any
	source string // a prefix and a suffix around the line number
}

// sources of the levels, by the path of the key.
const (
	inTrigger = "scanner.toml: skills[0].triggers[0]."
	inSkill   = "scanner.toml: skills[0]."
)

func thresholds(key, flag string, set func(*Flags, *string), get func(Thresholds) any) []setting {
	byFlag := level{flags: func(f *Flags) { set(f, new("off")) }, want: scanner.ThresholdOff, source: flag}
	return []setting{{
		key: "skills.s." + key,
		get: func(s *Settings) any { return get(s.Skills[0].Thresholds) },
		levels: []level{
			byFlag,
			{trigger: key + " = 'high'", want: scanner.ThresholdHigh, source: inTrigger + key},
			{skill: key + " = 'off'", want: scanner.ThresholdOff, source: inSkill + key},
			{project: "defaults." + key + " = 'medium'", want: scanner.ThresholdMedium, source: "scanner.toml: defaults." + key},
			{user: "defaults." + key + " = 'low'", want: scanner.ThresholdLow, source: "user.toml: defaults." + key},
		},
		builtIn: scanner.ThresholdNone,
	}, simple("defaults."+key, func(s *Settings) any { return get(s.Defaults.Thresholds) }, "'medium'", "'low'",
		scanner.ThresholdMedium, scanner.ThresholdLow, scanner.ThresholdNone, byFlag)}
}

type setting struct {
	key     string // as Explain lists it
	get     func(*Settings) any
	levels  []level // highest first
	builtIn any
}

// simple is a setting of both files.
func simple(key string, get func(*Settings) any, project, user string, projectWant, userWant, builtIn any, above ...level) setting {
	return setting{key: key, get: get, builtIn: builtIn, levels: append(above,
		level{project: key + " = " + project, want: projectWant, source: "scanner.toml: " + key},
		level{user: key + " = " + user, want: userWant, source: "user.toml: " + key},
	)}
}

func settings() []setting {
	globs := func(g ...string) []string { return g }
	env := func(name, value string) level { return level{env: [2]string{name, value}, want: value, source: name} }
	return slices.Concat(
		thresholds("reportOn", "--report-on", func(f *Flags, v *string) { f.ReportOn = v }, func(t Thresholds) any { return t.ReportOn }),
		thresholds("minConfidence", "--min-confidence", func(f *Flags, v *string) { f.MinConfidence = v }, func(t Thresholds) any { return t.MinConfidence }),
		thresholds("failOn", "--fail-on", func(f *Flags, v *string) { f.FailOn = v }, func(t Thresholds) any { return t.FailOn }),
		[]setting{
			{
				key: "skills.s.maxFindings",
				get: func(s *Settings) any { return s.Skills[0].Thresholds.MaxFindings },
				levels: []level{
					{flags: func(f *Flags) { f.MaxFindings = new(5) }, want: 5, source: "--max-findings"},
					{trigger: "maxFindings = 4", want: 4, source: inTrigger + "maxFindings"},
					{skill: "maxFindings = 3", want: 3, source: inSkill + "maxFindings"},
					{project: "defaults.maxFindings = 2", want: 2, source: "scanner.toml: defaults.maxFindings"},
					{user: "defaults.maxFindings = 1", want: 1, source: "user.toml: defaults.maxFindings"},
				},
				builtIn: 0,
			},
			{
				key: "skills.s.model",
				get: func(s *Settings) any { return s.Skills[0].Model },
				levels: []level{
					{flags: func(f *Flags) { f.Model = new("flag") }, want: "flag", source: "--model"},
					env("SCANNER_MODEL", "env"),
					{skill: "model = 'skill'", want: "skill", source: inSkill + "model"},
					{project: "provider.model = 'project'", want: "project", source: "scanner.toml: provider.model"},
					{user: "provider.model = 'user'", want: "user", source: "user.toml: provider.model"},
				},
				builtIn: "",
			},
			{
				key: "skills.s.verify",
				get: func(s *Settings) any { return s.Skills[0].Verify },
				levels: []level{
					{skill: "verify = false", want: false, source: inSkill + "verify"},
					{project: "defaults.verify = true", want: true, source: "scanner.toml: defaults.verify"},
				},
				builtIn: false,
			},
			{
				key: "skills.s.requestChanges",
				get: func(s *Settings) any { return s.Skills[0].RequestChanges },
				levels: []level{
					{skill: "requestChanges = false", want: false, source: inSkill + "requestChanges"},
					{project: "defaults.requestChanges = true", want: true, source: "scanner.toml: defaults.requestChanges"},
				},
				builtIn: false,
			},
			{
				key:     "skills.s.path",
				get:     func(s *Settings) any { return s.Skills[0].Path },
				levels:  []level{{skill: "path = 'a/b'", want: "a/b", source: inSkill + "path"}},
				builtIn: "",
			},
			{
				key:     "skills.s.source",
				get:     func(s *Settings) any { return s.Skills[0].Source },
				levels:  []level{{skill: "source = 'https://example.com/a'", want: "https://example.com/a", source: inSkill + "source"}},
				builtIn: "",
			},
			{
				key:     "skills.s.rev",
				get:     func(s *Settings) any { return s.Skills[0].Rev },
				levels:  []level{{skill: "source = 'a'\nrev = '" + strings.Repeat("a", 40) + "'", want: strings.Repeat("a", 40), source: inSkill + "rev"}},
				builtIn: "",
			},
			{
				key:     "skills.s.sha256",
				get:     func(s *Settings) any { return s.Skills[0].SHA256 },
				levels:  []level{{skill: "sha256 = '" + strings.Repeat("a", 64) + "'", want: strings.Repeat("a", 64), source: inSkill + "sha256"}},
				builtIn: "",
			},
			{
				key:     "skills.s.paths",
				get:     func(s *Settings) any { return s.Skills[0].Paths },
				levels:  []level{{skill: "paths = ['a', 'b']", want: globs("a", "b"), source: inSkill + "paths"}},
				builtIn: []string(nil),
			},
			{
				key:     "skills.s.disabledRules",
				get:     func(s *Settings) any { return s.Skills[0].DisabledRules },
				levels:  []level{{skill: "disabledRules = ['s/a']", want: globs("s/a"), source: inSkill + "disabledRules"}},
				builtIn: []string(nil),
			},
			{
				key: "skills.s.ignorePaths",
				get: func(s *Settings) any { return s.Skills[0].IgnorePaths },
				levels: []level{
					{skill: "ignorePaths = ['c']", want: globs("c"), source: inSkill + "ignorePaths"},
				},
				builtIn: []string(nil),
			},
			simple("provider.model", func(s *Settings) any { return s.Provider.Model }, "'p'", "'u'", "p", "u", "",
				level{flags: func(f *Flags) { f.Model = new("flag") }, want: "flag", source: "--model"}, env("SCANNER_MODEL", "env")),
			simple("provider.auxiliaryModel", func(s *Settings) any { return s.Provider.AuxiliaryModel }, "'p'", "'u'", "p", "u", ""),
			{
				key: "provider.agent",
				get: func(s *Settings) any { return s.Provider.Agent },
				levels: []level{
					env("SCANNER_AGENT", "claude"),
					{user: "provider.agent = 'gemini'", want: "gemini", source: "user.toml: provider.agent"},
					{project: "provider.agent = 'codex'", want: "codex", source: "scanner.toml: provider.agent"},
				},
				builtIn: "",
			},
			{
				key: "provider.kind",
				get: func(s *Settings) any { return s.Provider.Kind },
				levels: []level{
					env("SCANNER_PROVIDER", "anthropic"),
					{user: "provider.kind = 'gemini'", want: "gemini", source: "user.toml: provider.kind"},
				},
				builtIn: "",
			},
			{
				key: "provider.baseURL",
				get: func(s *Settings) any { return s.Provider.BaseURL },
				levels: []level{
					env("SCANNER_PROVIDER_BASE_URL", "https://env.example.com/v1"),
					{user: "provider.baseURL = 'http://127.0.0.1:1'", want: "http://127.0.0.1:1", source: "user.toml: provider.baseURL"},
				},
				builtIn: "",
			},
			{
				key:     "provider.redact",
				get:     func(s *Settings) any { return s.Provider.Redact },
				levels:  []level{{user: "provider.redact = false", want: false, source: "user.toml: provider.redact"}},
				builtIn: true,
			},
			{
				key:     "provider.sendFiles",
				get:     func(s *Settings) any { return s.Provider.SendFiles },
				levels:  []level{{user: "provider.sendFiles = ['/dev.env']", want: []string{"/dev.env"}, source: "user.toml: provider.sendFiles"}},
				builtIn: []string(nil),
			},
			{
				key:     "provider.agentEnv",
				get:     func(s *Settings) any { return s.Provider.AgentEnv },
				levels:  []level{{user: "provider.agentEnv = ['AWS_*']", want: globs("AWS_*"), source: "user.toml: provider.agentEnv"}},
				builtIn: []string(nil),
			},
			{
				key: "cache.url",
				get: func(s *Settings) any { return s.Cache.URL },
				levels: []level{
					env("SCANNER_CACHE_URL", "https://u:p@env.example.com/c"),
					{user: "cache.url = 'http://127.0.0.1:1'", want: "http://127.0.0.1:1", source: "user.toml: cache.url"},
				},
				builtIn: "",
			},
			{
				key:     "cache.maxSize",
				get:     func(s *Settings) any { return s.Cache.MaxSize },
				levels:  []level{{user: "cache.maxSize = '5 MiB'", want: "5 MiB", source: "user.toml: cache.maxSize"}},
				builtIn: "1 GiB",
			},
			{
				key:     "cache.maxAge",
				get:     func(s *Settings) any { return s.Cache.MaxAge },
				levels:  []level{{user: "cache.maxAge = '2d'", want: "2d", source: "user.toml: cache.maxAge"}},
				builtIn: "30d",
			},
			{
				key:     "fix.check",
				get:     func(s *Settings) any { return s.Fix.Check },
				levels:  []level{{user: "fix.check = ['go vet']", want: globs("go vet"), source: "user.toml: fix.check"}},
				builtIn: []string(nil),
			},
			simple("runner.concurrency", func(s *Settings) any { return s.Runner.Concurrency }, "2", "3", 2, 3, 0,
				level{flags: func(f *Flags) { f.Concurrency = new(9) }, want: 9, source: "--concurrency"}),
			simple("runner.timeoutMs", func(s *Settings) any { return s.Timeout() }, "1500", "3", 1500*time.Millisecond, 3*time.Millisecond, 5*time.Minute),
			simple("runner.maxCost", func(s *Settings) any { return s.Runner.MaxCost }, "1", "0.5", 1.0, 0.5, 0.0,
				level{flags: func(f *Flags) { f.MaxCost = new(0.25) }, want: 0.25, source: "--max-cost"}),
			simple("runner.maxTokens", func(s *Settings) any { return s.Runner.MaxTokens }, "10", "20", int64(10), int64(20), int64(0),
				level{flags: func(f *Flags) { f.MaxTokens = new(int64(7)) }, want: int64(7), source: "--max-tokens"}),
			simple("defaults.batchDelayMs", func(s *Settings) any { return s.BatchDelay() }, "0", "20", time.Duration(0), 20*time.Millisecond, time.Duration(0)),
			simple("defaults.reportOnSuccess", func(s *Settings) any { return s.Defaults.ReportOnSuccess }, "false", "true", false, true, false),
			simple("defaults.ignorePaths", func(s *Settings) any { return s.Chunking().IgnorePaths }, "[]", "['u']", []string{}, globs("u"), []string(nil)),
			simple("defaults.chunking.filePatterns", func(s *Settings) any { return s.Chunking().FilePatterns },
				"[{pattern = 'a'}, {pattern = 'b', mode = 'whole-file'}]", "[{pattern = 'c', mode = 'per-chunk'}]",
				[]diff.FilePattern{{Pattern: "a"}, {Pattern: "b", Mode: diff.ModeWholeFile}},
				[]diff.FilePattern{{Pattern: "c", Mode: diff.ModePerChunk}}, []diff.FilePattern(nil)),
			simple("defaults.chunking.coalesce.enabled", func(s *Settings) any { return s.Chunking().Coalesce.Disabled }, "true", "false", false, true, false),
			simple("defaults.chunking.coalesce.maxGapLines", func(s *Settings) any { return s.Chunking().Coalesce.MaxGapLines }, "0", "7", -1, 7, 30),
			simple("defaults.chunking.coalesce.maxChunkSize", func(s *Settings) any { return s.Chunking().Coalesce.MaxChunkSize }, "10", "20", 10, 20, 8000),
			simple("logs.cleanup", func(s *Settings) any { return s.Logs.Cleanup }, "'auto'", "'never'", "auto", "never", "ask"),
			simple("logs.retentionDays", func(s *Settings) any { return s.Logs.RetentionDays }, "1", "100000", 1, 100000, 30),
			simple("defaults.maxFindings", func(s *Settings) any { return s.Defaults.MaxFindings }, "2", "1", 2, 1, 0,
				level{flags: func(f *Flags) { f.MaxFindings = new(5) }, want: 5, source: "--max-findings"}),
			{
				key:     "defaults.verify",
				get:     func(s *Settings) any { return s.Defaults.Verify },
				levels:  []level{{project: "defaults.verify = true", want: true, source: "scanner.toml: defaults.verify"}},
				builtIn: false,
			},
			{
				key:     "defaults.requestChanges",
				get:     func(s *Settings) any { return s.Defaults.RequestChanges },
				levels:  []level{{project: "defaults.requestChanges = true", want: true, source: "scanner.toml: defaults.requestChanges"}},
				builtIn: false,
			},
			{
				key:     "defaults.nonProductCode",
				get:     func(s *Settings) any { return string(s.Defaults.NonProductCode) },
				levels:  []level{{project: "defaults.nonProductCode = 'same'", want: "same", source: "scanner.toml: defaults.nonProductCode"}},
				builtIn: "lower",
			},
			{
				key:     "provider.prices",
				get:     func(s *Settings) any { return s.Provider.Prices },
				levels:  []level{{user: "provider.prices.m = {input = 1, output = 2}", want: map[string]Price{"m": {Input: 1, Output: 2}}, source: "user.toml: provider.prices"}},
				builtIn: map[string]Price(nil),
			},
		})
}

// input makes an Input of some levels.
func input(t *testing.T, levels []level) Input {
	t.Helper()
	in := Input{Event: &Event{Type: TriggerPullRequest, Action: "opened"}}
	env := make(map[string]string)
	var project, user, skill, trigger strings.Builder
	for _, l := range levels {
		if l.flags != nil {
			l.flags(&in.Flags)
		}
		env[l.env[0]] = l.env[1]
		fmt.Fprintln(&project, l.project)
		fmt.Fprintln(&user, l.user)
		fmt.Fprintln(&skill, l.skill)
		fmt.Fprintln(&trigger, l.trigger)
	}
	in.Env = ReadEnv(func(name string) string { return env[name] })
	var err error
	in.File, err = Parse("scanner.toml", []byte("version = 1\n"+project.String()+"[[skills]]\nname = 's'\n"+skill.String()+"[[skills.triggers]]\ntype = 'pull_request'\n"+trigger.String()))
	if err != nil {
		t.Fatal(err)
	}
	in.User, err = ParseUser("user.toml", []byte("version = 1\n"+user.String()))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestPrecedence(t *testing.T) {
	for _, s := range settings() {
		check := func(what string, levels []level, want any, source string) {
			t.Helper()
			got, err := Resolve(input(t, levels))
			if err != nil {
				t.Errorf("%s, %s: %v", s.key, what, err)
				return
			}
			if d := cmp.Diff(s.get(got), want); d != "" {
				t.Errorf("%s, %s (-got +want):\n%s", s.key, what, d)
			}
			origin := got.Origin(s.key)
			prefix, path, inFile := strings.Cut(source, ": ")
			if ok := inFile && strings.HasPrefix(origin, prefix+":") && strings.HasSuffix(origin, " "+path) || origin == source; !ok {
				t.Errorf("%s, %s: got origin %q, want %q", s.key, what, origin, source)
			}
		}
		check("no level", nil, s.builtIn, "default")
		for i, l := range s.levels {
			check("alone "+l.source, s.levels[i:i+1], l.want, l.source)
			check("above all lower ones "+l.source, s.levels[i:], l.want, l.source)
		}
	}
}

// TestPrecedenceIsComplete finds settings that are missing in the table above.
func TestPrecedenceIsComplete(t *testing.T) {
	tested := make(map[string]bool)
	for _, s := range settings() {
		tested[s.key] = true
	}
	got, err := Resolve(input(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range got.Explain() {
		if !tested[o.Key] {
			t.Errorf("%s is not tested", o.Key)
		}
	}
}

func TestLocalRunHasNoTriggerLevel(t *testing.T) {
	in := input(t, []level{{trigger: "failOn = 'high'"}, {project: "defaults.failOn = 'low'"}})
	in.Event = nil
	s, err := Resolve(in)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Skills[0].Thresholds.FailOn; got != scanner.ThresholdLow {
		t.Errorf("got failOn %q, want low", got)
	}
}

func TestResolveNothing(t *testing.T) {
	got, err := Resolve(Input{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Settings{Skills: []Skill{{Name: "code-review"}}}
	want.Runner.TimeoutMs = 300_000
	want.Provider.Redact = true
	want.Defaults.NonProductCode = "lower"
	want.Defaults.Chunking.Coalesce.Enabled = true
	want.Defaults.Chunking.Coalesce.MaxGapLines = 30
	want.Defaults.Chunking.Coalesce.MaxChunkSize = 8000
	want.Logs.Cleanup, want.Logs.RetentionDays = "ask", 30
	want.Cache.MaxSize, want.Cache.MaxAge = "1 GiB", "30d"
	if d := cmp.Diff(got, want, cmpopts.IgnoreUnexported(Settings{}), cmp.Comparer(equalSecret)); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	if a, b := got.ConcurrencyFor(false), got.ConcurrencyFor(true); a != 8 || b != 4 {
		t.Errorf("got a concurrency of %d for an API and %d for an agent, want 8 and 4", a, b)
	}
	got.Runner.Concurrency = 3
	if a, b := got.ConcurrencyFor(false), got.ConcurrencyFor(true); a != 3 || b != 3 {
		t.Errorf("got a concurrency of %d and %d, want what was chosen, 3", a, b)
	}
}

func equalSecret(a, b Secret) bool { return a.Reveal() == b.Reveal() }

func TestResolveIsPure(t *testing.T) {
	file, err := Parse("scanner.toml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	user, err := ParseUser("user.toml", []byte(userExample))
	if err != nil {
		t.Fatal(err)
	}
	flags := Flags{Skills: []string{"code-review", "other"}, FailOn: new("high")}
	s, err := Resolve(Input{File: file, User: user, Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Resolve(Input{File: file, User: user, Flags: flags})
	if !reflect.DeepEqual(s, again) {
		t.Error("a second call has another result")
	}
	// Changes of the result do not change the files.
	s.Defaults.IgnorePaths[0] = "x"
	s.Defaults.Chunking.FilePatterns[0].Pattern = "x"
	s.Fix.Check[0] = "x"
	delete(s.Provider.Prices, "qwen3-coder")
	s.Explain()[0].Value = "x"
	if third, _ := Resolve(Input{File: file, User: user, Flags: flags}); !reflect.DeepEqual(third, again) {
		t.Error("the input was changed")
	}
	if s.Explain()[0].Value == "x" {
		t.Error("Explain does not return a copy")
	}
}

func TestOptionErrors(t *testing.T) {
	env := func(name, value string) Env {
		return ReadEnv(func(n string) string {
			if n == name {
				return value
			}
			return ""
		})
	}
	tests := []struct {
		name  string
		flags Flags
		env   Env
		want  []string
	}{
		{name: "critical", flags: Flags{FailOn: new("critical")}, want: []string{`--fail-on: got "critical", want high, medium, low or off`}},
		{name: "empty threshold", flags: Flags{ReportOn: new("")}, want: []string{`--report-on: got "", want high, medium, low or off`}},
		{name: "max findings", flags: Flags{MaxFindings: new(0)}, want: []string{`--max-findings: got 0, want a whole number above 0`}},
		{name: "concurrency", flags: Flags{Concurrency: new(0)}, want: []string{`--concurrency: got 0, want a whole number from 1 to 1000`}},
		{name: "too much of it", flags: Flags{Concurrency: new(1001)}, want: []string{`--concurrency: got 1001, want a whole number from 1 to 1000`}},
		{name: "model", flags: Flags{Model: new("")}, want: []string{`--model: got "", want the name of a model`}},
		{name: "skills", flags: Flags{Skills: []string{"a", "../b", ""}}, want: []string{
			`--skill: got "../b", want a name without slashes and control characters`,
			`--skill: got "", want a name without slashes and control characters`}},
		{name: "environment model", env: env("SCANNER_MODEL", "a\nb"), want: []string{`SCANNER_MODEL: got "a\nb", want the name of a model`}},
		{name: "agent", env: env("SCANNER_AGENT", "Claude"), want: []string{`SCANNER_AGENT: got "Claude", want claude, codex, gemini or opencode`}},
		{name: "two agents", env: env("SCANNER_AGENT", "claude codex"), want: []string{`SCANNER_AGENT: got "claude codex", want claude, codex, gemini or opencode`}},
		{name: "base URL", env: env("SCANNER_PROVIDER_BASE_URL", "https://u:hunter2@h"), want: []string{`SCANNER_PROVIDER_BASE_URL: want an http or https URL with a host and without a user name`}},
		{name: "key", env: env("SCANNER_PROVIDER_API_KEY", "hunter2\nhunter2"), want: []string{`SCANNER_PROVIDER_API_KEY: the key contains white space or a character that cannot be sent`}},
		{name: "all at once", flags: Flags{ReportOn: new("x"), MinConfidence: new("y"), MaxFindings: new(-1)}, env: env("SCANNER_AGENT", "z"), want: []string{
			`--report-on: got "x", want high, medium, low or off`,
			`--min-confidence: got "y", want high, medium, low or off`,
			`--max-findings: got -1, want a whole number above 0`,
			`SCANNER_AGENT: got "z", want claude, codex, gemini or opencode`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Resolve(Input{Flags: tt.flags, Env: tt.env})
			if s != nil || err == nil {
				t.Fatalf("got %v, %v, want an error", s, err)
			}
			if d := cmp.Diff(strings.Split(err.Error(), "\n"), tt.want); d != "" {
				t.Errorf("(-got +want):\n%s", d)
			}
		})
	}
}

func BenchmarkResolve(b *testing.B) {
	file, err := Parse("scanner.toml", []byte(example))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Resolve(Input{File: file}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCacheLimits(t *testing.T) {
	var s Settings
	for text, want := range map[string]int64{"1 GiB": 1 << 30, "500MB": 500_000_000, "7 B": 7} {
		s.Cache.MaxSize, s.Cache.MaxAge = text, "36 h"
		if size, age := s.CacheLimits(); size != want || age != 36*time.Hour {
			t.Errorf("%s: %d, %v", text, size, age)
		}
	}
}
