package replay

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/provider"
)

func FuzzDecode(f *testing.F) {
	full := record{
		key: key{"own", "turn 2", "12"}, path: "a.go", first: 3, last: 9, model: "m",
		date: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC), sent: []string{"one", "two\nlines\n"},
		resp: provider.Response{Text: "{\r\n}", ToolCalls: []provider.ToolCall{{ID: "1", Name: "Read", Arguments: "{}"}, {}}},
	}
	f.Add(full.encode(nil))
	full.failure = &provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "no"}
	f.Add(full.encode(nil))
	f.Add([]byte(header + "\r\nskill: a\r\n\"x\\x00\"\r\nrole:\r\n|\r\n"))
	f.Add([]byte(header + "\nskill: a\nrole: b\nchunk: c\nlines: 1-0\ndate: 2026-11-22T09:30:00.5+01:00\nusage: {}\nhash of x: y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(data)
		if err != nil {
			return
		}
		text := r.encode(nil)
		again, err := decode(text)
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		if got := again.encode(nil); !bytes.Equal(got, text) {
			t.Errorf("the record changes when it is read and written:\n%s", cmp.Diff(string(text), string(got)))
		}
	})
}

// FuzzAnswer: every text that a model can write is the same after it was recorded.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{
		"", "\n", "\n\n", "a\n", "\r\n", "a\r", "\xff\xfe", " a ", "\t", "|", "| a\n| b", `"a"`, header, "answer: x\nstop: end",
		"\x1b[31m\u202e", "a\x00b", "{\n  \"findings\": []\n}", "#", ": ", "日本語\n",
	} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		want := record{
			key: key{"own", "analyze", "12"}, first: 1, last: 1,
			resp: provider.Response{Text: text, ToolCalls: []provider.ToolCall{{ID: other, Name: text, Arguments: other}}},
		}
		got, err := decode(want.encode(nil))
		if err != nil {
			t.Fatalf("%v in:\n%s", err, want.encode(nil))
		}
		if d := cmp.Diff(want.resp, got.resp); d != "" {
			t.Errorf("the answer (-want +got):\n%s", d)
		}
	})
}
