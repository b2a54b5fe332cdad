package hosttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"sync"
)

// Recorder keeps one request of every shape, so that a script can hold them against the
// description that a host publishes. The zero value is ready for use; it is safe for
// concurrent use.
type Recorder struct {
	mu   sync.Mutex
	seen map[string]bool
	out  bytes.Buffer
}

// recorded is a request.
type recorded struct {
	Method string          `json:"method"`
	Path   string          `json:"path"` // with the query
	Accept string          `json:"accept"`
	Body   json.RawMessage `json:"body,omitzero"`
}

var digits = regexp.MustCompile(`\d+`)

// Add keeps a request to a path if it looks like no other.
func (r *Recorder) Add(req *http.Request, path string) error {
	kept := recorded{Method: req.Method, Path: path, Accept: req.Header.Get("Accept")}
	shape := req.Method + digits.ReplaceAllString(path, "N")
	if req.Body != nil {
		data, err := io.ReadAll(req.Body)
		if err != nil {
			return err
		}
		req.Body = io.NopCloser(bytes.NewReader(data))
		if len(data) > 0 {
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				return err
			}
			kept.Body = data
			shape += shapeOf("", v)
		}
	}
	line, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	if !r.seen[shape] {
		r.seen[shape] = true
		r.out.Write(append(line, '\n'))
	}
	return nil
}

// Lines returns the requests as JSON Lines.
func (r *Recorder) Lines() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.out.Bytes())
}

// shapeOf describes a value by its keys and types, and by its value where there are only
// some.
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
		if slices.Contains([]string{"event", "status", "conclusion", "annotation_level", "side", "state", "type"}, key) {
			return v
		}
	}
	return fmt.Sprintf("%T", v)
}
