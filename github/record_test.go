package github

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// requestsFile lets a script hold every kind of request that the tests make
// against the description that the host publishes.
var requestsFile = flag.String("requests", "", "write one request of every shape to this file, as JSON Lines")

// recorder keeps one request of every shape.
type recorder struct {
	mu   sync.Mutex
	seen map[string]bool
	out  []recorded
}

// recorded is a request to the REST API.
type recorded struct {
	Method string          `json:"method"`
	Path   string          `json:"path"` // with the query
	Accept string          `json:"accept"`
	Body   json.RawMessage `json:"body,omitzero"`
}

var requests = recorder{seen: make(map[string]bool)}

var digits = regexp.MustCompile(`\d+`)

// add keeps a request that looks like no other.
func (r *recorder) add(req *http.Request) error {
	path := strings.TrimPrefix(req.URL.RequestURI(), "/api/v3")
	if *requestsFile == "" || strings.HasSuffix(path, "/graphql") {
		return nil
	}
	body := ""
	if req.Body != nil {
		data, err := io.ReadAll(req.Body)
		if err != nil {
			return err
		}
		body = string(data)
		req.Body = io.NopCloser(strings.NewReader(body))
	}
	shape := req.Method + digits.ReplaceAllString(path, "N")
	if body != "" {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			return err
		}
		shape += shapeOf("", v)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.seen[shape] {
		r.seen[shape] = true
		kept := recorded{Method: req.Method, Path: path, Accept: req.Header.Get("Accept")}
		if body != "" {
			kept.Body = json.RawMessage(body)
		}
		r.out = append(r.out, kept)
	}
	return nil
}

// shapeOf describes a value by its keys and types, and by its value where there
// are only some.
func shapeOf(key string, v any) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for k, e := range v {
			parts = append(parts, k+":"+shapeOf(k, e))
		}
		slices.Sort(parts)
		return fmt.Sprint(parts)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, shapeOf(key, e))
		}
		slices.Sort(parts)
		return fmt.Sprint(slices.Compact(parts))
	case string:
		if slices.Contains([]string{"event", "status", "conclusion", "annotation_level", "side"}, key) {
			return v
		}
	}
	return fmt.Sprintf("%T", v)
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if *requestsFile != "" {
		var b strings.Builder
		for _, r := range requests.out {
			line, err := json.Marshal(r)
			if err != nil {
				panic(err)
			}
			b.Write(append(line, '\n'))
		}
		if err := os.WriteFile(*requestsFile, []byte(b.String()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
