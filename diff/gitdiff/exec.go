package gitdiff

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/proc"
)

// git runs the git binary. A copy of it can be changed.
type git struct {
	bin    string
	env    []string
	dir    string
	config []string // options like "-c", in addition to baseConfig
}

// baseConfig takes precedence over every configuration file. Each entry is one
// that could otherwise change a result, write something, or run a program.
var baseConfig = []string{
	"-c", "core.quotePath=true",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.attributesFile=/dev/null",
	"-c", "core.bigFileThreshold=512m",
	"-c", "core.safecrlf=false",
	"-c", "core.askPass=",
	"-c", "credential.helper=",
	"-c", "diff.suppressBlankEmpty=false",
	// With a refresh git diff writes the index, even if GIT_OPTIONAL_LOCKS is 0.
	"-c", "diff.autoRefreshIndex=false",
}

// localVars are the variables of git that locate one repository, as a hook finds
// them. They must not reach git in another one, such as a submodule.
var localVars = map[string]bool{
	"GIT_DIR": true, "GIT_WORK_TREE": true, "GIT_COMMON_DIR": true, "GIT_INDEX_FILE": true,
	"GIT_OBJECT_DIRECTORY": true, "GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_NAMESPACE": true,
}

// userVars are the variables that bound the search for a repository, and that
// locate configuration and the programs of git.
var userVars = map[string]bool{
	"GIT_CEILING_DIRECTORIES": true, "GIT_DISCOVERY_ACROSS_FILESYSTEM": true,
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true,
	"GIT_CONFIG_PARAMETERS": true, "GIT_CONFIG_COUNT": true, "GIT_EXEC_PATH": true,
}

// cleanEnv returns env without the variables by which git's results or actions
// could be changed.
func cleanEnv(env []string) []string {
	out := make([]string, 0, len(env)+8)
	for _, kv := range env {
		name := varName(kv)
		switch {
		case localVars[name], userVars[name], strings.HasPrefix(name, "GIT_CONFIG_KEY_"), strings.HasPrefix(name, "GIT_CONFIG_VALUE_"):
		case strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "LC_"),
			name == "LANG", name == "LANGUAGE", name == "SSH_ASKPASS":
			continue
		}
		out = append(out, kv)
	}
	out = append(out, settingVars...)
	return append(out,
		"LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_PAGER=",
		// Missing objects of a partial clone are an error, not a reason to go to
		// the network; the second works with git before 2.44 too.
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none",
	)
}

// varName returns the name in "name=value", in upper case where the system
// ignores case.
func varName(kv string) string {
	name, _, _ := strings.Cut(kv, "=")
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// pinRepoEnv returns env with absolute paths for what may be relative to the
// directory that was opened: git is started in the root.
func pinRepoEnv(env []string, gitDir, root string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return varName(kv) == "GIT_DIR" || varName(kv) == "GIT_WORK_TREE"
	})
	return append(env, "GIT_DIR="+gitDir, "GIT_WORK_TREE="+root)
}

// at returns g for another repository.
func (g git) at(dir string) git {
	g.env = slices.DeleteFunc(slices.Clone(g.env), func(kv string) bool { return localVars[varName(kv)] })
	g.dir = dir
	return g
}

const hintInstall = "install git 2.31 or newer"

// lookGit finds the binary without the environment of this process.
func lookGit(opts Options) (string, error) {
	if opts.GitPath != "" {
		if filepath.IsAbs(opts.GitPath) {
			return opts.GitPath, nil
		}
		return "", &Error{Kind: GitNotFound, Subject: opts.GitPath, Err: fmt.Errorf("path of git %q is not absolute", opts.GitPath)}
	}
	names := []string{"git"}
	if runtime.GOOS == "windows" {
		names = []string{"git.exe", "git.com"}
	}
	var dirs string
	for _, kv := range opts.Env {
		if varName(kv) == "PATH" {
			_, dirs, _ = strings.Cut(kv, "=")
		}
	}
	for _, dir := range filepath.SplitList(dirs) {
		// A relative directory could be one of the repository.
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, name := range names {
			full := filepath.Join(dir, name)
			if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() &&
				(runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return full, nil
			}
		}
	}
	return "", &Error{Kind: GitNotFound, Subject: "git", Hint: hintInstall, Err: errors.New("git not found on the PATH")}
}

// command prepares a command. When ctx ends, git and the processes that it started
// are killed.
func (g *git) command(ctx context.Context, args ...string) *exec.Cmd {
	full := make([]string, 0, 1+len(baseConfig)+len(g.config)+len(args))
	full = append(full, "--no-pager")
	full = append(full, baseConfig...)
	full = append(full, g.config...)
	full = append(full, args...)
	cmd := exec.CommandContext(ctx, g.bin, full...)
	cmd.Dir = g.dir
	cmd.Env = g.env
	cmd.WaitDelay = 2 * time.Second
	proc.Group(cmd)
	cmd.Cancel = func() error { return proc.Kill(cmd) }
	return cmd
}

// output runs a command to its end. A nil stdin is empty.
func (g *git) output(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	cmd := g.command(ctx, args...)
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	var buf bytes.Buffer
	var tail proc.Tail
	cmd.Stdout, cmd.Stderr = &buf, &tail
	err := commandError(ctx, args[0], &tail, cmd.Run())
	return buf.Bytes(), err
}

// stream runs a command and passes its output to read. An error of read ends the
// command. It returns the end of standard error.
func (g *git) stream(ctx context.Context, read func(*bufio.Reader) error, args ...string) (stderr string, err error) {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := g.command(running, args...)
	var tail proc.Tail
	cmd.Stderr = &tail
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", commandError(ctx, args[0], &tail, err)
	}
	readErr := read(bufio.NewReaderSize(out, 64<<10))
	if readErr == nil {
		_, readErr = io.Copy(io.Discard, out)
	}
	if readErr != nil {
		readErr = fmt.Errorf("git %s: %w", args[0], readErr)
	}
	// Output that ends early is explained by how git ended.
	unread := readErr != nil && !errors.Is(readErr, io.ErrUnexpectedEOF)
	if unread {
		cancel()
	}
	err = commandError(ctx, args[0], &tail, cmd.Wait())
	if err == nil || unread && ctx.Err() == nil {
		return tail.String(), readErr
	}
	return tail.String(), err
}

// commandError turns the end of a process into an error of this package.
func commandError(ctx context.Context, command string, stderr fmt.Stringer, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ge := &gitError{command: command, exitCode: -1, stderr: stderr.String(), err: err}
	if ee, ok := errors.AsType[*exec.ExitError](err); ok {
		ge.exitCode = ee.ExitCode()
	}
	if errors.Is(err, os.ErrNotExist) {
		return &Error{Kind: GitNotFound, Subject: "git", Err: ge}
	}
	return ge
}

// resolve returns the commit that rev names, or "" if it names none.
func (g *git) resolve(ctx context.Context, rev string) (string, error) {
	out, err := g.output(ctx, nil, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if ge, ok := errors.AsType[*gitError](err); ok && ge.exitCode == 1 {
		return "", nil
	}
	oid := strings.TrimSpace(string(out))
	if strings.HasPrefix(oid, "^") {
		return "", err // "^main" excludes commits; it names none
	}
	return oid, err
}

// resolveHead returns the commit that HEAD names, or "" in a repository without
// commits. A HEAD whose commit is missing is an error: taken for none, it would
// make the whole tree a change.
func (g *git) resolveHead(ctx context.Context) (string, error) {
	oid, err := g.resolve(ctx, "HEAD")
	if err != nil || oid != "" {
		return oid, err
	}
	_, err = g.output(ctx, nil, "log", "-1", "--format=", "--no-patch", "--no-show-signature")
	if ge, ok := errors.AsType[*gitError](err); ok && strings.Contains(ge.stderr, "does not have any commits yet") {
		return "", nil
	}
	if err == nil {
		err = &Error{Kind: Other, Err: errors.New("HEAD names no commit")}
	}
	return "", err
}
