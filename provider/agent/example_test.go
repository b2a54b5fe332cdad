package agent_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/agent"
)

// A command passes on its environment and its way to find programs, and chooses a
// directory; the package looks at none of them by itself.
func Example() {
	cache, err := os.UserCacheDir()
	if err != nil {
		fmt.Println(err)
		return
	}
	name, path, ok := agent.Find(os.Environ(), exec.LookPath)
	if !ok {
		fmt.Println("install", agent.Profiles()[0].Name, "or another agent, or set an API key")
		return
	}
	a, err := agent.New(agent.Config{Name: name, Path: path, Env: os.Environ(), Dir: filepath.Join(cache, "reviews")})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := a.Probe(context.Background()); err != nil {
		fmt.Println(name, "cannot be used:", err)
		return
	}
	resp, err := a.Complete(context.Background(), provider.Request{
		System:   "You review code.",
		Messages: []provider.Message{{Role: provider.RoleUser, Text: "Look at this: ..."}},
	})
	fmt.Println(resp.Text, resp.Usage.OutputTokens, err)
}

func ExampleFind() {
	installed := filepath.Join(os.TempDir(), "codex")
	name, path, ok := agent.Find(nil, func(name string) (string, error) {
		if name == "codex" {
			return installed, nil
		}
		return "", exec.ErrNotFound
	})
	fmt.Println(name, path == installed, ok)
	// Output: codex true true
}

func ExampleEnvironment() {
	fmt.Println(agent.Environment("claude", []string{
		"PATH=/usr/bin", "ANTHROPIC_API_KEY=its own", "SCANNER_PROVIDER_API_KEY=not its own", "GITHUB_TOKEN=neither",
	}))
	// Output: [PATH=/usr/bin ANTHROPIC_API_KEY=its own]
}
