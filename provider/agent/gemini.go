package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/codescan-dev/scanner/provider"
)

// gemini is Gemini CLI.
var gemini = profile{
	name:  "gemini",
	npm:   "@google/gemini-cli",
	login: "run gemini and type /auth, or set GEMINI_API_KEY",
	env: []string{
		"GEMINI_API_KEY", "GEMINI_API_KEY_AUTH_MECHANISM", "GEMINI_MODEL", "GEMINI_CLI_HOME", "GEMINI_CLI_CUSTOM_HEADERS",
		"GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_GENAI_API_VERSION", "GOOGLE_CLOUD_LOCATION", "CODE_ASSIST_*",
		"GOOGLE_GENAI_USE_GCA", "GOOGLE_CLOUD_PROJECT", // part of a login with an account
	},
	clouds: []cloud{
		{"Google Vertex AI", "GOOGLE_GENAI_USE_VERTEXAI", googleVars},
		{"other settings", "GEMINI_CLI_SYSTEM_*", nil},
	},
	route:   routeGemini,
	baseURL: "GOOGLE_GEMINI_BASE_URL",
	set: []string{
		"GEMINI_CLI_TRUST_WORKSPACE=true", // the settings in the working directory are ours
		"GEMINI_CLI_NO_RELAUNCH=true",
		"GEMINI_TELEMETRY_ENABLED=false",
	},
	help:  []string{"--help"},
	needs: []string{"--output-format", "--model", "--skip-trust"},
	call:  callGemini,
	read:  readGemini,
	// It lists each working directory in the user's projects.json, and keeps a
	// transcript of each session in the home directory.
	sameDir: true,
	clean:   removeTranscripts,
}

// geminiSettings are in the working directory and override the user's. A list of
// tools with only unknown names leaves none. The verb is the name of the model. There
// are no outdated keys: gemini rewrites a file with those, while other runs read it.
const geminiSettings = `{
	"tools": {"core": ["none"]},
	"mcp": {"allowed": ["none"]},
	"admin": {"mcp": {"enabled": false}, "extensions": {"enabled": false}, "skills": {"enabled": false}},
	"hooksConfig": {"enabled": false},
	"skills": {"enabled": false},
	"context": {"fileName": ["none.md"], "memoryBoundaryMarkers": [], "includeDirectoryTree": false, "discoveryMaxDirs": 0},
	"general": {"enableAutoUpdate": false, "maxAttempts": 1, "retryFetchErrors": false, "checkpointing": {"enabled": false}},
	"model": {"name": %s, "maxSessionTurns": 1, "skipNextSpeakerCheck": true},
	"privacy": {"usageStatisticsEnabled": false},
	"telemetry": {"enabled": false}
}
`

// geminiHome returns the directory in which gemini keeps its files.
func geminiHome(r *route) string {
	return filepath.Join(cmp.Or(getenv(r.env, "GEMINI_CLI_HOME"), homeDir(r.env)), ".gemini")
}

// routeGemini reads the user's settings, which stay in force, for the model that the
// settings of a run must not replace, and for the cloud that they select.
func routeGemini(r *route, _ Config) error {
	file := filepath.Join(geminiHome(r), "settings.json")
	data, err := r.readUserFile("gemini", file)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	var settings struct {
		Model    struct{ Name string }
		Security struct {
			Auth struct{ SelectedType string }
		}
	}
	err = json.Unmarshal(plainJSON(data), &settings)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return badUserFile("gemini", file, e)
	}
	r.model = settings.Model.Name
	if settings.Security.Auth.SelectedType == "vertex-ai" {
		r.cloud = "Google Vertex AI"
	}
	return nil
}

func callGemini(_ *probed, req provider.Request, f *workDir) (call, error) {
	if err := f.prepareGemini(); err != nil {
		return call{}, err
	}
	system, err := f.write("system.md", []byte(nonEmpty(req.System)))
	if err != nil {
		return call{}, err
	}
	c := call{
		args: []string{"--output-format=json", "--skip-trust"},
		env:  []string{"GEMINI_SYSTEM_MD=" + system},
	}
	if req.Model != "" {
		c.args = append(c.args, "--model="+req.Model)
	}
	return c, nil
}

// prepareGemini writes the files of the working directory. Other runs may be using
// it, so a file that is right is left alone, and another is replaced as a whole.
func (f *workDir) prepareGemini() error {
	dir := filepath.Join(f.work, ".gemini")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	put := func(name string, right bool, write func(temp string) error) error {
		temp := filepath.Join(f.root, name)
		if right {
			return nil
		}
		if err := write(temp); err != nil {
			return err
		}
		return os.Rename(temp, filepath.Join(dir, name))
	}
	// Without a model it lets another one choose: a second request with the prompt.
	model := f.model
	if model == "" || strings.HasPrefix(model, "auto") {
		model = "pro"
	}
	name, err := json.Marshal(model)
	if err != nil {
		return err
	}
	settings := fmt.Appendf(nil, geminiSettings, name)
	old, err := os.ReadFile(filepath.Join(dir, "settings.json"))
	err = put("settings.json", err == nil && bytes.Equal(old, settings), func(temp string) error { return os.WriteFile(temp, settings, 0o600) })
	if err != nil {
		return err
	}
	// The user's variables, which may hold the login: gemini reads the first such
	// file in the working directory or above it.
	link, _ := os.Readlink(filepath.Join(dir, ".env"))
	for _, name := range []string{".gemini/.env", ".env"} {
		target := filepath.Join(filepath.Dir(geminiHome(f.route)), name)
		if info, err := os.Stat(target); err == nil && filepath.IsAbs(target) && info.Mode().IsRegular() {
			return put(".env", link == target, func(temp string) error { return os.Symlink(target, temp) })
		}
	}
	info, err := os.Lstat(filepath.Join(dir, ".env"))
	return put(".env", err == nil && info.Mode().IsRegular(), func(temp string) error { return os.WriteFile(temp, nil, 0o600) })
}

// removeTranscripts removes what gemini keeps of the sessions in its working
// directory. It can do without: also those that other runs are writing.
func removeTranscripts(f *workDir) {
	work, err := filepath.EvalSymlinks(f.work)
	if err != nil {
		return
	}
	marks, _ := filepath.Glob(filepath.Join(geminiHome(f.route), "tmp", "*", ".project_root"))
	for _, mark := range marks {
		if owner, err := os.ReadFile(mark); err != nil || !strings.EqualFold(strings.TrimSpace(string(owner)), work) {
			continue
		}
		dir := filepath.Dir(mark)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.Name() != filepath.Base(mark) {
				_ = os.RemoveAll(filepath.Join(dir, e.Name()))
			}
		}
	}
}

// geminiResult is the object that gemini prints: to standard output with an
// answer, to standard error with an error.
type geminiResult struct {
	Response *string `json:"response"`
	Stats    struct {
		Models map[string]struct {
			Tokens struct {
				Prompt     int64 `json:"prompt"`
				Candidates int64 `json:"candidates"`
				Cached     int64 `json:"cached"`
				Thoughts   int64 `json:"thoughts"`
			} `json:"tokens"`
		} `json:"models"`
	} `json:"stats"`
	Error *struct {
		Message string          `json:"message"`
		Code    json.RawMessage `json:"code"` // a status, an exit code, or a word
	} `json:"error"`
}

func readGemini(out output) (resp provider.Response, fail *failure, ok bool) {
	var r geminiResult
	if !indentedObject(out.stdout, &r) || r.Response == nil && r.Error == nil {
		r = geminiResult{}
		if !indentedObject([]byte(out.stderr), &r) || r.Response == nil && r.Error == nil {
			return provider.Response{}, nil, false
		}
	}
	for model, m := range r.Stats.Models {
		resp.Usage = resp.Usage.Add(provider.Usage{
			InputTokens:          max(m.Tokens.Prompt, 0),
			OutputTokens:         max(m.Tokens.Candidates, 0) + max(m.Tokens.Thoughts, 0),
			CacheReadInputTokens: max(m.Tokens.Cached, 0),
		})
		if len(r.Stats.Models) == 1 {
			resp.Model = model
		}
	}
	if r.Error != nil {
		f := failure{text: r.Error.Message}
		var status int
		if json.Unmarshal(r.Error.Code, &status) == nil && status >= 400 && status < 600 {
			f.status = status
		}
		if status == 41 { // its exit code for a login that is missing or not accepted
			f.kind = provider.KindAuth
		}
		if f.text == "terminated" { // the message of Node.js for a cut answer
			f.kind = provider.KindConnection
		}
		return resp, &f, true
	}
	// It does not report why the model stopped.
	resp.Text, resp.Stop = *r.Response, provider.StopEnd
	return resp, nil, true
}

// indentedObject decodes the last JSON object that begins at the beginning of a
// line, and ignores the text before it.
func indentedObject(data []byte, v any) bool {
	data = bytes.TrimSpace(data)
	for end := len(data); end > 0; {
		i := bytes.LastIndex(data[:end], []byte("{"))
		if i < 0 {
			return false
		}
		if i == 0 || data[i-1] == '\n' {
			return json.Unmarshal(data[i:], v) == nil
		}
		end = i
	}
	return false
}
