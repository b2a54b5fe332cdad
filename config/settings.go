package config

import (
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// defaultSkill is the name of the built-in skill that runs when no skill is
// configured or named.
const defaultSkill = "code-review"

// Settings are the settings of a run, as [Resolve] returns them. The type is also
// the only list of the keys of configuration files. The tag toml is the key,
// validate the rule for its value, from which error messages are made, unit the
// unit of a number, and in the only file that may have the key, or table: "project"
// or "user". The first paragraph of a comment is also in the schema and in
// docs/configuration.md, with keys instead of the names of fields.
//
// A setting that is not set anywhere has its built-in value, or else is zero.
type Settings struct {
	// Defaults apply to all skills that do not set their own.
	Defaults struct {
		Thresholds
		// IgnorePaths are globs of files that no skill looks at.
		IgnorePaths []string `toml:"ignorePaths" validate:"dive,glob"`
		// ReportOnSuccess posts a comment on a pull request even when there are no
		// findings.
		ReportOnSuccess bool `toml:"reportOnSuccess"`
		// BatchDelayMs is the delay between the starts of batches of chunks, in
		// milliseconds. A batch has as many chunks as there are requests at a time; 0
		// means no batches.
		//
		// See [Settings.BatchDelay].
		BatchDelayMs int64 `toml:"batchDelayMs" validate:"gte=0,lte=86400000" unit:"milliseconds"`
		// Chunking sets which files are skipped and how the others are split into
		// chunks, which is what one request is about.
		//
		// See [Settings.Chunking].
		Chunking struct {
			// FilePatterns are checked in order; the first that matches decides.
			FilePatterns []FilePattern `toml:"filePatterns"`
			// Coalesce bounds the merging of nearby hunks into one chunk.
			Coalesce struct {
				// Enabled is false if each hunk is a chunk.
				Enabled bool `toml:"enabled"`
				// MaxGapLines is the largest number of lines between two hunks
				// that are merged.
				MaxGapLines int `toml:"maxGapLines" validate:"gte=0,lte=1000000" unit:"lines"`
				// MaxChunkSize is the largest size of a chunk, in characters.
				MaxChunkSize int `toml:"maxChunkSize" validate:"gte=1,lte=10000000" unit:"characters"`
			} `toml:"coalesce"`
		} `toml:"chunking"`
		// RequestChanges requests changes of a pull request with findings at or above
		// FailOn.
		RequestChanges bool `toml:"requestChanges" in:"project"`
		// Verify gets a second opinion of the model on each finding.
		Verify bool `toml:"verify" in:"project"`
		// NonProductCode is what rules make of tests, fixtures, examples, documentation
		// and vendored code: with "lower", some findings there have a lower severity and
		// at most medium confidence; with "same", code is code.
		NonProductCode scanner.NonProductCode `toml:"nonProductCode" validate:"oneof=lower same" in:"project"`
	} `toml:"defaults"`
	// Skills are the skills to run. Without any, code-review runs.
	//
	// They are in the order of scanner.toml; then follow those that only --skill names,
	// in the order of the flags. It is empty when skills are configured, but none of them
	// is for this run.
	Skills []Skill `toml:"skills" in:"project"`
	// Provider sets where requests are sent.
	Provider struct {
		// Model is the model of skills that do not set another. The default is that of
		// the vendor, or of the agent CLI.
		Model string `toml:"model" validate:"model"`
		// AuxiliaryModel is the model of helper requests: second opinions, and those that
		// read an answer in an unexpected form. The default is Model.
		AuxiliaryModel string `toml:"auxiliaryModel" validate:"model"`
		// Kind is the vendor whose API is used, with the vendor's usual key and default
		// model. It overrides Agent.
		//
		// It is empty if none was chosen explicitly. At most one of Kind and Agent is set.
		Kind string `toml:"kind" validate:"oneof=openai anthropic gemini" in:"user"`
		// Agent is the agent CLI to use instead of an API. That of scanner.toml is for
		// users who chose neither a vendor nor an agent. Without any choice and without a
		// key, the first agent CLI that is installed is used.
		//
		// It is empty if none was chosen explicitly.
		Agent string `toml:"agent" validate:"oneof=claude codex gemini opencode"`
		// BaseURL is the address of the API. The key is sent there, so it is not
		// for scanner.toml. The default is the vendor's own.
		BaseURL string `toml:"baseURL" validate:"baseurl" in:"user"`
		// APIKey comes from the environment only.
		APIKey Secret
		// Prices extend the built-in price table, by the name of the model. MaxCost needs
		// the price of every model that is used.
		Prices map[string]Price `toml:"prices" in:"user"`
		// Redact replaces secrets before anything is sent to the model.
		Redact bool `toml:"redact" in:"user"`
		// SendFiles are globs of credential files that are sent like other files.
		SendFiles []string `toml:"sendFiles" validate:"dive,glob" in:"user"`
		// AgentEnv are the names of variables that an agent CLI gets in addition
		// to those of its allow-list. A name that ends in * is a prefix.
		AgentEnv []string `toml:"agentEnv" validate:"dive,variable" in:"user"`
	} `toml:"provider"`
	// Runner bounds what a run may use.
	Runner struct {
		// Concurrency is the number of requests in flight. The default is 8 for an API,
		// and 4 for an agent CLI.
		//
		// It is 0 for the default; see [Settings.ConcurrencyFor].
		Concurrency int `toml:"concurrency" validate:"gte=1,lte=1000"`
		// TimeoutMs bounds one request, in milliseconds.
		//
		// See [Settings.Timeout].
		TimeoutMs int64 `toml:"timeoutMs" validate:"gte=1,lte=86400000" unit:"milliseconds"`
		// MaxCost is what a run may cost, in US dollars. A run that reaches it ends early,
		// and is incomplete.
		//
		// See [scanner.Options], also for MaxTokens.
		MaxCost float64 `toml:"maxCost" validate:"gt=0,lte=1000000" unit:"US dollars"`
		// MaxTokens is how many tokens a run may use, read and written. A run that
		// reaches it ends early, and is incomplete.
		MaxTokens int64 `toml:"maxTokens" validate:"gt=0" unit:"tokens"`
	} `toml:"runner"`
	// Logs sets what happens to old log files in .scanner/logs.
	Logs struct {
		// Cleanup is what to do with expired log files: "ask" asks on a terminal, "auto"
		// deletes them, "never" keeps them.
		Cleanup string `toml:"cleanup" validate:"oneof=ask auto never"`
		// RetentionDays is the age after which a log file is expired.
		RetentionDays int `toml:"retentionDays" validate:"gte=1,lte=100000" unit:"days"`
	} `toml:"logs"`
	// Cache sets where answers of models are kept, and how long.
	//
	// See [Settings.CacheLimits].
	Cache struct {
		// URL is the address of a cache that a team shares, behind the local one.
		// Answers come from there, so it is not for scanner.toml. It needs the variable
		// SCANNER_CACHE_KEY.
		URL string `toml:"url" validate:"storeurl"`
		// Key seals what is shared, and Token authenticates. They come from the
		// environment only.
		Key, Token Secret
		// MaxSize is the size of the local cache on disk, such as "500 MiB". The least
		// recently used answers are deleted first.
		MaxSize string `toml:"maxSize" validate:"size"`
		// MaxAge is how long an answer that is not used is kept, such as "30d".
		MaxAge string `toml:"maxAge" validate:"age"`
	} `toml:"cache" in:"user"`
	// Fix configures the application of suggested fixes.
	Fix struct {
		// Check lists commands to run after fixes were applied. A pull request
		// must not choose what runs on a machine, so it is not for scanner.toml.
		Check []string `toml:"check" validate:"dive,command"`
	} `toml:"fix" in:"user"`

	origins []Origin
}

// Thresholds are the settings of a skill that triggers and defaults have, too.
// The trigger takes precedence over the skill, and the skill over the defaults
// (rule 4).
type Thresholds struct {
	// ReportOn is the least severity that is reported; "off" hides all findings.
	ReportOn scanner.Threshold `toml:"reportOn" validate:"oneof=high medium low off"`
	// MinConfidence is the least confidence of a finding; those below are dropped, and do
	// not count for FailOn. With "off", none are.
	MinConfidence scanner.Threshold `toml:"minConfidence" validate:"oneof=high medium low off"`
	// MaxFindings limits the findings that each skill reports, the most important first.
	MaxFindings int `toml:"maxFindings" validate:"gt=0"`
	// FailOn is the least severity that makes the run fail, with exit code 1. Without it,
	// and with "off", findings never do.
	FailOn scanner.Threshold `toml:"failOn" validate:"oneof=high medium low off"`
}

// Policy returns the thresholds as [scanner.Select] takes them.
func (t Thresholds) Policy() scanner.Policy {
	return scanner.Policy{ReportOn: t.ReportOn, MinConfidence: t.MinConfidence, MaxFindings: t.MaxFindings, FailOn: t.FailOn}
}

// FilePattern sets what happens to the files that a glob matches.
type FilePattern struct {
	// Pattern is a glob of files. Built-in patterns, which skip lock files, generated
	// files and the like, come after those of the configuration.
	Pattern string `toml:"pattern" validate:"required,glob"`
	// Mode is what happens to the files: "skip" leaves them out, "per-chunk" analyzes
	// chunks, "whole-file" all of a changed file in one chunk. The default is "skip".
	Mode string `toml:"mode" validate:"oneof=skip per-chunk whole-file"`
}

// Skill are the settings of one skill.
type Skill struct {
	// Name is the name of the skill: of its directory, unless Path is set.
	Name string `toml:"name" validate:"required,skillname"`
	// Path is the directory of the skill, relative to the root of the repository
	// and with slashes. Without it, the skill is found by its name.
	Path string `toml:"path" validate:"repopath"`
	// Source is the git repository that the skill was added from, then // and a directory
	// in it, and # and a branch, tag or commit. A scan never fetches it.
	// Empty for a skill that was not added.
	Source string `toml:"source" validate:"line"`
	// Rev is the commit of Source that the files of the skill are from. Empty if it is not
	// known.
	Rev string `toml:"rev" validate:"rev"`
	// SHA256 is a hash of the files of the skill, without its tests. If the files in
	// .scanner/skills have another one, local runs warn and reviews fail. Empty if they are not compared.
	SHA256 string `toml:"sha256" validate:"sha256sum"`
	// Paths are globs of the files to look at. Without any, those of its SKILL.md are
	// used, and without these it looks at all. Required for a skill with a schedule
	// trigger.
	Paths []string `toml:"paths" validate:"dive,glob"`
	// IgnorePaths are globs of files to leave out, in addition to those of
	// Defaults.
	IgnorePaths []string `toml:"ignorePaths" validate:"dive,glob"`
	// DisabledRules are the rules of the skill that are not run, each as "skill/rule".
	DisabledRules []string `toml:"disabledRules" validate:"dive,ruleid"`
	// Model is the model of this skill, instead of that of [provider]. Without either, the
	// claude CLI and Anthropic's API use that of its SKILL.md.
	Model string `toml:"model" validate:"model"`
	Thresholds
	// Verify gets a second opinion of the model on each finding of this skill.
	Verify bool `toml:"verify"`
	// RequestChanges requests changes of a pull request if this skill has findings at or
	// above FailOn.
	RequestChanges bool `toml:"requestChanges"`
	// Triggers are the events that start the skill in a workflow. A skill without any is
	// for local runs only.
	//
	// The thresholds of the one that started it are among those of the skill.
	Triggers []Trigger `toml:"triggers"`
}

// The types of a [Trigger].
const (
	TriggerPullRequest = "pull_request"
	TriggerSchedule    = "schedule"
)

// Trigger is an event on which a skill runs in a workflow, and the thresholds for
// it. Local runs know no triggers.
type Trigger struct {
	// Type is "pull_request" or "schedule". A skill with a schedule needs Paths.
	Type string `toml:"type" validate:"required,oneof=pull_request schedule"`
	// Actions are the actions of a pull request that start the skill. The default is
	// opened, synchronize and reopened, and ready_for_review if Drafts is false. A
	// schedule has none.
	Actions []string `toml:"actions" validate:"min=1,dive,oneof=opened synchronize reopened ready_for_review labeled closed"`
	// Drafts is false if draft pull requests do not start the skill. A schedule has none.
	//
	// Nil means that they do.
	Drafts *bool `toml:"drafts"`
	Thresholds
}

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	// Input is the price of tokens that the model reads.
	Input float64 `toml:"input" validate:"required,gte=0,lte=1000000" unit:"US dollars per million tokens"`
	// Output is the price of tokens that the model writes.
	Output float64 `toml:"output" validate:"required,gte=0,lte=1000000" unit:"US dollars per million tokens"`
	// CacheRead is the price of tokens that are read from a prompt cache. The default is
	// Input.
	//
	// Nil means the default.
	CacheRead *float64 `toml:"cacheRead" validate:"gte=0,lte=1000000" unit:"US dollars per million tokens"`
	// CacheWrite is the price of tokens that are written to a prompt cache. The default is
	// Input.
	//
	// Nil means the default.
	CacheWrite *float64 `toml:"cacheWrite" validate:"gte=0,lte=1000000" unit:"US dollars per million tokens"`
}

// builtIn returns the settings without any configuration.
func builtIn() Settings {
	var s Settings
	c := &s.Defaults.Chunking.Coalesce
	c.Enabled, c.MaxGapLines, c.MaxChunkSize = true, diff.DefaultMaxGapLines, diff.DefaultMaxChunkSize
	s.Defaults.NonProductCode = scanner.NonProductLower
	s.Provider.Redact = true
	s.Runner.TimeoutMs = scanner.DefaultTimeout.Milliseconds()
	s.Logs.Cleanup, s.Logs.RetentionDays = "ask", 30
	s.Cache.MaxSize, s.Cache.MaxAge = "1 GiB", "30d"
	return s
}

// agentConcurrency is the default number of requests in flight to an agent CLI:
// each is a process.
const agentConcurrency = 4

// ConcurrencyFor returns the number of requests in flight: what was set, or 4 for an
// agent CLI and [provider.DefaultConcurrency] for an API.
func (s *Settings) ConcurrencyFor(agent bool) int {
	switch {
	case s.Runner.Concurrency > 0:
		return s.Runner.Concurrency
	case agent:
		return agentConcurrency
	default:
		return provider.DefaultConcurrency
	}
}

// Timeout returns the bound of one request.
func (s *Settings) Timeout() time.Duration {
	return time.Duration(s.Runner.TimeoutMs) * time.Millisecond
}

// BatchDelay returns the delay between the starts of batches; 0 means no batches.
func (s *Settings) BatchDelay() time.Duration {
	return time.Duration(s.Defaults.BatchDelayMs) * time.Millisecond
}

// Chunking returns how files are skipped and split.
func (s *Settings) Chunking() diff.Chunking {
	set := &s.Defaults.Chunking
	c := diff.Chunking{
		IgnorePaths: s.Defaults.IgnorePaths,
		SendFiles:   s.Provider.SendFiles,
		Coalesce: diff.Coalesce{
			Disabled:     !set.Coalesce.Enabled,
			MaxGapLines:  set.Coalesce.MaxGapLines,
			MaxChunkSize: set.Coalesce.MaxChunkSize,
		},
	}
	if c.Coalesce.MaxGapLines == 0 {
		c.Coalesce.MaxGapLines = diff.NoGap
	}
	for _, p := range set.FilePatterns {
		c.FilePatterns = append(c.FilePatterns, diff.FilePattern{Pattern: p.Pattern, Mode: diff.FileMode(p.Mode)})
	}
	return c
}
