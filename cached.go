package scanner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/extract"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/provider"
)

// cacheVersion is part of every key. It changes when the meaning of a value
// does, or when answers of earlier versions should not be trusted any more.
const cacheVersion = "2"

// hash returns the hash of a text as 64 hexadecimal digits.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// roleAnalyze is the role of the first request about a chunk.
const roleAnalyze = "analyze"

// The roles of helper requests.
const (
	roleExtract = "extract"
	roleVerify  = "verify"
)

// question is a first request about lines of a file, and where they are.
type question struct {
	provider.Request
	first, last int // that it shows
}

// errHalved is the error of a chunk that is known to be too long for the model.
var errHalved = &provider.Error{Kind: provider.KindContextLength, Message: "the chunk is too long for the model"}

// requestHash returns the hash of all of a request but its messages, of what answers it,
// and of resources that the model can read; empty if the model is unknown.
func (b *backend) requestHash(ctx context.Context, req provider.Request, resources ...Resource) string {
	id := provider.Identify(b.Provider)
	settings := ""
	if p, ok := b.Provider.(provider.Fingerprinter); ok {
		settings = p.Fingerprint(ctx)
	}
	req.Model = cmp.Or(req.Model, id.Model)
	if req.Model == "" && settings == "" {
		return ""
	}
	data, err := json.Marshal([]any{cacheVersion, id, settings, req, resources})
	if err != nil {
		return ""
	}
	return hash(string(data))
}

// setHashes sets the hashes of a request. requestHash is that of the request without
// its messages, relative the text of its message with relative line numbers.
func setHashes(req *provider.Request, requestHash, relative string) {
	req.Task.ChunkHash = hash(relative)
	if requestHash != "" {
		req.Task.CacheKey = hash(requestHash + req.Task.ChunkHash)
	}
}

// stored is the value kept for a question: what the model wrote, as it wrote it. It
// goes through the same steps as a new answer.
type stored struct {
	// First is the number that the first shown line had.
	First int `json:"first"`
	// Findings are those of the answer, not nil.
	Findings []json.RawMessage `json:"findings"`
	// Calls are the calls of tools that the answer depends on, in their order.
	Calls []toolCall `json:"calls,omitempty"`
	// Halved is set in place of Findings if the chunk is too long for the model. The
	// answers about its halves are stored by themselves.
	Halved bool `json:"halved,omitempty"`

	encoded []byte // when it is from the cache
}

// emitCached reports an answer of the cache.
func (r *run) emitCached(j job, q question, s stored) {
	r.emit(EventExchange{Chunk: j.ref(), Role: q.Task.Role, Cached: true, run: r, stored: s.encoded})
}

// toolCall is a call of a tool and the hash of its result.
type toolCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Result    string `json:"result"`
}

// answer is what the model wrote about the lines of a question. The numbers in it are
// those that the lines had then.
type answer struct {
	findings    []json.RawMessage
	first, last int // the lines that the model saw
	moved       int // by how many lines they have moved since
}

// lookUp returns the stored answer to a question. Once its lines have moved, all of
// it must be movable.
func (r *run) lookUp(ctx context.Context, q question, movable func(*answer, json.RawMessage) bool) (a answer, s stored, ok bool) {
	if r.opts.Cache == nil || q.Task.CacheKey == "" {
		return a, s, false
	}
	value, ok := r.opts.Cache.Get(ctx, q.Task.CacheKey)
	if !ok || json.Unmarshal(value, &s) != nil || s.First < 1 || s.First > math.MaxInt32 || (s.Findings == nil) != s.Halved {
		return a, s, false
	}
	s.encoded = value
	a = answer{findings: s.Findings, first: s.First, last: s.First + q.last - q.first, moved: q.first - s.First}
	return a, s, a.moved == 0 || !slices.ContainsFunc(a.findings, func(m json.RawMessage) bool { return !movable(&a, m) })
}

// keep stores an answer to a question. One that holds secrets, as a server can make of
// the key that it got, is stored as one that cannot be read: an older answer must not
// come back.
func (r *run) keep(ctx context.Context, q question, s stored) {
	if r.opts.Cache == nil || q.Task.CacheKey == "" {
		return
	}
	if s.First = q.first; s.Findings == nil && !s.Halved {
		s.Findings = []json.RawMessage{}
	}
	if r.holdsSecrets(s) {
		s = stored{}
	}
	if value, err := json.Marshal(s); err == nil {
		r.opts.Cache.Put(ctx, q.Task.CacheKey, value)
	}
}

func (r *run) holdsSecrets(s stored) bool {
	if r.opts.Redact == nil {
		return false
	}
	var text strings.Builder
	for _, f := range s.Findings {
		text.Write(f)
		text.WriteByte('\n')
	}
	for _, c := range s.Calls {
		text.WriteString(c.Arguments + "\n")
	}
	_, n := r.opts.Redact(text.String())
	return n > 0
}

// shows reports whether the model saw a line.
func (a *answer) shows(line int) bool { return a.first <= line && line <= a.last }

// mentions reports whether a text has a number that could be that of a line that the
// model saw.
func (a *answer) mentions(text string) bool {
	for digits := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsDigit(r) }) {
		if n, err := strconv.Atoi(digits); err != nil || a.shows(n) {
			return true
		}
	}
	return false
}

// findingMovable reports whether a finding is also right where its lines are now: it
// is at one of them, or at none, and its texts mention none.
func findingMovable(a *answer, message json.RawMessage) bool {
	d, err := extract.Decode(message)
	if err != nil {
		return true // it is discarded anyway
	}
	texts := []string{d.Title, d.Description, d.Verification}
	if d.Fix != nil {
		texts = append(texts, d.Fix.Description)
	}
	return (d.StartLine == 0 || a.shows(d.StartLine)) && !slices.ContainsFunc(texts, a.mentions)
}

// move changes the lines of a finding to where they are now. own reports whether a
// path is that of the chunk.
func (a *answer) move(d *extract.Raw, own func(path string) bool) {
	move := func(start, end *int) {
		if *start > 0 {
			*start += a.moved
		}
		if *end > 0 {
			*end += a.moved
		}
	}
	move(&d.StartLine, &d.EndLine)
	for i := range d.Additional {
		if l := &d.Additional[i]; own(l.Path) && a.shows(l.StartLine) {
			move(&l.StartLine, &l.EndLine)
		}
	}
}

// answer returns the answer about what is sent of a chunk, or of a half of it: a stored
// one, or that of the model. With an error it has the findings that could be read all
// the same.
func (a *analysis) answer(ctx context.Context, in prompt.UserInput) (answer, error) {
	q := a.question(in)
	if known, s, ok := a.lookUp(ctx, q, findingMovable); ok && a.replay(ctx, s.Calls) {
		a.emitCached(a.job, q, s)
		if s.Halved {
			return answer{}, errHalved
		}
		return known, nil
	}
	a.sent = true
	if q.first != 1 {
		q.Messages[0].Text = prompt.User(in)
	}
	user := utf8.RuneCountInString(q.Messages[0].Text)
	a.emit(EventPrompt{Chunk: a.ref(), SystemChars: a.s.systemChars, UserChars: user, Large: a.s.systemChars+user > largePrompt})

	resp, calls, err := a.converse(ctx, q.Request)
	if err != nil {
		return answer{}, err
	}
	found, err := a.extract(ctx, resp, q.Task)
	q.first, q.last = q.first-resp.Moved, q.last-resp.Moved
	if err == nil {
		a.keep(ctx, q, stored{Findings: found, Calls: calls})
	}
	return answer{findings: found, first: q.first, last: q.last, moved: resp.Moved}, err
}

// question returns the question about what is sent of a chunk, with relative line
// numbers in its text.
func (a *analysis) question(in prompt.UserInput) question {
	q := question{Request: a.s.template}
	q.first, q.last = in.Shown()
	in.Shift = q.first - 1
	q.Messages = []provider.Message{{Role: provider.RoleUser, Text: prompt.User(in)}}
	q.Task = provider.Task{
		Role: roleAnalyze, Skill: a.s.skill.Name,
		Path: in.Chunk.Path, StartLine: in.Chunk.StartLine, EndLine: in.Chunk.EndLine,
	}
	setHashes(&q.Request, a.s.templateHash(), q.Messages[0].Text)
	return q
}

// replay reports whether the tools return what they returned when an answer was given.
func (a *analysis) replay(ctx context.Context, calls []toolCall) bool {
	if len(calls) == 0 {
		return true
	}
	if a.s.tools == nil {
		return false
	}
	session := a.s.tools.Session(a.unredacted)
	return !slices.ContainsFunc(calls, func(c toolCall) bool {
		return hash(session.Call(ctx, provider.ToolCall{Name: c.Name, Arguments: c.Arguments})) != c.Result
	})
}
