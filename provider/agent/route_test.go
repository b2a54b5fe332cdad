package agent

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/provider"
)

// home returns a new home directory with the files.
func home(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// seen runs a fake of a CLI and returns what it saw.
func seen(t *testing.T, name string, req provider.Request, change func(*Config)) dump {
	t.Helper()
	f := recorded(t, name, "success")
	f.Dump = apiText
	resp, err := open(t, name, f, change).Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	var d dump
	if err := json.Unmarshal([]byte(resp.Text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// Of the user's settings of claude, three keys are passed on, and the variables among
// them do not override those that isolate a run.
func TestClaudeSettings(t *testing.T) {
	isolated := map[string]any{
		"CLAUDE_CODE_MAX_RETRIES": "0", "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
		"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	}
	for _, tt := range []struct {
		name, settings string
		want           map[string]any // keys in addition to the permissions
		env            map[string]any // variables in addition to isolated
	}{
		{"no settings", "", nil, nil},
		{"empty", " \n", nil, nil},
		{"a gateway", "\ufeff" + `{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:1","ANTHROPIC_AUTH_TOKEN":"t","N":3},"model":"m"}`,
			map[string]any{"model": "m"}, map[string]any{"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_AUTH_TOKEN": "t", "N": "3"}},
		{"a helper", `{"apiKeyHelper":"/bin/helper"}`, map[string]any{"apiKeyHelper": "/bin/helper"}, nil},
		{"nothing else", `{"hooks":{"SessionStart":[]},"permissions":{"allow":["Bash"]},"disableAllHooks":false,"statusLine":{},"mcpServers":{}}`, nil, nil},
		{"isolation", `{"env":{"CLAUDE_CODE_DISABLE_ATTACHMENTS":"0","CLAUDE_CODE_MAX_OUTPUT_TOKENS":"9"}}`, nil,
			map[string]any{"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "9"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := home(t, map[string]string{".claude/settings.json": tt.settings, "other/settings.json": `{"model":"other"}`})
			if tt.settings == "" {
				os.Remove(filepath.Join(dir, ".claude/settings.json"))
			}
			d := seen(t, "claude", review, func(cfg *Config) { cfg.Env = []string{"HOME=" + dir, "USERPROFILE=" + dir} })
			var got map[string]any
			if err := json.Unmarshal([]byte(d.Texts["settings.json"]), &got); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{
				"permissions":     map[string]any{"deny": []any{"Read", "Edit", "Write", "Bash", "WebFetch", "WebSearch"}},
				"disableAllHooks": true,
			}
			for k, v := range tt.want {
				want[k] = v
			}
			env := make(map[string]any)
			for _, m := range []map[string]any{isolated, tt.env} {
				for k, v := range m {
					env[k] = v
				}
			}
			want["env"] = env
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			if strings.Contains(strings.Join(d.Args, " ")+strings.Join(d.Env, " "), "ANTHROPIC_AUTH_TOKEN") {
				t.Error("the token is not only in the file")
			}
		})
	}
}

func TestClaudeConfigDir(t *testing.T) {
	dir := home(t, map[string]string{"settings.json": `{"model":"m"}`, ".claude/settings.json": `{"model":"other"}`})
	d := seen(t, "claude", review, func(cfg *Config) { cfg.Env = []string{"HOME=" + dir, "CLAUDE_CONFIG_DIR=" + dir} })
	if !strings.Contains(d.Texts["settings.json"], `"model":"m"`) {
		t.Errorf("settings %s, want the model of CLAUDE_CONFIG_DIR", d.Texts["settings.json"])
	}
}

// An error does not show the secrets of the settings.
func TestClaudeSecretInSettings(t *testing.T) {
	dir := home(t, map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_AUTH_TOKEN":"token-of-settings"}}`})
	f := recorded(t, "claude", "success")
	f.Run = output{stdout: []byte(`{"type":"result","is_error":true,"result":"API Error: 401 token-of-settings"}`), exit: 1}
	_, err := open(t, "claude", f, func(cfg *Config) { cfg.Env = []string{"HOME=" + dir, "USERPROFILE=" + dir} }).Complete(t.Context(), review)
	if err == nil || strings.Contains(err.Error(), "token-of-settings") {
		t.Errorf("error %v, want one without the token", err)
	}
}

// A set-up that a run would not honor is refused with the line that makes it work,
// and accepted with that line.
func TestClouds(t *testing.T) {
	for _, tt := range []struct {
		name, cli string
		files     map[string]string
		env       []string
		missing   string // empty: the run is not refused
		cloud     string
	}{
		{"no cloud", "claude", nil, []string{"ANTHROPIC_API_KEY=k", "AWS_PROFILE=p", "GOOGLE_CLOUD_LOCATION=l", "AZURE_CLIENT_ID=c"}, "", ""},
		{"bedrock", "claude", nil, []string{"ANTHROPIC_API_KEY=stale", "CLAUDE_CODE_USE_BEDROCK=1", "AWS_REGION=r", "AWS_PROFILE=p", "AWS_PROFILE=q"},
			`"AWS_PROFILE","AWS_REGION","CLAUDE_CODE_USE_BEDROCK"`, "Amazon Bedrock"},
		{"bedrock is off", "claude", nil, []string{"CLAUDE_CODE_USE_BEDROCK=0", "CLAUDE_CODE_USE_VERTEX=", "AWS_REGION=r"}, "", ""},
		{"bedrock in the settings", "claude", map[string]string{".claude/settings.json": `{"env":{"CLAUDE_CODE_USE_BEDROCK":"1","AWS_REGION":"r"}}`},
			[]string{"AWS_REGION=other"}, "", ""},
		{"half in the settings", "claude", map[string]string{".claude/settings.json": `{"env":{"CLAUDE_CODE_USE_BEDROCK":1}}`},
			[]string{"AWS_PROFILE=p"}, `"AWS_PROFILE"`, "Amazon Bedrock"},
		{"vertex", "claude", nil, []string{"CLAUDE_CODE_USE_VERTEX=1", "CLOUD_ML_REGION=r", "ANTHROPIC_VERTEX_PROJECT_ID=p", "GOOGLE_APPLICATION_CREDENTIALS=/f"},
			`"CLAUDE_CODE_USE_VERTEX","CLOUD_ML_REGION","GOOGLE_APPLICATION_CREDENTIALS"`, "Google Vertex AI"},
		{"foundry", "claude", nil, []string{"CLAUDE_CODE_USE_FOUNDRY=true", "ANTHROPIC_FOUNDRY_RESOURCE=r"}, `"CLAUDE_CODE_USE_FOUNDRY"`, "Microsoft Foundry"},
		{"bedrock of codex", "codex", map[string]string{".codex/config.toml": `model_provider = "amazon-bedrock"`}, []string{"AWS_PROFILE=p"},
			`"AWS_PROFILE"`, "Amazon Bedrock"},
		{"vertex of gemini", "gemini", nil, []string{"GEMINI_API_KEY=stale", "GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_API_KEY=k", "GOOGLE_CLOUD_PROJECT=p"},
			`"GOOGLE_API_KEY","GOOGLE_GENAI_USE_VERTEXAI"`, "Google Vertex AI"},
		{"vertex in the settings", "gemini", map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "vertex-ai"}}}`},
			[]string{"GOOGLE_APPLICATION_CREDENTIALS=/f"}, `"GOOGLE_APPLICATION_CREDENTIALS"`, "Google Vertex AI"},
		{"what comes next", "claude", nil, []string{"CLAUDE_CODE_USE_NEXT=1"}, `"CLAUDE_CODE_USE_NEXT"`, "another provider"},
		{"a tool", "claude", nil, []string{"CLAUDE_CODE_USE_POWERSHELL_TOOL=1"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := home(t, tt.files)
			cfg := Config{Name: tt.cli, Path: filepath.Join(dir, tt.cli), Dir: dir, Env: append(tt.env, "HOME="+dir, "USERPROFILE="+dir), AllowEnv: []string{"MINE"}}
			_, err := New(cfg)
			if tt.missing == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			e, ok := errors.AsType[*provider.Error](err)
			names := strings.ReplaceAll(strings.ReplaceAll(tt.missing, `"`, ""), ",", ", ")
			want := tt.cli + " is set up for " + tt.cloud + ", but does not get " + names + ": code would go elsewhere"
			if !ok || e.Kind != provider.KindInvalid || e.Message != want || !strings.HasSuffix(e.Hint, `provider.agentEnv = ["MINE",`+tt.missing+`]`) {
				t.Fatalf("error %+v, want %q and a line with %s", e, want, tt.missing)
			}
			if err := json.Unmarshal([]byte(`["MINE",`+tt.missing+`]`), &cfg.AllowEnv); err != nil {
				t.Fatal(err)
			}
			a, err := New(cfg)
			if err != nil {
				t.Fatalf("with the line: %v", err)
			}
			for _, name := range cfg.AllowEnv[1:] {
				if getenv(a.route.env, name) == "" {
					t.Errorf("with the line it does not get %s", name)
				}
			}
		})
	}
}

// The provider of codex's configuration is passed on, without secrets in arguments.
func TestCodexProvider(t *testing.T) {
	const openAI = "model_providers.scanner={name = 'OpenAI', request_max_retries = 0, requires_openai_auth = true, " +
		"stream_max_retries = 0, supports_websockets = false, wire_api = 'responses'}"
	for _, tt := range []struct {
		name, config string
		want         []string // arguments
		env          []string // variables
	}{
		{"none", "approval_policy = 'never'", []string{"model_provider='scanner'", openAI}, nil},
		{"an address", "openai_base_url = 'http://127.0.0.1:1/v1'\nchatgpt_base_url = 'http://127.0.0.1:1/backend/'",
			[]string{"chatgpt_base_url='http://127.0.0.1:1/backend/'", "model_provider='scanner'",
				strings.Replace(openAI, "{", "{base_url = 'http://127.0.0.1:1/v1', ", 1)}, nil},
		{"a provider", "model = 'm'\nmodel_provider = 'a.b'\n[model_providers.\"a.b\"]\nname = 'T'\nbase_url = 'http://127.0.0.1:1'\nenv_key = 'TEAM_KEY'\n" +
			"request_max_retries = 9\nquery_params = {v = '1'}\nenv_http_headers = {X-A = 'TEAM_A'}",
			[]string{"model_provider='scanner'", "model_providers.scanner={base_url = 'http://127.0.0.1:1', env_http_headers = {X-A = 'TEAM_A'}, " +
				"env_key = 'TEAM_KEY', name = 'T', query_params = {v = '1'}, request_max_retries = 0, stream_max_retries = 0}", "--model=m"},
			[]string{"TEAM_KEY=key", "TEAM_A=a"}},
		{"secrets", "model_provider = 'x'\n[model_providers.x]\nname = 'T'\nexperimental_bearer_token = 'secret1'\nhttp_headers = {X-B = 'secret2'}",
			[]string{"model_provider='scanner'", "model_providers.scanner={env_http_headers = {X-B = 'CODEX_HEADER_SECRET_0'}, " +
				"env_key = 'CODEX_PROVIDER_TOKEN', name = 'T', request_max_retries = 0, stream_max_retries = 0}"},
			[]string{"CODEX_PROVIDER_TOKEN=secret1", "CODEX_HEADER_SECRET_0=secret2"}},
		{"built in", "model_provider = 'ollama'", []string{"model_provider='ollama'"}, nil},
		{"built in with settings", "model_provider = 'amazon-bedrock'\nmodel_providers.amazon-bedrock.aws.profile = 'p'",
			[]string{"model_provider='amazon-bedrock'", "model_providers.amazon-bedrock={aws = {profile = 'p'}}"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := home(t, map[string]string{".codex/config.toml": tt.config})
			req := review
			req.Model = ""
			d := seen(t, "codex", req, func(cfg *Config) {
				cfg.Env = []string{"HOME=" + dir, "USERPROFILE=" + dir, "TEAM_KEY=key", "TEAM_A=a", "TEAM_B=b"}
			})
			got := slices.DeleteFunc(slices.Clone(d.Args), func(arg string) bool {
				return !strings.HasPrefix(arg, "model_provider") && !strings.HasPrefix(arg, "chatgpt") && !strings.HasPrefix(arg, "--model=")
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			env := slices.DeleteFunc(slices.Clone(d.Env), func(v string) bool { return !strings.HasPrefix(v, "TEAM_") && !strings.HasPrefix(v, "CODEX_") })
			slices.Sort(env)
			slices.Sort(tt.env)
			if !slices.Equal(env, tt.env) {
				t.Errorf("environment %q, want %q", env, tt.env)
			}
			if strings.Contains(strings.Join(d.Args, " "), "secret1") || strings.Contains(strings.Join(d.Args, " "), "secret2") {
				t.Errorf("the arguments %q show a secret", d.Args)
			}
		})
	}
}

// The versions of codex that have profiles in config.toml would use another provider.
func TestCodexProfile(t *testing.T) {
	dir := home(t, map[string]string{".codex/config.toml": "profile = 'work'"})
	_, err := New(Config{Name: "codex", Path: filepath.Join(dir, "codex"), Dir: dir, Env: []string{"HOME=" + dir, "USERPROFILE=" + dir}})
	if provider.KindOf(err) != provider.KindInvalid || !strings.Contains(err.Error(), `codex is set up with the profile "work", which cannot be passed on`) {
		t.Errorf("error %v, want one about the profile", err)
	}
}

// The recordings of the real programs show where requests went, and with which
// credentials, although others were set as well.
func TestRecordedRoutes(t *testing.T) {
	for file, want := range map[string]string{
		"claude/2.1.330/gateway": "POST /gateway/v1/messages?beta=true Authorization: Bearer token-of-gateway\n",
		"claude/2.1.330/bedrock": "POST /bedrock/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke-with-response-stream Authorization: AWS4-HMAC-SHA256 Credential=AKIAEXPIRED\n",
		"codex/0.169.0/gateway":  "POST /gateway/v1/responses?api-version=1 Authorization: Bearer key-of-team X-Team: secret-of-team\n",
	} {
		data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(file)+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		_, sent, ok := strings.Cut(string(data), "-- sent --\n")
		if !ok || strings.ReplaceAll(sent, want, "") != "" {
			t.Errorf("%s: requests\n%s\nwant only\n%s", file, sent, want)
		}
	}
}

// A configuration that cannot be read is refused, since it may set another place.
func TestUnreadableConfiguration(t *testing.T) {
	for _, tt := range []struct{ cli, file, text string }{
		{"claude", ".claude/settings.json", `{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:1"},}`},
		{"claude", ".claude/settings.json/x", ""},
		{"codex", ".codex/config.toml", "model_provider = "},
		{"gemini", ".gemini/settings.json", "{"},
	} {
		t.Run(tt.cli+" "+tt.file, func(t *testing.T) {
			dir := home(t, map[string]string{tt.file: tt.text})
			_, err := New(Config{Name: tt.cli, Path: filepath.Join(dir, tt.cli), Dir: dir, Env: []string{"HOME=" + dir, "USERPROFILE=" + dir}})
			if provider.KindOf(err) != provider.KindInvalid || !strings.Contains(err.Error(), tt.cli+" cannot be run with your configuration ") {
				t.Errorf("error %v, want one about the configuration", err)
			}
		})
	}
}

// Variables that the user's own file lists are added to the allow-list; they do not
// override those that isolate a run.
func TestAllowEnv(t *testing.T) {
	env := []string{"AWS_PROFILE=p", "AWS_REGION=r", "GITHUB_TOKEN=t", "OTHER=o", "CLAUDE_CODE_MAX_RETRIES=9"}
	d := seen(t, "claude", review, func(cfg *Config) {
		cfg.Env, cfg.AllowEnv = env, []string{"AWS_*", "OTHER", "CLAUDE_CODE_MAX_RETRIES"}
	})
	for _, want := range []string{"AWS_PROFILE=p", "AWS_REGION=r", "OTHER=o", "CLAUDE_CODE_MAX_RETRIES=0"} {
		if !slices.Contains(d.Env, want) {
			t.Errorf("environment without %s", want)
		}
	}
	if slices.ContainsFunc(d.Env, func(s string) bool { return strings.HasPrefix(s, "GITHUB_") }) {
		t.Error("a variable that is not listed was passed on")
	}
}

// Paths and switches of certificates are passed on, and no secrets.
func TestCertificates(t *testing.T) {
	env := []string{
		"NODE_EXTRA_CA_CERTS=/ca", "SSL_CERT_FILE=/f", "SSL_CERT_DIR=/d", "NODE_USE_SYSTEM_CA=1", "NODE_USE_ENV_PROXY=1", "NODE_OPTIONS=--use-openssl-ca",
		"CLAUDE_CODE_CLIENT_CERT=/c", "CLAUDE_CODE_CLIENT_KEY=/k", "CLAUDE_CODE_CERT_STORE=system",
	}
	got := Environment("claude", append(env, "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE=secret"))
	if diff := cmp.Diff(env, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

// The variables that decide about the address of the model are passed on.
func TestAddresses(t *testing.T) {
	for name, env := range map[string][]string{
		"claude":   {"ANTHROPIC_BASE_URL=a", "CLAUDE_CODE_CUSTOM_OAUTH_URL=a"},
		"codex":    {"CODEX_OSS_BASE_URL=a", "CODEX_OSS_PORT=1"},
		"gemini":   {"GOOGLE_GEMINI_BASE_URL=a", "CODE_ASSIST_ENDPOINT=a", "CODE_ASSIST_API_VERSION=a"},
		"opencode": {"ANTHROPIC_BASE_URL=a", "OPENAI_BASE_URL=a"},
	} {
		if d := cmp.Diff(env, Environment(name, env)); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

// The settings of a run of gemini name a model: without one it sends each prompt to
// another model first, which chooses.
func TestGeminiModel(t *testing.T) {
	for _, tt := range []struct{ name, settings, want string }{
		{"no settings", "", "pro"},
		{"no model", `{"model": {"maxSessionTurns": 3}}`, "pro"},
		{"automatic", `{"model": {"name": "auto-gemini-3"}}`, "pro"},
		{"configured", "{ // mine\n\"model\": {\"name\": \"gemini-9\",},}", "gemini-9"},
		{"of another type", `{"model": "gemini-1"}`, "pro"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := home(t, map[string]string{".gemini/settings.json": tt.settings})
			d := seen(t, "gemini", provider.Request{System: "s", Messages: review.Messages}, func(cfg *Config) { cfg.Env = []string{"HOME=" + dir, "USERPROFILE=" + dir} })
			var got struct{ Model struct{ Name string } }
			if err := json.Unmarshal([]byte(d.Contents[".gemini/settings.json"]), &got); err != nil || got.Model.Name != tt.want {
				t.Errorf("model %q (%v), want %q", got.Model.Name, err, tt.want)
			}
		})
	}
}

// All runs of gemini use one directory, since it lists each in the user's
// projects.json. Its settings are replaced where they are wrong. What it keeps of the
// sessions there is removed, and nothing else in the home directory.
func TestGeminiDirectory(t *testing.T) {
	dir, own := privateDir(t), privateDir(t)
	work := filepath.Join(dir, "gemini")
	files := map[string]string{
		".gemini/tmp/gemini/.project_root":        work,
		".gemini/tmp/gemini/chats/session-1.json": "code",
		".gemini/tmp/gemini/logs.json":            "code",
		".gemini/tmp/other/.project_root":         dir,
		".gemini/tmp/other/chats/session-2.json":  "mine",
		".gemini/projects.json":                   "{}",
	}
	for name, text := range files {
		path := filepath.Join(own, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := recorded(t, "gemini", "success")
	f.Dump = apiText
	for i := range 3 {
		resp, err := open(t, "gemini", f, func(cfg *Config) { cfg.Dir, cfg.Env = dir, []string{"HOME=" + own, "USERPROFILE=" + own} }).Complete(t.Context(), review)
		if err != nil {
			t.Fatal(err)
		}
		var d dump
		if err := json.Unmarshal([]byte(resp.Text), &d); err != nil {
			t.Fatal(err)
		}
		if d.Dir != work || !slices.Equal(d.Files, []string{".gemini", ".gemini/.env", ".gemini/settings.json"}) || !strings.Contains(d.Contents[".gemini/settings.json"], `"core": ["none"]`) {
			t.Errorf("run %d is in %s with %q, want %s with its settings", i, d.Dir, d.Contents, work)
		}
		if err := os.WriteFile(filepath.Join(work, ".gemini/settings.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		data, err := os.ReadFile(filepath.Join(own, name))
		if removed := os.IsNotExist(err); removed != (text == "code") || !removed && string(data) != text {
			t.Errorf("%s is %q (%v)", name, data, err)
		}
	}
}

func TestPlainJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": [1, 2]}`:                       `{"a": [1, 2]}`,
		"{\"a\": 1, // b\n}":                  `{"a": 1}`,
		`{/* , */ "a": /*x*/ [1, 2 , ], }`:    `{"a":[1,2]}`,
		`{"a//b": "/* c */ , }", "d\"//": 1}`: `{"a//b": "/* c */ , }", "d\"//": 1}`,
		`{"a": 1} // end`:                     `{"a": 1}`,
		`{"a": 1} /* end`:                     "",
		`{"a": 1 / 2}`:                        "",
		`{"a": "`:                             "",
		`/`:                                   "",
	} {
		got := plainJSON([]byte(in))
		if want == "" {
			if json.Valid(got) {
				t.Errorf("%s became the valid %s", in, got)
			}
			continue
		}
		var g, w any
		if err := errors.Join(json.Unmarshal(got, &g), json.Unmarshal([]byte(want), &w)); err != nil || !cmp.Equal(g, w) {
			t.Errorf("%s became %s (%v)", in, got, err)
		}
	}
}

func FuzzPlainJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, 2,], // b` + "\n}", `/*`, `"\`, `//`, `{"a//": "b"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := plainJSON(data)
		if len(got) > len(data) || json.Valid(data) && string(got) != string(data) {
			t.Errorf("%q became %q", data, got)
		}
	})
}

// Opencode is used without having been chosen if the user set it up.
func TestFindOpencode(t *testing.T) {
	config := `{"provider": {"x": {}}}`
	for _, tt := range []struct {
		name, file, text, env string
		want                  bool
	}{
		{"a provider", ".config/opencode/opencode.json", config, "", true},
		{"a model", ".config/opencode/opencode.jsonc", "{\"model\": \"a/b\", // c\n}", "", true},
		{"a login", ".local/share/opencode/auth.json", `{"anthropic": {"type": "oauth"}}`, "", true},
		{"a login in a variable", "x", "", `OPENCODE_AUTH_CONTENT={"a":{}}`, true},
		{"a file in a variable", "mine.json", config, "OPENCODE_CONFIG=HOME/mine.json", true},
		{"a directory in a variable", "mine/opencode.json", config, "OPENCODE_CONFIG_DIR=HOME/mine", true},
		{"a configuration in a variable", "x", "", "OPENCODE_CONFIG_CONTENT=" + config, true},
		{"other directories", "c/opencode/opencode.json", config, "XDG_CONFIG_HOME=HOME/c", true},
		{"no login", ".local/share/opencode/auth.json", `{}`, "", false},
		{"other settings", ".config/opencode/opencode.json", `{"theme": "x", "provider": {}}`, "", false},
		{"a key of a vendor", "x", "", "OPENAI_API_KEY=k", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := home(t, map[string]string{tt.file: tt.text})
			env := []string{"HOME=" + dir, "USERPROFILE=" + dir, strings.ReplaceAll(tt.env, "HOME/", dir+"/")}
			_, _, ok := Find(env, func(name string) (string, error) {
				if name != "opencode" {
					return "", errors.New("not found")
				}
				return filepath.Join(dir, name), nil
			})
			if ok != tt.want {
				t.Errorf("found %t, want %t", ok, tt.want)
			}
		})
	}
}

// The variables that the configuration of opencode names are passed on, and the
// configuration that is in a variable, except for what isolates a run.
func TestOpencodeConfiguration(t *testing.T) {
	dir := home(t, map[string]string{".config/opencode/opencode.json": `{"provider": {"x": {"options": {"baseURL": "{env:TEAM_URL}/v1", "apiKey": "{env:TEAM_KEY}"}}}}`})
	d := seen(t, "opencode", review, func(cfg *Config) {
		cfg.Env = []string{"HOME=" + dir, "USERPROFILE=" + dir, "TEAM_URL=u", "TEAM_KEY=k", "TEAM_OTHER=o", "TEAM_MORE=m",
			`OPENCODE_CONFIG_CONTENT={"model": "{env:TEAM_MORE}", "permission": {"*": "allow"}}`}
	})
	for _, want := range []string{"TEAM_URL=u", "TEAM_KEY=k", "TEAM_MORE=m"} {
		if !slices.Contains(d.Env, want) {
			t.Errorf("environment without %s", want)
		}
	}
	if slices.Contains(d.Env, "TEAM_OTHER=o") {
		t.Error("a variable that is not named was passed on")
	}
	var got struct {
		Model      string
		Permission map[string]string
	}
	if err := json.Unmarshal([]byte(getenv(d.Env, "OPENCODE_CONFIG_CONTENT")), &got); err != nil || got.Model != "{env:TEAM_MORE}" || got.Permission["*"] != "deny" {
		t.Errorf("configuration %+v (%v), want the model, and no permission", got, err)
	}
}

// Without a model opencode chooses a provider by the variables: it must not choose
// another one because it does not get them.
func TestOpencodeWithoutModel(t *testing.T) {
	for _, tt := range []struct {
		name, config, model string
		refused             bool
	}{
		{"nothing", `{"theme": "x"}`, "", true},
		{"a model of the request", `{}`, "groq/m", false},
		{"a model", "{\"model\": \"groq/m\", /**/}", "", false},
		{"a provider", `{"provider": {"x": {}}}`, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := home(t, map[string]string{".config/opencode/opencode.json": tt.config})
			req := review
			req.Model = tt.model
			env := []string{"HOME=" + dir, "USERPROFILE=" + dir, "GROQ_API_KEY=k", "SCANNER_PROVIDER_API_KEY=k", "OPENAI_API_KEY=k", "GITHUB_TOKEN=t"}
			_, err := open(t, "opencode", recorded(t, "opencode", "success"), func(cfg *Config) { cfg.Env = env }).Complete(t.Context(), req)
			if !tt.refused {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e, ok := errors.AsType[*provider.Error](err)
			if !ok || !provider.EndsRun(err) || !strings.HasSuffix(e.Message, "does not get GROQ_API_KEY: code would go elsewhere") {
				t.Errorf("error %v, want one about the variable", err)
			}
		})
	}
}

// The identity has the place and the model of the user's set-up.
func TestIdentity(t *testing.T) {
	for _, tt := range []struct {
		cli, file, config, env, want string
	}{
		{cli: "claude", want: "claude"},
		{cli: "claude", env: "ANTHROPIC_BASE_URL=https://a.test:8443/x", want: "claude at a.test:8443"},
		{cli: "claude", env: "ANTHROPIC_BASE_URL=https://a.test", file: ".claude/settings.json",
			config: `{"model": "m", "env": {"ANTHROPIC_BASE_URL": "https://b.test"}}`, want: "claude, m at b.test"},
		{cli: "claude", env: "ANTHROPIC_BASE_URL=https://a.test", file: ".claude/settings.json",
			config: `{"env": {"CLAUDE_CODE_USE_BEDROCK": "1"}}`, want: "claude"},
		{cli: "codex", file: ".codex/config.toml", config: "model = 'm'\nopenai_base_url = 'https://c.test/v1'", want: "codex, m at c.test"},
		{cli: "gemini", env: "GOOGLE_GEMINI_BASE_URL=https://g.test", want: "gemini at g.test"},
	} {
		files := make(map[string]string)
		if tt.file != "" {
			files[tt.file] = tt.config
		}
		dir := home(t, files)
		a, err := New(Config{Name: tt.cli, Path: filepath.Join(dir, "cli"), Dir: dir, Env: []string{"HOME=" + dir, "USERPROFILE=" + dir, tt.env}})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Identity().String(); got != tt.want {
			t.Errorf("%s with %q and %q: got %q, want %q", tt.cli, tt.env, tt.config, got, tt.want)
		}
	}
}

// An agent runs in another directory, where it would not find its configuration.
func TestRelativeConfiguration(t *testing.T) {
	for cli, name := range map[string]string{"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "gemini": "GEMINI_CLI_HOME", "opencode": "OPENCODE_CONFIG"} {
		_, err := New(Config{Name: cli, Path: filepath.Join(t.TempDir(), cli), Dir: t.TempDir(), Env: []string{name + "=conf"}})
		if !provider.EndsRun(err) || !strings.Contains(err.Error(), name+` is "conf"`) {
			t.Errorf("%s: error %v, want one about %s", cli, err, name)
		}
		_, err = New(Config{Name: cli, Path: filepath.Join(t.TempDir(), cli), Dir: t.TempDir(), Env: []string{"HOME=", "USERPROFILE="}})
		if !provider.EndsRun(err) || !strings.Contains(err.Error(), "no home directory") {
			t.Errorf("%s: error %v, want one about the home directory", cli, err)
		}
	}
}
