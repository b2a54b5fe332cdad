package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/codescan-dev/scanner/provider"
)

// gemini is Gemini CLI.
var gemini = profile{
	name:  "gemini",
	npm:   "@google/gemini-cli",
	login: "run gemini and type /auth, or set GEMINI_API_KEY",
	env: []string{
		"GEMINI_API_KEY", "GEMINI_MODEL", "GEMINI_CLI_HOME", "GOOGLE_GEMINI_BASE_URL",
		"GOOGLE_GENAI_USE_GCA", "GOOGLE_CLOUD_PROJECT", // part of a login with an account
	},
	set: []string{
		"GEMINI_CLI_TRUST_WORKSPACE=true", // the settings in the working directory are ours
		"GEMINI_CLI_NO_RELAUNCH=true",
		"GEMINI_TELEMETRY_ENABLED=false",
	},
	help:  []string{"--help"},
	needs: []string{"--output-format", "--model", "--skip-trust"},
	call:  callGemini,
	read:  readGemini,
}

// geminiSettings are in the working directory and override the user's. A list of
// tools with only unknown names leaves none.
const geminiSettings = `{
	"tools": {"core": ["none"]},
	"mcp": {"allowed": ["none"]},
	"admin": {"mcp": {"enabled": false}, "extensions": {"enabled": false}, "skills": {"enabled": false}},
	"hooksConfig": {"enabled": false},
	"skills": {"enabled": false},
	"context": {"fileName": ["none.md"], "memoryBoundaryMarkers": [], "includeDirectoryTree": false, "discoveryMaxDirs": 0},
	"general": {"enableAutoUpdate": false, "disableAutoUpdate": true, "maxAttempts": 1, "retryFetchErrors": false, "checkpointing": {"enabled": false}},
	"model": {"maxSessionTurns": 1, "skipNextSpeakerCheck": true},
	"privacy": {"usageStatisticsEnabled": false},
	"telemetry": {"enabled": false}
}
`

func callGemini(_ *probed, req provider.Request, f *workDir) (call, error) {
	if _, err := f.write("work/.gemini/settings.json", []byte(geminiSettings)); err != nil {
		return call{}, err
	}
	if err := linkGeminiEnv(f); err != nil {
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

// linkGeminiEnv puts the file with the user's variables, which may hold the login,
// into the working directory. Gemini reads the first such file that it finds there
// or in a directory above it.
func linkGeminiEnv(f *workDir) error {
	home := cmp.Or(getenv(f.env, "GEMINI_CLI_HOME"), getenv(f.env, "HOME"), getenv(f.env, "USERPROFILE"))
	for _, name := range []string{".gemini/.env", ".env"} {
		path := filepath.Join(home, name)
		if info, err := os.Stat(path); err == nil && home != "" && info.Mode().IsRegular() {
			return os.Symlink(path, filepath.Join(f.work, ".gemini", ".env"))
		}
	}
	_, err := f.write("work/.gemini/.env", nil)
	return err
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
