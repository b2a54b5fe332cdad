//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/skill"
)

// On a terminal a skill is written after a yes, and only then.
func TestTerminalSkillsAdd(t *testing.T) {
	source := newWorld(t, map[string]string{"SKILL.md": "---\nname: timeouts\ndescription: d\n---\nLook.\n"})
	for _, tt := range []struct {
		typed   string
		code    int
		written bool
	}{{"n\n", exitOK, false}, {"\n", exitOK, false}, {"\x03", exitInterrupted, false}, {"y\n", exitOK, true}} {
		w := newWorld(t, nil)
		s := w.inTerminal(t, 80, 24, "skills", "add", source.dir)
		s.await("Write it to .scanner/skills and scanner.toml? [y/N]")
		if _, err := s.pty.WriteString(tt.typed); err != nil {
			t.Fatal(err)
		}
		if code := s.end(); code != tt.code {
			t.Errorf("%q: exit code %d, want %d:\n%s", tt.typed, code, tt.code, s.screen.Text())
		}
		for _, name := range []string{".scanner/skills/timeouts/SKILL.md", "scanner.toml"} {
			if _, err := os.Stat(filepath.Join(w.dir, name)); (err == nil) != tt.written {
				t.Errorf("%q: %s: %v", tt.typed, name, err)
			}
		}
	}
}

// The list of skills has a heading only if there is one.
func TestTerminalSkillsAddFails(t *testing.T) {
	w := newWorld(t, nil)
	s := w.inTerminal(t, 80, 24, "skills", "add", w.dir)
	if code := s.end(); code != exitUsage || strings.Contains(s.screen.Text(), "DESCRIPTION") {
		t.Errorf("exit code %d, want %d:\n%s", code, exitUsage, s.screen.Text())
	}
}

// TestKilledAdd kills the command while it writes a skill, at the first add and at updates:
// the skill is the old or the new one or missing, never a part of one, what the user has in
// its tests is not lost, and the next call completes the work.
func TestKilledAdd(t *testing.T) {
	program, err := exec.LookPath("scanner") // of package testscript
	if err != nil {
		t.Skip(err)
	}
	files := make(map[string]string)
	for i := range 300 {
		files[fmt.Sprintf("skill/references/%d.md", i)] = "0\n"
	}
	files["skill/SKILL.md"] = "---\nname: many\ndescription: d\n---\nLook.\n"
	source := newWorld(t, files)
	w := newWorld(t, nil)
	hashes := make(map[string]bool) // of the versions of the source
	place := filepath.Join(w.dir, ".scanner", "skills", "many")
	own := filepath.Join(place, "tests", "mine", "a.go")
	for i, args := range [][]string{{"add", source.dir}, {"add", source.dir}, {"update"}, {"update"}, {"update"}} {
		hash, err := skill.Hash(os.DirFS(source.dir), "skill")
		if err != nil {
			t.Fatal(err)
		}
		hashes[hash] = true
		run := func() *exec.Cmd {
			cmd := exec.Command(program, append([]string{"skills", args[0], "--yes"}, args[1:]...)...)
			cmd.Dir = w.dir
			for k, v := range w.env {
				cmd.Env = append(cmd.Env, k+"="+v)
			}
			return cmd
		}
		cmd := run()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for running := true; running; { // until it has written some files
			select {
			case <-ended:
				running = false
			default:
				if list, _ := os.ReadDir(filepath.Join(w.dir, ".scanner", "skills", ".many.new", "references")); len(list) > i*60 {
					_ = cmd.Process.Kill()
					<-ended
					running = false
				}
			}
		}
		if _, err := os.Stat(place); err == nil {
			if got, err := skill.Hash(os.DirFS(w.dir), ".scanner/skills/many"); err != nil || !hashes[got] {
				t.Errorf("%d: killed, the skill has the hash %s, %v", i, got, err)
			}
		}
		if data, err := os.ReadFile(filepath.Join(w.dir, "scanner.toml")); err == nil {
			if _, err := config.Parse("scanner.toml", data); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
		if i == 0 {
			continue // without the rest
		}
		if out, err := run().CombinedOutput(); err != nil {
			t.Fatalf("%d: %v\n%s", i, err, out)
		}
		if got, err := skill.Hash(os.DirFS(w.dir), ".scanner/skills/many"); err != nil || got != hash {
			t.Errorf("%d: completed, the skill has the hash %s, %v, want %s", i, got, err, hash)
		}
		if list, err := os.ReadDir(filepath.Dir(place)); err != nil || len(list) != 1 {
			t.Errorf("%d: completed, there are %v, %v", i, list, err)
		}
		if i > 1 {
			if _, err := os.Stat(own); err != nil {
				t.Error(err)
			}
		} else if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
			t.Fatal(err)
		} else if err := os.WriteFile(own, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		for name := range files {
			if name != "skill/SKILL.md" {
				files[name] = fmt.Sprintln(i)
			}
		}
		source.write(t, files)
		source.git(t, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-aqm", "next")
	}
}
