package agent

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/codescan-dev/scanner/provider"
)

// TestFingerprint shows what decides whether a stored answer can be used.
func TestFingerprint(t *testing.T) {
	f := recorded(t, "codex", "success")
	print := func(f script, dir, model string, env ...string) string {
		t.Helper()
		a := open(t, "codex", f, func(cfg *Config) {
			cfg.Env, cfg.AllowEnv, cfg.Model = append(env, "HOME="+dir, "PATH="+os.Getenv("PATH")), []string{"OPENAI_*"}, model
		})
		var p provider.Fingerprinter = a
		return p.Fingerprint(t.Context())
	}
	dir := home(t, map[string]string{".codex/config.toml": "model = \"one\"\n"})
	base, named := print(f, dir, ""), print(f, dir, "gpt")
	if base == "" || named == "" || base == named || base != print(f, dir, "") {
		t.Errorf("fingerprints %q, and with a model %q", base, named)
	}
	if got := print(f, dir, "", "OPENAI_API_KEY=sk-0123456789", "LANG=C"); got != base {
		t.Error("a credential changes the fingerprint")
	}
	if got := print(f, dir, "", "OPENAI_ORGANIZATION=other"); got == base {
		t.Error("a variable of the agent does not change the fingerprint")
	}
	other := f
	other.Version.stdout = []byte("codex-cli 9.9.9\n")
	if print(other, dir, "") == base || print(other, dir, "gpt") != named {
		t.Error("another version counts with a model, or does not count without one")
	}
	other.Version.stdout = nil
	if got := print(other, dir, ""); got != "" {
		t.Errorf("without a version, the fingerprint is %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, ".codex/config.toml"), []byte("model = \"two\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if print(f, dir, "") == base || print(f, dir, "gpt") == named {
		t.Error("the configuration does not change the fingerprint")
	}
}
