package config

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// Flags is what the command line says. Nil means that a flag is not given.
type Flags struct {
	ReportOn      *string // --report-on
	MinConfidence *string // --min-confidence
	MaxFindings   *int    // --max-findings
	FailOn        *string // --fail-on
	Concurrency   *int    // --concurrency
	Model         *string // --model
	// Skills are the names given by --skill, in order. None means all that the
	// configuration names.
	Skills []string
}

// Event is what started a run in a workflow.
type Event struct {
	// Type is [TriggerPullRequest] or [TriggerSchedule].
	Type string
	// Action is the action of a pull request: "opened", "synchronize", ...
	Action string
}

// Input is all that [Resolve] decides by. Nothing else has an influence.
type Input struct {
	Flags Flags
	Env   Env
	File  *File // scanner.toml; nil if there is none
	User  *File // the user's file; nil if there is none
	// Event selects the skills whose triggers match, and the trigger level of
	// each. Nil is a local run, which has no trigger level.
	Event *Event
}

// Settings is what counts for a run, after precedence was resolved: a flag beats
// the environment, which beats the trigger, the skill, the defaults of
// scanner.toml, the user's file, and the built-in value.
type Settings struct {
	// Skills are the skills to run, in the order of scanner.toml; then those
	// that only --skill names, in the order of the flags. It is empty when
	// skills are configured, but none is for this run.
	Skills   []SkillSettings
	Provider ProviderSettings
	// Concurrency is the number of requests in flight. 0 means that nobody
	// chose; see [Settings.ConcurrencyFor].
	Concurrency int
	// BatchDelay is the delay between the starts of batches; 0 means no batches.
	BatchDelay time.Duration
	// Timeout bounds one request.
	Timeout time.Duration
	// MaxCost, in US dollars, and MaxTokens end a run; 0 means no limit.
	MaxCost   float64
	MaxTokens int64
	// Chunking includes the globs of files that no skill looks at.
	Chunking diff.Chunking
	// ReportOnSuccess asks for a comment even when there are no findings.
	ReportOnSuccess bool
	Logs            LogSettings
	// FixCheck lists the commands to run after fixes were applied.
	FixCheck []string

	origins []Origin
}

// SkillSettings is what counts for one skill.
type SkillSettings struct {
	Name string
	// Path is the folder of the skill, relative to the root of the repository.
	// Empty means that the skill is searched by its name.
	Path string
	// Paths are globs of the files to look at; none means all.
	Paths []string
	// IgnorePaths are globs of files to leave out, besides those of
	// [Settings.Chunking].
	IgnorePaths []string
	// Model is the model to ask. Empty means that nobody chose one.
	Model          string
	Policy         scanner.Policy
	Verify         bool
	RequestChanges bool
}

// ProviderSettings says who answers.
type ProviderSettings struct {
	// Model is the model of skills that do not choose another, AuxiliaryModel
	// that of helper requests. Empty means that nobody chose one.
	Model          string
	AuxiliaryModel string
	// Agent is the agent CLI that was chosen explicitly; empty if none was.
	Agent   string
	BaseURL string
	APIKey  Secret
	Prices  map[string]Price
	Redact  bool
}

// LogSettings says what becomes of old log files.
type LogSettings struct {
	// Cleanup is "ask", "auto" or "never".
	Cleanup string
	// Retention is the age after which a log file is expired.
	Retention time.Duration
}

// DefaultSkill is the name of the built-in skill that runs when no skill is
// configured or named.
const DefaultSkill = "code-review"

// The built-in values.
const (
	defaultTimeout       = 5 * time.Minute
	defaultCleanup       = "ask"
	defaultRetentionDays = 30
	defaultMaxGapLines   = 30
	defaultMaxChunkSize  = 8000 // characters
	agentConcurrency     = 4
)

// ConcurrencyFor returns the number of requests in flight: what was chosen, or
// 4 for an agent CLI and [provider.DefaultConcurrency] for an API.
func (s *Settings) ConcurrencyFor(agent bool) int {
	switch {
	case s.Concurrency > 0:
		return s.Concurrency
	case agent:
		return agentConcurrency
	default:
		return provider.DefaultConcurrency
	}
}

// Resolve decides what counts. It is a pure function: it reads nothing but in,
// changes nothing, and keeps no memory of in that a caller could change. Its
// error joins one *[OptionError] for each flag and variable that cannot be used.
func Resolve(in Input) (*Settings, error) {
	if err := checkOptions(in.Flags, in.Env); err != nil {
		return nil, err
	}
	project, user := in.File, in.User
	if project == nil {
		project = &File{}
	}
	if user == nil {
		user = &File{}
	}
	r := &resolver{project: project, user: user, flags: in.Flags, env: in.Env}
	s := &Settings{}
	r.provider(&s.Provider)
	r.runner(s)
	r.chunking(&s.Chunking)
	r.rest(s)
	for _, c := range choose(project, in.Flags.Skills, in.Event) {
		s.Skills = append(s.Skills, r.skill(c))
	}
	s.origins = r.origins
	return s, nil
}

func checkOptions(f Flags, e Env) error {
	var errs []error
	refuse := func(name, message string) { errs = append(errs, &OptionError{Name: name, Message: message}) }
	for _, t := range []struct {
		name  string
		value *string
	}{{"--report-on", f.ReportOn}, {"--min-confidence", f.MinConfidence}, {"--fail-on", f.FailOn}} {
		if t.value == nil {
			continue
		}
		if _, err := scanner.ParseThreshold(*t.value); err != nil {
			refuse(t.name, err.Error())
		}
	}
	want := func(got, path string) string { return "got " + got + ", want " + fileSchema().wanted(path) }
	v := validation()
	if n := f.MaxFindings; n != nil && *n < 1 {
		refuse("--max-findings", want(number(*n), "defaults.maxFindings"))
	}
	if n := f.Concurrency; n != nil && (*n < 1 || *n > 1000) {
		refuse("--concurrency", want(number(*n), "runner.concurrency"))
	}
	if m := f.Model; m != nil && !validWord(*m) {
		refuse("--model", want(quote(*m), "provider.model"))
	}
	for _, name := range f.Skills {
		if !validSkillName(name) {
			refuse("--skill", want(quote(name), "skills[].name"))
		}
	}
	if e.Model != "" && !validWord(e.Model) {
		refuse(envModel, want(quote(e.Model), "provider.model"))
	}
	if e.Agent != "" && v.Var(e.Agent, "oneof=claude codex gemini opencode") != nil {
		refuse(envAgent, want(quote(e.Agent), "provider.agent"))
	}
	if e.BaseURL != "" && !validBaseURL(e.BaseURL) {
		refuse(envBaseURL, "want "+fileSchema().wanted("provider.baseURL")) // it may hold a password
	}
	if !validKey(e.APIKey.Reveal()) {
		refuse(envAPIKey, "the key contains white space or a character that cannot be sent")
	}
	return errors.Join(errs...)
}

func (r *resolver) provider(p *ProviderSettings) {
	project, user := &r.project.Provider, &r.user.Provider
	p.Model = pick(r, "provider.model", "",
		given("--model", r.flags.Model), variable(envModel, r.env.Model),
		from(r.project, "provider.model", project.Model), from(r.user, "provider.model", user.Model))
	p.AuxiliaryModel = pick(r, "provider.auxiliaryModel", "",
		from(r.project, "provider.auxiliaryModel", project.AuxiliaryModel),
		from(r.user, "provider.auxiliaryModel", user.AuxiliaryModel))
	p.Agent = pick(r, "provider.agent", "", variable(envAgent, r.env.Agent),
		from(r.project, "provider.agent", project.Agent), from(r.user, "provider.agent", user.Agent))
	// Whatever project says about the rest was refused when it was parsed; a
	// File that was put together otherwise must not redirect the key either.
	p.BaseURL = pick(r, "provider.baseURL", "", variable(envBaseURL, r.env.BaseURL),
		from(r.user, "provider.baseURL", user.BaseURL))
	p.Redact = pick(r, "provider.redact", true, from(r.user, "provider.redact", user.Redact))
	p.APIKey = r.env.APIKey
	if !p.APIKey.IsZero() {
		r.record("provider.apiKey", p.APIKey, envAPIKey)
	}
	p.Prices = clonePrices(user.Prices)
	for _, model := range slices.Sorted(maps.Keys(p.Prices)) {
		r.record("provider.prices."+keyText(model), "set", r.user.place("provider.prices"))
	}
}

func (r *resolver) runner(s *Settings) {
	project, user := &r.project.Runner, &r.user.Runner
	s.Concurrency = pick(r, "runner.concurrency", 0, given("--concurrency", r.flags.Concurrency),
		from(r.project, "runner.concurrency", project.Concurrency), from(r.user, "runner.concurrency", user.Concurrency))
	s.Timeout = time.Duration(pick(r, "runner.timeoutMs", defaultTimeout.Milliseconds(),
		from(r.project, "runner.timeoutMs", project.TimeoutMs), from(r.user, "runner.timeoutMs", user.TimeoutMs))) * time.Millisecond
	s.MaxCost = pick(r, "runner.maxCost", 0,
		from(r.project, "runner.maxCost", project.MaxCost), from(r.user, "runner.maxCost", user.MaxCost))
	s.MaxTokens = pick(r, "runner.maxTokens", 0,
		from(r.project, "runner.maxTokens", project.MaxTokens), from(r.user, "runner.maxTokens", user.MaxTokens))
	s.BatchDelay = time.Duration(pick(r, "defaults.batchDelayMs", 0,
		from(r.project, "defaults.batchDelayMs", r.project.Defaults.BatchDelayMs),
		from(r.user, "defaults.batchDelayMs", r.user.Defaults.BatchDelayMs))) * time.Millisecond
}

func (r *resolver) chunking(c *diff.Chunking) {
	project, user := &r.project.Defaults, &r.user.Defaults
	c.IgnorePaths = pickList(r, "defaults.ignorePaths",
		list(r.project, "defaults.ignorePaths", project.IgnorePaths), list(r.user, "defaults.ignorePaths", user.IgnorePaths))
	for _, p := range pickList(r, "defaults.chunking.filePatterns",
		list(r.project, "defaults.chunking.filePatterns", project.Chunking.FilePatterns),
		list(r.user, "defaults.chunking.filePatterns", user.Chunking.FilePatterns)) {
		mode := diff.ModeSkip
		if p.Mode != nil {
			mode = diff.FileMode(*p.Mode)
		}
		c.FilePatterns = append(c.FilePatterns, diff.FilePattern{Pattern: p.Pattern, Mode: mode})
	}
	pc, uc := &project.Chunking.Coalesce, &user.Chunking.Coalesce
	const path = "defaults.chunking.coalesce."
	c.Coalesce.Disabled = !pick(r, path+"enabled", true, from(r.project, path+"enabled", pc.Enabled), from(r.user, path+"enabled", uc.Enabled))
	c.Coalesce.MaxGapLines = pick(r, path+"maxGapLines", defaultMaxGapLines,
		from(r.project, path+"maxGapLines", pc.MaxGapLines), from(r.user, path+"maxGapLines", uc.MaxGapLines))
	if c.Coalesce.MaxGapLines == 0 {
		c.Coalesce.MaxGapLines = -1 // package diff takes 0 for its default
	}
	c.Coalesce.MaxChunkSize = pick(r, path+"maxChunkSize", defaultMaxChunkSize,
		from(r.project, path+"maxChunkSize", pc.MaxChunkSize), from(r.user, path+"maxChunkSize", uc.MaxChunkSize))
}

func (r *resolver) rest(s *Settings) {
	s.ReportOnSuccess = pick(r, "defaults.reportOnSuccess", false,
		from(r.project, "defaults.reportOnSuccess", r.project.Defaults.ReportOnSuccess),
		from(r.user, "defaults.reportOnSuccess", r.user.Defaults.ReportOnSuccess))
	s.Logs.Cleanup = pick(r, "logs.cleanup", defaultCleanup,
		from(r.project, "logs.cleanup", r.project.Logs.Cleanup), from(r.user, "logs.cleanup", r.user.Logs.Cleanup))
	days := pick(r, "logs.retentionDays", defaultRetentionDays,
		from(r.project, "logs.retentionDays", r.project.Logs.RetentionDays),
		from(r.user, "logs.retentionDays", r.user.Logs.RetentionDays))
	s.Logs.Retention = time.Duration(days) * 24 * time.Hour
	s.FixCheck = pickList(r, "fix.check", list(r.user, "fix.check", r.user.Fix.Check))
}
