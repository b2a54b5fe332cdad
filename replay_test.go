package scanner_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/replay"
)

// TestReplayFailures: what a model refuses for good has the same outcome when it is
// replayed, also in parts, after calls of tools, or while the others go on.
func TestReplayFailures(t *testing.T) {
	live := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		switch text := req.Messages[0].Text; {
		case strings.HasPrefix(text, "This is a test of the connection"):
			return answer("OK"), nil
		case strings.Contains(text, "file: long.go") && strings.Contains(text, "first of") && strings.Contains(text, "third of"):
			return provider.Response{}, &provider.Error{Kind: provider.KindContextLength, Status: 400, Message: "too long"}
		case strings.Contains(text, "file: refused.go"):
			return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "not this one"}
		case strings.Contains(text, "file: declined.go"):
			return provider.Response{}, &provider.Error{Kind: provider.KindRefusal, Message: "no"}
		case strings.Contains(text, "file: tools.go") && len(req.Tools) > 0 && len(req.Messages) == 1:
			return call("1", "Read", `{"path":"a.go"}`), nil
		case strings.Contains(text, "file: tools.go") && len(req.Tools) > 0:
			return provider.Response{}, &provider.Error{Kind: provider.KindRefusal, Message: "not after that"}
		}
		return answer(findings(finding("high", "Broken", "second of", 2))), nil
	})
	files := []diff.File{added("refused.go", 1), added("long.go", 1), added("declined.go", 1), added("tools.go", 1), added("good.go", 1)}
	run := func(p provider.Provider) *scanner.SkillReport {
		report, err := scanner.RunSkill(t.Context(), withTools(reviewer), files, scanner.Options{Provider: p, Model: "m", FS: tree})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	dir := t.TempDir()
	recorder, err := replay.Record(dir, live, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	want := run(recorder)
	player, err := replay.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := run(player)
	if want.Chunks.Failed != 2 || want.Chunks.Analyzed != 3 {
		t.Errorf("recorded the chunks %+v", want.Chunks)
	}
	if d := cmp.Diff(want.Chunks, got.Chunks) + cmp.Diff(want.Findings, got.Findings, ignoreTimes); d != "" {
		t.Errorf("the reports (-recorded +replayed):\n%s", d)
	}
}
