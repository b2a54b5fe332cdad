package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/provider"
)

var review = provider.Request{
	Model: "test-model", System: "You review code.",
	Messages: []provider.Message{{Role: provider.RoleUser, Text: "/help\n@/etc/shells äöü"}},
}

// An agent sees of this machine the prompt, an empty directory, and the variables
// of the allow-list.
func TestIsolation(t *testing.T) {
	env := []string{
		"HOME=/home/user", "PATH=/usr/bin", "LANG=C.UTF-8", "LC_ALL=C", "TERM=xterm", "HTTPS_PROXY=http://127.0.0.1:1", "XDG_CONFIG_HOME=/c",
		"SCANNER_PROVIDER_API_KEY=1", "SCANNER_AGENT=1", "GITHUB_TOKEN=1", "GH_TOKEN=1", "GITHUB_ACTIONS=1", "ACTIONS_RUNTIME_TOKEN=1", "CI=1",
		"AWS_SECRET_ACCESS_KEY=1", "AWS_PROFILE=1", "AZURE_CLIENT_SECRET=1", "GOOGLE_APPLICATION_CREDENTIALS=1", "GOOGLE_API_KEY=1",
		"NODE_OPTIONS=--use-system-ca", "LD_PRELOAD=x", "GIT_DIR=x", "NPM_TOKEN=1", "SSH_AUTH_SOCK=1", "PWD=/work", "CLAUDECODE=1",
		"CLAUDE_CONFIG_DIR=/claude", "ANTHROPIC_API_KEY=1", "CODEX_HOME=/codex", "CODEX_API_KEY=1", "OPENAI_API_KEY=1",
		"GEMINI_API_KEY=1", "OPENCODE_CONFIG=/opencode", "no name", "=x",
	}
	common := []string{"HOME", "HTTPS_PROXY", "LANG", "LC_ALL", "NODE_OPTIONS", "NO_COLOR", "PATH", "PWD", "TEMP", "TERM", "TMP", "TMPDIR", "XDG_CONFIG_HOME"}
	own := map[string][]string{
		"claude":   {"ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_DISABLE_ATTACHMENTS", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_MAX_RETRIES", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING", "DISABLE_TELEMETRY"},
		"codex":    {"CODEX_API_KEY", "CODEX_HOME"},
		"gemini":   {"GEMINI_API_KEY", "GEMINI_CLI_NO_RELAUNCH", "GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_SYSTEM_MD", "GEMINI_TELEMETRY_ENABLED"},
		"opencode": {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_EXTERNAL_SKILLS", "OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_DISABLE_SHARE", "OPENCODE_DISABLE_TERMINAL_TITLE"},
	}
	files := map[string][]string{"gemini": {".gemini", ".gemini/.env", ".gemini/settings.json"}}
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			f := recorded(t, name, "success")
			f.Dump = apiText
			var temp string
			a := open(t, name, f, func(cfg *Config) { cfg.Env, temp = env, cfg.Dir })
			resp, err := a.Complete(t.Context(), review)
			if err != nil {
				t.Fatal(err)
			}
			var d dump
			if err := json.Unmarshal([]byte(resp.Text), &d); err != nil {
				t.Fatal(err)
			}

			var got []string
			for _, entry := range d.Env {
				name, _, _ := strings.Cut(entry, "=")
				got = append(got, name)
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(slices.Concat(common, own[name])))
			if runtime.GOOS != "windows" { // which adds some
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("environment (-want +got):\n%s", diff)
				}
			}
			if want := "\n" + review.Messages[0].Text; d.Stdin != want {
				t.Errorf("standard input is %q, want %q", d.Stdin, want)
			}
			if args := strings.Join(d.Args, " "); strings.Contains(args, "review code") || strings.Contains(args, "shells") {
				t.Errorf("the prompt is in the arguments: %s", args)
			}
			if !slices.Contains(d.Args, "--model=test-model") {
				t.Errorf("the arguments do not name the model: %q", d.Args)
			}
			if name != "opencode" { // names it in its configuration
				if got := d.Texts["system.md"]; got != review.System {
					t.Errorf("the system prompt is %q, want %q", got, review.System)
				}
			}
			if diff := cmp.Diff(files[name], d.Files); diff != "" {
				t.Errorf("files in the working directory (-want +got):\n%s", diff)
			}
			if real, _ := filepath.EvalSymlinks(temp); !strings.HasPrefix(d.Dir, temp) && !strings.HasPrefix(d.Dir, real) {
				t.Errorf("it runs in %s, want a directory below %s", d.Dir, temp)
			}
			left, _ := os.ReadDir(temp)
			left = slices.DeleteFunc(left, func(e os.DirEntry) bool {
				return name == "gemini" && e.Name() == name || e.Name() == "probe-"+name+".json" // always the same
			})
			if len(left) > 0 {
				t.Errorf("%v was left behind", left)
			}
		})
	}
}

// Files in the directories above the working directory have no effect; the variables
// that the user keeps in the home directory for gemini do.
func TestPlanted(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			home, above := t.TempDir(), privateDir(t)
			dir := filepath.Join(above, "scanner", "agents")
			for d := dir; d != filepath.Dir(above); d = filepath.Dir(d) {
				plant(t, d, "http://127.0.0.1:1")
			}
			f := recorded(t, name, "success")
			f.Dump = apiText
			a := open(t, name, f, func(cfg *Config) { cfg.Dir, cfg.Env = dir, []string{"HOME=" + home} })
			for _, own := range []string{"", ".env", ".gemini/.env"} {
				want := ""
				if own != "" {
					want = filepath.Join(home, own)
					if err := os.MkdirAll(filepath.Dir(want), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(want, nil, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				resp, err := a.Complete(t.Context(), review)
				if err != nil {
					t.Fatal(err)
				}
				var d dump
				if err := json.Unmarshal([]byte(resp.Text), &d); err != nil {
					t.Fatal(err)
				}
				if name == "gemini" && own == "" {
					want = filepath.Join(d.Dir, ".gemini", ".env")
				}
				var list []string
				if name == "gemini" {
					list = []string{want}
				}
				if diff := cmp.Diff(list, d.Found); diff != "" {
					t.Errorf("with %q at home it obeys (-want +got):\n%s", own, diff)
				}
				if left, err := os.ReadDir(dir); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "scanner-agent-") }) {
					t.Errorf("%v was left behind, %v", left, err)
				}
			}
		})
	}
}

// Nothing is run where another user could plant files.
func TestDirOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			above := privateDir(t)
			if err := os.Chmod(above, 0o777|os.ModeSticky); err != nil { // as /tmp
				t.Fatal(err)
			}
			a := open(t, name, recorded(t, name, "success"), func(cfg *Config) { cfg.Dir = filepath.Join(above, "scanner", "agents") })
			want := fmt.Sprintf("%s has no private directory to run in: %q: other users can write to it", name, above)
			if _, err := a.Complete(t.Context(), review); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// The requests of the real CLIs offer no tools, and contain the unchanged prompt
// and nothing that it mentions.
func TestRecordedRequests(t *testing.T) {
	for name, version := range newest {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", name, version, "success.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			_, requests, ok := strings.Cut(string(data), "-- request1 --\n")
			if !ok || strings.Contains(requests, "-- request2 --") {
				t.Fatal("want exactly one request")
			}
			var body map[string]any
			if err := json.Unmarshal([]byte(requests), &body); err != nil {
				t.Fatal(err)
			}
			text := allStrings(body)
			if !slices.Contains(text, conversation([]provider.Message{{Text: recordPrompt}})) {
				t.Error("no text of the request is the prompt")
			}
			if !slices.ContainsFunc(text, func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "You review code.") }) {
				t.Error("no text of the request is the system prompt")
			}
			if strings.Contains(requests, "login shells") {
				t.Error("the request holds a file that the prompt mentions")
			}
			if tools := toolNames(body); len(tools) > 0 && !slices.Equal(tools, []string{"request_user_input"}) {
				t.Errorf("the request offers the tools %q", tools)
			}
			if over := len(requests) - len(recordPrompt); over > 5000 {
				t.Errorf("the request is %d bytes longer than the prompt", over)
			}
		})
	}
}

// allStrings returns all strings in a JSON value.
func allStrings(v any) (list []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			list = append(list, allStrings(item)...)
		}
	case map[string]any:
		for _, item := range v {
			list = append(list, allStrings(item)...)
		}
	}
	return list
}

// toolNames returns the names in all lists of tools in a JSON value.
func toolNames(v any) (list []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			list = append(list, toolNames(item)...)
		}
	case map[string]any:
		for key, item := range v {
			tools, ok := item.([]any)
			if !ok || key != "tools" && key != "functionDeclarations" {
				list = append(list, toolNames(item)...)
				continue
			}
			for _, tool := range tools {
				if t, ok := tool.(map[string]any); ok && t["tools"] == nil && t["functionDeclarations"] == nil {
					name, _ := t["name"].(string)
					list = append(list, name)
				}
			}
			list = append(list, toolNames(tools)...)
		}
	}
	return list
}

// A process that hangs, and another one that it started, are gone within a second
// after the end of the request, also if they ignore the signal.
func TestCancelEndsAllProcesses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no process groups")
	}
	for _, tt := range []struct {
		name string
		end  func(ctx context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		{"cancel", context.WithCancel, context.Canceled},
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, context.DeadlineExceeded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, conns := listen(t)
			f := recorded(t, "claude", "success")
			f.Call = l
			a := open(t, "claude", f)
			if err := a.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := tt.end(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := a.Complete(ctx, review)
				done <- err
			}()
			processes := []net.Conn{<-conns, <-conns}
			if tt.name == "cancel" {
				cancel()
			} else {
				<-ctx.Done()
			}
			ended := time.Now()
			if err := <-done; !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			for _, c := range processes {
				if _, err := io.Copy(io.Discard, c); err != nil && !strings.Contains(err.Error(), "reset") {
					t.Error(err)
				}
			}
			if d := time.Since(ended); d > time.Second {
				t.Errorf("the processes were gone after %v, want a second at most", d)
			}
		})
	}
}

// A process that an agent leaves behind is ended too, and does not delay the answer
// for long.
func TestLeftBehind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no process groups")
	}
	l, conns := listen(t)
	f := recorded(t, "claude", "success")
	f.Call, f.Leave = l, true
	resp, err := open(t, "claude", f).Complete(t.Context(), review)
	if err != nil || resp.Text != apiText {
		t.Errorf("Complete = %q, %v; want %q", resp.Text, err, apiText)
	}
	// It may have been ended before it connected.
	select {
	case c := <-conns:
		_, _ = io.Copy(io.Discard, c)
	default:
	}
}

// listen returns an address and the connections to it.
func listen(t *testing.T) (addr string, conns <-chan net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := make(chan net.Conn, 8)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c <- conn
		}
	}()
	return l.Addr().String(), c
}

func TestPromptNotRead(t *testing.T) {
	long := review
	long.Messages = []provider.Message{{Role: provider.RoleUser, Text: strings.Repeat("x", 4<<20)}}
	for _, tt := range []struct {
		name string
		run  output
		kind provider.Kind
		text string
		hint string
	}{
		{"with a reason", output{stderr: "sandbox: denied\n", exit: 1}, provider.KindSubprocess, "EPIPE: claude did not read the prompt: sandbox: denied", "API key"},
		{"without a reason", output{exit: 1}, provider.KindSubprocess, "EPIPE: claude did not read the prompt", "API key"},
		{"it answers", output{stdout: []byte(`{"type":"result","subtype":"success","result":"[]"}`)}, provider.KindSubprocess, "EPIPE", "API key"},
		{"it has a reason", output{stdout: []byte(`{"type":"result","is_error":true,"result":"Not logged in · Please run /login"}`), exit: 1},
			provider.KindAuth, "claude: Not logged in", "/login"},
		{"it lacks a flag", output{stderr: "error: unknown option '--tools'\n", exit: 1}, provider.KindInvalid, "claude 2.1.330 has no --tools", "update it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := recorded(t, "claude", "success")
			f.Run, f.Deaf = tt.run, true
			_, err := open(t, "claude", f).Complete(t.Context(), long)
			e, ok := errors.AsType[*provider.Error](err)
			if !ok || e.Kind != tt.kind || !strings.HasPrefix(e.Message, tt.text) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("error %+v, want kind %v, message %q…, hint …%q…", e, tt.kind, tt.text, tt.hint)
			}
		})
	}
}

func TestTooMuchOutput(t *testing.T) {
	f := recorded(t, "claude", "success")
	f.Flood = maxOutput + 1<<20
	_, err := open(t, "claude", f).Complete(t.Context(), review)
	if got, want := provider.KindOf(err), provider.KindServer; got != want || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("error %v, want a %v about the size", err, want)
	}
}

// An agent that reports a failed attempt, and then nothing, is trying again.
func TestRetryOfItsOwn(t *testing.T) {
	f := recorded(t, "opencode", "rate-limit")
	f.Stay = true
	f.Run.stdout = nil
	f.Run.stderr = `timestamp=2026-01-01T00:00:00.000Z level=ERROR message="stream error" providerID=test error.error="AI_APICallError: Rate limit reached."` + "\n"
	_, err := open(t, "opencode", f).Complete(t.Context(), review)
	if got, want := provider.KindOf(err), provider.KindRateLimit; got != want {
		t.Errorf("error %v is of kind %v, want %v", err, got, want)
	}
}

func TestNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claude-next")
	for _, tt := range []struct {
		name string
		cfg  Config
		want string // the name, or a part of the error
	}{
		{"by path and name", Config{Name: "claude", Path: path}, "claude"},
		{"unknown", Config{Name: "hal", Path: path}, `unknown agent CLI "hal": want one of claude, codex, gemini, opencode`},
		{"relative path", Config{Name: "claude", Path: "bin/claude"}, `path of the agent CLI is "bin/claude": want an absolute path`},
		{"no path", Config{Name: "claude"}, "want an absolute path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.Dir = t.TempDir()
			a, err := New(tt.cfg)
			switch {
			case err != nil && !strings.Contains(err.Error(), tt.want):
				t.Errorf("error %q, want %q", err, tt.want)
			case err == nil && a.Name() != tt.want:
				t.Errorf("New found %s, want %s", a.Name(), tt.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	for _, tt := range []struct{ name, installed, want string }{
		{"the first on the PATH", "opencode codex", "codex"},
		{"claude goes first", "codex claude", "claude"},
		{"none", "", ""},
		{"opencode sends code to a model that nobody chose", "opencode", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name, _, ok := Find(nil, func(name string) (string, error) {
				if slices.Contains(strings.Fields(tt.installed), name) {
					return filepath.Join(t.TempDir(), name), nil
				}
				return "", errors.New("not found")
			})
			if name != tt.want || ok != (tt.want != "") {
				t.Errorf("Find = %q, %t, want %q", name, ok, tt.want)
			}
		})
	}
}

func TestNotExecutable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := New(Config{Name: "claude", Path: path, Dir: privateDir(t), Env: noHome()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Complete(t.Context(), review); provider.KindOf(err) != provider.KindSubprocess || !strings.Contains(err.Error(), "could not be started") {
		t.Errorf("error %v, want one about the start", err)
	}
}

func TestConversation(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []provider.Message
		want string
	}{
		{"one message", []provider.Message{{Role: provider.RoleUser, Text: "a\n"}}, "a\n"},
		{"none", nil, ""},
		{"a command", []provider.Message{{Text: "/help"}}, "\n/help"},
		{"a mention", []provider.Message{{Text: "@/etc/passwd"}}, "\n@/etc/passwd"},
		{"several", []provider.Message{
			{Role: provider.RoleUser, Text: "q"},
			{Role: provider.RoleAssistant, ToolCalls: []provider.ToolCall{{Name: "read", Arguments: `{"path":"a"}`}}},
			{Role: provider.RoleTool, Text: "result"},
		}, "[user]\nq\n\n[assistant]\n\n(calls read with {\"path\":\"a\"})\n\n[tool]\nresult"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := conversation(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// An agent runs in its own directory, where a relative path would lead elsewhere.
func TestRelativeDir(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			f := recorded(t, name, "success")
			f.Dump = apiText
			a := open(t, name, f, func(cfg *Config) { cfg.Dir = "." })
			t.Chdir(privateDir(t))
			resp, err := a.Complete(t.Context(), review)
			if err != nil {
				t.Fatal(err)
			}
			var d dump
			if err := json.Unmarshal([]byte(resp.Text), &d); err != nil {
				t.Fatal(err)
			}
			for _, entry := range d.Env {
				name, value, _ := strings.Cut(entry, "=")
				if (name == "PWD" || name == "TMPDIR") && !filepath.IsAbs(value) {
					t.Errorf("%s, want an absolute path", entry)
				}
			}
			if name != "opencode" { // names it in its configuration
				if got := d.Texts["system.md"]; got != review.System {
					t.Errorf("the system prompt is %q, want %q", got, review.System)
				}
			}
		})
	}
}

// Without a private directory nothing is run, neither the probe nor a request.
func TestNoPrivateDir(t *testing.T) {
	dir := filepath.Join(privateDir(t), "agents")
	a := open(t, "claude", recorded(t, "claude", "success"), func(cfg *Config) { cfg.Dir = dir })
	for _, state := range []string{"unknown", "known"} {
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := a.Complete(t.Context(), review)
		e, ok := errors.AsType[*provider.Error](err)
		if !ok || e.Kind != provider.KindSubprocess || !strings.HasPrefix(e.Message, "claude has no private directory to run in: ") || !strings.Contains(e.Hint, "XDG_CACHE_HOME") {
			t.Errorf("%s CLI: error %v, want one about the directory", state, err)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		if err := a.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}
