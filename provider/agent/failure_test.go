package agent

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/provider"
)

func testAgent(t testing.TB, env ...string) *Agent {
	t.Helper()
	a, err := New(Config{Name: "claude", Path: t.TempDir(), Dir: t.TempDir(), Env: append(env, noHome()...)})
	if err != nil {
		t.Fatal(err)
	}
	a.probed = &probed{version: "2.0.0"}
	return a
}

// Texts that could not be recorded: they need a subscription or another version.
func TestClassify(t *testing.T) {
	a := testAgent(t)
	for _, tt := range []struct {
		text string
		kind provider.Kind
		wait time.Duration
	}{
		{"You've hit your limit · resets 3pm (UTC)", provider.KindRateLimit, 0},
		{"Claude AI usage limit reached|1700000000", provider.KindRateLimit, 0},
		{"5-hour limit reached ∙ resets 3am", provider.KindRateLimit, 0},
		{"You've hit your usage limit. Upgrade to Pro, or try again in 2 minutes.", provider.KindRateLimit, 2 * time.Minute},
		{"Rate limit reached, retry after 250ms", provider.KindRateLimit, 250 * time.Millisecond},
		{"OAuth token has expired. Please obtain a new token or refresh your existing token.", provider.KindAuth, 0},
		{"API Error: 401 {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"OAuth token revoked\"}} · Please run /login", provider.KindAuth, 0},
		{"Your session has expired. Please sign in again.", provider.KindAuth, 0},
		{"Your access token could not be refreshed because you have since logged out or signed in to another account. Please sign in again.", provider.KindAuth, 0},
		{"Please set an Auth method in your settings.json", provider.KindAuth, 0},
		{"API Error: 500 {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"oh\"}}", provider.KindServer, 0},
		{"API Error (503 upstream)", provider.KindServer, 0},
		{"getaddrinfo ENOTFOUND api.test", provider.KindConnection, 0},
		{"API Error: write EPIPE", provider.KindConnection, 0},
		{"something else altogether", provider.KindServer, 0},
		{"", provider.KindServer, 0},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got := a.classify(failure{text: tt.text})
			if got.Kind != tt.kind || got.RetryAfter != tt.wait {
				t.Errorf("kind %v, retry after %v; want %v, %v", got.Kind, got.RetryAfter, tt.kind, tt.wait)
			}
			if (got.Kind == provider.KindAuth) != strings.Contains(got.Hint, "log in again") {
				t.Errorf("hint %q", got.Hint)
			}
		})
	}
}

func TestExitError(t *testing.T) {
	a := testAgent(t)
	for _, tt := range []struct {
		name string
		out  output
		want string
	}{
		{"exit code", output{exit: 3, stderr: "a\nb\n"}, "SubprocessError: claude ended with exit code 3: a b"},
		{"no text", output{exit: 1}, "SubprocessError: claude ended with exit code 1"},
		{"no answer", output{}, "SubprocessError: claude ended without an answer"},
		{"signal", output{exit: -1}, "SubprocessError: claude was ended by a signal"},
		{"its pipe broke", output{exit: 1, stderr: "Error: write EPIPE\n    at stack"}, "SubprocessError: EPIPE: claude ended with exit code 1: Error: write EPIPE at stack"},
		{"its socket broke", output{exit: 1, stderr: "read ECONNRESET"}, "SubprocessError: ECONNRESET: claude ended with exit code 1: read ECONNRESET"},
		{"text on standard output", output{exit: 1, stdout: []byte("Segmentation fault\n")}, "SubprocessError: claude ended with exit code 1: Segmentation fault"},
		{"the end counts", output{exit: 1, stderr: strings.Repeat("x", 9999) + " the end"}, "the end"},
		{"escapes", output{exit: 1, stderr: "\x1b[31mred\x1b[0m \x1b]0;title\a\u202eline\x00"}, "SubprocessError: claude ended with exit code 1: red line"},
		{"unknown flag", output{exit: 1, stderr: "error: unknown option '--tools'"}, "InvalidRequestError: claude 2.0.0 has no --tools"},
		{"unknown flag of clap", output{exit: 2, stderr: "\x1b[1merror:\x1b[0m unexpected argument '--json' found"}, "InvalidRequestError: claude 2.0.0 has no --json"},
		{"unknown flag of yargs", output{exit: 1, stderr: "Unknown argument: skip-trust"}, "InvalidRequestError: claude 2.0.0 has no --skip-trust"},
		{"too long for it", output{exit: 1, stderr: "Error: turn/start failed: Input exceeds the maximum length of 1048576 characters.\n"},
			"ContextLengthError: claude: Error: turn/start failed: Input exceeds the maximum length of 1048576 characters."},
		{"login", output{exit: 1, stderr: "You are not logged in\n"}, "AuthenticationError: claude: You are not logged in"},
		{"it gave up", output{exit: -1, gaveUp: "AI_APICallError: Too Many Requests"}, "RateLimitError: claude: AI_APICallError: Too Many Requests"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := a.exitError(tt.out).Error()
			if got != tt.want && !(tt.name == "the end counts" && strings.HasSuffix(got, tt.want) && len(got) < 500) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRedact(t *testing.T) {
	a := testAgent(t, "SCANNER_PROVIDER_API_KEY=topsecret-1", "MY_TOKEN=topsecret-1-longer", "SHORT_KEY=abc", "KEYMAP=/usr/share/keymaps", "HOME=/home/someone")
	for _, tt := range []struct{ in, want string }{
		{"key topsecret-1!", "key [redacted]!"},
		{"key topsecret-1-longer!", "key [redacted]!"},
		{"abc /usr/share/keymaps /home/someone", "abc /usr/share/keymaps /home/someone"},
		{"sk-ant-api03-AbCdEfGhIjK and sk-proj-12345678", "[redacted] and [redacted]"},
		{"AIzaSyA1234567890123456789012345678901", "[redacted]"},
		{"ghp_0123456789012345678901234567890123456789", "[redacted]"},
		{"AKIAIOSFODNN7EXAMPLE", "[redacted]"},
		{"Authorization: Bearer abcdefgh.ijklmnopq", "Authorization: [redacted]"},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def", "[redacted]"},
		{"Missing bearer authentication", "Missing bearer authentication"},
		{"a task-oriented risk-free ask-me", "a task-oriented risk-free ask-me"},
	} {
		if got := a.cleaner.Clean(tt.in); got != tt.want {
			t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Any output is read as an answer or as a classified error.
func FuzzRead(f *testing.F) {
	for name, version := range newest {
		for situation := range kinds {
			if out, ok := recording(f, name, version, situation); ok {
				f.Add(out.stdout, out.stderr, out.exit)
			}
		}
	}
	f.Add([]byte(`{"type":"result","is_error":false,"result":"x","total_cost_usd":-1,"usage":{"input_tokens":-5}}`), "", 0)
	f.Add([]byte("{\n{\n{\"response\":null}\n"), "{\n", 1)
	var agents []*Agent
	for _, name := range names() {
		a, err := New(Config{Name: name, Path: f.TempDir(), Dir: f.TempDir(), Env: append(noHome(), "X_KEY=topsecret-value")})
		if err != nil {
			f.Fatal(err)
		}
		a.probed = &probed{}
		agents = append(agents, a)
	}
	f.Fuzz(func(t *testing.T, stdout []byte, stderr string, exit int) {
		for _, a := range agents {
			resp, err := a.result(output{stdout: stdout, stderr: stderr, exit: exit}, provider.Request{})
			u := resp.Usage
			if u.InputTokens < 0 || u.OutputTokens < 0 || u.CacheReadInputTokens < 0 || u.CacheCreationInputTokens < 0 || u.CostUSD != nil && *u.CostUSD < 0 {
				t.Errorf("%s: usage %+v", a.Name(), u)
			}
			if err == nil {
				if resp.Text == "" && resp.Stop != provider.StopLength {
					t.Errorf("%s: an answer without a text", a.Name())
				}
				continue
			}
			e, ok := errors.AsType[*provider.Error](err)
			if !ok || e.Kind == provider.KindUnknown || e.Message == "" {
				t.Fatalf("%s: error %#v", a.Name(), err)
			}
			for _, text := range []string{e.Message, e.Hint} {
				if strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text) || utf8.RuneCountInString(text) > 600 ||
					strings.Contains(text, "topsecret-value") {
					t.Errorf("%s: not fit to be shown: %q", a.Name(), text)
				}
			}
		}
	})
}

func TestLineTail(t *testing.T) {
	var lines []string
	tail := lineTail{notify: func(line string) { lines = append(lines, line) }}
	for _, s := range []string{"one\ntw", "o\n", strings.Repeat("x", 3*maxTail), "\nlast", " line"} {
		if n, err := tail.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
	}
	if len(lines) != 3 || lines[0] != "one" || lines[1] != "two" || len(lines[2]) != maxTail {
		t.Errorf("%d lines %.40q", len(lines), lines)
	}
	if got, want := tail.String(), "last line"; got != want {
		t.Errorf("text is %.40q, want %q", got, want)
	}
}
