package scanner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// attack is an entry of testdata/hostile/attacks.txt.
type attack struct{ name, text string }

// readAttacks reads the corpus, whose form its first lines explain.
func readAttacks(t *testing.T) []attack {
	t.Helper()
	data, err := os.ReadFile("testdata/hostile/attacks.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []attack
	var lines []string
	end := func() {
		for len(lines) > 1 && lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		if len(all) > 0 {
			all[len(all)-1].text = strings.Join(lines, "\n")
		}
		lines = nil
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "== "); ok {
			end()
			all = append(all, attack{name: name})
			continue
		}
		if strings.HasPrefix(line, `"`) {
			if line, err = strconv.Unquote(line); err != nil {
				t.Fatalf("%v in attack %v", err, all[len(all)-1].name)
			}
		}
		lines = append(lines, line)
	}
	end()
	return all
}

func TestHostileCorpus(t *testing.T) {
	attacks := readAttacks(t)
	if len(attacks) < 60 {
		t.Errorf("%d attacks, want at least 60", len(attacks))
	}
	names, texts := make(map[string]bool), make(map[string]bool)
	for _, a := range attacks {
		if names[a.name] || texts[a.text] {
			t.Errorf("attack %q is there twice", a.name)
		}
		names[a.name], texts[a.text] = true, true
	}
}

// spot is a place of a request with text of other people.
type spot string

const (
	spotAdded       spot = "added line"
	spotContext     spot = "context line"
	spotAround      spot = "line around the chunk"
	spotDeleted     spot = "deleted line"
	spotPath        spot = "file name" // which the requests about other files do not have
	spotOldPath     spot = "old file name"
	spotSection     spot = "function name"
	spotTitle       spot = "title of the pull request"
	spotDescription spot = "description of the pull request"
	spotRead        spot = "result of Read"
	spotGrep        spot = "result of Grep"
	spotGlob        spot = "result of Glob"
)

// spotsOf returns the places that a text can get to.
func spotsOf(text string) []spot {
	all := []spot{
		spotAdded, spotContext, spotAround, spotDeleted, spotPath, spotOldPath, spotSection,
		spotTitle, spotDescription, spotRead, spotGrep, spotGlob,
	}
	return slices.DeleteFunc(all, func(s spot) bool {
		switch s {
		case spotPath, spotOldPath: // git knows neither names without a character nor with this one
			return text == "" || strings.Contains(text, "\x00") || diff.IsCredentialFile(text) // which is not sent
		case spotSection: // a part of a line
			return strings.Contains(text, "\n")
		case spotAdded, spotContext, spotAround, spotDeleted, spotRead, spotGrep:
			return strings.Contains(text, "\x00") // a binary file
		case spotGlob:
			return !fs.ValidPath(text) || strings.ContainsAny(text, "\x00\\") || diff.IsCredentialFile(text)
		}
		return false
	})
}

// harmless returns a text of the same shape: as long, in as many lines, with
// white space in the same places.
func harmless(text string) string {
	var b strings.Builder
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		if unicode.IsSpace(r) || text[0] == '/' {
			b.WriteString(text[:n])
		} else {
			b.WriteString(strings.Repeat("x", n))
		}
		text = text[n:]
	}
	return b.String()
}

// The three chunks of a scene are distinguished by a word that each has in a line of
// its own, and nothing else has. The attacked one is in the middle.
const (
	tokenAlpha  = "wombat"
	tokenTarget = "quokka"
	tokenZulu   = "numbat"
)

var tokens = []string{tokenAlpha, tokenTarget, tokenZulu}

// secret is what no request may hold.
const secret = "hush-0d9b2c"

// scene is what is scanned: three files, of which the second one is attacked.
type scene struct {
	spot  spot
	text  string
	path  string // of the attacked file
	files []diff.File
	tree  fstest.MapFS
	pr    *scanner.PullRequest
	first int // line of the attacked chunk
	last  int
}

func newScene(at spot, text string) *scene {
	s := &scene{spot: at, text: text, path: "mid.go", pr: &scanner.PullRequest{Title: "A change", Description: "It changes things."}}
	s.tree = fstest.MapFS{
		".env":                {Data: []byte("PASSWORD=" + secret + "\n")},
		".git/config":         {Data: []byte(secret + "\n")},
		"keys/id_rsa":         {Data: []byte(secret + "\n")},
		"internal/notes.text": {Data: []byte("notes begin\nnotes end\n")},
	}
	section := "func handle()"
	target := diff.File{Status: diff.Modified, OldMode: 0o100644, Mode: 0o100644}
	switch at {
	case spotPath:
		s.path = text
	case spotOldPath:
		target.Status, target.OldPath = diff.Renamed, text
	case spotSection:
		section = text
	case spotTitle:
		s.pr.Title = text
	case spotDescription:
		s.pr.Description = text
	case spotRead, spotGrep:
		s.tree["internal/notes.text"] = &fstest.MapFile{Data: []byte("notes begin\n" + text + "\nnotes end\n")}
	case spotGlob:
		s.tree[text] = &fstest.MapFile{}
	}
	target.Path = s.path

	// The new side of the attacked file, and the hunk in it.
	var side []string
	var body strings.Builder
	add := func(op diff.Op, lines ...string) {
		for _, l := range lines {
			if op == 0 || op != diff.Delete {
				side = append(side, l)
			}
			if op != 0 {
				body.WriteString(string(op) + l + "\n")
			}
		}
	}
	attackAt := func(here spot, op diff.Op) {
		if at == here {
			add(op, strings.Split(text, "\n")...)
		}
	}
	for i := range 10 {
		add(0, fmt.Sprintf("before %c", 'a'+i))
	}
	attackAt(spotAround, 0)
	add(0, "before the hunk")
	s.first = len(side) + 1
	add(diff.Context, "context one")
	attackAt(spotContext, diff.Context)
	add(diff.Delete, "old := 1")
	attackAt(spotDeleted, diff.Delete)
	add(diff.Add, tokenTarget+" := start()", "password := \""+secret+"\"")
	attackAt(spotAdded, diff.Add)
	add(diff.Context, "context two")
	s.last = len(side)
	for i := range 10 {
		add(0, fmt.Sprintf("after %c", 'a'+i))
	}
	target.Hunks = []diff.Hunk{{
		OldStart: s.first, NewStart: s.first, NewLines: s.last - s.first + 1,
		OldLines: strings.Count("\n"+body.String(), "\n ") + strings.Count("\n"+body.String(), "\n-"),
		Section:  section, Body: body.String(),
	}}
	if at != spotPath {
		s.tree[s.path] = &fstest.MapFile{Data: []byte(strings.Join(side, "\n") + "\n")}
	}

	other := func(path, token string) diff.File {
		f := added(path, 10)
		f.Hunks[0].Body = strings.ReplaceAll(f.Hunks[0].Body, "first of", token+" is the first of")
		return f
	}
	s.files = []diff.File{other("alpha.go", tokenAlpha), target, other("zulu.go", tokenZulu)}
	return s
}

// tokenOf returns the chunk that a request is about.
func tokenOf(req provider.Request) string {
	for _, token := range tokens {
		if strings.Contains(user(req), token) {
			return token
		}
	}
	return ""
}

// opened records the names of the files that were opened.
type opened struct {
	fs.FS
	mu    sync.Mutex
	names map[string]bool
}

func (o *opened) Open(name string) (fs.File, error) {
	o.mu.Lock()
	o.names[name] = true
	o.mu.Unlock()
	return o.FS.Open(name)
}

// keys is a cache that records which keys were looked up.
type keys struct {
	memory
	requested map[string]bool
}

func (k *keys) Get(ctx context.Context, key string) ([]byte, bool) {
	v, ok := k.memory.Get(ctx, key)
	k.mu.Lock()
	k.requested[key] = true
	k.mu.Unlock()
	return v, ok
}

// played is what became of a scene.
type played struct {
	report   *scanner.SkillReport
	requests map[string][]provider.Request // by token and name of the schema
	chunks   map[string]scanner.EventChunk // by path
	cache    *keys
}

func (p *played) analysis(token string) []provider.Request { return p.requests[token+" findings"] }

// play runs a skill over a scene. model answers the requests.
func (s *scene) play(t *testing.T, verify bool, model asker) *played {
	t.Helper()
	p := &played{requests: make(map[string][]provider.Request), chunks: make(map[string]scanner.EventChunk)}
	p.cache = &keys{memory: memory{m: make(map[string][]byte)}, requested: make(map[string]bool)}
	var mu sync.Mutex
	recording := asker(func(ctx context.Context, req provider.Request) (provider.Response, error) {
		for _, m := range append(req.Messages, provider.Message{Text: req.System}) {
			if strings.Contains(m.Text, secret) {
				t.Errorf("a secret was sent: %q", m.Text)
			}
		}
		mu.Lock()
		name := tokenOf(req) + " " + req.Schema.Name
		p.requests[name] = append(p.requests[name], req)
		mu.Unlock()
		return model(ctx, req)
	})
	tree := &opened{FS: s.tree, names: make(map[string]bool)}
	skill := reviewer
	skill.AllowedTools = []string{"Read", "Grep", "Glob"}
	var err error
	p.report, err = scanner.RunSkill(t.Context(), skill, s.files, scanner.Options{
		Provider: recording, Verify: verify, FS: tree, Cache: p.cache, PullRequest: s.pr,
		Retry: provider.RetryPolicy{MaxRetries: -1},
		Redact: func(text string) (string, int) {
			return strings.ReplaceAll(text, secret, "[KEY]"), strings.Count(text, secret)
		},
		OnEvent: func(e scanner.Event) {
			if e, ok := e.(scanner.EventChunk); ok {
				p.chunks[e.Chunk.Path] = e
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, p.report, len(s.files))
	for _, name := range []string{".env", ".git/config", "keys/id_rsa"} {
		if tree.names[name] {
			t.Errorf("%s was opened", name)
		}
	}
	return p
}

// The ids of the calls of tools.
const (
	callRead = "call-read"
	callGrep = "call-grep"
	callGlob = "call-glob"
)

// TestHostilePrompt shows that an attack stays in its block, whole and on its
// lines, and changes nothing else of any request.
func TestHostilePrompt(t *testing.T) {
	model := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if tokenOf(req) == tokenTarget {
			switch len(req.Messages) {
			case 1:
				return call(callRead, "Read", `{"path":"internal/notes.text"}`), nil
			case 3:
				return call(callGrep, "Grep", `{"pattern":"^","path":"internal/notes.text"}`), nil
			case 5:
				return call(callGlob, "Glob", `{"pattern":"**"}`), nil
			}
		}
		return answer(nothing), nil
	})
	for _, a := range readAttacks(t) {
		t.Run(a.name, func(t *testing.T) {
			for _, at := range spotsOf(a.text) {
				attacked, calm := newScene(at, a.text), newScene(at, harmless(a.text))
				got, want := attacked.play(t, false, model), calm.play(t, false, model)
				for _, token := range tokens {
					g, w := got.analysis(token), want.analysis(token)
					if len(g) != len(w) || len(g) == 0 {
						t.Errorf("%s: %d requests about %s, want %d", at, len(g), token, len(w))
						continue
					}
					// The last one holds what the others hold.
					compareRequests(t, attacked, token, g[len(g)-1], w[len(w)-1])
				}
			}
		})
	}
}

// TestHostileClaim is about what a model writes under the influence of an attack,
// and another request then holds.
func TestHostileClaim(t *testing.T) {
	for _, a := range readAttacks(t) {
		if strings.TrimSpace(a.text) == "" {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			var requests [2]provider.Request
			for i, text := range []string{a.text, harmless(a.text)} {
				title, _ := json.Marshal(text)
				p := newScene(spotAdded, "x").play(t, true, func(_ context.Context, req provider.Request) (provider.Response, error) {
					if tokenOf(req) != tokenTarget || req.Schema.Name == "verdicts" {
						return answer(nothing), nil
					}
					return answer(fmt.Sprintf(`{"findings":[{"severity":"high","title":%s,"description":%[1]s}]}`, title)), nil
				})
				if r := p.requests[tokenTarget+" verdicts"]; len(r) == 1 {
					requests[i] = r[0]
				} else {
					t.Fatalf("%d checks of the finding %s, discarded: %v", len(r), title, p.report.Discards)
				}
			}
			compareRequests(t, &scene{text: a.text}, tokenTarget, requests[0], requests[1])
		})
	}
}

// compareRequests checks that a request with an attack is the one without, but
// for the lines of the attack.
func compareRequests(t *testing.T, s *scene, token string, got, want provider.Request) {
	t.Helper()
	if got.System != want.System {
		t.Errorf("%s: the system text differs:\n%s", s.spot, cmp.Diff(want.System, got.System))
	}
	if !reflect.DeepEqual(got.Tools, want.Tools) || got.Model != want.Model || got.Schema.Name != want.Schema.Name {
		t.Errorf("%s: the request differs in tools, model or schema", s.spot)
	}
	if len(got.Messages) != len(want.Messages) {
		t.Fatalf("%s: %d messages, want %d", s.spot, len(got.Messages), len(want.Messages))
	}
	var changed []string
	for i, m := range got.Messages {
		if m.Role != want.Messages[i].Role || m.ToolCallID != want.Messages[i].ToolCallID {
			t.Errorf("%s: message %d is of another role", s.spot, i)
		}
		if m.Role == provider.RoleAssistant {
			continue
		}
		g, w := takeApart(t, m.Text), takeApart(t, want.Messages[i].Text)
		if !slices.Equal(g.outside, w.outside) {
			t.Errorf("%s: message %d differs outside of its blocks (-want +got):\n%s", s.spot, i, cmp.Diff(w.outside, g.outside))
		}
		if m.Role == provider.RoleTool && len(g.outside) > 0 {
			t.Errorf("%s: message %d has text outside of its block: %q", s.spot, i, g.outside)
		}
		if len(g.blocks) != len(w.blocks) {
			t.Fatalf("%s: message %d has %d blocks, want %d", s.spot, i, len(g.blocks), len(w.blocks))
		}
		for j, b := range g.blocks {
			if len(b) != len(w.blocks[j]) {
				t.Fatalf("%s: block %d of message %d has %d lines, want %d:\n%s", s.spot, j, i, len(b), len(w.blocks[j]), strings.Join(b, "\n"))
			}
			// In blocks of code and of what tools found, a line has its kind.
			marked := m.Role == provider.RoleTool && m.ToolCallID != callGlob || j == codeBlock(g.blocks)
			for k, line := range b {
				if marked {
					wantMark, gotMark := lineMark.FindString(w.blocks[j][k]), lineMark.FindString(line)
					if gotMark == "" || gotMark != wantMark {
						t.Errorf("%s: line %q has the mark %q, want %q", s.spot, line, gotMark, wantMark)
					}
				}
				if line != w.blocks[j][k] {
					changed = append(changed, line)
				}
			}
		}
	}
	checkChanged(t, s, token, changed)
}

// lineMark is how the lines of a block of code begin.
var lineMark = regexp.MustCompile(`^(\d+[+ ]\||-\||(file|status|renamed from|copied from|in): |\(no |error: )`)

// codeBlock returns the index of the block with the code of a chunk, or -1.
func codeBlock(blocks [][]string) int {
	return slices.IndexFunc(blocks, func(b []string) bool {
		return slices.ContainsFunc(b, func(line string) bool { return strings.HasSuffix(line, "|"+tokenTarget+" := start()") })
	})
}

// parts are the lines of a message.
type parts struct {
	outside []string // those of delimiters without the id
	blocks  [][]string
}

var opening = regexp.MustCompile(`^<data-([0-9a-f]{12})>$`)

// takeApart reads a message as a careful reader would: a block ends where the id
// that opened it is in a closing tag, and that id is nowhere else.
func takeApart(t *testing.T, message string) parts {
	t.Helper()
	if !utf8.ValidString(message) {
		t.Errorf("the message is not valid UTF-8: %q", message)
	}
	var p parts
	lines := strings.Split(message, "\n")
	for i := 0; i < len(lines); i++ {
		m := opening.FindStringSubmatch(lines[i])
		if m == nil {
			if lines[i] != "" || i < len(lines)-1 {
				p.outside = append(p.outside, lines[i])
			}
			continue
		}
		if n := strings.Count(strings.ToLower(message), m[1]); n != 2 {
			t.Errorf("the id %s is %d times in the message", m[1], n)
		}
		end := slices.Index(lines[i:], "</data-"+m[1]+">")
		if end < 0 {
			t.Fatalf("block %s does not end", m[1])
		}
		p.blocks = append(p.blocks, lines[i+1:i+end])
		if len(p.blocks) > 1 || i > 0 {
			p.outside = append(p.outside, "<data>")
		}
		i += end
	}
	return p
}

var (
	visible = regexp.MustCompile(`\\([ux])\{([0-9A-F]{2,6})\}`)
	cutNote = regexp.MustCompile(` \[…\d+ more bytes\]$`)
	invis   = regexp.MustCompile(`[\x00-\x08\x0a-\x1f\x7f\p{Cf}\p{Co}\x{80}-\x{9f}\x{2028}\x{2029}\x{fe00}-\x{fe0f}\x{115f}\x{1160}\x{3164}\x{ffa0}\x{e0000}-\x{e0fff}]`)
)

// undo turns the escapes of a visible line into what they represent.
func undo(s string) string {
	return visible.ReplaceAllStringFunc(s, func(e string) string {
		m := visible.FindStringSubmatch(e)
		n, err := strconv.ParseUint(m[2], 16, 32)
		switch {
		case err != nil || n > utf8.MaxRune:
			return e
		case m[1] == "x":
			return string([]byte{byte(n)})
		}
		return string(rune(n))
	})
}

// checkChanged checks that the lines in which requests differ are those of the
// attack: all of them, whole, and with everything in them to be seen.
func checkChanged(t *testing.T, s *scene, token string, changed []string) {
	t.Helper()
	for _, l := range changed {
		if i := invis.FindStringIndex(l); i != nil {
			t.Errorf("%s: line %q has an invisible character: %q", s.spot, l, l[i[0]:i[1]])
		}
	}
	var want []string
	lines := strings.Split(s.text, "\n")
	switch s.spot {
	case spotAdded, spotContext, spotAround, spotDeleted:
		want = lines
	case spotPath, spotOldPath:
		want = []string{s.text}
	case spotSection, spotTitle:
		want = []string{strings.TrimSpace(s.text)}
	case spotDescription:
		want = strings.Split(strings.TrimSpace(s.text), "\n")
	case spotRead, spotGrep:
		want = slices.Concat(lines, lines) // both return them
	default: // other lines may differ, for they are sorted by what they hold
		return
	}
	if token != tokenTarget && s.spot != spotTitle && s.spot != spotDescription {
		want = nil
	}
	want = slices.DeleteFunc(slices.Clone(want), func(l string) bool {
		l = strings.TrimSuffix(l, "\r")
		return l == harmless(l) && invis.FindString(l) == "" || l == harmless(l) && s.spot != spotPath && s.spot != spotOldPath
	})
	if len(changed) != len(want) {
		t.Errorf("%s: %d lines of the request about %s differ, want %d: %q", s.spot, len(changed), token, len(want), changed)
		return
	}
	for i, l := range changed {
		w := want[i]
		if s.spot == spotPath || s.spot == spotOldPath {
			l = strings.TrimPrefix(strings.TrimPrefix(l, "file: "), "renamed from: ")
			if cutNote.MatchString(l) {
				continue
			}
			if u, err := diff.UnquotePath(l); err == nil {
				l = u
			}
		} else {
			w = strings.TrimSuffix(w, "\r")
			if s.spot == spotTitle {
				l = strings.TrimPrefix(l, "title: ")
			} else if s.spot != spotDescription {
				l = strings.TrimPrefix(l, lineMark.FindString(l))
			}
			short := cutNote.ReplaceAllString(l, "")
			if short != l && strings.HasPrefix(w, short) {
				continue
			}
			l, w = undo(l), undo(w)
		}
		if l != w {
			t.Errorf("%s: a line of the request about %s is %q, want %q", s.spot, token, l, w)
		}
	}
}
