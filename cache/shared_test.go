package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/cache"
)

const sharedKey = "correct horse battery staple"

// memory is a local cache.
type memory struct{ sync.Map }

var _ scanner.Cache = (*memory)(nil)

func (m *memory) Get(_ context.Context, key string) ([]byte, bool) {
	v, ok := m.Load(key)
	if !ok {
		return nil, false
	}
	return v.([]byte), true
}

func (m *memory) Put(_ context.Context, key string, value []byte) { m.Store(key, value) }

// store is a server that keeps what it gets.
type store struct {
	mu      sync.Mutex
	entries map[string][]byte
	seen    bytes.Buffer // everything that was sent
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(&s.seen, r.Method, r.URL, r.Header)
	s.seen.Write(body)
	switch r.Method {
	case http.MethodPut:
		s.entries[r.URL.Path] = body
		w.WriteHeader(http.StatusCreated)
	default:
		data, ok := s.entries[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(data)
	}
}

func newStore(t *testing.T) (*store, string) {
	t.Helper()
	s := &store{entries: make(map[string][]byte)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// newShared returns a shared cache with an empty local one, and its warnings.
func newShared(t *testing.T, cfg cache.SharedConfig) (*cache.Shared, *memory, func() []string) {
	t.Helper()
	if cfg.Key == "" {
		cfg.Key = sharedKey
	}
	var mu sync.Mutex
	var warnings []string
	cfg.Warn = func(w string) {
		mu.Lock()
		defer mu.Unlock()
		warnings = append(warnings, w)
	}
	local := new(memory)
	s, err := cache.NewShared(local, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s, local, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return warnings
	}
}

func TestShared(t *testing.T) {
	ctx := t.Context()
	st, url := newStore(t)
	first, _, warned := newShared(t, cache.SharedConfig{URL: url + "/team/", Namespace: "one", Token: "token-1"})
	first.Put(ctx, "key of a chunk", []byte("an answer about code"))
	first.Put(ctx, "another", []byte("another answer"))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if w := warned(); len(w) > 0 {
		t.Error(w)
	}
	for name := range st.entries {
		if !regexp.MustCompile(`^/team/[0-9a-f]{64}$`).MatchString(name) {
			t.Errorf("an entry is named %q", name)
		}
	}
	seen := st.seen.String()
	for _, secret := range []string{"answer", "key of a chunk", "another", sharedKey} {
		if strings.Contains(seen, secret) {
			t.Errorf("the store has seen %q:\n%q", secret, seen)
		}
	}
	if !strings.Contains(seen, "Bearer token-1") {
		t.Error("the token was not sent")
	}

	get := func(cfg cache.SharedConfig) string {
		t.Helper()
		cfg.URL = url + "/team"
		s, local, _ := newShared(t, cfg)
		defer s.Close()
		value, ok := s.Get(ctx, "key of a chunk")
		if !ok {
			return "miss"
		}
		if kept, _ := local.Get(ctx, "key of a chunk"); string(kept) != string(value) {
			t.Errorf("the local cache has %q, want %q", kept, value)
		}
		return string(value)
	}
	for _, tt := range []struct {
		name string
		cfg  cache.SharedConfig
		want string
	}{
		{"same key", cache.SharedConfig{Namespace: "one"}, "an answer about code"},
		{"another key", cache.SharedConfig{Namespace: "one", Key: sharedKey + "!"}, "miss"},
		{"another namespace", cache.SharedConfig{Namespace: "two"}, "miss"},
	} {
		if got := get(tt.cfg); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}

	// A stranger who can write to the store can cause misses, and nothing else.
	var names []string
	for name := range st.entries {
		names = append(names, name)
	}
	st.entries[names[0]], st.entries[names[1]] = st.entries[names[1]], st.entries[names[0]]
	if got := get(cache.SharedConfig{Namespace: "one"}); got != "miss" {
		t.Errorf("an exchanged entry is read as %q", got)
	}
	for _, damage := range [][]byte{nil, []byte("x"), make([]byte, 2<<20)} {
		st.entries[names[0]], st.entries[names[1]] = damage, damage
		if got := get(cache.SharedConfig{Namespace: "one"}); got != "miss" {
			t.Errorf("%d bytes of damage are read as %q", len(damage), got)
		}
	}
}

func TestSharedRefusesConfigurations(t *testing.T) {
	for _, tt := range []struct{ url, key, token, want string }{
		{"https://cache.example.com", "short", "", "want at least 16"},
		{"https://cache.example.com", "", "", "want at least 16"},
		{"ftp://cache.example.com", sharedKey, "", "scheme"},
		{"://", sharedKey, "", "invalid URL"},
		{"https://u:hunter22@cache.example.com", sharedKey, "t-123456", "only one"},
		{"http://u:hunter22@cache.example.com", sharedKey, "", "clear text"},
		{"http://cache.example.com", sharedKey, "t-123456", "clear text"},
	} {
		s, err := cache.NewShared(new(memory), cache.SharedConfig{URL: tt.url, Key: tt.key, Token: tt.token})
		if err == nil || s != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want one with %q", tt, err, tt.want)
			continue
		}
		for _, secret := range []string{"hunter22", "t-123456", sharedKey} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("error %q shows a secret", err)
			}
		}
	}
}

func TestSharedStatus(t *testing.T) {
	for _, tt := range []struct {
		name     string
		get, put int
		gets     int // of 5 lookups
		warning  string
	}{
		{"missing", 404, 200, 5, ""},
		{"read-only", 404, 403, 5, ""},
		{"server error", 500, 500, 3, "HTTP 500 Internal Server Error"},
		{"unauthorized", 401, 401, 1, "HTTP 401 Unauthorized"},
		{"redirect", 307, 307, 1, "HTTP 307 Temporary Redirect"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var gets atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "https://elsewhere.example.com/")
				status := tt.put
				if r.Method == http.MethodGet {
					gets.Add(1)
					status = tt.get
				}
				w.WriteHeader(status)
			}))
			defer server.Close()
			s, local, warned := newShared(t, cache.SharedConfig{URL: server.URL})
			for i := range 5 {
				if _, ok := s.Get(t.Context(), fmt.Sprint(i)); ok {
					t.Error("an entry from nowhere")
				}
			}
			s.Put(t.Context(), "0", []byte("v"))
			s.Close()
			if _, ok := local.Get(t.Context(), "0"); !ok {
				t.Error("the local cache was not written")
			}
			w := warned()
			if int(gets.Load()) != tt.gets || (tt.warning == "") != (len(w) == 0) || len(w) > 1 || len(w) == 1 && !strings.HasSuffix(w[0], tt.warning) {
				t.Errorf("%d lookups, warnings %q; want %d and one that ends in %q", gets.Load(), w, tt.gets, tt.warning)
			}
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// However a store does not answer, a run waits two seconds for it in all, and two
// more at its end.
func TestSharedIsSlow(t *testing.T) {
	answer := func(status int) *http.Response {
		return &http.Response{StatusCode: status, Body: http.NoBody, Header: make(http.Header)}
	}
	for _, tt := range []struct {
		name   string
		answer func(*http.Request) (*http.Response, error)
		most   time.Duration
		asked  int // at least, of 400 lookups
	}{
		{"hangs", func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, 2 * time.Second, 8},
		{"has nothing, slowly", func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(700 * time.Millisecond):
				return answer(404), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}, 2 * time.Second, 8},
		{"breaks off", func(*http.Request) (*http.Response, error) {
			time.Sleep(400 * time.Millisecond)
			return nil, errors.New("connection reset")
		}, 2 * time.Second, 3},
		{"has nothing", func(*http.Request) (*http.Response, error) {
			time.Sleep(20 * time.Millisecond)
			return answer(404), nil
		}, 1100 * time.Millisecond, 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int64
				s, _, warned := newShared(t, cache.SharedConfig{URL: "https://cache.example.com", HTTPClient: &http.Client{
					Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
						if r.Method == http.MethodGet {
							asked.Add(1)
						}
						return tt.answer(r)
					}),
				}})
				start := time.Now()
				var wg sync.WaitGroup
				for w := range 8 {
					wg.Go(func() {
						for i := range 50 {
							s.Get(t.Context(), fmt.Sprint(w, i))
						}
					})
				}
				wg.Wait()
				if d := time.Since(start); d > tt.most || int(asked.Load()) < tt.asked {
					t.Errorf("%d lookups took %v, want at least %d in at most %v", asked.Load(), d, tt.asked, tt.most)
				}
				if tt.asked < 400 && len(warned()) != 1 {
					t.Errorf("warnings: %q", warned())
				}
				for i := range 20 {
					s.Put(t.Context(), fmt.Sprint(i), []byte("v"))
				}
				start = time.Now()
				s.Close()
				if d := time.Since(start); d > 2*time.Second {
					t.Errorf("the end took %v", d)
				}
			})
		})
	}
}

// TestNginx uses a real nginx with its WebDAV module as the store.
func TestNginx(t *testing.T) {
	bin, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed")
	}
	dir := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	listener.Close()
	user := ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	config := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log stderr; %[3]s
events {}
http {
  access_log off;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  server {
    listen %[2]s;
    location / { root %[1]s/www; dav_methods PUT; create_full_put_path on; client_max_body_size 1m; }
  }
}
`, dir, addr, user)
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-p", dir, "-c", path)
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	for i := 0; ; i++ {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			break
		}
		if i == 200 {
			t.Fatalf("nginx does not listen: %v\n%s", err, &out)
		}
		time.Sleep(20 * time.Millisecond) // until it listens
	}
	cfg := cache.SharedConfig{URL: "http://" + addr + "/scanner/v1"}
	writer, _, warned := newShared(t, cfg)
	large := bytes.Repeat([]byte("x"), 900<<10)
	writer.Put(t.Context(), "small", []byte("value"))
	writer.Put(t.Context(), "large", large)
	writer.Close()
	reader, _, _ := newShared(t, cfg)
	defer reader.Close()
	if v, _ := reader.Get(t.Context(), "small"); string(v) != "value" {
		t.Errorf("got %q, want what was stored", v)
	}
	if v, _ := reader.Get(t.Context(), "large"); !bytes.Equal(v, large) {
		t.Errorf("got %d bytes, want %d", len(v), len(large))
	}
	if _, ok := reader.Get(t.Context(), "never stored"); ok || len(warned()) > 0 {
		t.Errorf("an entry from nowhere, or warnings %q\n%s", warned(), &out)
	}
}
