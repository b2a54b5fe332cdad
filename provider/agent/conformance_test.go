package agent

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
)

// situations are the recordings in which the CLIs fail with an error of a kind.
// Timeouts are not among them: they are those of the caller.
var situations = map[provider.Kind][]string{
	provider.KindAuth:          {"unauthorized"},
	provider.KindRateLimit:     {"rate-limit"},
	provider.KindServer:        {"server-error"},
	provider.KindConnection:    {"refused"},
	provider.KindInvalid:       {"unknown-model"},
	provider.KindRefusal:       {"refusal"},
	provider.KindContextLength: {"too-long"},
}

var costText = regexp.MustCompile(`"(total_cost_usd|cost)":[0-9.e-]+`)

func TestConformance(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Conformance(t, func(t *testing.T, s providertest.Situation) provider.Provider {
				set := func(cfg *Config) {
					cfg.Env = []string{"ANTHROPIC_API_KEY=" + s.Secret, "CODEX_API_KEY=" + s.Secret, "GEMINI_API_KEY=" + s.Secret}
				}
				switch {
				case s.Reply != nil:
					return nil // the text of a request cannot be refused for its features
				case s.Hang:
					f := recorded(t, name, "success")
					f.Run = output{}
					f.Stay = true
					return open(t, name, f, set)
				case s.Kind == provider.KindSubprocess:
					f := recorded(t, name, "success")
					f.Run = output{stderr: "panic: \x1b[31mbroken with " + s.Secret + "\nstack", exit: 2}
					return open(t, name, f, set)
				case s.Kind == provider.KindRefusal && name == "codex":
					return open(t, name, recorded(t, name, "stream-flagged"), set)
				case s.Kind != provider.KindUnknown:
					if situations[s.Kind] == nil {
						return nil
					}
					f := recorded(t, name, situations[s.Kind][0])
					// Servers echo keys.
					for _, out := range []*[]byte{&f.Run.stdout} {
						*out = regexp.MustCompile(`sk-echoed-[0-9]+`).ReplaceAll(*out, []byte(s.Secret))
					}
					f.Run.stderr = regexp.MustCompile(`sk-echoed-[0-9]+`).ReplaceAllString(f.Run.stderr, s.Secret)
					return open(t, name, f, set)
				}
				f := recorded(t, name, "success").saying(s.Text)
				if !json.Valid(f.Run.stdout) && name == "claude" {
					t.Fatal("the answer is not JSON any more")
				}
				f.Run.stdout = costText.ReplaceAll(f.Run.stdout, []byte(`"$1":0.0125`))
				return open(t, name, f, set, func(cfg *Config) {
					// Codex and Gemini report no cost.
					cfg.Prices = provider.Prices{"test-model": {CacheReadPerMTok: new(12.5)}}
				})
			})
		})
	}
}
