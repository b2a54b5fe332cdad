package agent

import (
	"os"
	"path/filepath"

	"github.com/codescan-dev/scanner/internal/private"
	"github.com/codescan-dev/scanner/provider"
)

// Profile describes an agent CLI that this package can use.
type Profile struct {
	// Name is the name of the program, for instance "claude".
	Name string
	// Install is the command that installs or updates it.
	Install string
}

// Profiles returns the agent CLIs in the order in which [Find] looks for them.
func Profiles() []Profile {
	list := make([]Profile, len(profiles))
	for i, p := range profiles {
		list[i] = Profile{Name: p.name, Install: p.install()}
	}
	return list
}

// profiles are in the order in which they are looked for.
var profiles = [...]profile{claude, codex, gemini, opencode}

func names() []string {
	list := make([]string, len(profiles))
	for i, p := range profiles {
		list[i] = p.name
	}
	return list
}

// profile describes how one CLI is called and its output is read.
type profile struct {
	name  string
	npm   string // its package
	login string // how to log in
	// reportsCost is set if answers come with their cost.
	reportsCost bool

	env []string // its own variables, which it gets from the caller's environment
	set []string // variables that it always gets, as NAME=value
	// clouds are the clouds that it can use. Of two that are selected, the first
	// that misses a variable is reported.
	clouds []cloud
	// route reads the user's configuration of the CLI into r.
	route func(r *route, cfg Config) error
	// baseURL is the variable with the address of the API, if there is one.
	baseURL string

	help  []string // the arguments that make it print its flags
	needs []string // the flags without which it cannot be used
	extra []string // the arguments of another run in the probe; none if empty

	// learn evaluates the output of the extra run. Nil means that its tools are off.
	learn func(k *probed, extra output)
	// call returns the arguments and the environment for a request. It may write
	// files into f.
	call func(k *probed, req provider.Request, f *workDir) (call, error)
	// read returns the answer or the failure in the output; ok is false if there is
	// neither.
	read func(out output) (resp provider.Response, fail *failure, ok bool)
	// sameDir makes all runs use the same working directory.
	sameDir bool
	// clean removes what a run left outside of f. Nil means nothing.
	clean func(f *workDir)
	// retries reports whether a line of standard error is about a failed attempt,
	// and its cause. If no answer follows soon, the agent is trying again, and is
	// ended. Nil means that it does not try again.
	retries func(line string) (cause string, ok bool)
}

func (p profile) install() string { return "npm install -g " + p.npm + "@latest" }

// call is the input of one run of a CLI.
type call struct {
	args  []string
	env   []string // in addition
	stdin string
}

// workDir holds the files of one request.
type workDir struct {
	root string
	work string // the working directory, empty but for the files of a profile
	temp string // for the temporary files of the agent
	*route
	clean func(f *workDir)
}

// newWorkDir makes a directory for a request.
func (a *Agent) newWorkDir() (*workDir, error) {
	dir, err := private.Dir(a.dir)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(dir, "scanner-agent-")
	if err != nil {
		return nil, err
	}
	f := &workDir{root: root, work: filepath.Join(root, "work"), temp: filepath.Join(root, "tmp"), route: a.route, clean: a.profile.clean}
	if a.profile.sameDir {
		f.work = filepath.Join(dir, a.Name())
	}
	for _, dir := range []string{f.work, f.temp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			f.remove()
			return nil, err
		}
	}
	return f, nil
}

// write writes a file and returns its path.
func (f *workDir) write(name string, data []byte) (path string, err error) {
	path = filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, data, 0o600)
}

// remove removes all of it. Errors do not matter: it is a temporary directory.
func (f *workDir) remove() {
	if f.clean != nil {
		f.clean(f)
	}
	_ = os.RemoveAll(f.root)
}
