package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestMain makes the test binary a fake agent CLI if it has the name of one: then it
// follows the script next to it. A variable cannot select that, since agents get
// none but their own.
func TestMain(m *testing.M) {
	program := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if slices.Contains(names(), program) {
		// os.Exit would wait a second in a program with the race detector.
		syscall.Exit(play(os.Args[0], os.Args[1:]))
	}
	os.Exit(m.Run())
}

// script is what a fake CLI does.
type script struct {
	Version, Help, Extra output // answers to the probe
	Run                  output // the answer to a request
	// Dump makes the fake answer with a [dump] in the place of the text.
	Dump string
	// Mute makes it never answer anything.
	Mute bool
	// Deaf makes it end without reading the prompt.
	Deaf bool
	// Call makes it connect to this address, start another process that does the
	// same, and wait forever; both ignore SIGTERM.
	Call string
	// Leave makes it leave that other process behind, and answer.
	Leave bool
	// Flood is how many bytes it writes to standard output before it answers.
	Flood int
	// Stay makes it wait forever after it has answered.
	Stay bool
}

// scriptOutput is the form of an output in JSON.
type scriptOutput struct {
	Stdout, Stderr string
	Exit           int
}

func (o output) MarshalJSON() ([]byte, error) {
	return json.Marshal(scriptOutput{string(o.stdout), o.stderr, o.exit})
}

func (o *output) UnmarshalJSON(data []byte) error {
	var s scriptOutput
	err := json.Unmarshal(data, &s)
	*o = output{stdout: []byte(s.Stdout), stderr: s.Stderr, exit: s.Exit}
	return err
}

// dump is what a fake sees.
type dump struct {
	Args  []string
	Env   []string
	Dir   string
	Files []string // in the working directory
	Stdin string
	Texts map[string]string // what the files hold that arguments and variables name
}

// play is the main function of a fake. It returns the exit code.
func play(path string, args []string) int {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(path), "script.json"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	var s script
	if err := json.Unmarshal(data, &s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	answer := func(o output) int {
		os.Stderr.WriteString(o.stderr)
		os.Stdout.Write(o.stdout)
		return o.exit
	}
	switch {
	case slices.Equal(args, []string{"child"}):
		return hang(s.Call)
	case s.Mute:
		r, w, err := os.Pipe()
		if err != nil {
			return 96
		}
		defer w.Close()
		_, _ = r.Read(make([]byte, 1))
		return 95
	case slices.Contains(args, "--version"):
		return answer(s.Version)
	case slices.Contains(args, "--help"):
		return answer(s.Help)
	case slices.Equal(args, []string{"debug", "models"}):
		return answer(s.Extra)
	case s.Deaf:
		return answer(s.Run)
	}
	if s.Call != "" {
		child := exec.Command(path, "child")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr // it keeps the pipes open
		if s.Leave {
			// Answer when it has started, so that it is certainly left behind.
			ready, err := child.StdinPipe()
			_ = ready
			if err != nil || child.Start() != nil {
				return 98
			}
			io.Copy(io.Discard, os.Stdin)
			return answer(s.Run)
		}
		if child.Start() != nil {
			return 98
		}
		return hang(s.Call)
	}
	stdin, _ := io.ReadAll(os.Stdin)
	if s.Flood > 0 {
		chunk := strings.Repeat("x", 1<<16)
		for n := 0; n < s.Flood; n += len(chunk) {
			if _, err := os.Stdout.WriteString(chunk); err != nil {
				return 97
			}
		}
	}
	if s.Dump != "" {
		d := look(args, string(stdin))
		text, _ := json.Marshal(d)
		quoted, _ := json.Marshal(string(text))
		s.Run.stdout = []byte(strings.ReplaceAll(string(s.Run.stdout), s.Dump, strings.Trim(string(quoted), `"`)))
	}
	code := answer(s.Run)
	if s.Stay {
		select {}
	}
	return code
}

// hang connects to an address and waits forever.
func hang(addr string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return 98
	}
	io.Copy(io.Discard, c)
	return 0
}

func look(args []string, stdin string) dump {
	d := dump{Args: args, Env: os.Environ(), Stdin: stdin, Texts: make(map[string]string)}
	d.Dir, _ = os.Getwd()
	filepath.Walk(".", func(path string, info os.FileInfo, err error) error {
		if err == nil && path != "." {
			d.Files = append(d.Files, filepath.ToSlash(path))
		}
		return nil
	})
	for _, value := range slices.Concat(args, d.Env) {
		if _, path, ok := strings.Cut(value, "="); ok {
			if data, err := os.ReadFile(path); err == nil {
				d.Texts[filepath.Base(path)] = string(data)
			}
		}
	}
	return d
}

// install puts a fake into a new directory and returns its path.
func install(t testing.TB, name string, s script) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "script.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if filepath.Ext(self) == ".exe" {
		path += ".exe"
	}
	if os.Link(self, path) == nil {
		return path
	}
	if err := os.Symlink(self, path); err != nil {
		t.Skipf("no way to install a fake: %v", err)
	}
	return path
}

// newest is the version of each CLI that the fakes play.
var newest = map[string]string{"claude": "2.1.329", "codex": "0.169.0", "gemini": "0.61.0", "opencode": "1.18.33"}

// recording returns what a CLI printed in a situation; ok is false if it was not
// recorded.
func recording(t testing.TB, name, version, situation string) (out output, ok bool) {
	t.Helper()
	path := filepath.Join("testdata", name, version, situation+".txtar")
	archive, err := txtar.ParseFile(path)
	if os.IsNotExist(err) {
		return output{}, false
	}
	if err != nil {
		t.Fatal(err)
	}
	code, isExit := strings.CutPrefix(strings.TrimSpace(string(archive.Comment)), "exit ")
	out.exit, err = strconv.Atoi(code)
	if !isExit || err != nil {
		t.Fatalf("%s has no exit code", path)
	}
	for _, f := range archive.Files {
		switch f.Name {
		case "stdout":
			out.stdout = f.Data
		case "stderr":
			out.stderr = string(f.Data)
		}
	}
	return out, true
}

// recorded returns the script of a fake that plays the recording of a situation.
func recorded(t testing.TB, name, situation string) script {
	t.Helper()
	var s script
	for file, out := range map[string]*output{"version": &s.Version, "help": &s.Help, "extra": &s.Extra, situation: &s.Run} {
		var ok bool
		if *out, ok = recording(t, name, newest[name], file); !ok && (file != "extra" || name == "codex") {
			t.Fatalf("%s was not recorded for %s", file, name)
		}
	}
	return s
}

// saying returns s with another text in the answer.
func (s script) saying(text string) script {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	s.Run.stdout = []byte(strings.ReplaceAll(string(s.Run.stdout), apiText, strings.TrimSuffix(strings.TrimPrefix(string(quoted), `"`), `"`)))
	return s
}

// open returns an agent that runs a fake.
func open(t testing.TB, name string, s script, change ...func(*Config)) *Agent {
	t.Helper()
	cfg := Config{Name: name, Path: install(t, name, s), TempDir: t.TempDir()}
	for _, f := range change {
		f(&cfg)
	}
	a, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
