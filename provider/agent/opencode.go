package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/provider"
)

// opencode is OpenCode.
var opencode = profile{
	name:  "opencode",
	npm:   "opencode-ai",
	login: "opencode auth login",

	reportsCost: true,

	env: []string{
		"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_API_KEY", "OPENCODE_AUTH_CONTENT",
		"OPENCODE_MODELS_PATH", "OPENCODE_MODELS_URL", "OPENCODE_DISABLE_MODELS_FETCH",
		"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", // it talks to any vendor
		"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL",
	},
	route: routeOpencode,
	set: []string{
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_PROJECT_CONFIG=1", "OPENCODE_DISABLE_CLAUDE_CODE=1",
		"OPENCODE_DISABLE_EXTERNAL_SKILLS=1", "OPENCODE_DISABLE_SHARE=1", "OPENCODE_DISABLE_TERMINAL_TITLE=1",
	},
	help:    []string{"run", "--help"},
	needs:   []string{"--format", "--agent", "--model", "--title", "--pure", "--print-logs", "--log-level"},
	call:    callOpencode,
	read:    readOpencode,
	retries: opencodeRetries,
}

// anyProvider is for an opencode without a model and a provider: it takes the first
// provider for which it finds a variable, and a hosted model if there is none.
var anyProvider = cloud{
	name: "a provider that it finds by your variables",
	vars: slices.Concat([]string{"*_API_KEY", "*_API_TOKEN"}, amazonVars, googleVars, microsoftVars),
}

// opencodeVariable finds the variables that a configuration names.
var opencodeVariable = regexp.MustCompile(`\{env:([^{}]+)\}`)

// routeOpencode reads the user's configuration, which stays in force, for the
// variables that it names, and for whether it selects a provider.
func routeOpencode(r *route, cfg Config) error {
	home := homeDir(r.env)
	dir := filepath.Join(cmp.Or(getenv(r.env, "XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "opencode")
	data := filepath.Join(cmp.Or(getenv(r.env, "XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), "opencode")
	files := []string{filepath.Join(dir, "config.json"), getenv(r.env, "OPENCODE_CONFIG")}
	for _, dir := range []string{dir, getenv(r.env, "OPENCODE_CONFIG_DIR"), "/etc/opencode"} {
		files = append(files, filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc"))
	}
	content := []byte(getenv(cfg.Env, "OPENCODE_CONFIG_CONTENT"))
	texts := [][]byte{content}
	for _, file := range files {
		text, err := r.readUserFile("opencode", file)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	selected := false
	for _, text := range texts {
		for _, m := range opencodeVariable.FindAllSubmatch(text, -1) {
			r.names = append(r.names, string(m[1]))
		}
		var config struct {
			Model    string                     `json:"model"`
			Provider map[string]json.RawMessage `json:"provider"`
		}
		// It reports itself what is wrong with them.
		_ = json.Unmarshal(plainJSON(text), &config)
		selected = selected || config.Model != "" || len(config.Provider) > 0
	}
	r.configured = selected
	if !selected {
		r.cloud = anyProvider.name
		r.noModel = r.checkCloud("opencode", anyProvider, cfg)
	}
	_ = json.Unmarshal(plainJSON(content), &r.config)
	logins, err := r.readUserFile("opencode", data, "auth.json")
	for _, text := range [][]byte{logins, []byte(getenv(r.env, "OPENCODE_AUTH_CONTENT"))} {
		var providers map[string]json.RawMessage
		_ = json.Unmarshal(text, &providers)
		r.configured = r.configured || len(providers) > 0
	}
	return err
}

func callOpencode(_ *probed, req provider.Request, f *workDir) (call, error) {
	if req.Model == "" && f.noModel != nil {
		return call{}, f.noModel
	}
	system, err := f.write("system.md", []byte(nonEmpty(req.System)))
	if err != nil {
		return call{}, err
	}
	deny := map[string]string{"*": "deny"}
	settings := map[string]any{
		"share": "disabled", "autoupdate": false, "snapshot": false,
		"permission": deny,
		"agent": map[string]any{"scanner": map[string]any{
			"mode": "primary", "prompt": "{file:" + system + "}", "permission": deny, "tools": map[string]bool{"*": false},
		}},
	}
	for key, value := range f.config { // of the user, in the same variable
		if _, ok := settings[key]; !ok {
			settings[key] = value
		}
	}
	config, err := json.Marshal(settings)
	if err != nil {
		return call{}, err
	}
	c := call{
		// Without a title it requests one from the model. The log on standard error
		// is the only sign of a failed attempt.
		args: []string{"run", "--format=json", "--pure", "--agent=scanner", "--title=scanner", "--print-logs", "--log-level=ERROR"},
		env:  []string{"OPENCODE_CONFIG_CONTENT=" + string(config)},
	}
	if req.Model != "" {
		c.args = append(c.args, "--model="+req.Model)
	}
	return c, nil
}

// opencodeError finds the cause in a line of the log.
var opencodeError = regexp.MustCompile(`error\.error="((?:[^"\\]|\\.)*)"`)

func opencodeRetries(line string) (cause string, ok bool) {
	if !strings.Contains(line, `message="stream error"`) {
		return "", false
	}
	if m := opencodeError.FindStringSubmatch(line); m != nil {
		return m[1], true
	}
	return line, true
}

// opencodeEvent is a line that opencode prints.
type opencodeEvent struct {
	Type string `json:"type"`
	Part struct {
		Text   string   `json:"text"`
		Reason string   `json:"reason"`
		Cost   *float64 `json:"cost"`
		Tokens struct {
			Input     int64 `json:"input"`
			Output    int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"part"`
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message         string            `json:"message"`
			StatusCode      int               `json:"statusCode"`
			ResponseHeaders map[string]string `json:"responseHeaders"`
		} `json:"data"`
	} `json:"error"`
}

func readOpencode(out output) (resp provider.Response, fail *failure, ok bool) {
	var text strings.Builder
	for line := range bytes.Lines(out.stdout) {
		var e opencodeEvent
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch e.Type {
		case "text":
			text.WriteString(e.Part.Text)
		case "step_finish":
			resp.Usage = resp.Usage.Add(e.usage())
			switch e.Part.Reason {
			case "stop":
				resp.Stop = provider.StopEnd
			case "length":
				resp.Stop = provider.StopLength
			case "content-filter":
				fail = &failure{kind: provider.KindRefusal, text: "the provider's content filter stopped the answer"}
			}
			ok = true
		case "error":
			f := failure{text: e.Error.Data.Message, status: e.Error.Data.StatusCode}
			if f.text == "" {
				f.text = e.Error.Name
			}
			switch e.Error.Name {
			case "ContentFilterError":
				f.kind = provider.KindRefusal
			case "ProviderAuthError":
				f.kind = provider.KindAuth
			case "ContextOverflowError":
				f.kind = provider.KindContextLength
			}
			f.wait = waitIn("retry after " + e.Error.Data.ResponseHeaders["retry-after"] + "s")
			fail, ok = &f, true
		}
	}
	if fail != nil {
		return provider.Response{Usage: resp.Usage}, fail, true
	}
	resp.Text = text.String()
	return resp, nil, ok
}

// usage returns what a step consumed. The cached tokens are counted separately. A
// cost of 0 means that it does not know the price of the model.
func (e opencodeEvent) usage() provider.Usage {
	t := e.Part.Tokens
	u := provider.Usage{
		InputTokens:              max(t.Input, 0) + max(t.Cache.Read, 0) + max(t.Cache.Write, 0),
		OutputTokens:             max(t.Output, 0) + max(t.Reasoning, 0),
		CacheReadInputTokens:     max(t.Cache.Read, 0),
		CacheCreationInputTokens: max(t.Cache.Write, 0),
	}
	if c := e.Part.Cost; c != nil && *c > 0 {
		u.CostUSD = c
	}
	return u
}
