package scanner_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/replay"
)

// change is a change of a file: the text of its new side, and its hunks.
type change struct {
	lines []string
	hunks []diff.Hunk
}

// preamble is the number of lines before the first hunk: more than are shown around
// a chunk.
const preamble = 25

func randomChange(r *rand.Rand) change {
	var c change
	line := func() string {
		c.lines = append(c.lines, fmt.Sprintf("\tcall%d(x, %q)", r.IntN(12), strings.Repeat("a", r.IntN(4))))
		return c.lines[len(c.lines)-1]
	}
	for range preamble {
		line()
	}
	old := preamble
	for range 1 + r.IntN(4) {
		h := diff.Hunk{OldStart: old + 1, NewStart: len(c.lines) + 1}
		var body strings.Builder
		for range 1 + r.IntN(10) {
			switch r.IntN(4) {
			case 0:
				fmt.Fprintf(&body, "-\tgone%d()\n", r.IntN(9))
				h.OldLines++
			case 1:
				body.WriteString(" " + line() + "\n")
				h.OldLines++
				h.NewLines++
			default:
				body.WriteString("+" + line() + "\n")
				h.NewLines++
			}
		}
		body.WriteString("+" + line() + "\n")
		h.NewLines++
		h.Body = body.String()
		c.hunks = append(c.hunks, h)
		old += h.OldLines
		for range 5 + r.IntN(60) {
			line()
			old++
		}
	}
	return c
}

// shifted returns the change with n lines before it, which no hunk adds.
func (c change) shifted(n int) (diff.File, fstest.MapFS) {
	f := diff.File{Path: "dir/a.go", Status: diff.Modified, OldMode: 0o100644, Mode: 0o100644}
	for _, h := range c.hunks {
		h.OldStart, h.NewStart = h.OldStart+n, h.NewStart+n
		f.Hunks = append(f.Hunks, h)
	}
	text := strings.Repeat("// a comment\n", n) + strings.Join(c.lines, "\n") + "\n"
	return f, fstest.MapFS{f.Path: {Data: []byte(text)}}
}

var shownLine = regexp.MustCompile(`(?m)^(\d+)([+ ])\|(.*)$`)

// relativeAnswer answers at random, but the same for a chunk wherever it is.
func relativeAnswer(req provider.Request) string {
	text := user(req)
	shown := shownLine.FindAllStringSubmatch(text, -1)
	number := func(i int) int {
		n, _ := strconv.Atoi(shown[i][1])
		return n
	}
	var content strings.Builder
	for _, l := range shown {
		content.WriteString(l[2] + l[3] + "\n")
	}
	sum := sha256.Sum256([]byte(content.String()))
	r := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), 1))
	var list []any
	for range r.IntN(5) {
		i := r.IntN(len(shown))
		f := map[string]any{
			"title": []string{"Race on the map", "Leak", "Error is ignored"}[r.IntN(3)], "description": "It fails, since it is wrong.",
			"severity": []string{"high", "medium", "low"}[r.IntN(3)],
			"location": map[string]any{"path": "dir/a.go", "startLine": number(i), "endLine": number(i) + r.IntN(3)*r.IntN(2), "quote": nil},
		}
		switch r.IntN(4) {
		case 0:
			f["location"].(map[string]any)["quote"] = shown[i][3]
		case 1:
			f["location"].(map[string]any)["quote"] = "gone"
		case 2:
			f["location"] = nil
		}
		switch k := r.IntN(len(shown)); r.IntN(4) {
		case 0:
			f["additionalLocations"] = []any{map[string]any{"path": "dir/a.go", "startLine": number(k), "endLine": number(k) + 1}}
		case 1:
			f["additionalLocations"] = []any{
				map[string]any{"path": "other.go", "startLine": number(k) - number(0) + 1}, map[string]any{"startLine": number(k)},
				map[string]any{"path": "dir/a.go", "startLine": 2}, map[string]any{"path": "nowhere.go", "startLine": 3},
			}
		}
		if r.IntN(2) == 0 {
			f["suggestedFix"] = map[string]any{"description": "Fix it.", "replace": []any{map[string]any{"old": shown[i][3], "new": "\tbetter()"}}}
		}
		list = append(list, f)
	}
	data, _ := json.Marshal(map[string]any{"findings": append([]any{}, list...)})
	return string(data)
}

// TestMoved shows that the stored answer about a chunk that has moved is the answer
// that the model would give about it there.
func TestMoved(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 40
	}
	located, fixed := 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 12))
		c := randomChange(r)
		var sent atomic.Int64
		p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
			sent.Add(1)
			if strings.Contains(req.System, "You check findings") {
				return answer(findings(`{"number":1,"verdict":"lower","severity":"low","confidence":"low","reason":"It is rare."}`)), nil
			}
			return answer(relativeAnswer(req)), nil
		})
		run := func(n int, cache scanner.Cache) (*scanner.SkillReport, int64) {
			f, fsys := c.shifted(n)
			before := sent.Load()
			report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{f, added("other.go", 1)},
				scanner.Options{Provider: p, Model: "m", FS: fsys, Cache: cache, Verify: seed%2 == 0})
			if err != nil {
				t.Fatal(err)
			}
			return report, sent.Load() - before
		}
		cache := &memory{m: make(map[string][]byte)}
		start := r.IntN(200)
		run(start, cache)
		for range 3 {
			n := r.IntN(400)
			want, _ := run(n, nil)
			got, requests := run(n, cache)
			// A check of findings is repeated if one of them had no verdict.
			if requests > 0 && (seed%2 == 1 || got.Verification == nil || got.Verification.Failed == 0) {
				t.Errorf("seed %d, from %d to %d: %d requests", seed, start, n, requests)
			}
			if d := cmp.Diff(want.Findings, got.Findings, ignoreTimes); d != "" {
				t.Fatalf("seed %d, from %d to %d: findings differ (-fresh +stored):\n%s", seed, start, n, d)
			}
			if d := cmp.Diff(want.Discarded, got.Discarded); d != "" {
				t.Fatalf("seed %d, from %d to %d: discards differ (-fresh +stored):\n%s", seed, start, n, d)
			}
			for _, f := range got.Findings {
				if f.Location != nil {
					located++
				}
				if f.SuggestedFix != nil {
					fixed++
				}
			}
		}
	}
	if located < 100 || fixed < 10 {
		t.Errorf("only %d findings with a place and %d with a fix were compared", located, fixed)
	}
}

// TestMovedReplay shows the same of recorded answers, and of what a cache keeps of them.
func TestMovedReplay(t *testing.T) {
	live := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if strings.Contains(req.System, "You check findings") {
			return answer(findings(`{"number":1,"verdict":"lower","severity":"low","confidence":"low","reason":"It is rare."}`)), nil
		}
		return answer(relativeAnswer(req)), nil
	})
	compared := 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 16))
		c := randomChange(r)
		run := func(n int, p provider.Provider, cache scanner.Cache) []scanner.Finding {
			f, fsys := c.shifted(n)
			report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{f}, scanner.Options{Provider: p, Model: "m", FS: fsys, Cache: cache, Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			return report.Findings
		}
		dir := t.TempDir()
		recorder, err := replay.Record(dir, live, nil, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		run(r.IntN(200), recorder, nil)
		player, err := replay.Open(dir, func(msg string) { t.Error("warning: ", msg) })
		if err != nil {
			t.Fatal(err)
		}
		cache := &memory{m: make(map[string][]byte)}
		for range 3 {
			n := r.IntN(400)
			want := run(n, live, nil)
			if d := cmp.Diff(want, run(n, player, nil), ignoreTimes); d != "" {
				t.Fatalf("seed %d, %d lines further down: findings differ (-live +replayed):\n%s", seed, n, d)
			}
			if d := cmp.Diff(want, run(n, player, cache), ignoreTimes); d != "" {
				t.Fatalf("seed %d, %d lines further down: findings differ (-live +cached from the replay):\n%s", seed, n, d)
			}
			compared += len(want)
		}
	}
	if compared < 50 {
		t.Errorf("only %d findings were compared", compared)
	}
}

// TestMovedMentions shows that an answer that mentions a line is not used once the
// line has moved.
func TestMovedMentions(t *testing.T) {
	at := func(n int) diff.File { return added("a.go", n) }
	for _, tt := range []struct {
		name, finding string // about lines 100 to 102
		moves         bool
	}{
		{"none", `{"severity":"low","title":"Twice","description":"It is read 2 times, in 99 or 103 ms.","startLine":101}`, true},
		{"title", `{"severity":"low","title":"Broken since line 100","description":"d","startLine":101}`, false},
		{"description", `{"severity":"low","title":"t","description":"See L102.","startLine":101}`, false},
		{"range", `{"severity":"low","title":"t","description":"See a.go:90-101.","startLine":101}`, false},
		{"other digits", `{"severity":"low","title":"t","description":"See 行１０２.","startLine":101}`, false},
		{"long number", `{"severity":"low","title":"t","description":"It is 99999999999999999999.","startLine":101}`, false},
		{"verification", `{"severity":"low","title":"t","description":"d","verification":"Break at 100.","startLine":101}`, false},
		{"fix", `{"severity":"low","title":"t","description":"d","startLine":101,"suggestedFix":{"description":"Drop 101.","replace":[{"old":"first of a.go","new":""}]}}`, false},
		{"place outside", `{"severity":"low","title":"t","description":"d","startLine":5}`, false},
		{"no place", `{"severity":"low","title":"t","description":"d"}`, true},
		{"place as a member", `{"severity":"low","title":"t","description":"d","line":"101"}`, true},
	} {
		sent := 0
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			sent++
			return answer(findings(tt.finding)), nil
		})
		cache := &memory{m: make(map[string][]byte)}
		run := func(n int) *scanner.SkillReport {
			f := at(n)
			f.Hunks[0].Body = at(100).Hunks[0].Body
			report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{f}, scanner.Options{Provider: p, Model: "m", Cache: cache})
			if err != nil {
				t.Fatal(err)
			}
			return report
		}
		first := run(100)
		if run(100); sent != 1 {
			t.Errorf("%s: %d requests while nothing moved, want 1", tt.name, sent)
		}
		moved := run(40)
		if got := sent == 1; got != tt.moves {
			t.Errorf("%s: the answer was used after the move: %v, want %v", tt.name, got, tt.moves)
		}
		if tt.moves {
			for i, f := range first.Findings {
				if l := moved.Findings[i].Location; f.Location != nil && l.StartLine != f.Location.StartLine-60 {
					t.Errorf("%s: the finding moved from %v to %v", tt.name, f.Location, l)
				}
			}
		}
	}
}
