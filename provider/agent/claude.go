package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/provider"
)

// claude is Claude Code.
var claude = profile{
	name:  "claude",
	npm:   "@anthropic-ai/claude-code",
	login: "run claude and type /login, or set CLAUDE_CODE_OAUTH_TOKEN to what claude setup-token prints",

	reportsCost: true,

	env: []string{
		"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_CUSTOM_OAUTH_URL", "CLAUDE_CODE_GIT_BASH_PATH", "ANTHROPIC_*",
		"CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY", "CLAUDE_CODE_CERT_STORE", "CLAUDE_CODE_SKIP_*",
		// These select no cloud, other than those of the same prefix.
		"CLAUDE_CODE_USE_GATEWAY", "CLAUDE_CODE_USE_POWERSHELL_TOOL", "CLAUDE_CODE_USE_COWORK_PLUGINS", "CLAUDE_CODE_USE_NATIVE_FILE_SEARCH",
	},
	clouds: []cloud{
		{"Amazon Bedrock", "CLAUDE_CODE_USE_BEDROCK", amazonVars},
		{"Amazon Bedrock", "CLAUDE_CODE_USE_MANTLE", amazonVars},
		{"Claude Platform on AWS", "CLAUDE_CODE_USE_ANTHROPIC_AWS", amazonVars},
		{"Google Vertex AI", "CLAUDE_CODE_USE_VERTEX", googleVars},
		{"Claude Platform on Google Cloud", "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", googleVars},
		{"Microsoft Foundry", "CLAUDE_CODE_USE_FOUNDRY", microsoftVars},
		{"another provider", "CLAUDE_CODE_USE_*", nil},
	},
	route:   routeClaude,
	baseURL: "ANTHROPIC_BASE_URL",
	set:     claudeVars,
	help:    []string{"--help"},
	needs:   []string{"--print", "--output-format", "--tools", "--setting-sources", "--settings", "--strict-mcp-config", "--system-prompt"},
	call:    callClaude,
	read:    readClaude,
}

var claudeVars = []string{
	"CLAUDE_CODE_MAX_RETRIES=0", // its own retries take minutes
	// Otherwise it attaches every file that the prompt mentions as @/path, also
	// without tools: the code under review could name any file of the user.
	"CLAUDE_CODE_DISABLE_ATTACHMENTS=1",
	"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
	"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
}

// routeClaude reads the keys of the user's settings that decide where requests go.
// The others stay unread, such as hooks, and so do the settings of repositories.
func routeClaude(r *route, _ Config) error {
	dir := cmp.Or(getenv(r.env, "CLAUDE_CONFIG_DIR"), filepath.Join(homeDir(r.env), ".claude"))
	data, err := r.readUserFile("claude", dir, "settings.json")
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	var settings struct {
		APIKeyHelper json.RawMessage            `json:"apiKeyHelper"`
		Model        json.RawMessage            `json:"model"`
		Env          map[string]json.RawMessage `json:"env"`
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		return badUserFile("claude", filepath.Join(dir, "settings.json"), err)
	}
	_ = json.Unmarshal(settings.Model, &r.model)
	r.settings = map[string]json.RawMessage{"apiKeyHelper": settings.APIKeyHelper, "model": settings.Model}
	for name, value := range settings.Env {
		text := string(value)
		_ = json.Unmarshal(value, &text) // numbers and booleans stay as they are
		r.vars = append(r.vars, name+"="+text)
	}
	return nil
}

// claudeSettings returns the only settings of a run. They deny access to files, in
// case a version keeps a tool that should be off. The variables in them override
// those of the process, so they hold ours too.
func claudeSettings(r *route, vars []string) ([]byte, error) {
	settings := map[string]any{
		"permissions":     map[string]any{"deny": []string{"Read", "Edit", "Write", "Bash", "WebFetch", "WebSearch"}},
		"disableAllHooks": true,
	}
	for key, value := range r.settings {
		if value != nil {
			settings[key] = value
		}
	}
	env := make(map[string]string)
	for _, v := range slices.Concat(r.vars, vars) {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	settings["env"] = env
	return json.Marshal(settings)
}

func callClaude(k *probed, req provider.Request, f *workDir) (call, error) {
	vars := claudeVars
	if req.MaxTokens > 0 {
		vars = append(slices.Clone(vars), "CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(req.MaxTokens))
	}
	data, err := claudeSettings(f.route, vars)
	if err != nil {
		return call{}, err
	}
	settings, err := f.write("settings.json", data)
	if err != nil {
		return call{}, err
	}
	system, err := f.write("system.md", []byte(nonEmpty(req.System)))
	if err != nil {
		return call{}, err
	}
	c := call{args: []string{
		"--print", "--output-format=json", "--tools=", "--setting-sources=", "--strict-mcp-config",
		"--settings=" + settings, "--system-prompt-file=" + system,
	}}
	for _, flag := range []string{"--no-session-persistence", "--disable-slash-commands", "--restricted"} {
		if k.has(flag) {
			c.args = append(c.args, flag)
		}
	}
	if req.Model != "" {
		c.args = append(c.args, "--model="+req.Model)
	}
	return c, nil
}

// nonEmpty returns a prompt for a CLI that replaces an empty one by its own.
func nonEmpty(text string) string {
	if text == "" {
		return " "
	}
	return text
}

// claudeResult is the object that claude prints.
type claudeResult struct {
	Type           string   `json:"type"`
	Subtype        string   `json:"subtype"`
	IsError        bool     `json:"is_error"`
	Result         string   `json:"result"`
	StopReason     string   `json:"stop_reason"`
	TerminalReason string   `json:"terminal_reason"`
	APIError       string   `json:"api_error"`
	APIErrorStatus int      `json:"api_error_status"`
	TotalCostUSD   *float64 `json:"total_cost_usd"`
	Usage          struct {
		InputTokens              int64 `json:"input_tokens"`
		OutputTokens             int64 `json:"output_tokens"`
		CacheReadInputTokens     int64 `json:"cache_read_input_tokens"`
		CacheCreationInputTokens int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
	ModelUsage map[string]struct {
		OutputTokens int64  `json:"outputTokens"`
		CostBasis    string `json:"costBasis"`
	} `json:"modelUsage"`
}

func readClaude(out output) (provider.Response, *failure, bool) {
	var r claudeResult
	if !lastObject(out.stdout, func(line []byte) bool {
		r = claudeResult{}
		return json.Unmarshal(line, &r) == nil && r.Type == "result"
	}) {
		return provider.Response{}, nil, false
	}
	resp := provider.Response{Text: r.Result, Stop: provider.StopEnd, Usage: r.usage()}
	for model := range r.ModelUsage {
		if len(r.ModelUsage) == 1 {
			resp.Model = model
		}
	}
	// The subtype is "success" also where is_error is set.
	if !r.IsError && (r.Subtype == "success" || r.Subtype == "") {
		if r.StopReason == "max_tokens" {
			resp.Stop = provider.StopLength
		}
		if r.Result == "(no content)" { // an empty answer, in older versions
			resp.Text = ""
		}
		return resp, nil, true
	}
	f := &failure{text: r.Result, status: r.APIErrorStatus}
	if f.text == "" {
		f.text = r.Subtype
	}
	switch {
	case r.APIError == "max_output_tokens" || strings.Contains(strings.ToLower(r.Result), "output token maximum"):
		// It requested the rest several times, and prints none of it.
		resp.Text, resp.Stop = "", provider.StopLength
		return resp, nil, true
	case r.StopReason == "refusal":
		f.kind = provider.KindRefusal
	case r.TerminalReason == "prompt_too_long":
		f.kind = provider.KindContextLength
	case r.APIError == "connection_failed":
		f.kind = provider.KindConnection
	}
	return provider.Response{Usage: resp.Usage, Model: resp.Model}, f, true
}

// usage returns what the request consumed. Claude counts cached tokens separately.
func (r claudeResult) usage() provider.Usage {
	read, write := max(r.Usage.CacheReadInputTokens, 0), max(r.Usage.CacheCreationInputTokens, 0)
	u := provider.Usage{
		InputTokens:              max(r.Usage.InputTokens, 0) + read + write,
		OutputTokens:             max(r.Usage.OutputTokens, 0),
		CacheReadInputTokens:     read,
		CacheCreationInputTokens: write,
	}
	if u.IsZero() || r.TotalCostUSD == nil || *r.TotalCostUSD < 0 {
		return u
	}
	for _, m := range r.ModelUsage {
		if m.CostBasis == "unknown" { // the cost is then at the price of another model
			return u
		}
	}
	u.CostUSD = r.TotalCostUSD
	return u
}

// lastObject calls read with the whole of data, then with its lines from the last
// to the first, until read accepts one. It reports whether it did.
func lastObject(data []byte, read func(line []byte) bool) bool {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return false
	}
	if data[0] == '{' && read(data) {
		return true
	}
	for len(data) > 0 {
		i := bytes.LastIndexByte(data, '\n')
		line := bytes.TrimSpace(data[i+1:])
		if len(line) > 0 && line[0] == '{' && read(line) {
			return true
		}
		data = data[:max(i, 0)]
	}
	return false
}
