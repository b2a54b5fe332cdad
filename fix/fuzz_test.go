package fix

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParseFix reads any text as a fix. What it makes of it can be told from
// the lines of the text.
func FuzzParseFix(f *testing.F) {
	for _, tt := range diffCases {
		if len(tt.diff) < 10_000 {
			f.Add(tt.diff)
		}
	}
	for _, e := range escapes {
		f.Add(e.diff)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sections, r := parse(text)
		if r != nil {
			if r.message == "" || r.reason == "" || len(sections) > 0 {
				t.Fatalf("refusal %+v with %d sections", r, len(sections))
			}
			return
		}
		if len(sections) == 0 {
			t.Fatal("neither a diff nor a refusal")
		}
		for _, s := range sections {
			for _, h := range s.hunks {
				if h.end > len(h.lines) {
					t.Fatalf("hunk of %d lines ends at %d", len(h.lines), h.end)
				}
				for _, l := range h.lines {
					if !strings.Contains(text, l.text) || strings.ContainsAny(l.text, "\n") {
						t.Fatalf("line %q is not in the text", l.text)
					}
				}
			}
		}
	})
}

// FuzzPlan plans two fixes of any text for a file of any text.
func FuzzPlan(f *testing.F) {
	for i, tt := range diffCases {
		if len(tt.diff) < 10_000 {
			f.Add(tt.contents(), tt.diff, diffCases[(i+1)%len(diffCases)].diff)
		}
	}
	for _, e := range escapes {
		f.Add("old\n", e.diff, e.diff)
	}
	f.Fuzz(func(t *testing.T, file, first, second string) {
		files := tree{"main.go": file, "other.go": "x\n"}
		p := files.plan(suggest("main.go", first, second))
		for _, ch := range p.Changes {
			if _, ok := files[ch.Path]; !ok || string(ch.Before) != files[ch.Path] || string(ch.After) == files[ch.Path] {
				t.Fatalf("change of %q from %q to %q", ch.Path, ch.Before, ch.After)
			}
			if strings.HasPrefix(file, bom) && !strings.Contains(first+second, bom) && ch.Path == "main.go" && !strings.HasPrefix(string(ch.After), bom) {
				t.Fatalf("the byte order mark is lost: %q", ch.After)
			}
		}
		for i, o := range p.Outcomes {
			refused := o.Status == StatusRefused
			if refused != (o.Reason != "") || refused != (o.Message != "") || !utf8.ValidString(o.Message) && utf8.ValidString(first+second) {
				t.Fatalf("outcome %+v", o)
			}
			if strings.ContainsFunc(o.Message, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Fatalf("message %q", o.Message)
			}
			// Alone, a planned fix changes what it is said to change.
			if o.Status != StatusPlanned {
				continue
			}
			alone := files.plan(suggest("main.go", []string{first, second}[i]))
			if len(alone.Changes) == 0 || alone.Outcomes[0].Status != StatusPlanned {
				t.Fatalf("alone it is %+v", alone.Outcomes[0])
			}
			checkExact(t, files, alone)
		}
		if p.Outcomes[0].Status == StatusPlanned && p.Outcomes[1].Status == StatusPlanned {
			for _, a := range p.fixes[0].edits {
				for _, b := range p.fixes[1].edits {
					if a.path == b.path && a.touches(&b) {
						t.Fatalf("edits %+v and %+v overlap", a, b)
					}
				}
			}
		}
		checkExact(t, files, p)
	})
}

// checkExact plans the patch of a plan. It must do the same, unless it holds
// what fixes must not.
func checkExact(t *testing.T, files tree, p *Plan) {
	t.Helper()
	for _, ch := range p.Changes {
		if redacted(string(ch.Before)) || redacted(string(ch.After)) || len(ch.Before) > maxDiff/8 {
			return
		}
		// A hunk may insert before a byte order mark that is in the middle of
		// nothing; and what is alike at the end of the file is refused.
		q := files.plan(suggest(ch.Path, string(p.patchOf(ch))))
		o := q.Outcomes[0]
		if o.Status == StatusRefused && o.Reason == ReasonAmbiguous {
			continue
		}
		if len(q.Changes) != 1 || string(q.Changes[0].After) != string(ch.After) {
			t.Fatalf("our own patch comes out as %+v %+v\nwant %q\nof   %q\npatch\n%s", o, q.Changes, ch.After, ch.Before, p.patchOf(ch))
		}
	}
}

func (p *Plan) patchOf(ch Change) []byte {
	var b strings.Builder
	writePatch(&b, ch.Path, p.contents[ch.Path], ch.edits)
	return []byte(b.String())
}
