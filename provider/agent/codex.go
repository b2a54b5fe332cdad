package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/codescan-dev/scanner/provider"
)

// codex is Codex CLI.
var codex = profile{
	name:   "codex",
	npm:    "@openai/codex",
	login:  "codex login",
	env:    []string{"CODEX_HOME", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_CA_CERTIFICATE", "CODEX_OSS_*"},
	clouds: []cloud{{"Amazon Bedrock", "", amazonVars}},
	route:  routeCodex,
	help:   []string{"exec", "--help"},
	needs:  []string{"--json", "--sandbox", "--ephemeral", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules", "--config"},
	extra:  []string{"debug", "models"},
	learn:  learnCodex,
	call:   callCodex,
	read:   readCodex,
}

// routeCodex reads the keys of the user's configuration that decide where requests
// go, and passes them on as arguments. The files of the system are read as well, since
// the arguments override them.
func routeCodex(r *route, _ Config) error {
	files := []string{filepath.Join(cmp.Or(getenv(r.env, "CODEX_HOME"), filepath.Join(homeDir(r.env), ".codex")), "config.toml")}
	if runtime.GOOS != "windows" {
		files = append([]string{"/etc/codex/config.toml"}, files...)
	}
	keys, providers := make(map[string]any), make(map[string]any)
	for _, file := range files {
		data, err := r.readUserFile("codex", file)
		if err != nil {
			return err
		}
		var doc map[string]any
		if err := toml.Unmarshal(data, &doc); err != nil {
			return badUserFile("codex", file, err)
		}
		maps.Copy(keys, doc)
		if table, ok := doc["model_providers"].(map[string]any); ok {
			maps.Copy(providers, table)
		}
	}
	if name, _ := keys["profile"].(string); name != "" {
		return refuse(fmt.Sprintf("codex is set up with the profile %q, which cannot be passed on", name),
			"move the settings of the profile to the top of config.toml")
	}
	r.model, _ = keys["model"].(string)
	for _, key := range []string{"chatgpt_base_url", "cli_auth_credentials_store", "forced_login_method", "forced_chatgpt_workspace_id"} {
		if value, ok := keys[key]; ok {
			r.codexArg(key, value)
		}
	}

	id, _ := keys["model_provider"].(string)
	table, custom := providers[id].(map[string]any)
	const bedrock = "amazon-bedrock" // built in, but it has settings
	switch {
	case id == "", id == "openai":
		// The retries of the built-in provider, for half a minute and more, cannot be
		// turned off. This one is the same, with the same login.
		table = map[string]any{"name": "OpenAI", "requires_openai_auth": true, "wire_api": "responses", "supports_websockets": false}
		if url, ok := keys["openai_base_url"]; ok {
			table["base_url"] = url
		}
	case !custom || id == bedrock:
		if id == bedrock {
			r.cloud = "Amazon Bedrock"
		}
		r.codexArg("model_provider", id)
		if custom {
			r.codexArg("model_providers."+id, table)
		}
		return nil
	}
	r.baseURL, _ = table["base_url"].(string)
	table["request_max_retries"], table["stream_max_retries"] = 0, 0
	r.hideCodexSecrets(table)
	r.codexArg("model_provider", "scanner")
	r.codexArg("model_providers.scanner", table)
	return nil
}

// hideCodexSecrets moves the secrets of a provider from its table to variables, since
// other users of the machine can read arguments, and adds the variables that the
// table names to those that codex gets.
func (r *route) hideCodexSecrets(table map[string]any) {
	names := make(map[string]any) // of variables, by header
	if m, ok := table["env_http_headers"].(map[string]any); ok {
		maps.Copy(names, m)
	}
	if m, ok := table["http_headers"].(map[string]any); ok {
		for i, header := range slices.Sorted(maps.Keys(m)) {
			name := fmt.Sprintf("CODEX_HEADER_SECRET_%d", i)
			r.vars = append(r.vars, fmt.Sprintf("%s=%v", name, m[header]))
			names[header] = name
		}
		delete(table, "http_headers")
	}
	if len(names) > 0 {
		table["env_http_headers"] = names
	}
	if token, ok := table["experimental_bearer_token"]; ok {
		r.vars = append(r.vars, fmt.Sprintf("CODEX_PROVIDER_TOKEN=%v", token))
		table["env_key"] = "CODEX_PROVIDER_TOKEN"
		delete(table, "experimental_bearer_token")
	}
	for _, name := range append(slices.Collect(maps.Values(names)), table["env_key"]) {
		if name, ok := name.(string); ok {
			r.names = append(r.names, name)
		}
	}
}

// codexArg adds an argument that sets a key of the configuration.
func (r *route) codexArg(key string, value any) {
	var b strings.Builder
	if toml.NewEncoder(&b).SetTablesInline(true).Encode(map[string]any{"value": value}) == nil {
		r.args = append(r.args, "-c", key+"="+strings.TrimSpace(strings.TrimPrefix(b.String(), "value = ")))
	}
}

// codexFeatures are the features that give the model tools, or add unrelated
// instructions to the request. A version warns about names that it does not know.
var codexFeatures = []string{
	"apps", "browser_use", "browser_use_external", "code_mode", "code_mode_host", "code_mode_only", "computer_use", "goals",
	"hooks", "image_generation", "in_app_browser", "memories", "multi_agent", "multi_agent_v2", "plugins", "remote_plugin",
	"shell_snapshot", "shell_tool", "skill_search", "sleep_tool", "tool_suggest", "unified_exec", "view_image",
	"unbounded_connection_retries",
}

// learnCodex makes a catalog of models without tools from codex's own catalog:
// features turn off some tools, but others belong to the model, such as the one
// that runs scripts, with 18 KB of instructions. The only one that remains is
// request_user_input, which has no effect without a terminal.
func learnCodex(k *probed, extra output) {
	k.toolsOff = false
	var catalog struct {
		Models []map[string]any `json:"models"`
	}
	if !lastObject(extra.stdout, func(line []byte) bool {
		return json.Unmarshal(line, &catalog) == nil && len(catalog.Models) > 0
	}) {
		return
	}
	for _, m := range catalog.Models {
		for key, value := range map[string]any{
			"shell_type":                   "disabled",
			"tool_mode":                    nil,
			"apply_patch_tool_type":        nil,
			"multi_agent_version":          nil,
			"model_messages":               nil,
			"base_instructions":            "",
			"supports_search_tool":         false,
			"experimental_supported_tools": []string{},
		} {
			if _, ok := m[key]; ok {
				m[key] = value
			}
		}
		delete(m, "web_search_tool_type")
	}
	if data, err := json.Marshal(catalog); err == nil {
		k.catalog, k.toolsOff = data, true
	}
}

func callCodex(k *probed, req provider.Request, f *workDir) (call, error) {
	system, err := f.write("system.md", []byte(nonEmpty(req.System)))
	if err != nil {
		return call{}, err
	}
	c := call{args: []string{
		"exec", "--json", "--sandbox=read-only", "--ephemeral", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules",
	}}
	config := func(key, value string) { c.args = append(c.args, "-c", key+"="+value) }
	config("model_instructions_file", system)
	for _, key := range []string{
		"include_permissions_instructions", "include_environment_context", "include_apps_instructions",
		"include_collaboration_mode_instructions", "skills.include_instructions",
	} {
		config(key, "false")
	}
	config("web_search", "disabled")
	config("analytics.enabled", "false")
	config("project_doc_max_bytes", "0")
	for _, name := range codexFeatures {
		config("features."+name, "false")
	}
	c.args = append(c.args, f.args...)
	c.env = f.vars
	if k.catalog != nil {
		path, err := f.write("models.json", k.catalog)
		if err != nil {
			return call{}, err
		}
		config("model_catalog_json", path)
	}
	if req.Schema != nil && len(req.Schema.JSON) > 0 && k.has("--output-schema") {
		path, err := f.write("schema.json", req.Schema.JSON)
		if err != nil {
			return call{}, err
		}
		c.args = append(c.args, "--output-schema="+path)
	}
	if model := cmp.Or(req.Model, f.model); model != "" {
		c.args = append(c.args, "--model="+model)
	}
	c.args = append(c.args, "-")
	return c, nil
}

// codexEvent is a line that codex prints.
type codexEvent struct {
	Type string `json:"type"`
	Item struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"item"`
	Usage *struct {
		InputTokens           int64 `json:"input_tokens"`
		CachedInputTokens     int64 `json:"cached_input_tokens"`
		CacheWriteInputTokens int64 `json:"cache_write_input_tokens"`
		OutputTokens          int64 `json:"output_tokens"`
	} `json:"usage"`
	Message string `json:"message"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
}

func readCodex(out output) (resp provider.Response, fail *failure, ok bool) {
	for line := range bytes.Lines(out.stdout) {
		var e codexEvent
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch e.Type {
		case "item.completed":
			// Items of type "error" are only warnings. The last message is the
			// answer.
			if e.Item.Type == "agent_message" {
				resp.Text = e.Item.Text
			}
		case "turn.completed":
			if u := e.Usage; u != nil {
				resp.Usage = provider.Usage{
					InputTokens:              max(u.InputTokens, 0),
					OutputTokens:             max(u.OutputTokens, 0),
					CacheReadInputTokens:     max(u.CachedInputTokens, 0),
					CacheCreationInputTokens: max(u.CacheWriteInputTokens, 0),
				}
			}
			resp.Stop, fail, ok = provider.StopEnd, nil, true
		case "error":
			// A failure follows unless it recovers.
			if !ok && e.Message != "" {
				fail = &failure{text: e.Message}
			}
		case "turn.failed":
			fail, ok = &failure{text: e.Error.Message}, true
		}
	}
	if fail == nil {
		return resp, nil, ok
	}
	if strings.Contains(fail.text, "reason: max_output_tokens") {
		resp.Stop = provider.StopLength
		return resp, nil, true
	}
	return provider.Response{Usage: resp.Usage}, fail, true
}
