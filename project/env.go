package project

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
)

// Env is the world around a project. All but Dir may be left out.
type Env struct {
	// Dir is the directory that the program was started in, an absolute path.
	Dir string
	// Environ holds the variables as [os.Environ] returns them. The settings
	// among them take precedence over the configuration; the directories of the
	// user's configuration and skills and of the cache are found by HOME, XDG_CONFIG_HOME
	// and XDG_CACHE_HOME and their like; git, agents and checks of fixes get
	// those that they need. GITHUB_RUN_ID and GITHUB_RUN_ATTEMPT, or CI_PIPELINE_ID,
	// become the trace id of the records.
	Environ []string
	// LookPath finds the agent CLIs, as [exec.LookPath] does. Nil means that
	// there are none.
	LookPath func(name string) (string, error)
	// Proxy returns the proxy of requests to an API, as
	// [http.ProxyFromEnvironment] does. Nil means no proxy.
	Proxy func(*http.Request) (*url.URL, error)
	// Now is the clock. Nil means [time.Now].
	Now func() time.Time
	// Warn receives what the user should know and what does not end the run.
	Warn func(Warning)
	// OnEvent receives what happens during [Plan.Run]. Calls are serialized. It
	// must not block for long: the run waits for it.
	OnEvent func(Event)
	// DeleteLogs decides whether n logs older than some days are deleted, when
	// the configuration leaves that to the user. Without an answer they are kept; after
	// a refusal the question waits for a month. Nil means that there is no answer.
	DeleteLogs func(ctx context.Context, n, days int) (yes, answered bool)
}

// Warning is something that the user should know.
type Warning struct {
	Importance Importance
	Text       string
}

// Importance is how important a warning is.
type Importance int

// The importances.
const (
	Detail    Importance = iota // explains something that is not surprising
	Normal                      // should be shown
	Important                   // must be shown, also to users who want to see nothing
)

// Event is something that happens during a run. The set of events is closed.
type Event interface{ event() }

// EventRun is an event of [scanner.Run].
type EventRun struct{ Event scanner.Event }

// EventChecking comes before each try of fixes with commands.
type EventChecking struct {
	Fixes    int // of all tries
	Commands []string
	Try      int // counts from 1
}

// EventCheckFailed comes when a command does not pass with fixes.
type EventCheckFailed struct {
	Command string
	Err     error
	Output  string // the end of it
}

// EventFixed comes when the fixes were applied, before the reports are handed to
// the sinks.
type EventFixed struct{ Fixes FixResult }

func (EventRun) event()         {}
func (EventChecking) event()    {}
func (EventCheckFailed) event() {}
func (EventFixed) event()       {}

// withDefaults returns e with functions in place of those that are nil.
func (e Env) withDefaults() Env {
	if e.LookPath == nil {
		e.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.Warn == nil {
		e.Warn = func(Warning) {}
	}
	if e.OnEvent == nil {
		e.OnEvent = func(Event) {}
	}
	if e.DeleteLogs == nil {
		e.DeleteLogs = func(context.Context, int, int) (yes, answered bool) { return false, false }
	}
	return e
}

func (e *Env) warn(importance Importance, text string) {
	e.Warn(Warning{Importance: importance, Text: text})
}

// getenv returns a variable; of several with the same name the last.
func (e *Env) getenv(name string) string {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		key, value, _ := strings.Cut(e.Environ[i], "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// traceID returns the id of the workflow run that the program is part of, followed
// by its attempt: "99-1". It is empty outside of workflows.
func (e *Env) traceID() string {
	id, attempt := cmp.Or(e.getenv("GITHUB_RUN_ID"), e.getenv("CI_PIPELINE_ID")), e.getenv("GITHUB_RUN_ATTEMPT")
	if id == "" || attempt == "" {
		return id
	}
	return id + "-" + attempt
}

// tempDir returns the directory for temporary files.
func (e *Env) tempDir() string {
	if dir := e.getenv("TMPDIR"); filepath.IsAbs(dir) {
		return dir
	}
	return os.TempDir()
}

// homeDir returns the user's home directory; empty if it is not known.
func (e *Env) homeDir() string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if dir := e.getenv(name); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

// skillDirs returns the directories of the user's skills, in the order in which they are
// searched.
func (e *Env) skillDirs() []string {
	dirs := skillsBelow(e.configDir())
	if home := e.homeDir(); home != "" {
		dirs = append(dirs, filepath.Join(home, ".agents", "skills"), filepath.Join(home, ".claude", "skills"))
	}
	return dirs
}

// skillsBelow returns the directory for skills in that of the user's configuration, which
// may be empty.
func skillsBelow(configDir string) []string {
	if configDir == "" {
		return nil
	}
	return []string{filepath.Join(configDir, "skills")}
}

// configDir returns the directory of the user's configuration; empty if there is
// none.
func (e *Env) configDir() string {
	home, below := e.homeDir(), ".config"
	if runtime.GOOS == "windows" {
		if dir := e.getenv("AppData"); filepath.IsAbs(dir) {
			home, below = dir, ""
		}
	}
	return e.userDir("XDG_CONFIG_HOME", home, below)
}

// cacheDir returns the directory for what may be deleted at any time; empty if
// there is none.
func (e *Env) cacheDir() string {
	home, below := e.getenv("HOME"), ".cache"
	switch runtime.GOOS {
	case "windows":
		home, below = e.getenv("LocalAppData"), "cache"
	case "darwin":
		below = "Library/Caches"
	}
	return e.userDir("XDG_CACHE_HOME", home, below)
}

func (e *Env) userDir(variable, home, below string) string {
	if dir := e.getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "scanner")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, below, "scanner")
}
