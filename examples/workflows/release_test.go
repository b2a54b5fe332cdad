package workflows

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machine is a runner on which the first step of the action gets the command. Its PATH
// has nothing but stubs, and tools that are on every runner.
type machine struct {
	t                           *testing.T
	bin, temp, source, releases string
	log, output                 string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	bash(t)
	m := &machine{t: t, bin: t.TempDir(), temp: t.TempDir(), source: t.TempDir(), releases: t.TempDir()}
	m.log, m.output = filepath.Join(m.temp, "log"), filepath.Join(m.temp, "output")
	for _, tool := range []string{"bash", "cat", "cp", "gzip", "mktemp", "sed", "sha256sum", "tar", "unzip"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Skipf("needs %s", tool)
		}
		if err := os.Symlink(path, filepath.Join(m.bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	source, err := os.ReadFile("../../cmd/scanner/version.go")
	if err != nil {
		t.Fatal(err)
	}
	m.write(filepath.Join(m.source, "cmd/scanner/version.go"), source)
	return m
}

func (m *machine) write(file string, data []byte) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) stub(name, script string) { stub(m.t, filepath.Join(m.bin, name), script) }

// run runs the step, for an action that was referred to by a repository and a ref.
func (m *machine) run(repository, ref string, env ...string) (out string, code int) {
	m.t.Helper()
	workspace := m.t.TempDir()
	out, code = runScript(m.t, workspace, readAction(m.t).step(m.t, "build").Run, append([]string{
		"PATH=" + m.bin, "RUNNER_TEMP=" + m.temp, "GITHUB_ACTION_PATH=" + m.source, "GITHUB_OUTPUT=" + m.output,
		"ACTION_REPOSITORY=" + repository, "ACTION_REF=" + ref, "GITHUB_SERVER_URL=https://github.com",
		"RUNNER_OS=Linux", "RUNNER_ARCH=X64", "LOG=" + m.log, "RELEASES=" + m.releases,
	}, env...))
	if entries, err := os.ReadDir(workspace); err != nil || len(entries) > 0 {
		m.t.Errorf("the workspace has %v, %v: want nothing", entries, err)
	}
	return out, code
}

// dir returns where the step left the command.
func (m *machine) dir() string {
	m.t.Helper()
	dir := outputsOf(m.t, m.output)["dir"]
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || filepath.Dir(dir) != m.temp {
		m.t.Fatalf("output %q, want a directory in %s", dir, m.temp)
	}
	return dir
}

// pack returns an archive of a release, with one file.
func pack(t *testing.T, archive, name, text string) []byte {
	t.Helper()
	var buf bytes.Buffer
	if strings.HasSuffix(archive, ".zip") {
		w := zip.NewWriter(&buf)
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, text)
		w.Close()
		return buf.Bytes()
	}
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, text)
	w.Close()
	z.Close()
	return buf.Bytes()
}

// The programs that the step runs: git lists one tag, an object; curl gets the files of
// its release; gh accepts the digest in the attestation, for exactly these claims.
const (
	commit    = "0123456789abcdef0123456789abcdef01234567"
	tagObject = "fedcba9876543210fedcba9876543210fedcba98"

	gitStub = `[ "$GIT_TERMINAL_PROMPT $*" = "0 ls-remote https://github.com/codescan-dev/scanner refs/tags/$TAG refs/tags/$TAG^{}" ] || exit 9
printf '` + tagObject + `\trefs/tags/%s\n` + commit + `\trefs/tags/%s^{}\n' "$TAG" "$TAG"`
	curlStub = `while [ $# -gt 2 ]; do [ "$1" != -o ] || out=$2; shift; done
case $2 in "https://github.com/codescan-dev/scanner/releases/download/$TAG/"*) ;; *) exit 9 ;; esac
cp "$RELEASES/${2##*/}" "$out" 2>/dev/null || exit 22`
	ghStub = `[ "$1 $2 $4" = "attestation verify --bundle" ] || exit 9
want="--repo codescan-dev/scanner --signer-workflow codescan-dev/scanner/.github/workflows/release.yml --source-ref refs/tags/$TAG --source-digest ` + commit + ` --deny-self-hosted-runners"
sum=$(sha256sum <"$3")
[ "${*:6}" = "$want" ] && [ "${sum%% *}" = "$(cat "$5")" ] || { echo "no attestation"; exit 1; }`
)

// TestReleaseScript sees when the binary of a release is used, and that everything else
// is built.
func TestReleaseScript(t *testing.T) {
	tag := ownVersion(t)
	prefix := "scanner_" + strings.TrimPrefix(tag, "v") + "_"
	const fork = "mallory/scanner"
	tests := []struct {
		name       string
		repository string
		ref        string
		env        []string
		fault      func(m *machine)
		binary     string // of the release; "" if it is built
		out        string
	}{
		{name: "tag", ref: tag, binary: "linux_amd64.tar.gz"},
		{name: "commit of the tag", ref: commit, binary: "linux_amd64.tar.gz"},
		{name: "Linux on ARM", ref: tag, env: []string{"RUNNER_ARCH=ARM64"}, binary: "linux_arm64.tar.gz"},
		{name: "macOS", ref: tag, env: []string{"RUNNER_OS=macOS"}, binary: "darwin_amd64.tar.gz"},
		{name: "macOS on ARM", ref: tag, env: []string{"RUNNER_OS=macOS", "RUNNER_ARCH=ARM64"}, binary: "darwin_arm64.tar.gz"},
		{name: "Windows", ref: tag, env: []string{"RUNNER_OS=Windows"}, binary: "windows_amd64.zip"},
		{name: "Windows on ARM", ref: tag, env: []string{"RUNNER_OS=Windows", "RUNNER_ARCH=ARM64"}, binary: "windows_arm64.zip"},

		{name: "branch", ref: "main"},
		{name: "branch named like the tag", ref: tag + "-next"},
		{name: "major version", ref: "v0"},
		{name: "another tag", ref: "v9.9.9"},
		{name: "another commit", ref: strings.Repeat("a", 40)},
		{name: "object of the tag", ref: tagObject},
		{name: "local path", repository: "-", ref: ""},
		{name: "fork", repository: fork, ref: tag},
		{name: "own server", ref: tag, env: []string{"GITHUB_SERVER_URL=https://github.example.com"}},
		{name: "unsupported processor", ref: tag, env: []string{"RUNNER_ARCH=ARM"}},
		{name: "no gh", ref: tag, fault: func(m *machine) { os.Remove(filepath.Join(m.bin, "gh")) }},
		{name: "no curl", ref: tag, fault: func(m *machine) { os.Remove(filepath.Join(m.bin, "curl")) }, out: "curl"},
		{name: "no network", ref: tag, fault: func(m *machine) { m.stub("git", "exit 128") }},
		{name: "no such tag", ref: tag, fault: func(m *machine) { m.stub("git", "") }},
		{name: "no release", ref: tag, fault: func(m *machine) { os.RemoveAll(m.releases) }},
		{name: "no attestation", ref: tag, fault: func(m *machine) { os.Remove(filepath.Join(m.releases, prefix+"attestation.json")) }},
		{name: "tampered archive", ref: tag, fault: func(m *machine) {
			m.write(filepath.Join(m.releases, prefix+"linux_amd64.tar.gz"), pack(t, ".tar.gz", "scanner", "echo hacked"))
		}, out: "::warning title=scanner::gh could not verify that " + prefix + "linux_amd64.tar.gz was built from " + commit},
		{name: "tag that was moved", ref: tag, fault: func(m *machine) {
			m.stub("git", "printf '"+tagObject+"\\trefs/tags/%s\\n' \"$TAG\"")
		}, out: "was built from " + tagObject},
		{name: "gh without the flags", ref: tag, fault: func(m *machine) { m.stub("gh", "echo unknown flag; exit 1") }, out: "it is not used"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			m.stub("git", gitStub)
			m.stub("curl", curlStub)
			m.stub("gh", ghStub)
			m.stub("go", `echo built >"$LOG"`)
			archive := prefix + "linux_amd64.tar.gz"
			if tt.binary != "" {
				archive = prefix + tt.binary
			}
			name := "scanner"
			if strings.HasSuffix(archive, ".zip") {
				name = "scanner.exe"
			}
			data := pack(t, archive, name, archive)
			m.write(filepath.Join(m.releases, archive), data)
			m.write(filepath.Join(m.releases, prefix+"attestation.json"), fmt.Appendf(nil, "%x", sha256.Sum256(data)))
			if tt.fault != nil {
				tt.fault(m)
			}
			repository := self
			if tt.repository != "" {
				repository = strings.Trim(tt.repository, "-")
			}
			out, code := m.run(repository, tt.ref, slices.Concat([]string{"TAG=" + tag}, tt.env)...)
			if code != 0 || !strings.Contains(out, tt.out) || tt.out == "" && out != "" {
				t.Errorf("exit code %d, printed %q, want 0 and %q", code, out, tt.out)
			}
			got, _ := os.ReadFile(filepath.Join(m.dir(), name))
			_, err := os.Stat(m.log)
			if tt.binary == "" && (err != nil || len(got) > 0) {
				t.Errorf("the binary is %q, %v: want it built", got, err)
			} else if tt.binary != "" && (err == nil || string(got) != archive) {
				t.Errorf("the binary is %q, built: %t, want that of %s", got, err == nil, archive)
			}
		})
	}
}
