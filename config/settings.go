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
// unit of a number, and in the only file that may have the key: "project" or
// "user".
//
// A setting that is not set anywhere has its built-in value, or else is zero.
type Settings struct {
	// Defaults apply to all skills that do not set their own.
	Defaults struct {
		Thresholds
		// IgnorePaths are globs of files that no skill looks at.
		IgnorePaths []string `toml:"ignorePaths" validate:"dive,glob"`
		// ReportOnSuccess posts a comment even when there are no findings.
		ReportOnSuccess bool `toml:"reportOnSuccess"`
		// BatchDelayMs is the delay between the starts of batches of chunks, in
		// milliseconds; see [Settings.BatchDelay].
		BatchDelayMs int64 `toml:"batchDelayMs" validate:"gte=0,lte=86400000" unit:"milliseconds"`
		// Chunking sets which files are skipped and how the others are split;
		// see [Settings.Chunking].
		Chunking struct {
			// FilePatterns are checked in order; the first that matches decides.
			FilePatterns []FilePattern `toml:"filePatterns"`
			// Coalesce bounds the merging of nearby hunks into one chunk.
			Coalesce struct {
				Enabled bool `toml:"enabled"`
				// MaxGapLines is the largest number of lines between two hunks
				// that are merged.
				MaxGapLines int `toml:"maxGapLines" validate:"gte=0,lte=1000000" unit:"lines"`
				// MaxChunkSize is the largest size of a chunk, in characters.
				MaxChunkSize int `toml:"maxChunkSize" validate:"gte=1,lte=10000000" unit:"characters"`
			} `toml:"coalesce"`
		} `toml:"chunking"`
		RequestChanges bool `toml:"requestChanges" in:"project"`
		Verify         bool `toml:"verify" in:"project"`
		// NonProductCode is what rules make of tests, fixtures, examples, documentation
		// and vendored code: "lower" or "same".
		NonProductCode scanner.NonProductCode `toml:"nonProductCode" validate:"oneof=lower same" in:"project"`
	} `toml:"defaults"`
	// Skills are the skills to run, in the order of scanner.toml; then those that
	// only --skill names, in the order of the flags. It is empty when skills are
	// configured, but none of them is for this run.
	Skills []Skill `toml:"skills" in:"project"`
	// Provider sets where requests are sent.
	Provider struct {
		// Model is the model of skills that do not set another.
		Model string `toml:"model" validate:"model"`
		// AuxiliaryModel is the model of helper requests.
		AuxiliaryModel string `toml:"auxiliaryModel" validate:"model"`
		// Kind is the vendor whose API is used, with the vendor's usual key and
		// default model; empty if none was chosen explicitly. At most one of Kind
		// and Agent is set.
		Kind string `toml:"kind" validate:"oneof=openai anthropic gemini" in:"user"`
		// Agent is the agent CLI to use instead of an API; empty if none was
		// chosen explicitly.
		Agent string `toml:"agent" validate:"oneof=claude codex gemini opencode"`
		// BaseURL is the address of the API. The key is sent there, so it is not
		// for scanner.toml.
		BaseURL string `toml:"baseURL" validate:"baseurl" in:"user"`
		// APIKey comes from the environment only.
		APIKey Secret
		// Prices extend the built-in price table, by model.
		Prices map[string]Price `toml:"prices" in:"user"`
		// Redact replaces secrets before anything is sent.
		Redact bool `toml:"redact" in:"user"`
		// SendFiles are globs of credential files that are sent like other files.
		SendFiles []string `toml:"sendFiles" validate:"dive,glob" in:"user"`
		// AgentEnv are the names of variables that an agent CLI gets in addition
		// to those of its allow-list. A name that ends in * is a prefix.
		AgentEnv []string `toml:"agentEnv" validate:"dive,variable" in:"user"`
	} `toml:"provider"`
	// Runner bounds what a run may use.
	Runner struct {
		// Concurrency is the number of requests in flight; see
		// [Settings.ConcurrencyFor] for its default.
		Concurrency int `toml:"concurrency" validate:"gte=1,lte=1000"`
		// TimeoutMs bounds one request, in milliseconds; see [Settings.Timeout].
		TimeoutMs int64 `toml:"timeoutMs" validate:"gte=1,lte=86400000" unit:"milliseconds"`
		// MaxCost and MaxTokens are what a run may use: US dollars, and tokens
		// read and written; see [scanner.Options].
		MaxCost   float64 `toml:"maxCost" validate:"gt=0,lte=1000000" unit:"US dollars"`
		MaxTokens int64   `toml:"maxTokens" validate:"gt=0" unit:"tokens"`
	} `toml:"runner"`
	// Logs sets what happens to old log files.
	Logs struct {
		// Cleanup is "ask", "auto" or "never".
		Cleanup string `toml:"cleanup" validate:"oneof=ask auto never"`
		// RetentionDays is the age after which a log file is expired.
		RetentionDays int `toml:"retentionDays" validate:"gte=1,lte=100000" unit:"days"`
	} `toml:"logs"`
	// Cache bounds the cache of answers; see [Settings.CacheLimits].
	Cache struct {
		// URL is the address of a cache that a team shares, behind the local one.
		// Answers come from there, so it is not for scanner.toml.
		URL string `toml:"url" validate:"storeurl" in:"user"`
		// Key seals what is shared, and Token authenticates. They come from the
		// environment only.
		Key, Token Secret
		// MaxSize is its size on disk, such as "500 MiB".
		MaxSize string `toml:"maxSize" validate:"size" in:"user"`
		// MaxAge is how long an answer that is not used is kept, such as "30d".
		MaxAge string `toml:"maxAge" validate:"age" in:"user"`
	} `toml:"cache"`
	// Fix configures the application of suggested fixes.
	Fix struct {
		// Check lists commands to run after fixes were applied. A pull request
		// must not choose what runs on a machine, so it is not for scanner.toml.
		Check []string `toml:"check" validate:"dive,command" in:"user"`
	} `toml:"fix"`

	origins []Origin
}

// Thresholds are the settings of a skill that triggers and defaults have, too.
// The trigger takes precedence over the skill, and the skill over the defaults
// (rule 4).
type Thresholds struct {
	// ReportOn is the least severity that is reported.
	ReportOn scanner.Threshold `toml:"reportOn" validate:"oneof=high medium low off"`
	// MinConfidence is the least confidence of a finding.
	MinConfidence scanner.Threshold `toml:"minConfidence" validate:"oneof=high medium low off"`
	// MaxFindings limits the findings that each skill reports.
	MaxFindings int `toml:"maxFindings" validate:"gt=0"`
	// FailOn is the least severity that makes the run fail.
	FailOn scanner.Threshold `toml:"failOn" validate:"oneof=high medium low off"`
}

// Policy returns the thresholds as [scanner.Select] takes them.
func (t Thresholds) Policy() scanner.Policy {
	return scanner.Policy{ReportOn: t.ReportOn, MinConfidence: t.MinConfidence, MaxFindings: t.MaxFindings, FailOn: t.FailOn}
}

// FilePattern sets what happens to the files that a glob matches.
type FilePattern struct {
	Pattern string `toml:"pattern" validate:"required,glob"`
	// Mode is "skip" (also when it is empty), "per-chunk" or "whole-file".
	Mode string `toml:"mode" validate:"oneof=skip per-chunk whole-file"`
}

// Skill are the settings of one skill.
type Skill struct {
	// Name is the name of the skill: of its directory, unless Path is set.
	Name string `toml:"name" validate:"required,skillname"`
	// Path is the directory of the skill, relative to the root of the repository
	// and with slashes. If it is empty the skill is found by its name.
	Path string `toml:"path" validate:"repopath"`
	// Paths are globs of the files to look at; none means all. Required for a
	// skill with a schedule trigger.
	Paths []string `toml:"paths" validate:"dive,glob"`
	// IgnorePaths are globs of files to leave out, in addition to those of
	// Defaults.
	IgnorePaths []string `toml:"ignorePaths" validate:"dive,glob"`
	// DisabledRules are the rules of the skill that are not run, each as "skill/rule".
	DisabledRules []string `toml:"disabledRules" validate:"dive,ruleid"`
	// Model is the model of this skill.
	Model string `toml:"model" validate:"model"`
	Thresholds
	Verify         bool `toml:"verify"`
	RequestChanges bool `toml:"requestChanges"`
	// Triggers are the events that start the skill in a workflow. They are
	// resolved: a skill of the Settings has none.
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
	// Type is [TriggerPullRequest] or [TriggerSchedule].
	Type string `toml:"type" validate:"required,oneof=pull_request schedule"`
	// Actions are the actions of a pull request that start the skill. None means
	// opened, synchronize and reopened, and without Drafts also ready_for_review. A
	// schedule has none.
	Actions []string `toml:"actions" validate:"min=1,dive,oneof=opened synchronize reopened ready_for_review labeled closed"`
	// Drafts is false if draft pull requests do not start the skill; nil means that they
	// do. A schedule has none.
	Drafts *bool `toml:"drafts"`
	Thresholds
}

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Input  float64 `toml:"input" validate:"required,gte=0,lte=1000000" unit:"US dollars per million tokens"`
	Output float64 `toml:"output" validate:"required,gte=0,lte=1000000" unit:"US dollars per million tokens"`
	// CacheRead and CacheWrite are the prices of input tokens that are read
	// from and written to a prompt cache. Nil means the price of Input.
	CacheRead  *float64 `toml:"cacheRead" validate:"gte=0,lte=1000000" unit:"US dollars per million tokens"`
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
