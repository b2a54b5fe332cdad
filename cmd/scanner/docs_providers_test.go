package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codescan-dev/scanner/provider/anthropic"
	"github.com/codescan-dev/scanner/provider/openai"
	"github.com/codescan-dev/scanner/provider/providertest"
)

var (
	providerRow = regexp.MustCompile("(?m)^\\| ([^|`]+) \\| `(export [^`]+)` \\|$")
	localHost   = regexp.MustCompile(`localhost:\d+`)
	exported    = regexp.MustCompile(`([A-Z_]+)=(\S+)`)
)

// Every line of the table of providers in the documentation works as it is typed in a shell, and
// sends the code and the key to the host that it names, and to no other. A proxy
// plays all of the hosts; those on this machine are replaced by a server.
func TestDocsProviders(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs SSL_CERT_FILE")
	}
	page, err := os.ReadFile("../../docs/providers.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := providerRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 15 {
		t.Fatalf("%d rows in the table of providers", len(rows))
	}
	server := providertest.NewServer(providertest.Script{})
	t.Cleanup(server.Close)
	proxy := newProxy(t, server)
	vendors := map[string]struct{ host, model string }{
		"openai":    {"api.openai.com", openai.DefaultModel},
		"anthropic": {"api.anthropic.com", anthropic.DefaultModel},
		"gemini":    {"generativelanguage.googleapis.com", "gemini-3.5-flash-lite"},
	}
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			line := localHost.ReplaceAllString(row[2], strings.TrimSuffix(strings.TrimPrefix(server.URL, "http://"), "/v1"))
			set := make(map[string]string)
			for _, m := range exported.FindAllStringSubmatch(line, -1) {
				set[m[1]] = m[2]
			}
			if name := set["SCANNER_AGENT"]; name != "" {
				testAgentLine(t, line, name)
				return
			}
			before := len(server.Requests())
			out, err := runLine(t, line, proxy.env...)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			requests := server.Requests()[before:]
			if len(requests) != 1 {
				t.Fatalf("%d requests, want 1\n%s", len(requests), out)
			}
			host, model, key := vendors[set["SCANNER_PROVIDER"]].host, vendors[set["SCANNER_PROVIDER"]].model, ""
			for name, value := range set {
				switch {
				case strings.HasSuffix(name, "BASE_URL"):
					_, host, _ = strings.Cut(value, "://")
					host, _, _ = strings.Cut(host, "/")
				case name == "SCANNER_MODEL":
					model = value
				case strings.HasSuffix(name, "API_KEY"):
					key = value
				}
			}
			r := requests[0]
			if hosts := proxy.hosts(); len(hosts) > 1 || len(hosts) == 1 && hosts[0] != host+":443" || len(hosts) == 0 && !strings.HasPrefix(host, "127.0.0.1:") {
				t.Errorf("sent to %q, want %s", hosts, host)
			}
			if r.Model != model {
				t.Errorf("model %q, want %q", r.Model, model)
			}
			if sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key") + r.Header.Get("Api-Key"); strings.TrimSpace(strings.TrimPrefix(sent, "Bearer")) != key {
				t.Errorf("key %q, want %q", sent, key)
			}
		})
	}
	help, err := helpTexts.ReadFile("help/scan.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vendors {
		if !strings.Contains(string(page), "`"+v.model+"`") || !strings.Contains(string(help), v.model) {
			t.Errorf("the default model %s is not in docs/providers.md and in the help", v.model)
		}
	}
}

// testAgentLine sees that the line starts the agent CLI that it names, although the
// others are on the PATH, too.
func testAgentLine(t *testing.T, line, name string) {
	dir := t.TempDir()
	for _, cli := range []string{"claude", "codex", "gemini", "opencode"} {
		script := "#!/bin/sh\ntouch '" + filepath.Join(dir, cli+".started") + "'\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, cli), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cache, err := newPrivateDir()
	if err != nil {
		t.Skip("every cache directory here could be written by other users")
	}
	t.Cleanup(func() { os.RemoveAll(cache) })
	out, _ := runLine(t, line, "PATH="+dir+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+cache)
	started, err := filepath.Glob(filepath.Join(dir, "*.started"))
	if want := []string{filepath.Join(dir, name+".started")}; err != nil || !slices.Equal(started, want) {
		t.Errorf("started %q, want %q\n%s", started, want, out)
	}
}

// runLine types the line and "scanner scan" into a shell.
func runLine(t *testing.T, line string, env ...string) (string, error) {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "a.diff"), []byte("--- a/a.go\n+++ b/a.go\n@@ -1 +1,2 @@\n package a\n+var x = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line+"\nscanner scan --diff-file=a.diff")
	cmd.Dir, cmd.Env = home, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + t.TempDir(), "TERM=dumb"}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// proxy is an HTTP proxy that does not connect to the hosts, but plays them.
type proxy struct {
	env []string // that makes a program use it

	mu    sync.Mutex
	asked []string
}

// hosts returns the hosts that were asked for since the last call.
func (p *proxy) hosts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	hosts := slices.Compact(p.asked)
	p.asked = nil
	return hosts
}

func newProxy(t *testing.T, handler http.Handler) *proxy {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	certificate := func(names ...string) ([]byte, error) {
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: names,
			IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		}
		return x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	}
	root, err := certificate()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root}), 0o644); err != nil {
		t.Fatal(err)
	}
	hosts := &http.Server{Handler: handler, TLSConfig: &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		der, err := certificate(hello.ServerName)
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
	}}}
	conns := make(listener)
	go hosts.ServeTLS(conns, "", "")

	p := &proxy{}
	front := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Host)
		p.mu.Unlock()
		if r.Method != http.MethodConnect {
			http.Error(w, "not encrypted", http.StatusForbidden)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil { // only now, or the server could read what the client sends then
			_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		}
		if err != nil {
			t.Error(err)
			return
		}
		conns <- conn
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go front.Serve(l)
	t.Cleanup(func() { front.Close(); hosts.Close() })
	p.env = []string{"HTTPS_PROXY=http://" + l.Addr().String(), "HTTP_PROXY=http://" + l.Addr().String(), "SSL_CERT_FILE=" + file}
	return p
}

// listener accepts the connections that are put into it.
type listener chan net.Conn

func (l listener) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, errors.Join(net.ErrClosed, io.EOF)
}
func (l listener) Close() error   { close(l); return nil }
func (l listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
