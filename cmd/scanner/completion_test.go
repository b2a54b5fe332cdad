package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner/internal/complete"
)

// complete returns the words that complete the last one.
func (w *world) complete(t *testing.T, shell string, words ...string) (got []string) {
	t.Helper()
	if code := w.run(t.Context(), append([]string{complete.Command, shell}, words...)...); code != exitOK || w.stderr.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	for line := range strings.Lines(w.stdout.String()) {
		word, _, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Errorf("no tab in %q", line)
		}
		got = append(got, word)
	}
	slices.Sort(got)
	return got
}

func TestCompletion(t *testing.T) {
	w := newWorld(t, map[string]string{"logs/a.jsonl": "", "logs/.hidden": "", "logs/x\x1b[31m": "", "logs/x\ny": "", "logs/sub/b": "", "it's one": "",
		".scanner/skills/own/SKILL.md":  "---\nname: \"own$(touch pwned)\"\ndescription: d\n---\n",
		".scanner/skills/red/SKILL.md":  "---\nname: \"red\\u001b[31m\"\ndescription: d\n---\n",
		".scanner/skills/good/SKILL.md": "---\nname: own-skill\ndescription: d\n---\nLook.\n",
		"scanner.toml":                  "version = 1\n[[skills]]\nname = \"by-path\"\npath = \"tools/skill\"\n",
	})
	t.Chdir(w.dir)
	for _, args := range [][]string{{"tag", "v1.0"}, {"branch", "a=b"}, {"branch", "v\u202ered"}} {
		w.git(t, args...)
	}
	for _, tt := range []struct {
		name  string
		words []string
		want  string // separated by spaces
	}{
		{"commands", []string{"re"}, "report"},
		{"paths to explain", []string{"explain", "--all", "logs/s"}, "logs/sub/"},
		{"verbs", []string{"cache", ""}, "clean"},
		{"the command that has help", []string{"help", "ca"}, "cache"},
		{"the verb that has help", []string{"help", "cache", ""}, "clean"},
		{"a path is not a command", []string{"scan", "x", "repo"}, ""},
		{"flags", []string{"scan", "--ba"}, "--base= --baseline="},
		{"flags without a value", []string{"scan", "x", "--off"}, "--offline"},
		{"flags of the program", []string{"--v"}, "--version"},
		{"flags of another command", []string{"merge", "--base"}, ""},
		{"severities", []string{"scan", "--fail-on="}, "--fail-on=high --fail-on=low --fail-on=medium --fail-on=off"},
		{"a value after its flag", []string{"scan", "--fail-on", "h"}, "high"},
		{"a switch takes no value", []string{"scan", "--staged", "lo"}, "logs/"},
		{"colors", []string{"scan", "--color=a"}, "--color=always --color=auto"},
		{"code hosts", []string{"init", "--ci=git"}, "--ci=github --ci=gitlab"},
		{"shells", []string{"completion", "f"}, "fish"},
		{"skills", []string{"scan", "--skill=co"}, "--skill=code-review"},
		{"skills as an argument", []string{"skills", "show", ""}, "by-path code-review own own-skill red security-review"},
		{"rules", []string{"rules", "security-review/private-k"}, "security-review/private-key"},
		{"references", []string{"scan", "--base", ""}, "HEAD a=b main v1.0"},
		{"ranges", []string{"scan", "--range=v"}, "--range=v1.0.."},
		{"the end of a range", []string{"scan", "--range=v1.0..m"}, "--range=v1.0..main"},
		{"formats", []string{"scan", "--output=ht"}, "--output=html:"},
		{"files of a format", []string{"scan", "--output=html:logs/a"}, "--output=html:logs/a.jsonl"},
		{"files without a format", []string{"scan", "--output=lo"}, "--output=logs/"},
		{"files", []string{"report", "logs/"}, "logs/a.jsonl logs/sub/"},
		{"hidden files", []string{"report", "logs/."}, "logs/.hidden"},
		{"quotes", []string{"report", `it\'s\ o`}, "it's one"},
		{"after two dashes", []string{"scan", "--", "--o"}, ""},
		{"not known", []string{"scan", "--model="}, ""},
		{"an unknown command", []string{"scann", "--o"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(w.complete(t, "zsh", tt.words...), " "); got != tt.want {
				t.Errorf("%q: got %q, want %q", tt.words, got, tt.want)
			}
		})
	}
	if got := w.complete(t, "bash", "scan", "--output", "=", "html", ":", "lo"); !slices.Equal(got, []string{"logs/"}) {
		t.Errorf("bash takes words apart: got %q", got)
	}
	if got := w.complete(t, "powershell", "scan", "=--off"); !slices.Equal(got, []string{"--offline"}) {
		t.Errorf("powershell: got %q", got)
	}
}

// Names of branches and files that a hostile repository can have. The first character is
// typed.
var hostileNames = []string{
	"1$(touch${IFS}pwned)", "2`touch${IFS}pwned`", "3a;touch${IFS}pwned", "4a&touch${IFS}pwned|cat", "5a>pwned", "6it's", `7a"b`,
	"8h!!i", "9a#b", "A$HOME", "B(x)", "C{a,b}", "D=ls", "E%F{red}x", "Fé", "G<(touch${IFS}pwned)",
}

// Each shell completes a hostile name as one word, which reaches the program as it is.
func TestCompletionInShells(t *testing.T) {
	real, err := exec.LookPath("scanner")
	if err != nil {
		t.Fatal(err)
	}
	for shell, start := range map[string][]string{
		"bash": {"bash", "--norc", "--noprofile", "-i"},
		"zsh":  {"zsh", "-f", "-i"},
		"fish": {"fish", "--no-config", "-i"},
	} {
		t.Run(shell, func(t *testing.T) {
			for _, tool := range []string{shell, "script"} {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skip(err)
				}
			}
			w := newWorld(t, nil)
			for _, name := range hostileNames {
				w.git(t, "branch", name)
			}
			// It records the arguments of a command line that was entered.
			bin := t.TempDir()
			stub := fmt.Sprintf("#!/bin/sh\ncase $1 in __complete|completion) exec '%s' \"$@\";; esac\nprintf '%%s\\n' \"$@\" >'%s/args.new'\nmv '%s/args.new' '%s/args'\n", real, bin, bin, bin)
			if err := os.WriteFile(filepath.Join(bin, "scanner"), []byte(stub), 0o755); err != nil {
				t.Fatal(err)
			}
			w.write(t, map[string]string{"my $(touch pwned) log.jsonl": ""})
			cmd := exec.CommandContext(t.Context(), "script", "-q", "-c", strings.Join(start, " "), "/dev/null")
			cmd.Dir = w.dir
			for k, v := range w.env {
				cmd.Env = append(cmd.Env, k+"="+v)
			}
			cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"), "LC_ALL=C.UTF-8")
			keys, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var screen bytes.Buffer
			cmd.Stdout, cmd.Stderr = &screen, &screen
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				cmd.Process.Kill()
				cmd.Wait()
				if t.Failed() {
					t.Logf("%q", screen.String())
				}
				if _, err := os.Stat(filepath.Join(w.dir, "pwned")); err == nil {
					t.Error("the name of a branch was run")
				}
			}()
			// enter types a command line, and checks the arguments it results in.
			enter := func(typed, want string) {
				os.Remove(filepath.Join(bin, "args"))
				io.WriteString(keys, typed)
				for range 2000 {
					data, err := os.ReadFile(filepath.Join(bin, "args"))
					if err == nil && string(data) == want+"\n" {
						return
					} else if err == nil {
						t.Fatalf("%q: got the arguments %q, want %q", typed, data, want)
					}
					time.Sleep(10 * time.Millisecond) // another process is waited for
				}
				t.Fatalf("%q: the line was not entered", typed)
			}
			load := map[string]string{
				"bash": "source <(scanner completion bash); scanner ready\n",
				"zsh":  "autoload -U compinit; compinit -u -D; source <(scanner completion zsh); scanner ready\n",
				"fish": "scanner completion fish | source; scanner ready\n",
			}[shell]
			enter(load, "ready")
			for _, name := range hostileNames {
				enter("scanner scan --base="+name[:1]+"\t\n", "scan\n--base="+name)
			}
			for _, line := range [][2]string{
				{"scanner sc\t--off\t\n", "scan\n--offline"},
				{"scanner scan --base 1\t\n", "scan\n--base\n" + hostileNames[0]},
				{"scanner report my\\ \t\n", "report\nmy $(touch pwned) log.jsonl"},
				{"scanner cache c\t\n", "cache\nclean"},
				{"scanner scan --fail-on=\tof\t\n", "scan\n--fail-on=off"},
			} {
				enter(line[0], line[1])
			}
		})
	}
}
