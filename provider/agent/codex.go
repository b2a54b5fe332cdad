package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/codescan-dev/scanner/provider"
)

// codex is Codex CLI.
var codex = profile{
	name:  "codex",
	npm:   "@openai/codex",
	login: "codex login",
	env:   []string{"CODEX_HOME", "CODEX_API_KEY", "CODEX_CA_CERTIFICATE"},
	help:  []string{"exec", "--help"},
	needs: []string{"--json", "--sandbox", "--ephemeral", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules", "--config"},
	extra: []string{"debug", "models"},
	learn: learnCodex,
	call:  callCodex,
	read:  readCodex,
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
	config("project_doc_max_bytes", "0")
	for _, name := range codexFeatures {
		config("features."+name, "false")
	}
	// The retries of the built-in provider, for half a minute and more, cannot be
	// turned off. This one is the same, with the same login.
	config("model_provider", "scanner")
	for _, setting := range [][2]string{
		{"name", "OpenAI"}, {"requires_openai_auth", "true"}, {"wire_api", "responses"}, {"supports_websockets", "false"},
		{"request_max_retries", "0"}, {"stream_max_retries", "0"},
	} {
		config("model_providers.scanner."+setting[0], setting[1])
	}
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
	if req.Model != "" {
		c.args = append(c.args, "--model="+req.Model)
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
