// Package fallback finds out which form of a request a model's provider accepts.
//
// Servers refuse features of requests that they do not support, each in its own
// words. The words do not matter here: a refused request is tried without its tools,
// then without its response format, and the form that was accepted is remembered for
// the model.
//
//	forms := fallback.New(p, store, onLesser)
//	call := forms.Begin(ctx, request) // waits while another request finds out
//	defer call.End()
//	response, err := call.Try(ctx, p.Complete) // one attempt of the retry loop
package fallback

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/provider"
)

const (
	// maxAge is how long the store is believed: servers are updated.
	maxAge = 7 * 24 * time.Hour
	// maxWait is how long a request waits for the one that finds out. A refusal
	// comes at once; what takes longer is an answer that is being written.
	maxWait = 10 * time.Second
)

// form is the set of features of a request that a server may refuse.
type form uint8

const (
	plain  form = 0
	tools  form = 1
	format form = 2
	all         = tools | format
)

func formOf(req provider.Request) form {
	f := plain
	if len(req.Tools) > 0 {
		f |= tools
	}
	if req.Schema != nil {
		f |= format
	}
	return f
}

// has reports whether f has all the features of g.
func (f form) has(g form) bool { return f&g == g }

// of returns req with no other features than those of f.
func (f form) of(req provider.Request) provider.Request {
	if !f.has(tools) {
		req.Tools, req.NoToolCalls = nil, false
	}
	if !f.has(format) {
		req.Schema = nil
	}
	return req
}

// Store keeps what was found out for later runs, for one provider. Keys are 64
// hexadecimal digits.
type Store interface {
	Get(ctx context.Context, key string) (value []byte, ok bool)
	Put(ctx context.Context, key string, value []byte)
}

// entry is a value of a [Store].
type entry struct {
	Known   form      `json:"known"` // the features that were tried
	Dropped form      `json:"dropped"`
	Learned time.Time `json:"learned"`
}

func storeKey(model string) string {
	sum := sha256.Sum256([]byte("form of requests\x00" + model))
	return hex.EncodeToString(sum[:])
}

// Lesser describes requests that leave out what a server refuses.
type Lesser struct {
	Model         string
	Tools, Format bool  // what is left out
	Err           error // the refusal; nil if an earlier run found out
}

// Forms is what is known about the models of one provider in a run. It is safe for
// concurrent use.
type Forms struct {
	store    Store
	plain    bool // the provider sends nothing but text
	waits    bool
	onLesser func(Lesser)

	mu     sync.Mutex
	models map[string]*model
}

// New returns what is known about p: what is in the store, which may be nil. onLesser
// is called when a feature is left out from then on.
func New(p provider.Provider, store Store, onLesser func(Lesser)) *Forms {
	f := &Forms{store: store, onLesser: onLesser, models: make(map[string]*model)}
	if p, ok := p.(provider.FeatureSender); ok {
		f.plain, f.waits = !p.SendsFeatures(), p.SendsFeatures()
	}
	if f.plain {
		f.store = nil
	}
	return f
}

// model is what is known about a model. It is guarded by Forms.mu.
type model struct {
	name     string
	stored   form          // the features about which the store knows
	dropped  form          // what requests leave out
	refused  form          // the form whose refusal is the reason
	fleeting bool          // a failing server looks the same: the reason is not for later runs
	worked   [all + 1]bool // the forms in which requests of this run succeeded
	reported form          // what onLesser was called for

	finder *Call         // the request that finds out; nil if there is none
	found  chan struct{} // closed when it is done
	trial  form          // what it is sending
}

// succeeded reports whether a request of this run succeeded that had all the
// features of f.
func (m *model) succeeded(f form) bool {
	for g, ok := range m.worked {
		if ok && form(g).has(f) {
			return true
		}
	}
	return false
}

// known reports whether requests of a form need not wait for others.
func (m *model) known(f form) bool {
	f &^= m.dropped
	return f == plain || m.stored.has(f) || m.succeeded(f)
}

// release ends the search of c, so that others need not wait for it.
func (m *model) release(c *Call) {
	if m.finder == c {
		m.finder = nil
		close(m.found)
	}
}

// model returns what is known about a model.
func (f *Forms) model(ctx context.Context, name string) *model {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.models[name]
	if m != nil {
		return m
	}
	m = &model{name: name, refused: all}
	f.models[name] = m
	if f.store == nil {
		return m
	}
	var e entry
	value, ok := f.store.Get(ctx, storeKey(name))
	if !ok || json.Unmarshal(value, &e) != nil || e.Known|e.Dropped > all {
		return m
	}
	if age := time.Since(e.Learned); age >= 0 && age < maxAge {
		m.stored, m.dropped = e.Known, e.Dropped
	}
	return m
}
