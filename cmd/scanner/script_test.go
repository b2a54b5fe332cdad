package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/private"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/provider/providertest"
	"github.com/codescan-dev/scanner/skill/skilltest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"scanner": main})
}

// TestScript runs the command as users do: its real main in its own process, in
// real repositories, against a server on the loopback.
func TestScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts need a Unix system")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               setupScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     cmdExits,
			"repo":      cmdRepo,
			"server":    cmdServer,
			"requests":  cmdRequests,
			"store":     cmdStore,
			"report":    cmdReport,
			"same":      cmdSame,
			"logs":      cmdLogs,
			"finding":   cmdFinding,
			"unescape":  cmdUnescape,
			"fill":      cmdFill,
			"interrupt": cmdInterrupt,
			"event":     cmdEvent,
			"writes":    cmdWrites,
			"host":      cmdHost,
			"pipeline":  cmdPipeline,
			"private":   cmdPrivate,
		},
		Condition: func(cond string) (bool, error) {
			dir, err := newPrivateDir()
			os.RemoveAll(dir)
			return cond == "private" && err == nil, nil
		},
	})
}

// setupScript gives a script an environment that is independent of this machine. The PATH has scanner, git and what scripts of the shell need, and no
// agent CLI.
func setupScript(env *testscript.Env) error {
	bin := filepath.Join(env.WorkDir, ".bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"git", "sh", "cat", "grep", "head", "ln", "ls", "mkfifo", "rm", "sleep", "touch", "true"} {
		path, err := exec.LookPath(name)
		if err != nil {
			return err
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	own, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.Mkdir(home, 0o755); err != nil {
		return err
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	for k, v := range map[string]string{
		"MODULE":              module, // for the files that users copy
		"PATH":                own + string(os.PathListSeparator) + bin,
		"HOME":                home,
		"XDG_CONFIG_HOME":     filepath.Join(home, "config"),
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME":     "A", "GIT_AUTHOR_EMAIL": "a@example.com",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
		"TERM": "xterm",
	} {
		env.Setenv(k, v)
	}
	env.Values[serverKey{}] = new(*providertest.Server)
	env.Values[hostKey{}] = new(hostSlot)
	return nil
}

type serverKey struct{}

func serverOf(ts *testscript.TestScript) **providertest.Server {
	return ts.Value(serverKey{}).(**providertest.Server)
}

// exits runs a command and checks its exit code: exits 2 scanner scan --nope
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// private sets the user's cache directory to a new one that no other user can write
// to, nor to those above it.
func cmdPrivate(ts *testscript.TestScript, neg bool, args []string) {
	dir, err := newPrivateDir()
	ts.Check(err)
	ts.Defer(func() { os.RemoveAll(dir) })
	ts.Setenv("XDG_CACHE_HOME", dir)
}

func newPrivateDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(cache, 0o700)
	}
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(cache, "scanner-test-")
	if err != nil {
		return "", err
	}
	_, err = private.Dir(dir)
	return dir, err
}

// repo makes the current directory a repository and commits all files.
func cmdRepo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Exec("git", "init", "-q", "-b", "main"))
	exclude := ts.MkAbs(".git/info/exclude")
	ts.Check(os.WriteFile(exclude, []byte("/.home/\n/.bin/\n/.tmp/\n"), 0o644))
	for _, args := range [][]string{
		{"add", "-A", "."}, {"commit", "-q", "--allow-empty", "-m", "first"},
	} {
		ts.Check(ts.Exec("git", args...))
	}
}

// server starts an API that follows the script in a file, and points the
// environment to it.
func cmdServer(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: server script.json")
	}
	script, err := providertest.ParseScript([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	s := providertest.NewServer(script)
	ts.Defer(s.Close)
	*serverOf(ts) = s
	ts.Setenv("SCANNER_PROVIDER_BASE_URL", s.URL)
	ts.Setenv("SCANNER_PROVIDER_API_KEY", "sk-secret")
	ts.Setenv("SCANNER_MODEL", "test-model")
}

// store starts a server for the cache of a team, which keeps its entries in $WORK/store.
func cmdStore(ts *testscript.TestScript, neg bool, args []string) {
	dir := filepath.Join(ts.Getenv("WORK"), "store")
	ts.Check(os.Mkdir(dir, 0o777))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := filepath.Join(dir, path.Base(r.URL.Path))
		if r.Method != http.MethodPut {
			http.ServeFile(w, r, name)
			return
		}
		data, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(name, data, 0o666)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	ts.Defer(s.Close)
	ts.Setenv("SCANNER_CACHE_URL", s.URL+"/team")
}

// requests checks how many requests the server got, and can write the texts of
// their messages to a file: requests 2 sent.txt
func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := (*serverOf(ts)).Requests()
	if len(got) != want {
		ts.Fatalf("%d requests, want %d", len(got), want)
	}
	if len(args) > 1 {
		var b bytes.Buffer
		for _, r := range got {
			for _, m := range r.Messages {
				b.WriteString(m.Content + "\n")
			}
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o644))
	}
}

// cmdAwait waits until the server got that many requests.
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	for range 6000 {
		if len((*serverOf(ts)).Requests()) >= want {
			return
		}
		time.Sleep(10 * time.Millisecond) // another process is waited for
	}
	ts.Fatalf("fewer than %d requests in a minute", want)
}

// report checks a report: report out.jsonl skills=2 findings=3 skipped=1
func cmdReport(ts *testscript.TestScript, neg bool, args []string) {
	checkReport(ts, ts.ReadFile(args[0]), args[1:])
}

func checkReport(ts *testscript.TestScript, text string, want []string) {
	log, err := jsonl.ReadAll(strings.NewReader(text))
	if err != nil {
		ts.Fatalf("%v in:\n%s", err, text)
	}
	if log.Summary == nil {
		ts.Fatalf("no summary in:\n%s", text)
	}
	for _, w := range want {
		name, value, _ := strings.Cut(w, "=")
		got := -1
		switch name {
		case "skills":
			got = len(log.Skills)
		case "findings":
			got = log.Summary.TotalFindings
		case "skipped":
			got = log.Summary.TotalSkippedFiles
		}
		if fmt.Sprint(got) != value {
			ts.Fatalf("%s is %d, want %s, in:\n%s", name, got, value, text)
		}
	}
}

// same checks that two reports have the same results, in any number of shards:
// same one.jsonl two.jsonl
func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	var reports [2]bytes.Buffer
	for i, name := range args {
		log, err := jsonl.ReadAll(strings.NewReader(ts.ReadFile(name)))
		ts.Check(err)
		w := jsonl.NewWriter(&reports[i])
		for _, rec := range log.Skills {
			rec.Metadata.Shard = scanner.ShardReport{}
			ts.Check(w.Write(rec))
		}
		ts.Check(w.Write(log.Summary))
	}
	if d := skilltest.DiffLogs(reports[0].Bytes(), reports[1].Bytes()); d != "" {
		ts.Fatalf("reports (-%s +%s):\n%s", args[0], args[1], d)
	}
}

// logs checks the number of logs and the contents of the last one:
// logs 2 skills=1 findings=0. A copy of the last one is in $HOME/last.jsonl.
func cmdLogs(ts *testscript.TestScript, neg bool, args []string) {
	files, err := filepath.Glob(ts.MkAbs(".scanner/logs/*.jsonl"))
	ts.Check(err)
	if got := strconv.Itoa(len(files)); got != args[0] {
		ts.Fatalf("%s logs, want %s: %q", got, args[0], files)
	}
	if len(args) == 1 {
		return
	}
	newest := files[0]
	for _, f := range files {
		if filepath.Base(f)[9:] > filepath.Base(newest)[9:] {
			newest = f
		}
	}
	text := ts.ReadFile(newest)
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("HOME"), "last.jsonl"), []byte(text), 0o644))
	checkReport(ts, text, args[1:])
}

// finding sets a variable to the id of the finding in a report whose title contains a
// text: finding ID out.jsonl 'Division by zero'
func cmdFinding(ts *testscript.TestScript, neg bool, args []string) {
	log, err := jsonl.ReadAll(strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	for _, rec := range log.Skills {
		findings := rec.Findings
		for _, s := range rec.Metadata.Suppressed.Findings {
			findings = append(findings, s.Finding)
		}
		for _, f := range findings {
			if strings.Contains(f.Title, args[2]) {
				ts.Setenv(args[0], f.ID)
				return
			}
		}
	}
	ts.Fatalf("no finding %q in %s", args[2], args[1])
}

// unescape replaces \x1b and the like in a file by the characters.
func cmdUnescape(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		var b bytes.Buffer
		for line := range strings.Lines(ts.ReadFile(name)) {
			text, err := strconv.Unquote("`" + line + "`")
			if strings.Contains(line, `\`) {
				text, err = strconv.Unquote(`"` + strings.ReplaceAll(strings.TrimSuffix(line, "\n"), `"`, `\"`) + `\n"`)
			}
			ts.Check(err)
			b.WriteString(text)
		}
		ts.Check(os.WriteFile(ts.MkAbs(name), b.Bytes(), 0o644))
	}
}

// fill writes a file that is too large for an archive: fill big.txt 50000000
// 80 has lines of 80 bytes.
func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	width, err := strconv.Atoi(args[2])
	ts.Check(err)
	line := strings.Repeat("x", width-1) + "\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(line, size/width)), 0o644))
}

// cmdAwaitFile waits until a file exists.
func cmdAwaitFile(ts *testscript.TestScript, name string) {
	for range 6000 {
		if _, err := os.Stat(ts.MkAbs(name)); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond) // another process is waited for
	}
	ts.Fatalf("no file %s in a minute", name)
}

// interrupt runs a command, sends it a signal when the server got a number of
// requests, or a file exists, and checks its exit code:
// interrupt INT 2 130 scanner scan
func cmdInterrupt(ts *testscript.TestScript, neg bool, args []string) {
	sig := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}[args[0]]
	path, err := exec.LookPath(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[3]))
	ts.Check(err)
	cmd := exec.Command(path, args[4:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range scriptEnv {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	ts.Check(cmd.Start())
	if _, err := strconv.Atoi(args[1]); err == nil {
		cmdAwait(ts, false, args[1:2])
	} else {
		cmdAwaitFile(ts, args[1])
	}
	ts.Check(cmd.Process.Signal(sig))
	cmd.Wait()
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[2] {
		ts.Fatalf("exit code %s, want %s", got, args[2])
	}
}

// scriptEnv are the variables for scanner in a script.
var scriptEnv = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "GIT_CONFIG_NOSYSTEM", "TERM", "TMPDIR",
	"SCANNER_PROVIDER_BASE_URL", "SCANNER_PROVIDER_API_KEY", "SCANNER_MODEL",
	"GITHUB_ACTIONS", "GITHUB_API_URL", "GITHUB_GRAPHQL_URL", "GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH",
	"GITHUB_REPOSITORY", "GITHUB_TOKEN", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT",
}
