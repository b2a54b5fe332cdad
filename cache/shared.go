package cache

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/internal/httperr"
)

const (
	// minKey is the length of the shortest key, in bytes. Entries can be copied and
	// tried with one key after the other.
	minKey = 16
	// maxShared is the size of the largest entry of a shared store, in bytes.
	maxShared = 1 << 20
	// maxVain is how long a run waits for a store that does not answer, in all.
	maxVain = 2 * time.Second
	// quick is how long a store may take to answer that it has no entry.
	quick = 100 * time.Millisecond
	// maxFailures is the number of failures in a row after which a store is not used
	// any more.
	maxFailures = 3
	// maxUploads bounds the entries that wait to be stored.
	maxUploads = 256
	// uploaders is the number of entries that are stored at a time.
	uploaders = 4
)

// SharedConfig describes a store that a team shares.
type SharedConfig struct {
	// URL is the address of the store: "GET" and "PUT" of <URL>/<64 hexadecimal
	// digits> read and write an entry. It may have a user name and password, which
	// are sent as basic authentication.
	URL string
	// Key is the secret from which the keys for names and entries are derived, at
	// least 16 bytes. Everybody who shares the store needs the same.
	Key string
	// Token authenticates as a bearer token; it may be empty.
	Token string
	// Namespace is that of [Open].
	Namespace string
	// HTTPClient makes the requests; its CheckRedirect is ignored, since redirects
	// are refused. Nil means a new client, which uses Proxy.
	HTTPClient *http.Client
	// Proxy chooses the proxy of a new client, for instance
	// [http.ProxyFromEnvironment]. Nil means none.
	Proxy func(*http.Request) (*url.URL, error)
	// Warn is called at most once, with the reason why the store is not used any
	// more. It may be nil.
	Warn func(reason string)
}

// Shared is a store for a team, behind a local cache. Entries are looked up in the
// local cache first, and written to both.
//
// A stranger who can read or write the store learns nothing from it and can only
// cause misses: entries are sealed with AES-256-GCM, and their names are HMACs of the keys.
// Only the number, sizes and times of entries are visible.
//
// A run waits at most two seconds in all for a store that does not answer; then, or
// after three failures in a row, the store is left alone. It is safe for concurrent
// use.
type Shared struct {
	local     scanner.Cache
	url       url.URL
	header    http.Header
	namespace string
	client    *http.Client
	clean     httperr.Cleaner
	names     []byte // key
	seal      cipher.AEAD
	warn      func(string)

	ctx     context.Context // of all requests; ends when the store is left alone
	leave   context.CancelFunc
	slots   chan struct{}  // one for each upload at a time
	uploads sync.WaitGroup // those that run or wait

	mu       sync.Mutex
	closed   bool
	readOnly bool
	pending  int // uploads
	failures int
	waiting  int           // requests that nobody has answered yet
	since    time.Time     // when the store answered last, or waiting began
	vain     time.Duration // waited without an answer
	timer    *time.Timer
}

var _ scanner.Cache = (*Shared)(nil)

// NewShared returns the store of cfg behind local. It makes no request. No error
// contains a secret. The caller must close the store.
func NewShared(local scanner.Cache, cfg SharedConfig) (*Shared, error) {
	u, err := url.Parse(strings.TrimSpace(cfg.URL))
	if err != nil {
		return nil, errors.New("invalid URL of the shared cache") // the error shows a password
	}
	user := u.User
	u.User = nil
	endpoint, err := httpapi.ParseEndpoint(u.String(), "https://cache.example.com/scanner", "")
	if err != nil {
		return nil, fmt.Errorf("shared cache: %w", err)
	}
	token := strings.TrimSpace(cfg.Token)
	switch {
	case len(cfg.Key) < minKey:
		return nil, fmt.Errorf("the key of the shared cache has %d bytes, want at least %d", len(cfg.Key), minKey)
	case user != nil && token != "":
		return nil, errors.New("the URL of the shared cache has a user name, and there is a token: only one of them can be used")
	case (user != nil || token != "") && !endpoint.Confidential():
		return nil, fmt.Errorf("the credentials of the shared cache would travel in clear text to %s: use https", endpoint.Host())
	}
	s := &Shared{local: local, url: *u, header: http.Header{"User-Agent": {"scanner"}}, namespace: cfg.Namespace, warn: cfg.Warn}
	s.url.Path = endpoint.Path()
	password := ""
	if user != nil {
		s.url.User = user
		password, _ = user.Password()
	}
	if token != "" {
		s.header.Set("Authorization", "Bearer "+token)
	}
	s.clean = httperr.NewCleaner(token, password)
	if cfg.HTTPClient != nil {
		s.client = new(*cfg.HTTPClient)
	} else {
		s.client = &http.Client{Transport: &http.Transport{Proxy: cfg.Proxy, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64}}
	}
	// It would carry the credentials, or what is cached, to another place.
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	secret := []byte(cfg.Key)
	if s.names, err = hkdf.Key(sha256.New, secret, nil, "scanner cache: names of entries", 32); err != nil {
		return nil, err
	}
	sealKey, err := hkdf.Key(sha256.New, secret, nil, "scanner cache: contents of entries", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(sealKey)
	if err != nil {
		return nil, err
	}
	if s.seal, err = cipher.NewGCMWithRandomNonce(block); err != nil {
		return nil, err
	}
	s.ctx, s.leave = context.WithCancel(context.Background())
	s.slots = make(chan struct{}, uploaders)
	return s, nil
}

// Close waits up to two seconds for the entries that are being stored.
func (s *Shared) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	timer := time.AfterFunc(maxVain, s.leave)
	s.uploads.Wait()
	timer.Stop()
	s.leave()
	s.client.CloseIdleConnections()
	return nil
}

// name returns the name of an entry in the store.
func (s *Shared) name(key string) string {
	mac := hmac.New(sha256.New, s.names)
	fmt.Fprintf(mac, "%d %s%s", len(s.namespace), s.namespace, key)
	return hex.EncodeToString(mac.Sum(nil))
}

// Get implements [scanner.Cache]. An entry of the store is kept in the local cache,
// too.
func (s *Shared) Get(ctx context.Context, key string) ([]byte, bool) {
	if value, ok := s.local.Get(ctx, key); ok {
		return value, true
	}
	if !s.begin() {
		return nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	name, start := s.name(key), time.Now()
	status, sealed, err := s.do(ctx, http.MethodGet, name, nil)
	hit := err == nil && status == http.StatusOK
	missing := err == nil && (status == http.StatusNotFound || status == http.StatusGone)
	s.end(hit || missing && time.Since(start) < quick)
	if !hit && !missing {
		s.failed(ctx, status, err)
		return nil, false
	}
	s.works()
	if missing {
		return nil, false
	}
	value, err := s.seal.Open(nil, nil, sealed, []byte(name))
	if err != nil {
		return nil, false // damaged, or written with another key
	}
	s.local.Put(ctx, key, value)
	return value, true
}

// Put implements [scanner.Cache]. The entry is stored in the background.
func (s *Shared) Put(ctx context.Context, key string, value []byte) {
	s.local.Put(ctx, key, value)
	if len(value) > maxShared-s.seal.Overhead() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.readOnly || s.ctx.Err() != nil || s.pending == maxUploads {
		return // what is not stored is a miss
	}
	s.pending++
	s.uploads.Go(func() {
		s.slots <- struct{}{}
		s.upload(key, value)
		<-s.slots
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pending--
	})
}

func (s *Shared) upload(key string, value []byte) {
	if s.ctx.Err() != nil {
		return
	}
	name := s.name(key)
	ctx, cancel := context.WithTimeout(s.ctx, 10*time.Second)
	defer cancel()
	status, _, err := s.do(ctx, http.MethodPut, name, s.seal.Seal(nil, nil, value, []byte(name)))
	switch {
	case err == nil && status/100 == 2:
		s.works()
	case err == nil && (status == http.StatusForbidden || status == http.StatusMethodNotAllowed):
		s.mu.Lock()
		s.readOnly = true // for this user; entries can still be read
		s.mu.Unlock()
	default:
		s.failed(ctx, status, err)
	}
}

// Check returns why the store cannot be read; nil if it answers.
func (s *Shared) Check(ctx context.Context) error {
	status, _, err := s.do(ctx, http.MethodGet, s.name("check"), nil)
	switch {
	case err != nil:
		return errors.New(s.problem(err))
	case status == http.StatusOK, status == http.StatusNotFound, status == http.StatusGone:
		return nil
	}
	return errors.New(httperr.StatusLine(status))
}

// problem returns the text of an error of a request, without the URL and its password.
func (s *Shared) problem(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return s.clean.Clean(err.Error())
}

func (s *Shared) do(ctx context.Context, method, name string, body []byte) (status int, data []byte, err error) {
	u := s.url
	u.Path += "/" + name
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header = s.header.Clone()
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	data, err = io.ReadAll(io.LimitReader(resp.Body, maxShared+1))
	if err == nil && len(data) > maxShared {
		data = nil // a miss: nobody with the key wrote it
	}
	return resp.StatusCode, data, err
}

// begin starts the clock for a request that the run waits for. It is false when the
// store is left alone.
func (s *Shared) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil || s.closed {
		return false
	}
	if s.waiting++; s.waiting == 1 {
		s.since = time.Now()
		s.timer = time.AfterFunc(maxVain-s.vain, func() { s.stop("it does not answer in time") })
	}
	return true
}

// end stops the clock for a request. If the store answered it, what others have
// waited so far was not in vain.
func (s *Shared) end(answered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !answered {
		s.vain += now.Sub(s.since)
	}
	s.since = now
	s.waiting--
	s.timer.Stop()
	if s.waiting > 0 {
		s.timer.Reset(maxVain - s.vain)
	}
}

// works records an answer.
func (s *Shared) works() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = 0
}

// failed records that a request failed while its context was alive.
func (s *Shared) failed(ctx context.Context, status int, err error) {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return
	}
	s.mu.Lock()
	s.failures++
	last := s.failures >= maxFailures
	s.mu.Unlock()
	switch {
	case err != nil && last:
		s.stop(s.problem(err))
	case err == nil && (last || status/100 == 3 || status == http.StatusUnauthorized || status == http.StatusForbidden):
		s.stop(httperr.StatusLine(status))
	}
}

// stop leaves the store alone.
func (s *Shared) stop(reason string) {
	s.mu.Lock()
	first := s.ctx.Err() == nil && !s.closed
	s.leave()
	s.mu.Unlock()
	if first && s.warn != nil {
		s.warn(fmt.Sprintf("the shared cache at %s is not used any more: %s", s.url.Host, reason))
	}
}
