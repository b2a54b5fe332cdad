package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// Flags are the flags of the command line. Nil means that a flag is not given.
type Flags struct {
	ReportOn      *string // --report-on
	MinConfidence *string // --min-confidence
	MaxFindings   *int    // --max-findings
	FailOn        *string // --fail-on
	Concurrency   *int    // --concurrency
	Model         *string // --model
	// MaxCost is in US dollars.
	MaxCost   *float64 // --max-cost
	MaxTokens *int64   // --max-tokens
	// Skills are the names given by --skill, in order. None means all that the
	// configuration names.
	Skills []string
}

// Override returns a policy with the thresholds that are flags.
func (f *Flags) Override(p scanner.Policy) scanner.Policy {
	set := func(t *scanner.Threshold, value *string) {
		if value != nil {
			*t = scanner.Threshold(*value)
		}
	}
	set(&p.ReportOn, f.ReportOn)
	set(&p.MinConfidence, f.MinConfidence)
	set(&p.FailOn, f.FailOn)
	if f.MaxFindings != nil {
		p.MaxFindings = *f.MaxFindings
	}
	return p
}

// Event is what started a run in a workflow.
type Event struct {
	// Type is [TriggerPullRequest] or [TriggerSchedule].
	Type string
	// Action is the action of a pull request: "opened", "synchronize", ... Empty means
	// any, as for a group of pull requests in a merge queue.
	Action string
	// Draft is set if the pull request is a draft.
	Draft bool
}

// Input is all that [Resolve] depends on.
type Input struct {
	Flags Flags
	Env   Env
	File  *File // scanner.toml; nil if there is none
	User  *File // the user's file; nil if there is none
	// Event selects the skills whose triggers match, and the trigger level of
	// each. Nil is a local run, which has no trigger level.
	Event *Event
}

// Resolve returns the settings of a run: of each setting the value of the highest
// level that has one. It is a pure function, and the result shares no memory with
// in. Its error joins one error for each flag and variable that cannot be used,
// which begins with its name and never shows a value that may be a secret.
func Resolve(in Input) (*Settings, error) {
	r := &resolver{project: in.File, user: in.User, options: options(in.Flags, in.Env)}
	if err := checkOptions(r.options); err != nil {
		return nil, err
	}
	if in.Env.Provider != "" && in.Env.Agent != "" {
		return nil, errors.New(envProvider + " and " + envAgent + " cannot be used together")
	}
	c := contents{Settings: builtIn()}
	r.table(schema(), reflect.ValueOf(&c).Elem())
	s := &c.Settings
	s.Cache.Key, s.Cache.Token = in.Env.CacheKey, in.Env.CacheToken
	if err := r.credentials(s, in.Env); err != nil {
		return nil, err
	}
	for _, c := range choose(in.File, in.Flags.Skills, in.Event) {
		s.Skills = append(s.Skills, r.skill(c))
	}
	s.origins = r.origins
	return s, nil
}

// option is a flag or a variable for a key.
type option struct {
	key, name string
	value     reflect.Value // the zero Value if it is not given
}

func options(f Flags, e Env) []option {
	options := []option{
		{"defaults.reportOn", "--report-on", flagValue(f.ReportOn)},
		{"defaults.minConfidence", "--min-confidence", flagValue(f.MinConfidence)},
		{"defaults.maxFindings", "--max-findings", flagValue(f.MaxFindings)},
		{"defaults.failOn", "--fail-on", flagValue(f.FailOn)},
		{"runner.concurrency", "--concurrency", flagValue(f.Concurrency)},
		{"runner.maxCost", "--max-cost", flagValue(f.MaxCost)},
		{"runner.maxTokens", "--max-tokens", flagValue(f.MaxTokens)},
		{"provider.model", "--model", flagValue(f.Model)},
		{"provider.model", envModel, envValue(e.Model)},
		{"provider.kind", envProvider, envValue(e.Provider)},
		{"provider.agent", envAgent, envValue(e.Agent)},
		{"provider.baseURL", envBaseURL, envValue(e.BaseURL)},
		{"cache.url", envCacheURL, envValue(e.CacheURL)},
	}
	for _, name := range f.Skills {
		options = append(options, option{"skills[].name", "--skill", reflect.ValueOf(name)})
	}
	return options
}

func flagValue[T any](value *T) reflect.Value { return reflect.ValueOf(value).Elem() }

func envValue(value string) reflect.Value {
	if value == "" {
		return reflect.Value{}
	}
	return reflect.ValueOf(value)
}

// checkOptions checks flags and variables by the rules of their keys.
func checkOptions(options []option) error {
	var errs []error
	for _, o := range options {
		if !o.value.IsValid() {
			continue
		}
		if message, _ := checkValue(schema().Find(o.key), o.value.Interface(), fmt.Sprint(o.value)); message != "" {
			errs = append(errs, fmt.Errorf("%s: %s", o.name, message))
		}
	}
	return errors.Join(errs...)
}

// credentials sets the key, and resolves what was chosen in several ways: an API of a
// vendor, an agent CLI, or another API. A variable takes precedence over the files;
// scanner.toml chooses among agent CLIs only, for users who chose nothing. What the
// vendor's own variables hold comes last.
func (r *resolver) credentials(s *Settings, e Env) error {
	kind, agent := r.origin("provider.kind"), r.origin("provider.agent")
	switch {
	case agent.Source == envAgent:
		s.Provider.Kind, *kind = "", Origin{Key: kind.Key, Source: fromDefault}
	case s.Provider.Kind != "", agent.project && (e.APIKey.Reveal() != "" || s.Provider.BaseURL != ""):
		s.Provider.Agent, *agent = "", Origin{Key: agent.Key, Source: fromDefault}
	}
	// The address in a file is for the vendor in it. No other one's key is sent there.
	base := r.origin("provider.baseURL")
	if v := r.source(r.user, kind.Key).value; v.IsValid() && v.String() != s.Provider.Kind && base.Source != envBaseURL {
		s.Provider.BaseURL, *base = "", Origin{Key: base.Key, Source: fromDefault}
	}
	key, keyName := e.APIKey, envAPIKey
	for _, v := range e.Vendors {
		if v.Kind != s.Provider.Kind {
			continue
		}
		if key.Reveal() == "" {
			key, keyName = v.Key, v.KeyName
		}
		if s.Provider.BaseURL == "" && v.baseURL != "" {
			if !validBaseURL(v.baseURL) {
				return fmt.Errorf("%s: want %s", v.baseURLName, textRules["baseurl"].want)
			}
			s.Provider.BaseURL = v.baseURL
			*base = Origin{Key: base.Key, Value: withoutSecrets(v.baseURL), Source: v.baseURLName}
		}
	}
	if !validKey(key.Reveal()) {
		return errors.New(keyName + ": the key contains white space or a character that cannot be sent")
	}
	if s.Provider.APIKey = key; key.Reveal() != "" {
		r.origins = append(r.origins, Origin{Key: "provider.apiKey", Value: fmt.Sprint(key), Source: keyName})
	}
	return nil
}

// origin returns the origin of a setting that has one.
func (r *resolver) origin(key string) *Origin {
	return &r.origins[slices.IndexFunc(r.origins, func(o Origin) bool { return o.Key == key })]
}

// resolver has the levels, and records which one each value came from.
type resolver struct {
	options       []option
	project, user *File
	origins       []Origin
}

// table resolves the settings of a table, which has the built-in values.
func (r *resolver) table(k *tomlfile.Key, dst reflect.Value) {
	for _, c := range k.Keys {
		switch {
		case c.Path == "version", c.Path == "skills":
		case c.Type.Kind() == reflect.Struct:
			r.table(c, c.Field(dst))
		default:
			files := []source{r.source(r.project, c.Path), r.source(r.user, c.Path)}
			if c.Path == "provider.agent" { // the user decides where code is sent
				slices.Reverse(files)
			}
			r.set(c.Path, c.Field(dst), append(r.option(c.Path), files...))
		}
	}
}

// skill resolves the settings of a skill.
func (r *resolver) skill(c chosen) Skill {
	s := Skill{Name: c.name, Triggers: c.triggers}
	dst := reflect.ValueOf(&s).Elem()
	for _, k := range schema().Find("skills[]").Keys {
		if k.Name == "name" || k.Name == "triggers" {
			continue
		}
		inherited := inheritedKey(k.Name)
		r.set(s.Key(k.Name), k.Field(dst), append(r.option(inherited),
			r.source(r.project, c.trigger+"."+k.Name), r.source(r.project, c.path+"."+k.Name),
			r.source(r.project, inherited), r.source(r.user, inherited)))
	}
	return s
}

// inheritedKey returns the key that a setting of a skill or trigger is inherited from. There
// need not be such a key.
func inheritedKey(name string) string {
	switch name {
	case "model":
		return "provider.model"
	case "ignorePaths":
		return "" // added to those of the defaults
	}
	return "defaults." + name
}

// source is a level that may have a value.
type source struct {
	value   reflect.Value // the zero Value if it has none
	origin  string
	project bool // scanner.toml
}

// option returns the flags and variables for a key, highest first.
func (r *resolver) option(key string) []source {
	var sources []source
	for _, o := range r.options {
		if o.key == key {
			sources = append(sources, source{value: o.value, origin: o.name})
		}
	}
	return sources
}

// source returns the value at a path of the file, which may be nil.
func (r *resolver) source(f *File, path string) source {
	if f == nil || path == "" {
		return source{}
	}
	return source{f.doc.Value(path), fmt.Sprintf("%s:%d %s", text.OneLine(f.name), f.doc.Line(path), path), f == r.project}
}

// set sets dst, the setting with a key, to the first value of the sources. Without
// any it keeps its built-in value.
func (r *resolver) set(key string, dst reflect.Value, sources []source) {
	origin := Origin{Key: key, Source: fromDefault}
	for _, s := range sources {
		if s.value.IsValid() {
			dst.Set(clone(s.value.Convert(dst.Type())))
			origin.Source, origin.project = s.origin, s.project
			break
		}
	}
	if origin.Source != fromDefault || dst.Kind() == reflect.Bool || !dst.IsZero() {
		origin.Value = formatValue(key, dst.Interface())
	}
	r.origins = append(r.origins, origin)
}

// clone copies lists and maps, so that the file keeps its own.
func clone(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Slice:
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		return c
	case reflect.Map:
		c := reflect.MakeMap(v.Type())
		for key, value := range v.Seq2() {
			c.SetMapIndex(key, value)
		}
		return c
	}
	return v
}
