package config

import "github.com/codescan-dev/scanner"

// File is what a configuration file says: scanner.toml of a repository, read by
// [Parse], or the user's own file, read by [ParseUser]. Both have the same shape;
// the keys marked below belong to one of the two only.
//
// A nil pointer or slice means that the file does not hold the key. What then
// counts is decided by [Resolve]. Apart from that a parsed File is valid: every
// value is within the range that its comment names.
type File struct {
	// Version is 1.
	Version  int      `toml:"version" validate:"eq=1" want:"the number 1"`
	Defaults Defaults `toml:"defaults" want:"a table"`
	// Skills is for scanner.toml only. Names are unique.
	Skills   []Skill  `toml:"skills" validate:"dive" want:"an array of tables" in:"project"`
	Provider Provider `toml:"provider" want:"a table"`
	Runner   Runner   `toml:"runner" want:"a table"`
	Logs     Logs     `toml:"logs" want:"a table"`
	Fix      Fix      `toml:"fix" want:"a table"`

	// index finds the place of a value in the text; nil for a File that was not
	// parsed.
	index *index
}

// Defaults are the settings of all skills that do not set their own.
type Defaults struct {
	// ReportOn is the least severity that is reported.
	ReportOn *scanner.Threshold `toml:"reportOn" validate:"omitnil,oneof=high medium low off" want:"high, medium, low or off"`
	// MinConfidence is the least confidence that counts.
	MinConfidence *scanner.Threshold `toml:"minConfidence" validate:"omitnil,oneof=high medium low off" want:"high, medium, low or off"`
	// MaxFindings limits the findings reported by each skill; above 0.
	MaxFindings *int `toml:"maxFindings" validate:"omitnil,gt=0" want:"a whole number above 0"`
	// FailOn is the least severity that makes the run fail.
	FailOn *scanner.Threshold `toml:"failOn" validate:"omitnil,oneof=high medium low off" want:"high, medium, low or off"`
	// IgnorePaths are globs of files that no skill looks at.
	IgnorePaths []string `toml:"ignorePaths" validate:"dive,glob" want:"an array of globs" item:"a glob"`
	// ReportOnSuccess asks for a comment even when there are no findings.
	ReportOnSuccess *bool `toml:"reportOnSuccess" want:"true or false"`
	// BatchDelayMs is the delay between the starts of batches of chunks, in
	// milliseconds; at most a day.
	BatchDelayMs *int64   `toml:"batchDelayMs" validate:"omitnil,gte=0,lte=86400000" want:"a whole number of milliseconds from 0 to 86400000"`
	Chunking     Chunking `toml:"chunking" want:"a table"`
	// RequestChanges and Verify are for scanner.toml only.
	RequestChanges *bool `toml:"requestChanges" want:"true or false" in:"project"`
	Verify         *bool `toml:"verify" want:"true or false" in:"project"`
}

// Chunking says which files are skipped and how the others are split.
type Chunking struct {
	// FilePatterns are checked in order; the first that matches decides.
	FilePatterns []FilePattern `toml:"filePatterns" validate:"dive" want:"an array of tables"`
	Coalesce     Coalesce      `toml:"coalesce" want:"a table"`
}

// FilePattern says what happens to the files that a glob matches.
type FilePattern struct {
	// Pattern is a glob. Required.
	Pattern string `toml:"pattern" validate:"required,glob" want:"a glob"`
	// Mode is "skip" (also when it is absent), "per-chunk" or "whole-file".
	Mode *string `toml:"mode" validate:"omitnil,oneof=skip per-chunk whole-file" want:"skip, per-chunk or whole-file"`
}

// Coalesce bounds the merging of nearby hunks into one chunk.
type Coalesce struct {
	Enabled *bool `toml:"enabled" want:"true or false"`
	// MaxGapLines is the largest number of lines between two hunks that are
	// merged.
	MaxGapLines *int `toml:"maxGapLines" validate:"omitnil,gte=0,lte=1000000" want:"a whole number of lines from 0 to 1000000"`
	// MaxChunkSize is the largest size of a chunk, in characters.
	MaxChunkSize *int `toml:"maxChunkSize" validate:"omitnil,gt=0,lte=10000000" want:"a whole number of characters from 1 to 10000000"`
}

// Skill configures one skill.
type Skill struct {
	// Name is the name of the skill: of the folder it is found in, unless Path
	// is set. Required.
	Name string `toml:"name" validate:"required,skillname" want:"a name without slashes and control characters"`
	// Path is the folder of the skill, relative to the root of the repository
	// and with slashes. Nil means that the skill is searched by its name.
	Path *string `toml:"path" validate:"omitnil,repopath" want:"a folder inside the repository, relative to its root, with / and without .."`
	// Paths are globs of the files to look at; none means all. Required for a
	// skill with a schedule trigger.
	Paths []string `toml:"paths" validate:"dive,glob" want:"an array of globs" item:"a glob"`
	// IgnorePaths are globs of files to leave out, besides those of
	// [Defaults.IgnorePaths].
	IgnorePaths []string `toml:"ignorePaths" validate:"dive,glob" want:"an array of globs" item:"a glob"`
	// Model is the model that this skill asks.
	Model          *string            `toml:"model" validate:"omitnil,word" want:"the name of a model"`
	ReportOn       *scanner.Threshold `toml:"reportOn" validate:"omitnil,oneof=high medium low off" want:"high, medium, low or off"`
	MinConfidence  *scanner.Threshold `toml:"minConfidence" validate:"omitnil,oneof=high medium low off" want:"high, medium, low or off"`
	MaxFindings    *int               `toml:"maxFindings" validate:"omitnil,gt=0" want:"a whole number above 0"`
	FailOn         *scanner.Threshold `toml:"failOn" validate:"omitnil,oneof=high medium low off" want:"high, medium, low or off"`
	RequestChanges *bool              `toml:"requestChanges" want:"true or false"`
	Verify         *bool              `toml:"verify" want:"true or false"`
	Triggers       []Trigger          `toml:"triggers" validate:"dive" want:"an array of tables"`
}

// The types of a [Trigger].
const (
	TriggerPullRequest = "pull_request"
	TriggerSchedule    = "schedule"
)

// Trigger says on which event a skill runs in a workflow, and with which
// thresholds. Local runs know no triggers.
type Trigger struct {
	// Type is [TriggerPullRequest] or [TriggerSchedule]. Required.
	Type string `toml:"type" validate:"required,oneof=pull_request schedule" want:"pull_request or schedule"`
	// Actions are the actions of a pull request that start the skill. Nil means
	// opened, synchronize and reopened. A schedule has none.
	Actions       []string           `toml:"actions" validate:"omitnil,min=1,dive,oneof=opened synchronize reopened ready_for_review labeled closed" want:"an array that names at least one action" item:"opened, synchronize, reopened, ready_for_review, labeled or closed"`
	ReportOn      *scanner.Threshold `toml:"reportOn" validate:"omitnil,oneof=high medium low off" want:"high, medium, low or off"`
	MinConfidence *scanner.Threshold `toml:"minConfidence" validate:"omitnil,oneof=high medium low off" want:"high, medium, low or off"`
	MaxFindings   *int               `toml:"maxFindings" validate:"omitnil,gt=0" want:"a whole number above 0"`
	FailOn        *scanner.Threshold `toml:"failOn" validate:"omitnil,oneof=high medium low off" want:"high, medium, low or off"`
}

// Provider says who answers the questions. There is no key for the API key: it
// comes from the environment alone.
type Provider struct {
	Model *string `toml:"model" validate:"omitnil,word" want:"the name of a model"`
	// AuxiliaryModel is the model of helper requests.
	AuxiliaryModel *string `toml:"auxiliaryModel" validate:"omitnil,word" want:"the name of a model"`
	// Agent is the agent CLI to use instead of an API.
	Agent *string `toml:"agent" validate:"omitnil,oneof=claude codex gemini opencode" want:"claude, codex, gemini or opencode"`
	// BaseURL is for the user's file only: whoever sets it receives the key.
	BaseURL *string `toml:"baseURL" validate:"omitnil,baseurl" want:"an http or https URL with a host and without a user name" in:"user"`
	// Prices extend the built-in price table, by model; for the user's file
	// only.
	Prices map[string]Price `toml:"prices" validate:"-" want:"a table of models" in:"user"`
	// Redact replaces secrets before anything is sent; for the user's file only.
	Redact *bool `toml:"redact" want:"true or false" in:"user"`
}

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Input  *float64 `toml:"input" validate:"required,gte=0,lte=1000000" want:"US dollars per million tokens, from 0 to 1000000"`
	Output *float64 `toml:"output" validate:"required,gte=0,lte=1000000" want:"US dollars per million tokens, from 0 to 1000000"`
	// CacheRead and CacheWrite are the prices of input tokens that are read
	// from and written to a prompt cache. Nil means the price of Input.
	CacheRead  *float64 `toml:"cacheRead" validate:"omitnil,gte=0,lte=1000000" want:"US dollars per million tokens, from 0 to 1000000"`
	CacheWrite *float64 `toml:"cacheWrite" validate:"omitnil,gte=0,lte=1000000" want:"US dollars per million tokens, from 0 to 1000000"`
}

// Runner bounds what a run may use.
type Runner struct {
	// Concurrency is the number of requests in flight.
	Concurrency *int `toml:"concurrency" validate:"omitnil,gt=0,lte=1000" want:"a whole number from 1 to 1000"`
	// TimeoutMs bounds one request, in milliseconds; at most a day.
	TimeoutMs *int64 `toml:"timeoutMs" validate:"omitnil,gt=0,lte=86400000" want:"a whole number of milliseconds from 1 to 86400000"`
	// MaxCost and MaxTokens end a run that has used as much: US dollars, and
	// tokens read and written.
	MaxCost   *float64 `toml:"maxCost" validate:"omitnil,gt=0,lte=1000000" want:"US dollars, above 0 and at most 1000000"`
	MaxTokens *int64   `toml:"maxTokens" validate:"omitnil,gt=0" want:"a whole number of tokens above 0"`
}

// Logs says what becomes of old log files.
type Logs struct {
	// Cleanup is "ask", "auto" or "never".
	Cleanup *string `toml:"cleanup" validate:"omitnil,oneof=ask auto never" want:"ask, auto or never"`
	// RetentionDays is the age after which a log file is expired.
	RetentionDays *int `toml:"retentionDays" validate:"omitnil,gt=0,lte=100000" want:"a whole number of days from 1 to 100000"`
}

// Fix configures the application of suggested fixes.
type Fix struct {
	// Check lists commands to run after fixes were applied; for the user's file
	// only, since a pull request must not choose what runs on a machine.
	Check []string `toml:"check" validate:"dive,word" want:"an array of commands" item:"a command" in:"user"`
}
