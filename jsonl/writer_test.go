package jsonl_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/jsonl"
)

// calls records each call of Write.
type calls struct{ got []string }

func (c *calls) Write(p []byte) (int, error) {
	c.got = append(c.got, string(p))
	return len(p), nil
}

func TestWriterOneCallForEachLine(t *testing.T) {
	var c calls
	w := jsonl.NewWriter(&c)
	recs := testRecords()
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.got) != len(recs) {
		t.Fatalf("got %d calls for %d records", len(c.got), len(recs))
	}
	for i, line := range c.got {
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
			t.Errorf("call %d is not one line: %q", i, line)
		}
	}
}

func TestWriterInvalidRecord(t *testing.T) {
	valid := testRecords()
	for _, tt := range []struct {
		name string
		rec  jsonl.Record
		want string
	}{
		{"missing fields", &jsonl.SkillRecord{Run: testRun()}, "invalid record: skill is missing; findings is missing"},
		{"number that JSON cannot hold", &jsonl.SkillRecord{Run: testRun(), Skill: "s", Findings: []scanner.Finding{{
			ID: "1", Severity: scanner.SeverityLow, Title: "t", Description: "d", ElapsedMs: math.Inf(1),
		}}}, "encoding record: json: unsupported value: +Inf"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			w := jsonl.NewWriter(&b)
			if err := w.Write(tt.rec); err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
			if b.Len() > 0 {
				t.Errorf("wrote %q", b.String())
			}
			if err := w.Write(valid[0]); err != nil {
				t.Errorf("a valid record after it: %v", err)
			}
		})
	}
}

func TestWriterSummaryIsLast(t *testing.T) {
	var b bytes.Buffer
	w := jsonl.NewWriter(&b)
	recs := testRecords()
	if err := w.Write(recs[3]); err != nil {
		t.Fatal(err)
	}
	size := b.Len()
	for _, rec := range []jsonl.Record{recs[0], recs[3]} {
		if err := w.Write(rec); err == nil || err.Error() != "the summary record was already written" {
			t.Errorf("got %v, want that the summary was written", err)
		}
	}
	if b.Len() != size {
		t.Error("something was written after the summary")
	}
}

func TestWriterReplacesInvalidText(t *testing.T) {
	rec := &jsonl.SkillRecord{Run: testRun(), Skill: "s", Summary: "caf\xe9 \u2028 <b>", Findings: []scanner.Finding{}}
	recs, err := collect(encodeAll(t, rec))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := recs[0].(*jsonl.SkillRecord).Summary, "caf\ufffd \u2028 <b>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A line can be printed without harm, and is read as it was.
func TestWriterEscapes(t *testing.T) {
	const hostile = "C1 \u009b2J, DEL \x7f, bidi \u202e \u2066, ESC \x1b[2J, zero width \u200b \ufeff, tag \U000e0041, private \U000f0000, " +
		"\n::error::x\n##[error]x ##vso[task.complete]x ###teamcity[x] ####"
	rec := &jsonl.SkillRecord{Run: testRun(), Skill: "s", Summary: hostile, Findings: []scanner.Finding{}}
	line := encodeAll(t, rec)
	if i := strings.IndexFunc(strings.TrimSuffix(string(line), "\n"), text.Hidden); i >= 0 {
		t.Errorf("hidden character at %d of %q", i, line)
	}
	if bytes.Contains(line, []byte("##")) || !bytes.Contains(line, []byte(`tag \udb40\udc41, private \udb80\udc00`)) {
		t.Errorf("got %q", line)
	}
	recs, err := collect(line)
	if err != nil {
		t.Fatal(err)
	}
	if got := recs[0].(*jsonl.SkillRecord).Summary; got != hostile {
		t.Errorf("read %q, want %q", got, hostile)
	}
}

func TestWriterConcurrently(t *testing.T) {
	var c calls
	w := jsonl.NewWriter(&c)
	rec := testRecords()[0]
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				if err := w.Write(rec); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(c.got) != 200 {
		t.Errorf("got %d lines, want 200", len(c.got))
	}
	for _, line := range c.got {
		if line != c.got[0] {
			t.Fatalf("got a line that differs: %q", line)
		}
	}
}

var errFull = errors.New("no space left on device")

// full takes a number of bytes and then fails, as a disk does. A quiet one gives
// no error, only the number of bytes it took.
type full struct {
	bytes.Buffer
	room  int
	quiet bool
}

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	f.Buffer.Write(p[:n])
	if n < len(p) && !f.quiet {
		return n, errFull
	}
	return n, nil
}

func (f *full) Truncate(size int64) error {
	f.Buffer.Truncate(int(size))
	return nil
}

func (f *full) Sync() error  { return nil }
func (f *full) Close() error { return nil }

// TestWriterFullDisk fills the disk after every number of bytes: what is there
// is the beginning of the log, and its whole lines can be read.
func TestWriterFullDisk(t *testing.T) {
	recs := testRecords()[1:] // the first one takes long, as the time grows with the square
	whole := encodeAll(t, recs...)
	want, err := collect(whole)
	if err != nil {
		t.Fatal(err)
	}
	for room := range len(whole) {
		for _, quiet := range []bool{false, true} {
			f := &full{room: room, quiet: quiet}
			w := jsonl.NewWriter(f)
			cause := errFull
			if quiet {
				cause = io.ErrShortWrite
			}
			var first error
			for _, rec := range recs {
				err := w.Write(rec)
				if first != nil && err != first {
					t.Fatalf("after %d bytes: got error %v, want the first one again", room, err)
				}
				first = err
			}
			line := bytes.Count(whole[:room], []byte("\n")) + 1
			if !errors.Is(first, cause) || first.Error() != fmt.Sprintf("writing line %d: %v", line, cause) {
				t.Fatalf("after %d bytes: got error %v, want %v at line %d", room, first, cause, line)
			}
			if !bytes.Equal(f.Bytes(), whole[:room]) {
				t.Fatalf("after %d bytes: got %q", room, f.Bytes())
			}
			if !quiet {
				checkCut(t, f.Bytes(), want)
			}
		}
	}
}

// TestFileFullDisk does the same to a log file, which takes the cut line away.
func TestFileFullDisk(t *testing.T) {
	recs := testRecords()
	whole := encodeAll(t, recs...)
	for room := range len(whole) {
		f := &full{room: room}
		log := jsonl.NewFile("x.jsonl", f)
		var err error
		for _, rec := range recs {
			err = log.Write(rec)
		}
		line := bytes.Count(whole[:room], []byte("\n")) + 1
		if want := fmt.Sprintf("log file \".scanner/logs/x.jsonl\": writing line %d: no space left on device", line); err == nil || err.Error() != want {
			t.Fatalf("after %d bytes: got error  %v\nwant error %s", room, err, want)
		}
		if want := whole[:bytes.LastIndexByte(whole[:room], '\n')+1]; !bytes.Equal(f.Bytes(), want) {
			t.Fatalf("after %d bytes: got %q, want %q", room, f.Bytes(), want)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// checkCut reads a log that ends anywhere and reports which records it must hold
// the first ones.
func checkCut(t *testing.T, in []byte, want []jsonl.Record) {
	t.Helper()
	lines := bytes.Count(in, []byte("\n"))
	got, err := collect(in)
	rest := in[bytes.LastIndexByte(in, '\n')+1:]
	switch {
	case err == nil && len(rest) > 0:
		lines++ // only the newline is missing
	case err != nil:
		if want := fmt.Sprintf("line %d: the line is cut off: unexpected EOF", lines+1); len(rest) == 0 || err.Error() != want {
			t.Fatalf("got error %v, want %s", err, want)
		}
	}
	if len(got) != lines {
		t.Fatalf("got %d records, want %d", len(got), lines)
	}
	if diff := cmp.Diff(got, want[:lines], cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("records (-got +want):\n%s", diff)
	}
}

// TestKilled kills a process that has written lines and goes on, and finds all of
// them, whole: nothing waits in memory. (A kill in the very middle of a write can
// cut it, since the kernel writes page by page; then the last line is reported.)
func TestKilled(t *testing.T) {
	const (
		env   = "JSONL_TEST_WRITE_TO"
		lines = 50
	)
	rec := testRecords()[0]
	if dir := os.Getenv(env); dir != "" {
		log := createLog(t, dir, testRun())
		for range lines {
			if err := log.Write(rec); err != nil {
				t.Fatal(err)
			}
			fmt.Println("line") // one for each line, so that the parent can wait
		}
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), env+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // stays open
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, readErr := io.ReadFull(out, make([]byte, lines*len("line\n")))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if readErr != nil {
		t.Fatal(readErr)
	}
	names, err := filepath.Glob(filepath.Join(dir, ".scanner", "logs", "*.jsonl"))
	if err != nil || len(names) != 1 {
		t.Fatalf("got logs %q, %v, want one", names, err)
	}
	in, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(in, []byte("\n")) {
		t.Error("the last line is cut off")
	}
	if got, err := collect(in); err != nil || len(got) != lines {
		t.Errorf("got %d records and error %v, want %d", len(got), err, lines)
	}
}

func BenchmarkWrite(b *testing.B) {
	rec := testRecords()[0]
	b.SetBytes(int64(len(encodeAll(b, rec))))
	b.ReportAllocs()
	w := jsonl.NewWriter(io.Discard)
	for b.Loop() {
		if err := w.Write(rec); err != nil {
			b.Fatal(err)
		}
	}
}
