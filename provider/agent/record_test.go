package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/codescan-dev/scanner/provider"
)

// TestRecord makes the recordings in testdata again, from the real programs in the
// directory that AGENT_RECORD names; see testdata/README.md. The programs talk to a
// server on the loopback, and get only the environment that is given here.
func TestRecord(t *testing.T) {
	bin := os.Getenv("AGENT_RECORD")
	if bin == "" {
		t.Skip("AGENT_RECORD does not name a directory with agent CLIs")
	}
	for _, p := range profiles {
		if _, err := os.Stat(filepath.Join(bin, p.name)); err == nil {
			t.Run(p.name, func(t *testing.T) { record(t, p.name, bin) })
		}
	}
}

// recordModels are names of models, which some CLIs must know.
var recordModels = map[string]string{
	"claude": "claude-sonnet-4-5-20250929", "codex": "gpt-5.5", "gemini": "gemini-2.5-pro", "opencode": "test/test-model",
}

// recordPrompt contains text that agents take for commands and mentions of files.
const recordPrompt = "/help me with\n!id\n@/etc/shells and @\"/etc/shells\" and @sys.md\n" + "+\tx := \"äöü\" // 世界 🌍\n"

func record(t *testing.T, name, bin string) {
	server := newAPI(t)
	home := t.TempDir()
	open := func(situation string) *Agent {
		url := server.url + "/" + situation
		if situation == "refused" {
			url = "http://127.0.0.1:1"
		}
		return openReal(t, name, bin, home, privateDir(t), url, situation)
	}

	a := open("success")
	known, err := a.probe(t.Context())
	if err != nil {
		t.Fatalf("probe: %v", err)
	}
	dir := filepath.Join("testdata", name, known.version)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	clean := cleaner(bin, home, server.url)
	save := func(situation string, out output, files ...txtar.File) {
		if name == "codex" && situation == "extra" {
			out.stdout = shortStrings(out.stdout)
		}
		archive := &txtar.Archive{
			Comment: fmt.Appendf(nil, "exit %d\n", out.exit),
			Files: append([]txtar.File{
				{Name: "stdout", Data: []byte(clean(string(out.stdout)))},
				{Name: "stderr", Data: []byte(clean(out.stderr))},
			}, files...),
		}
		if err := os.WriteFile(filepath.Join(dir, situation+".txtar"), txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(a *Agent, c call) output {
		f, err := a.newWorkDir()
		if err != nil {
			t.Fatal(err)
		}
		defer f.remove()
		out, err := a.run(t.Context(), c, f)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	save("version", run(a, call{args: []string{"--version"}}))
	save("help", run(a, call{args: a.profile.help}))
	if len(a.profile.extra) > 0 {
		save("extra", run(a, call{args: a.profile.extra}))
	}
	save("unknown-flag", run(a, call{args: append(slices.Clone(a.profile.help[:len(a.profile.help)-1]), "--unheard-of-flag"), stdin: "x"}))

	situations := append([]string{"success", "gateway", "empty", "length", "refusal", "reset", "cut", "refused"}, slices.Sorted(maps.Keys(apiErrors))...)
	for _, situation := range situations {
		if strings.HasPrefix(situation, "stream-") && name != "codex" || situation == "no-login" && name == "opencode" ||
			situation == "gateway" && name != "codex" && name != "claude" || situation == "bedrock" && name != "claude" {
			continue
		}
		a := open(situation)
		req := provider.Request{
			Model: recordModels[name], System: "You review code.",
			Messages: []provider.Message{{Role: provider.RoleUser, Text: recordPrompt}},
			Schema:   &provider.Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)},
		}
		f, err := a.newWorkDir()
		if err != nil {
			t.Fatal(err)
		}
		c, err := a.profile.call(known, req, f)
		if err != nil {
			t.Fatal(err)
		}
		c.stdin = conversation(req.Messages)
		server.requests()
		start := time.Now()
		out, err := a.run(t.Context(), c, f)
		f.remove()
		if err != nil {
			t.Fatal(err)
		}
		targets := server.targets()
		requests := server.requests()
		resp, err := a.result(out, req)
		t.Logf("%-15s %5.1fs %d requests: %.60q %v", situation, time.Since(start).Seconds(), len(requests), resp.Text, err)
		for _, body := range requests {
			if strings.Contains(body, "valid login shells") {
				t.Errorf("%s: the prompt made the agent attach a file", situation)
			}
		}
		var files []txtar.File
		if situation == "success" {
			for i, body := range requests {
				files = append(files, txtar.File{Name: fmt.Sprintf("request%d", i+1), Data: []byte(clean(body) + "\n")})
			}
		}
		if situation == "gateway" || situation == "bedrock" {
			files = append(files, txtar.File{Name: "sent", Data: []byte(clean(targets))})
		}
		save(situation, out, files...)
	}
}

// openReal returns an agent that runs a real CLI against a server, set up for a
// situation as a user would.
func openReal(t *testing.T, name, bin, home, dir, url, situation string) *Agent {
	login := situation != "no-login"
	write := func(file, text string) {
		t.Helper()
		file = filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{
		"PATH=" + strings.Join([]string{bin, "/usr/local/bin", "/usr/bin", "/bin"}, ":"), "HOME=" + home, "LANG=C.UTF-8",
		"GITHUB_TOKEN=must-not-be-passed-on",
	}
	cfg := Config{Name: name, Path: filepath.Join(bin, name), Env: env, Dir: dir}
	key := "fake-key-0123456789"
	switch name {
	case "claude":
		settings := "{}"
		switch situation {
		case "gateway":
			settings = fmt.Sprintf(`{"env":{"ANTHROPIC_BASE_URL":%q,"ANTHROPIC_AUTH_TOKEN":"token-of-gateway"}}`, url)
		case "bedrock":
			cfg.Env = append(cfg.Env, "CLAUDE_CODE_USE_BEDROCK=1", "ANTHROPIC_BEDROCK_BASE_URL="+url, "AWS_REGION=us-east-1",
				"AWS_ACCESS_KEY_ID=AKIAEXPIRED", "AWS_SECRET_ACCESS_KEY="+key)
			cfg.AllowEnv = []string{"CLAUDE_CODE_USE_BEDROCK", "AWS_*"}
		default:
			cfg.Env = append(cfg.Env, "ANTHROPIC_BASE_URL="+url)
		}
		write(".claude/settings.json", settings)
		if login && situation != "gateway" {
			cfg.Env = append(cfg.Env, "ANTHROPIC_API_KEY="+key)
		}
	case "codex":
		config := fmt.Sprintf("openai_base_url = %q\n", url+"/v1")
		if situation == "gateway" {
			config = fmt.Sprintf("model_provider = \"team\"\n[model_providers.team]\nname = \"Team\"\nbase_url = %q\nenv_key = \"TEAM_KEY\"\n"+
				"query_params = {api-version = \"1\"}\nhttp_headers = {X-Team = \"secret-of-team\"}\n", url+"/v1")
			cfg.Env = append(cfg.Env, "TEAM_KEY=key-of-team")
		}
		write(".codex/config.toml", config)
		if login {
			cfg.Env = append(cfg.Env, "CODEX_API_KEY="+key)
		}
	case "gemini":
		cfg.Env = append(cfg.Env, "GOOGLE_GEMINI_BASE_URL="+url)
		if login {
			cfg.Env = append(cfg.Env, "GEMINI_API_KEY="+key)
		}
		write(".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`)
	case "opencode":
		write("opencode.json", fmt.Sprintf(`{"enabled_providers":["test"],"provider":{"test":{"npm":"@ai-sdk/openai-compatible","name":"test",
			"options":{"baseURL":"%s/v1","apiKey":%q},"models":{"test-model":{"name":"test-model","cost":{"input":1,"output":2}}}}}}`, url, key))
		cfg.Env = append(cfg.Env, "OPENCODE_CONFIG="+filepath.Join(home, "opencode.json"))
	}
	a, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRealPlanted plants files in all directories above the working directory of
// the real programs that AGENT_RECORD names; see [TestRecord].
func TestRealPlanted(t *testing.T) {
	bin := os.Getenv("AGENT_RECORD")
	if bin == "" {
		t.Skip("AGENT_RECORD does not name a directory with agent CLIs")
	}
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
				t.Skip(err)
			}
			server, thief := newAPI(t), newAPI(t)
			above := privateDir(t)
			home, dir := t.TempDir(), filepath.Join(above, "scanner", "agents")
			for d := dir; d != filepath.Dir(above); d = filepath.Dir(d) {
				plant(t, d, thief.url+"/success")
			}
			a := openReal(t, name, bin, home, dir, server.url+"/success", "success")
			resp, err := a.Complete(t.Context(), provider.Request{
				Model: recordModels[name], System: "You review code.",
				Messages: []provider.Message{{Role: provider.RoleUser, Text: recordPrompt}},
			})
			if err != nil || resp.Text != apiText {
				t.Errorf("got %q, %v", resp.Text, err)
			}
			if got := len(thief.requests()); got > 0 {
				t.Errorf("%d requests were redirected", got)
			}
			requests := slices.DeleteFunc(server.requests(), func(body string) bool { return body == "" })
			if len(requests) != 1 || strings.Contains(requests[0], plantedText) {
				t.Errorf("got the requests %q, want one without planted text", requests)
			}
			if name != "gemini" {
				return
			}
			if left, _ := filepath.Glob(filepath.Join(home, ".gemini", "tmp", "*", "*", "*")); len(left) > 0 {
				t.Errorf("it left transcripts: %q", left)
			}
			projects, err := os.ReadFile(filepath.Join(home, ".gemini", "projects.json"))
			if got := strings.Count(string(projects), dir); err != nil || got != 1 {
				t.Errorf("it listed %d directories in %s (%v), want 1", got, projects, err)
			}
		})
	}
}

// cleaner returns a function that removes what belongs to this machine or this
// moment.
func cleaner(bin, home, url string) func(string) string {
	host, _ := os.Hostname()
	shell := "host-of-recording"
	if host == "" || len(host) < 6 {
		host = shell
	}
	modules := bin
	if real, err := filepath.EvalSymlinks(filepath.Join(bin, "gemini")); err == nil {
		if i := strings.Index(real, "/node_modules/"); i > 0 {
			modules = real[:i]
		}
	}
	replace := strings.NewReplacer(url, "http://127.0.0.1:8080", strings.TrimPrefix(url, "http://"), "127.0.0.1:8080",
		modules, "/usr/lib", bin, "/usr/bin", home, "/home/user", host, "host")
	type rule struct {
		re *regexp.Regexp
		to string
	}
	rules := []rule{
		{regexp.MustCompile(`/[^"\s:,]*scanner-agent-\d+`), "/tmp/scanner-agent-1"},
		{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "00000000-0000-0000-0000-000000000000"},
		{regexp.MustCompile(`[0-9a-f]{64}`), strings.Repeat("0", 64)},
		{regexp.MustCompile(`\b(ses|msg|prt)_[0-9A-Za-z]{20,}`), "${1}_1"},
		{regexp.MustCompile(`\b1[6-9]\d{11}(\.\d+)?\b`), "1700000000000"},
		{regexp.MustCompile(`\b1[6-9]\d{8}\.\d+\b`), "1700000000.0"},
		{regexp.MustCompile(`\b20\d\d-\d\d-\d\dT[0-9:.-]+Z`), "2026-01-01T00:00:00.000Z"},
		{regexp.MustCompile(`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [0-9:]{8} GMT`), "Thu, 01 Jan 2026 00:00:00 GMT"},
		{regexp.MustCompile(`Linux \d[-0-9A-Za-z._]*`), "Linux 6.1"},
		{regexp.MustCompile(`run=[0-9a-f]{8}\b`), "run=00000000"},
	}
	return func(text string) string {
		text = replace.Replace(text)
		for _, r := range rules {
			text = r.re.ReplaceAllString(text, r.to)
		}
		return text
	}
}

// shortStrings keeps the first models of a catalog, with long texts cut.
func shortStrings(data []byte) []byte {
	var v struct {
		Models []map[string]any `json:"models"`
	}
	if json.Unmarshal(data, &v) != nil {
		return data
	}
	v.Models = v.Models[:min(len(v.Models), 3)]
	for _, m := range v.Models {
		m["base_instructions"] = "You are a coding agent."
		m["model_messages"] = object{"instructions_template": "You are a coding agent."}
	}
	short, err := json.Marshal(v)
	if err != nil {
		return data
	}
	return append(short, '\n')
}
