// Package replay keeps the exchanges with a model in files, and answers from them. So a
// skill can be tested on every change with what a real model answered, without paying
// for it again and without a key.
//
// [Record] returns a provider that keeps what another one answers, [Open] one that
// answers with what was kept. A record is looked up by the skill, the role of the request
// and the hash of the text about the chunk, in which line numbers are relative: by the
// [provider.Task] of the request. So a record is also found after the code moved within
// its file, and after an edit of the system text. It holds the hashes of the other parts
// of the request, and what differs from them is a warning.
//
// A record is a file that people can read, review and edit:
//
//	scanner exchange 1
//	skill: http-timeouts
//	role: analyze
//	path: client.go
//	lines: 3-9
//	chunk: 5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef
//	date: 2026-11-22T09:30:00Z
//	requested: gpt-5-mini
//	hash of system text: 1d4c2a…
//	hash of answer: 77b0e1…
//	sent:
//	| the text about the chunk
//	| of several lines
//	model: gpt-5-mini-2026-01-05
//	stop: end
//	usage: {"inputTokens":100,"outputTokens":10}
//	answer: {"findings":[]}
//
// A text of several lines has '|' in front of each. A line with something that is not
// visible, such as a carriage return, is a string of Go. "call", "tool" and "arguments"
// are a call of a tool, "failure", "status" and "message" a request that the model
// refused or that was too long for it.
//
// An answer that was edited no longer has the hash that was recorded, and is scripted;
// see [Origin].
//
// Records hold code: treat them like it. They hold no keys and no headers, and secrets
// are replaced by a function of the caller.
package replay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

// extension is that of the files that are records.
const extension = ".txt"

// recorded are the kinds of failures that are kept: the same request fails again.
var recorded = []provider.Kind{provider.KindInvalid, provider.KindRefusal, provider.KindContextLength}

// parts are those of a request that a record has hashes of. The message about the chunk
// is not one of them: a record is looked up by it.
var parts = []struct {
	name string
	of   func(req *provider.Request) any // nil if there is nothing to hash
}{
	{"system text", func(req *provider.Request) any { return req.System }},
	{"set of tools", func(req *provider.Request) any { return []any{req.Tools, req.NoToolCalls} }},
	{"answer format", func(req *provider.Request) any { return []any{req.Schema, req.MaxTokens} }},
	{"tool output", func(req *provider.Request) any { return sent(req, provider.RoleTool) }},
}

// sent returns the texts of the messages of a role.
func sent(req *provider.Request, role provider.Role) (texts []string) {
	for _, m := range req.Messages {
		if m.Role == role {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// hashesOf returns the hashes of the parts of a request.
func hashesOf(req *provider.Request) map[string]string {
	hashes := make(map[string]string, len(parts))
	for _, p := range parts {
		hashes[p.name] = hash(p.of(req))
	}
	return hashes
}

// hash returns the hash of a value.
func hash(v any) string {
	data, _ := json.Marshal(v) // a schema that is not JSON has no hash
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// keyOf returns the key of a request; ok is false if it is about no chunk.
func keyOf(req *provider.Request) (k key, ok bool) {
	return key{req.Task.Skill, req.Task.Role, req.Task.ChunkHash}, req.Task.ChunkHash != ""
}

// Recorder is a provider that keeps what another one answers. It is safe for concurrent
// use, and several processes can write to the same directory.
type Recorder struct {
	provider.Wrapper
	dir    string
	redact func(string) (string, int)
	now    func() time.Time
}

// Record returns a provider that answers as p does, and keeps the answers in a directory,
// which it creates if it is missing. redact replaces secrets in what is kept, see
// [scanner.Options]; nil means that there are none. now is the clock.
//
// A request that has been recorded replaces its record, so that of several attempts the
// last one is kept. Failures are kept if the same request will fail again, others are
// not, nor are requests that are not about a chunk. A record that cannot be written ends
// the run.
//
// [scanner.Options]: https://pkg.go.dev/github.com/codescan-dev/scanner#Options
func Record(dir string, p provider.Provider, redact func(string) (string, int), now func() time.Time) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("%q: %w", dir, dotdir.Cause(err))
	}
	return &Recorder{provider.Wrapper{Provider: p}, dir, redact, now}, nil
}

// Complete implements [provider.Provider].
func (r *Recorder) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	resp, err := r.Provider.Complete(ctx, req)
	k, ok := keyOf(&req)
	failure, failed := errors.AsType[*provider.Error](err)
	switch {
	case !ok, err != nil && !failed, failed && (!slices.Contains(recorded, failure.Kind) || provider.EndsRun(err)):
		return resp, err
	case err == nil && strings.TrimSpace(resp.Text) == "" && len(resp.ToolCalls) == 0:
		return resp, nil // it is tried again
	}
	rec := record{
		key: k, path: req.Task.Path, first: req.Task.StartLine, last: req.Task.EndLine,
		date: r.now(), model: cmp.Or(req.Model, r.Identity().Model),
		hashes: hashesOf(&req), resp: resp, failure: failure,
	}
	if rec.sent = sent(&req, provider.RoleTool); rec.sent == nil {
		rec.sent = sent(&req, provider.RoleUser)
	}
	if err := r.write(&rec); err != nil {
		return resp, &provider.Error{Final: true, Message: text.OneLine(fmt.Sprintf("the answer cannot be recorded in %q: %v", r.dir, dotdir.Cause(err))), Err: err}
	}
	return resp, err
}

// write puts a record in place of an older one, whole at any time.
func (r *Recorder) write(rec *record) error {
	f, err := os.CreateTemp(r.dir, ".record-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(rec.encode(r.redact))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(r.dir, rec.fileName(r.redact)))
}

var otherCharacters = regexp.MustCompile(`[^a-zA-Z0-9.]`)

// fileName returns the name of the file of a record: what it is about, as far as any file
// system has the characters, and a hash of the key.
func (r *record) fileName(redact func(string) (string, int)) string {
	path := r.path
	if redact != nil {
		path, _ = redact(path)
	}
	name := otherCharacters.ReplaceAllString(r.skill+" "+path[max(len(path)-80, 0):]+" "+r.role, "-")
	sum := sha256.Sum256([]byte(strings.Join([]string{r.skill, r.role, r.chunk}, "\n")))
	return name[:min(len(name), 180)] + "-" + hex.EncodeToString(sum[:6]) + extension
}
