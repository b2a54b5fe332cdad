package agent

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner/provider"
)

func TestProbe(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			a := open(t, name, recorded(t, name, "success"))
			if err := a.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
			if a.probed.version != newest[name] || !a.probed.toolsOff {
				t.Errorf("version %q, tools off %t; want %q with tools that are off", a.probed.version, a.probed.toolsOff, newest[name])
			}
		})
	}
}

func TestProbeRefuses(t *testing.T) {
	without := func(s script, flags ...string) script {
		for _, flag := range flags {
			s.Help.stdout = []byte(strings.ReplaceAll(string(s.Help.stdout), flag, "--gone"))
			s.Help.stderr = strings.ReplaceAll(s.Help.stderr, flag, "--gone")
		}
		return s
	}
	noCatalog := recorded(t, "codex", "success")
	noCatalog.Extra = output{stderr: "error: unrecognized subcommand 'models'\n", exit: 2}
	oldClaude := recorded(t, "claude", "success")
	oldClaude.Version.stdout = []byte("1.0.3 (Claude Code)\n")
	broken := recorded(t, "claude", "success")
	broken.Version, broken.Help = output{}, output{stderr: "node: command not found\n", exit: 127}
	for _, tt := range []struct {
		name    string
		agent   string
		script  script
		message string
		hint    string
		is      error
	}{
		{"a flag is missing", "claude", without(oldClaude, "--tools"), "claude 1.0.3 has no --tools",
			"update it: npm install -g @anthropic-ai/claude-code@latest", nil},
		{"flags are missing", "opencode", without(recorded(t, "opencode", "success"), "--pure", "--title"), "opencode 1.18.33 has no --title, --pure",
			"update it: npm install -g opencode-ai@latest", nil},
		{"tools stay on", "codex", noCatalog, "the tools of codex 0.169.0 cannot be turned off",
			"update it: npm install -g @openai/codex@latest; or let it use its tools with --allow-agent-tools", ErrTools},
		{"it does not run", "claude", broken, "claude ended with exit code 127: node: command not found",
			hintKey, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := open(t, tt.agent, tt.script)
			err := a.Probe(t.Context())
			e, ok := errors.AsType[*provider.Error](err)
			if !ok || e.Message != tt.message || e.Hint != tt.hint || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %+v, want message %q, hint %q", e, tt.message, tt.hint)
			}
			if _, again := a.Complete(t.Context(), review); again == nil || again.Error() != err.Error() {
				t.Errorf("Complete returns %v, Probe %v", again, err)
			}
		})
	}
}

func TestAllowTools(t *testing.T) {
	f := recorded(t, "codex", "success")
	f.Extra = output{exit: 2}
	a := open(t, "codex", f, func(cfg *Config) { cfg.AllowTools = true })
	if err := a.Probe(t.Context()); err != nil || a.probed.toolsOff {
		t.Errorf("Probe = %v; want no error, and tools that are on", err)
	}
	if resp, err := a.Complete(t.Context(), review); err != nil || resp.Text != apiText {
		t.Errorf("Complete = %q, %v; want %q", resp.Text, err, apiText)
	}
}

// A canceled probe is not remembered.
func TestProbeCanceled(t *testing.T) {
	a := open(t, "claude", recorded(t, "claude", "success"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Probe(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if err := a.Probe(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCodexCatalog(t *testing.T) {
	extra, ok := recording(t, "codex", newest["codex"], "extra")
	if !ok {
		t.Fatal("not recorded")
	}
	var k probed
	learnCodex(&k, extra)
	if !k.toolsOff {
		t.Error("the tools are on")
	}
	var got struct {
		Models []map[string]any `json:"models"`
	}
	if err := json.Unmarshal(k.catalog, &got); err != nil || len(got.Models) == 0 {
		t.Fatalf("catalog of %d models, %v", len(got.Models), err)
	}
	for _, m := range got.Models {
		if m["slug"] == "" || m["context_window"] == nil {
			t.Errorf("model %v lost what is its own", m)
		}
		if m["shell_type"] != "disabled" || m["tool_mode"] != nil || m["apply_patch_tool_type"] != nil || m["web_search_tool_type"] != nil ||
			m["supports_search_tool"] != false || m["multi_agent_version"] != nil {
			t.Errorf("model %v has tools", m)
		}
	}

	for _, bad := range []string{"", "{}", `{"models":[]}`, `{"models":[`, "error: unrecognized subcommand", `{"models":{}}`} {
		var k probed
		if learnCodex(&k, output{stdout: []byte(bad)}); k.toolsOff || k.catalog != nil {
			t.Errorf("the catalog %q turned the tools off", bad)
		}
	}
}

// A CLI that does not answer, because it waits for its user or the network for
// instance, does not block forever.
func TestProbeWithoutAnswer(t *testing.T) {
	a := open(t, "claude", script{Mute: true})
	a.probeTime = 200 * time.Millisecond
	for range 2 { // a failed probe is repeated
		_, err := a.Complete(t.Context(), review)
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != provider.KindSubprocess || e.Hint == "" {
			t.Fatalf("error %v, want a SubprocessError with a hint", err)
		}
		if want := "claude did not report its version and flags within 200ms"; e.Message != want {
			t.Errorf("message %q, want %q", e.Message, want)
		}
	}
}

// The answers of a CLI are kept for other processes, as long as nothing changes that
// decides about them.
func TestProbeKept(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			first := open(t, name, recorded(t, name, "success"), func(cfg *Config) { cfg.Env = []string{"HOME=" + home} })
			if err := first.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
			// From now on it never answers.
			script := filepath.Join(filepath.Dir(first.path), "script.json")
			if err := os.WriteFile(script, []byte(`{"Mute":true}`), 0o600); err != nil {
				t.Fatal(err)
			}
			probe := func() (*Agent, error) {
				a, err := New(Config{Name: name, Path: first.path, Dir: first.dir, Env: []string{"HOME=" + home}})
				if err != nil {
					t.Fatal(err)
				}
				a.probeTime = 100 * time.Millisecond
				return a, a.Probe(t.Context())
			}
			again, err := probe()
			if err != nil || !reflect.DeepEqual(again.probed, first.probed) {
				t.Errorf("the second probe: %v, %+v; want %+v", err, again.probed, first.probed)
			}
			change := func(what string, err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := probe(); err == nil {
					t.Errorf("the answers are kept although %s changed", what)
				}
			}
			if len(first.route.files) == 0 {
				t.Fatal("no file of the configuration is known")
			}
			file := first.route.files[0]
			change("the configuration", errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)))
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if _, err := probe(); err != nil {
				t.Errorf("with the same configuration again: %v", err)
			}
			old := time.Now().Add(-25 * time.Hour)
			change("the day", os.Chtimes(first.keptFile(), old, old))
			change("the file", os.WriteFile(first.keptFile(), []byte("{"), 0o600))
		})
	}
}
