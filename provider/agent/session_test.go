package agent

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/provider"
)

// claudeError, codexError and geminiError are the outputs of the CLIs for a failed
// request, as in the recordings.
func claudeError(status, text string) output {
	return output{exit: 1, stdout: []byte(`{"type":"result","subtype":"success","is_error":true,"api_error_status":` + status + `,"result":"` + text + `"}`)}
}

func codexError(text string) output {
	return output{exit: 1, stdout: []byte(`{"type":"turn.started"}` + "\n" + `{"type":"turn.failed","error":{"message":"` + text + `"}}` + "\n")}
}

func geminiError(code, text string) output {
	return output{exit: 1, stderr: "{\n" + `  "error": {"type": "Error", "message": "` + text + `", "code": ` + code + `}` + "\n}\n"}
}

func resultOf(t *testing.T, name string, out output) (provider.Response, error) {
	t.Helper()
	a, err := New(Config{Name: name, Path: t.TempDir(), Dir: t.TempDir(), Env: noHome()})
	if err != nil {
		t.Fatal(err)
	}
	a.probed = &probed{}
	return a.result(out, provider.Request{})
}

// The texts marked as seen were printed by claude 2.1.197, codex 0.169.0 and gemini
// 0.61.0 for answers of a scripted server; the others were found in these programs
// and in opencode 1.18.33.
func TestUsageLimit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		out   output
		final bool
	}{
		{"claude", claudeError("429", "You've hit your session limit · resets 5:58am (UTC)"), true},                                                // seen
		{"claude", claudeError("429", "You've hit your weekly limit · resets 5:58am (UTC)"), true},                                                 // seen
		{"claude", claudeError("429", "You've hit your org's monthly spend limit · ask your admin to raise it at claude.ai/settings/usage"), true}, // seen
		{"claude", claudeError("429", "You've hit your Opus limit · resets 5:58am (UTC)"), true},
		{"claude", claudeError("null", "5-hour limit reached ∙ resets 3am"), true},
		{"claude", claudeError("429", "You're out of usage credits · resets 3am"), true},
		{"claude", claudeError("429", "Your org is out of usage · contact your admin"), true},
		{"claude", claudeError("429", "Your seat type doesn't include usage"), true},
		{"claude", claudeError("429", "Your usage allocation has been disabled by your admin"), true},
		{"claude", output{exit: 1, stdout: []byte("Claude AI usage limit reached|1700000000\n")}, true},
		{"codex", codexError("You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 5:58 AM."), true}, // seen
		{"codex", codexError("Your workspace is out of credits. Add credits to continue."), true},
		{"codex", codexError("You hit your spend cap set in your workspace. Increase your spend cap to continue."), true},
		{"codex", codexError("To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus."), true},
		{"gemini", geminiError("429", "You have exhausted your daily quota on this model."), true}, // seen
		{"gemini", geminiError("429", "You have exhausted your capacity on this model. Your quota will reset after 3h12m4s."), true},
		{"opencode", output{exit: -1, gaveUp: "AI_APICallError: 5 hour usage limit reached. It will reset in 2 hours"}, true},
		{"opencode", output{exit: -1, gaveUp: "Free usage exceeded, subscribe to Go"}, true},

		{"claude", claudeError("429", "This request would exceed your account's rate limit. Please try again later."), false},
		{"codex", codexError("Rate limit reached for gpt-5 on tokens per min (TPM): Limit 10. Please try again in 1.5s."), false},
		{"gemini", geminiError("429", "You have exhausted your capacity on this model. Your quota will reset after 31s."), false},
		{"opencode", output{exit: -1, gaveUp: "AI_APICallError: You have reached your rate limit"}, false},
	} {
		_, err := resultOf(t, tt.name, tt.out)
		if provider.KindOf(err) != provider.KindRateLimit || provider.EndsRun(err) != tt.final {
			t.Errorf("%s: %v ends the run: %t; want a RateLimitError, %t", tt.name, err, provider.EndsRun(err), tt.final)
		}
	}
}

// As in [TestUsageLimit], all texts were found in the programs.
func TestBadSession(t *testing.T) {
	plain := func(stdout, stderr string) output { return output{exit: 1, stdout: []byte(stdout), stderr: stderr} }
	for _, tt := range []struct {
		name string
		out  output
	}{
		{"claude", claudeError("null", "Not logged in · Please run /login")},
		{"claude", claudeError("null", "Invalid API key · Fix external API key")},
		{"claude", claudeError("403", "OAuth token revoked · Please run /login")},
		{"claude", claudeError("null", "Failed to authenticate. API Error: 401 Invalid authentication credentials")},
		{"claude", claudeError("400", "Your ANTHROPIC_API_KEY belongs to a disabled organization · Update or unset the environment variable")},
		{"claude", claudeError("null", "Your account does not have access to Claude. Please login again or contact your administrator.")},
		{"claude", claudeError("null", "Your organization has disabled Claude subscription access for Claude Code · Use an Anthropic API key instead, or ask your admin to enable access")},
		{"claude", plain("Session expired. Please run /login to sign in again.\n", "")},
		{"claude", plain("Invalid API key · Please run /login\n", "(node:1) Warning: something is deprecated\n")},
		{"codex", codexError("Your access token could not be refreshed because your refresh token was revoked. Please log out and sign in again.")},
		{"codex", codexError("Your authentication session could not be refreshed automatically. Please log out and sign in again.")},
		{"codex", codexError("unexpected status 401 Unauthorized: Missing bearer authentication")},
		{"codex", plain("", "Not logged in\n")},
		{"codex", plain("", "Error: ChatGPT account ID not available, please re-run `codex login`\n")},
		{"gemini", geminiError("41", "Authentication consent could not be obtained.")},
		{"gemini", geminiError("41", "Manual authorization is required but the current session is non-interactive.")},
		{"gemini", plain("", "Please set an Auth method in your /home/a/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY\n")},
		{"gemini", plain("", "Failed to authenticate with user code.\n")},
		{"gemini", plain("", "Could not refresh access token: invalid_grant\n")},
		{"opencode", output{exit: -1, gaveUp: "AI_LoadAPIKeyError: OpenAI API key is missing. Pass it using the 'apiKey' parameter or the OPENAI_API_KEY environment variable."}},
		{"opencode", plain("", "Error: Token refresh failed: 401\n")},
		{"opencode", plain("", "Re-authenticate with 'opencode auth login gitlab' or set GITLAB_TOKEN.\n")},
	} {
		if _, err := resultOf(t, tt.name, tt.out); provider.KindOf(err) != provider.KindAuth {
			t.Errorf("%s: got %v, want an AuthenticationError", tt.name, err)
		}
	}
}

// Text about authentication that is not about the session.
func TestGoodSession(t *testing.T) {
	const text = "The handler is unauthorized: it skips authentication when the OAuth token expired. You've hit your usage limit. Please run /login."
	if resp, err := resultOf(t, "claude", output{stdout: []byte(`{"type":"result","subtype":"success","result":"` + text + `"}`), stderr: "Not logged in\n"}); err != nil || resp.Text != text {
		t.Errorf("an answer about authentication: %q, %v", resp.Text, err)
	}
	for name, tt := range map[string]struct {
		out  output
		want provider.Kind
	}{
		"prose without an envelope":    {output{stdout: []byte(text)}, provider.KindSubprocess},
		"long prose":                   {output{exit: 1, stdout: []byte(strings.Repeat(text+"\n", 50))}, provider.KindSubprocess},
		"half an answer, then a crash": {output{exit: 1, stdout: []byte(`{"type":"text","part":{"text":"` + text + `"}}`)}, provider.KindSubprocess},
		"no connection":                {output{exit: 1, stderr: "OAuth refresh failed: connect ECONNREFUSED 127.0.0.1:1\n"}, provider.KindSubprocess},
		"locked database":              {output{exit: 1, stderr: "SQLiteError: database is locked\n"}, provider.KindServer},
	} {
		if _, err := resultOf(t, "opencode", tt.out); provider.KindOf(err) != tt.want || provider.EndsRun(err) {
			t.Errorf("%s: got %v, want kind %v", name, err, tt.want)
		}
	}
}
