package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/codescan-dev/scanner/provider/providertest"
)

// TestKilledRun kills runs, two at a time in one cache, and shows that the next one
// sends only what is missing. KILLS is how often, 5 by default.
func TestKilledRun(t *testing.T) {
	kills := 5
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills = n
	}
	program, err := exec.LookPath("scanner") // of package testscript
	if err != nil {
		t.Skip(err)
	}
	const chunks = 24
	files := make(map[string]string)
	for i := range chunks {
		files[fmt.Sprintf("f%d.go", i)] = "package a\n"
	}
	w := newWorld(t, files)
	for name := range files {
		files[name] += "\nvar x = 1 // " + name + "\n"
	}
	w.write(t, files)

	var mu sync.Mutex
	var running []*exec.Cmd
	sent, last := 0, 0        // the request at which the runs are killed; 0: none
	const nextKey = "sk-next" // a request of a killed run can arrive late
	w.server(t, providertest.Script{Reply: func(req providertest.Request) (providertest.Rule, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next := req.Header.Get("Authorization") == "Bearer "+nextKey; next == (last > 0) {
			return providertest.Rule{}, true
		}
		if sent++; sent == last {
			for _, cmd := range running {
				_ = cmd.Process.Kill()
			}
		}
		return providertest.Rule{DelayMs: sent % 3}, true
	}})
	start := func() *exec.Cmd {
		cmd := exec.Command(program, "scan")
		cmd.Dir = w.dir
		for k, v := range w.env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		return cmd
	}
	total := 0
	for i := range kills {
		cache := t.TempDir()
		w.env["XDG_CACHE_HOME"], w.env["SCANNER_PROVIDER_API_KEY"] = cache, "sk-killed"
		mu.Lock()
		sent, last, running = 0, 1+(i*7)%(chunks-4), []*exec.Cmd{start(), start()}
		for _, cmd := range running {
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
		}
		mu.Unlock()
		for _, cmd := range running {
			_ = cmd.Wait()
		}
		kept, err := filepath.Glob(filepath.Join(cache, "scanner", "answers", "??", "??????????????????????????????????????????????????????????????"))
		if err != nil {
			t.Fatal(err)
		}
		kept = slices.DeleteFunc(kept, func(name string) bool { // an entry that was about to be written
			info, err := os.Stat(name)
			return err == nil && info.Size() == 0
		})
		total += len(kept)
		mu.Lock()
		sent, last = 0, 0
		mu.Unlock()
		w.env["SCANNER_PROVIDER_API_KEY"] = nextKey
		if out, err := start().CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if sent != chunks-len(kept) {
			t.Errorf("killed at request %d: %d requests, want %d, since %d answers were kept", 1+(i*7)%(chunks-4), sent, chunks-len(kept), len(kept))
		}
	}
	if total == 0 {
		t.Error("no answer was kept")
	}
}
