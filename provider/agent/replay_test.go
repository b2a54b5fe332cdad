package agent

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/provider"
)

var update = flag.Bool("update", false, "write the goldens of testdata")

// kinds are the kinds of error for every recorded situation, for all CLIs. Where
// there are several, some CLIs do not distinguish them.
var kinds = map[string][]provider.Kind{
	"success":         {provider.KindUnknown},
	"gateway":         {provider.KindUnknown},
	"bedrock":         {provider.KindAuth},
	"empty":           {provider.KindServer},
	"length":          {provider.KindUnknown},
	"refusal":         {provider.KindRefusal, provider.KindServer}, // codex shows an empty answer
	"reset":           {provider.KindConnection},
	"cut":             {provider.KindConnection, provider.KindUnknown}, // gemini and opencode take what there is
	"refused":         {provider.KindConnection},
	"no-login":        {provider.KindAuth},
	"bad-request":     {provider.KindInvalid},
	"forbidden":       {provider.KindAuth},
	"no-credit":       {provider.KindAuth},
	"overloaded":      {provider.KindServer},
	"rate-limit":      {provider.KindRateLimit},
	"server-error":    {provider.KindServer},
	"too-large":       {provider.KindContextLength},
	"too-long":        {provider.KindContextLength},
	"unauthorized":    {provider.KindAuth},
	"unknown-flag":    {provider.KindInvalid, provider.KindSubprocess}, // opencode shows its help
	"unknown-model":   {provider.KindInvalid},
	"stream-busy":     {provider.KindServer},
	"stream-failed":   {provider.KindServer},
	"stream-flagged":  {provider.KindRefusal},
	"stream-limit":    {provider.KindRateLimit},
	"stream-quota":    {provider.KindAuth},
	"stream-too-long": {provider.KindContextLength},
}

// TestReplay reads all recordings. The goldens show the errors as people see them.
func TestReplay(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*/*")
	if err != nil || len(dirs) < len(profiles) {
		t.Fatalf("recordings of %d versions (%v), want %d at least", len(dirs), err, len(profiles))
	}
	for _, dir := range dirs {
		version, name := filepath.Base(dir), filepath.Base(filepath.Dir(dir))
		t.Run(name+"/"+version, func(t *testing.T) {
			a, err := New(Config{Name: name, Path: filepath.Join(t.TempDir(), name), Dir: t.TempDir(), Env: noHome()})
			if err != nil {
				t.Fatal(err)
			}
			a.probed = &probed{version: version}
			files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, file := range files {
				situation := strings.TrimSuffix(filepath.Base(file), ".txtar")
				if situation == "help" || situation == "version" || situation == "extra" {
					continue
				}
				out, _ := recording(t, name, version, situation)
				if a.profile.retries != nil {
					for line := range strings.Lines(out.stderr) {
						if cause, ok := a.profile.retries(line); ok {
							out.gaveUp = cause
						}
					}
				}
				resp, err := a.result(out, provider.Request{})
				describe(&got, situation, resp, err)
				kind := provider.KindOf(err)
				ok := false
				for _, want := range kinds[situation] {
					ok = ok || kind == want
				}
				if !ok {
					t.Errorf("%s: error %v is of kind %v, want one of %v", situation, err, kind, kinds[situation])
				}
				if strings.Contains(fmt.Sprint(err), "sk-echoed") {
					t.Errorf("%s: the key shows in %q", situation, err)
				}
			}
			golden := filepath.Join(dir, "want.txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// describe writes a result for people.
func describe(b *strings.Builder, situation string, resp provider.Response, err error) {
	fmt.Fprintf(b, "%s\n", situation)
	if e, ok := errors.AsType[*provider.Error](err); ok {
		fmt.Fprintf(b, "  %v\n", e)
		if e.Hint != "" {
			fmt.Fprintf(b, "  hint: %s\n", e.Hint)
		}
		if e.Status != 0 || e.RetryAfter != 0 {
			fmt.Fprintf(b, "  status %d, retry after %v\n", e.Status, e.RetryAfter)
		}
	} else if err != nil {
		fmt.Fprintf(b, "  not an *Error: %v\n", err)
	} else {
		fmt.Fprintf(b, "  %q, stop %q, model %q\n", resp.Text, resp.Stop, resp.Model)
	}
	if u := resp.Usage; !u.IsZero() {
		cost := "unknown"
		if u.CostUSD != nil {
			cost = fmt.Sprintf("%.6f", *u.CostUSD)
		}
		fmt.Fprintf(b, "  input %d (read from cache %d, written %d), output %d, cost %s\n",
			u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens, cost)
	}
}
