package replay

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

// maxRecord is the size of the largest record, in bytes.
const maxRecord = 64 << 20

// Player is a provider that answers with records. It makes no connections. It is safe
// for concurrent use.
type Player struct {
	dir      string
	records  map[key]*record
	features bool // a request that was recorded had tools or a schema

	mu     sync.Mutex
	warn   func(string)
	warned map[string]bool
}

var (
	_ provider.Identifier    = (*Player)(nil)
	_ provider.FeatureSender = (*Player)(nil)
)

// Open returns a provider that answers with the records of a directory: its files with
// the extension ".txt". A file that is not a record is an error, which names the file
// and the line. warn gets each difference between a request and that of its record once,
// one call at a time; nil discards them.
func Open(dir string, warn func(string)) (*Player, error) {
	return open(os.DirFS(dir), ".", dir, warn)
}

// OpenFS is [Open] for a directory of a file system.
func OpenFS(fsys fs.FS, dir string, warn func(string)) (*Player, error) {
	return open(fsys, dir, dir, warn)
}

// open opens the directory from of fsys, which is dir in messages.
func open(fsys fs.FS, from, dir string, warn func(string)) (*Player, error) {
	entries, err := fs.ReadDir(fsys, from)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", dir, dotdir.Cause(err))
	}
	p := &Player{dir: dir, records: make(map[key]*record), warn: warn, warned: make(map[string]bool)}
	none := hashesOf(&provider.Request{})
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != extension {
			continue
		}
		name := filepath.Join(dir, e.Name())
		data, err := dotdir.ReadRegular(fsys, path.Join(from, e.Name()), maxRecord)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		rec, err := decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s:%w", text.Visible(name), err)
		}
		if other := p.records[rec.key]; other != nil {
			return nil, fmt.Errorf("%q: the record is of the same request as %q: delete one of them", name, other.file)
		}
		rec.file, p.records[rec.key] = name, rec
		for _, part := range []string{"set of tools", "answer format"} {
			p.features = p.features || rec.hashes[part] != none[part]
		}
	}
	return p, nil
}

// Origin describes the models and dates of records.
type Origin struct {
	// Models are those that answered, sorted.
	Models []string
	// First and Last are the times of the oldest answer and of the newest one; zero without
	// records.
	First, Last time.Time
	// Scripted is set if an answer is not what a model wrote: it was edited, or has no
	// model, or one whose name begins with "scripted". It is set if there are no answers.
	Scripted bool
}

// Origin returns the models and dates of the records of the directory.
func (p *Player) Origin() *Origin {
	o := &Origin{Scripted: len(p.records) == 0}
	models := make(map[string]bool)
	for _, r := range p.records {
		model := cmp.Or(r.resp.Model, r.model)
		models[model] = true
		if o.First.IsZero() || r.date.Before(o.First) {
			o.First = r.date
		}
		if r.date.After(o.Last) {
			o.Last = r.date
		}
		o.Scripted = o.Scripted || model == "" || strings.HasPrefix(model, "scripted") || r.hashes[answerPart] != hash(string(r.encodeAnswer(nil)))
	}
	o.Models = slices.Sorted(maps.Keys(models))
	return o
}

// Identity returns the name "replay". The model is that of each answer.
func (p *Player) Identity() provider.Identity { return provider.Identity{Name: "replay"} }

// SendsFeatures implements [provider.FeatureSender]: requests have tools if those that
// were recorded had some.
func (p *Player) SendsFeatures() bool { return p.features }

// MissingError is the error of a request without a record. It is the cause of the
// *[provider.Error] that ends the run.
type MissingError struct {
	Dir  string        // of the records, as it was opened
	Task provider.Task // of the request
	File string        // of the answer that the request is about and that cannot be read; or empty
}

func (e *MissingError) Error() string {
	if e.File != "" {
		return fmt.Sprintf("%q: the recorded answer has no list of findings that can be read: edit it or record it again", e.File)
	}
	t := &e.Task
	return fmt.Sprintf("%q has no answer for skill %q, %s:%d-%d (%s)", e.Dir, t.Skill, text.Visible(t.Path), t.StartLine, t.EndLine, text.Visible(t.Role))
}

// Complete implements [provider.Provider]. The usage has the tokens of the recorded
// answer and costs nothing. A request without a record is an error that ends the run
// ([provider.EndsRun]), and wraps a *[MissingError].
func (p *Player) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	if err := ctx.Err(); err != nil {
		return provider.Response{}, err
	}
	k, ok := keyOf(&req)
	rec := p.records[k]
	if !ok || rec == nil {
		err := &MissingError{Dir: p.dir, Task: req.Task}
		for _, r := range p.records {
			if k.role == "extract" && r.skill == k.skill && r.chunk == k.chunk && r.resp.Text != "" && len(r.resp.ToolCalls) == 0 {
				err.File = r.file
			}
		}
		return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Final: true, Message: err.Error(), Err: err}
	}
	p.compare(&req, rec)
	if f := rec.failure; f != nil {
		return provider.Response{}, &provider.Error{Kind: f.Kind, Status: f.Status, Message: f.Message}
	}
	resp := rec.resp
	resp.Usage.CostUSD = new(0.0)
	resp.Moved = req.Task.StartLine - rec.first
	return resp, nil
}

// compare warns of what differs from the request of a record, apart from the message
// about the chunk.
func (p *Player) compare(req *provider.Request, rec *record) {
	if p.warn == nil {
		return
	}
	var different []string
	if req.Model != "" && rec.model != "" && req.Model != rec.model {
		different = append(different, fmt.Sprintf("model (%q, not %q)", req.Model, rec.model))
	}
	hashes := hashesOf(req)
	for _, part := range parts {
		if rec.hashes[part.name] != hashes[part.name] {
			different = append(different, part.name)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range different {
		msg := fmt.Sprintf("skill %q: its recorded answers are for a request with a different %s", rec.skill, d)
		if !p.warned[msg] {
			p.warned[msg] = true
			p.warn(msg)
		}
	}
}
