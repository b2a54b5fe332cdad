package config

import (
	"strings"
	"testing"
)

func TestReadEnv(t *testing.T) {
	env := map[string]string{
		"SCANNER_MODEL": " m\n", "SCANNER_PROVIDER": "openai", "SCANNER_AGENT": "codex", "SCANNER_PROVIDER_BASE_URL": "u", "SCANNER_PROVIDER_API_KEY": "\tk ",
		"OPENAI_API_KEY": "1", "OPENAI_BASE_URL": "a/", "ANTHROPIC_API_KEY": "2", "ANTHROPIC_BASE_URL": "b", "GEMINI_API_KEY": " 3", "GOOGLE_GEMINI_BASE_URL": "c/",
		"SCANNER_CACHE_URL": "s", "SCANNER_CACHE_KEY": "t", "SCANNER_CACHE_TOKEN": "u",
	}
	read := make(map[string]bool)
	got := ReadEnv(func(name string) string { read[name] = true; return env[name] })
	if got.Model != "m" || got.Provider != "openai" || got.Agent != "codex" || got.BaseURL != "u" || got.APIKey.Reveal() != "k" ||
		got.CacheURL != "s" || got.CacheKey.Reveal() != "t" || got.CacheToken.Reveal() != "u" {
		t.Errorf("got %+v with key %q", got, got.APIKey.Reveal())
	}
	var vendors []string
	for _, v := range got.Vendors {
		vendors = append(vendors, v.Kind+" "+v.Key.Reveal()+" "+v.baseURL)
	}
	if got, want := strings.Join(vendors, ", "), "openai 1 a, anthropic 2 b, gemini 3 c/v1beta/openai"; got != want {
		t.Errorf("got vendors %s, want %s", got, want)
	}
	if len(read) != len(env) {
		t.Errorf("read %v, want the documented ones", read)
	}
}

// A vendor's variables are used only if the vendor was chosen, and a choice of
// scanner's own takes precedence over each of them.
func TestVendor(t *testing.T) {
	all := map[string]string{
		"OPENAI_API_KEY": "key-o", "ANTHROPIC_API_KEY": "key-a", "GEMINI_API_KEY": "key-g",
		"OPENAI_BASE_URL": "https://o.example.com/v1", "ANTHROPIC_BASE_URL": "https://a.example.com",
	}
	for _, tt := range []struct {
		name            string
		env             map[string]string
		user, project   string // of the files, without the version
		kind, agent     string
		key, keyOrigin  string
		base, urlOrigin string
	}{
		{name: "no choice", urlOrigin: "default"},
		{name: "key of scanner", env: map[string]string{"SCANNER_PROVIDER_API_KEY": "own"}, key: "own", keyOrigin: "SCANNER_PROVIDER_API_KEY", urlOrigin: "default"},
		{name: "variable", env: map[string]string{"SCANNER_PROVIDER": "anthropic"},
			kind: "anthropic", key: "key-a", keyOrigin: "ANTHROPIC_API_KEY", base: "https://a.example.com", urlOrigin: "ANTHROPIC_BASE_URL"},
		{name: "file", user: "provider.kind = 'gemini'", kind: "gemini", key: "key-g", keyOrigin: "GEMINI_API_KEY", urlOrigin: "default"},
		{name: "key of scanner for a vendor", env: map[string]string{"SCANNER_PROVIDER": "openai", "SCANNER_PROVIDER_API_KEY": "own"},
			kind: "openai", key: "own", keyOrigin: "SCANNER_PROVIDER_API_KEY", base: "https://o.example.com/v1", urlOrigin: "OPENAI_BASE_URL"},
		{name: "URL of scanner", env: map[string]string{"SCANNER_PROVIDER": "openai", "SCANNER_PROVIDER_BASE_URL": "https://s.example.com"},
			kind: "openai", key: "key-o", keyOrigin: "OPENAI_API_KEY", base: "https://s.example.com", urlOrigin: "SCANNER_PROVIDER_BASE_URL"},
		{name: "URL in the file for another vendor", env: map[string]string{"SCANNER_PROVIDER": "gemini"}, user: "provider.kind = 'openai'\nprovider.baseURL = 'https://f.example.com'",
			kind: "gemini", key: "key-g", keyOrigin: "GEMINI_API_KEY", urlOrigin: "default"},
		{name: "URL in the file for the same vendor", env: map[string]string{"SCANNER_PROVIDER": "openai"}, user: "provider.kind = 'openai'\nprovider.baseURL = 'https://f.example.com'",
			kind: "openai", key: "key-o", keyOrigin: "OPENAI_API_KEY", base: "https://f.example.com", urlOrigin: "user.toml:3 provider.baseURL"},
		{name: "variable over agents in files", env: map[string]string{"SCANNER_PROVIDER": "gemini"}, user: "provider.agent = 'codex'", project: "provider.agent = 'claude'",
			kind: "gemini", key: "key-g", keyOrigin: "GEMINI_API_KEY", urlOrigin: "default"},
		{name: "user's file over an agent of the repository", user: "provider.kind = 'gemini'", project: "provider.agent = 'claude'",
			kind: "gemini", key: "key-g", keyOrigin: "GEMINI_API_KEY", urlOrigin: "default"},
		{name: "agent of the repository", project: "provider.agent = 'claude'", agent: "claude", urlOrigin: "default"},
		{name: "user's agent over that of the repository", user: "provider.agent = 'codex'", project: "provider.agent = 'claude'", agent: "codex", urlOrigin: "default"},
		{name: "key over an agent of the repository", env: map[string]string{"SCANNER_PROVIDER_API_KEY": "own"}, project: "provider.agent = 'claude'",
			key: "own", keyOrigin: "SCANNER_PROVIDER_API_KEY", urlOrigin: "default"},
		{name: "URL over an agent of the repository", env: map[string]string{"SCANNER_PROVIDER_BASE_URL": "http://127.0.0.1:1/v1"}, project: "provider.agent = 'claude'",
			base: "http://127.0.0.1:1/v1", urlOrigin: "SCANNER_PROVIDER_BASE_URL"},
		{name: "user's agent over the key", env: map[string]string{"SCANNER_PROVIDER_API_KEY": "own"}, user: "provider.agent = 'codex'",
			agent: "codex", key: "own", keyOrigin: "SCANNER_PROVIDER_API_KEY", urlOrigin: "default"},
		{name: "agent of a variable over the user's file", env: map[string]string{"SCANNER_AGENT": "codex"}, user: "provider.kind = 'gemini'", agent: "codex", urlOrigin: "default"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Env: ReadEnv(func(name string) string { return tt.env[name] + all[name] })}
			var err error
			if in.User, err = ParseUser("user.toml", []byte("version = 1\n"+tt.user)); err != nil {
				t.Fatal(err)
			}
			if in.File, err = Parse("scanner.toml", []byte("version = 1\n"+tt.project)); err != nil {
				t.Fatal(err)
			}
			s, err := Resolve(in)
			if err != nil {
				t.Fatal(err)
			}
			p := s.Provider
			if p.Kind != tt.kind || p.Agent != tt.agent || p.APIKey.Reveal() != tt.key || p.BaseURL != tt.base {
				t.Errorf("kind %q, agent %q, key %q, URL %q; want %q, %q, %q, %q", p.Kind, p.Agent, p.APIKey.Reveal(), p.BaseURL, tt.kind, tt.agent, tt.key, tt.base)
			}
			if key, base := s.Origin("provider.apiKey"), s.Origin("provider.baseURL"); key != tt.keyOrigin || base != tt.urlOrigin {
				t.Errorf("key from %q, URL from %q; want %q, %q", key, base, tt.keyOrigin, tt.urlOrigin)
			}
			for _, setting := range []struct{ key, value string }{{"provider.kind", p.Kind}, {"provider.agent", p.Agent}} {
				if set := s.Origin(setting.key) != fromDefault; set != (setting.value != "") {
					t.Errorf("%s is %q from %q", setting.key, setting.value, s.Origin(setting.key))
				}
			}
		})
	}
}

func TestVendorErrors(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"SCANNER_PROVIDER and SCANNER_AGENT cannot be used together":       {"SCANNER_PROVIDER": "openai", "SCANNER_AGENT": "codex"},
		`SCANNER_PROVIDER: got "claude", want openai, anthropic or gemini`: {"SCANNER_PROVIDER": "claude"},
		"ANTHROPIC_BASE_URL: want an http or https URL":                    {"SCANNER_PROVIDER": "anthropic", "ANTHROPIC_BASE_URL": "https://u:hunter2@a.example.com"},
		"GEMINI_API_KEY: the key contains white space":                     {"SCANNER_PROVIDER": "gemini", "GEMINI_API_KEY": "hunter2 x"},
	} {
		_, err := Resolve(Input{Env: ReadEnv(func(name string) string { return env[name] })})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: error %v, want %q", env, err, want)
		}
	}
	// Nobody uses it.
	if _, err := Resolve(Input{Env: ReadEnv(func(name string) string { return map[string]string{"GEMINI_API_KEY": "x y"}[name] })}); err != nil {
		t.Errorf("a vendor's key that is not used: %v", err)
	}
}
