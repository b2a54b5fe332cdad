package project_test

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/project"
)

// TestMaxCostNeedsPrices shows which providers can be used with a limit of the cost. No
// request is sent.
func TestMaxCostNeedsPrices(t *testing.T) {
	files, err := diff.Parse([]byte(vulnerable))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, model string
		env         []string
		want        string // of the error; empty if there is none
	}{
		{"default model", "", []string{"SCANNER_PROVIDER_API_KEY=k"}, ""},
		{"model of a list", "openai/gpt-5-mini-2025-08-07", []string{"SCANNER_PROVIDER_API_KEY=k"}, ""},
		{"unknown model", "m", []string{"SCANNER_PROVIDER_API_KEY=k"}, `--max-cost needs a price of the model "m"`},
		{"Anthropic", "", []string{"SCANNER_PROVIDER=anthropic", "ANTHROPIC_API_KEY=k"}, ""},
		{"OpenRouter", "m", []string{"SCANNER_PROVIDER_BASE_URL=https://openrouter.ai/api/v1", "SCANNER_PROVIDER_API_KEY=k"}, ""},
		{"not OpenRouter", "m", []string{"SCANNER_PROVIDER_BASE_URL=https://openrouter.ai.example/v1", "SCANNER_PROVIDER_API_KEY=k"}, `price of the model "m"`},
		{"local", "m", []string{"SCANNER_PROVIDER_BASE_URL=http://localhost:1/v1"}, `price of the model "m"`},
		{"claude", "", []string{"SCANNER_AGENT=claude"}, ""},
		{"opencode", "m", []string{"SCANNER_AGENT=opencode"}, ""},
		{"codex", "", []string{"SCANNER_AGENT=codex"}, "--max-cost needs a price of the model"},
		{"codex with a model", "gpt-5-codex", []string{"SCANNER_AGENT=codex"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := project.Open(t.Context(), project.Env{
				Dir: t.TempDir(), Environ: append(tt.env, "HOME="+t.TempDir()),
				LookPath: func(name string) (string, error) { return "/nowhere/" + name, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			opts := project.Options{Diff: files}
			opts.Flags.MaxCost = new(1.0)
			if tt.model != "" {
				opts.Flags.Model = &tt.model
			}
			_, err = p.Plan(t.Context(), opts)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("error %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || project.ExitCode(nil, err) != 2 || project.Hint(err) == ""):
				t.Errorf("error %v, hint %q; want %s, and a hint", err, project.Hint(err), tt.want)
			}
		})
	}
}
