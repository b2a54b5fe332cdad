package scanner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/codescan-dev/scanner/provider"
)

// cacheVersion is part of every key. It changes when the meaning of a value
// does, or when answers of earlier versions should not be trusted any more.
const cacheVersion = "1"

// cacheKey returns the key of the answer to a request whose text, as far as the
// answer depends on it, is user; empty without a cache.
func (r *run) cacheKey(req provider.Request, user string) string {
	if r.opts.Cache == nil {
		return ""
	}
	parts := []string{cacheVersion, req.Model, req.System, user}
	for _, t := range req.Tools {
		parts = append(parts, t.Name) // what they find is not known yet
	}
	h := sha256.New()
	for _, s := range parts {
		sum := sha256.Sum256([]byte(s)) // so that no text can pass for two
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// cachedAnswer is the value kept for a chunk: the findings as the model wrote
// them. They go through the same steps as those of a new answer.
type cachedAnswer struct {
	Findings []json.RawMessage `json:"findings"`
}

func (r *run) cached(ctx context.Context, key string) ([]json.RawMessage, bool) {
	if key == "" {
		return nil, false
	}
	value, ok := r.opts.Cache.Get(ctx, key)
	if !ok {
		return nil, false
	}
	var a *cachedAnswer
	if err := json.Unmarshal(value, &a); err != nil || a == nil || a.Findings == nil {
		return nil, false
	}
	return a.Findings, true
}

func (r *run) keep(ctx context.Context, key string, findings []json.RawMessage) {
	if key == "" {
		return
	}
	if findings == nil {
		findings = []json.RawMessage{}
	}
	if value, err := json.Marshal(cachedAnswer{Findings: findings}); err == nil {
		r.opts.Cache.Put(ctx, key, value)
	}
}
