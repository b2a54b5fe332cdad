package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/codescan-dev/scanner/internal/private"
)

// maxKept is how long the answers of a CLI to a probe are kept: the program may be one
// that starts another, which is updated on its own.
const maxKept = 24 * time.Hour

// keptProbe holds the answers of a CLI to the questions of a probe.
type keptProbe struct {
	Key     string
	Answers []keptAnswer
}

type keptAnswer struct{ Stdout, Stderr string }

func (a *Agent) keptFile() string { return filepath.Join(a.dir, "probe-"+a.Name()+".json") }

// probeKey describes what decides about the answers of a CLI: the questions, and path,
// size and time of the program and of the user's configuration.
func (a *Agent) probeKey(questions [][]string) string {
	path, err := filepath.EvalSymlinks(a.path)
	if err != nil {
		path = a.path
	}
	key := fmt.Sprintf("%q", questions)
	for _, file := range append([]string{path}, a.route.files...) {
		key += fmt.Sprintf(" %q", file)
		if info, err := os.Stat(file); err == nil {
			key += fmt.Sprintf(" %d %d", info.Size(), info.ModTime().UnixNano())
		}
	}
	return key
}

// keptAnswers returns the n answers that were kept with the same key.
func (a *Agent) keptAnswers(key string, n int) ([]output, bool) {
	if _, err := private.Dir(a.dir); err != nil {
		return nil, false // others could have written them
	}
	var kept keptProbe
	data, err := os.ReadFile(a.keptFile())
	if err != nil || json.Unmarshal(data, &kept) != nil || kept.Key != key || len(kept.Answers) != n {
		return nil, false
	}
	if info, err := os.Stat(a.keptFile()); err != nil || time.Since(info.ModTime()) > maxKept {
		return nil, false
	}
	var answers []output
	for _, k := range kept.Answers {
		answers = append(answers, output{stdout: []byte(k.Stdout), stderr: k.Stderr})
	}
	return answers, true
}

// keepAnswers keeps the answers for other processes. An error does not matter.
func (a *Agent) keepAnswers(key string, answers []output) {
	if slices.ContainsFunc(answers, func(o output) bool { return o.exit != 0 }) {
		return
	}
	kept := keptProbe{Key: key}
	for _, o := range answers {
		kept.Answers = append(kept.Answers, keptAnswer{string(o.stdout), o.stderr})
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return
	}
	f, err := os.CreateTemp(a.dir, "probe-*.tmp")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil && cerr == nil && os.Rename(f.Name(), a.keptFile()) == nil {
		return
	}
	_ = os.Remove(f.Name())
}
