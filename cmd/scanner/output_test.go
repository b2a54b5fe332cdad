package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/jsonl"
)

// fullDisk has room for a number of bytes.
type fullDisk struct {
	*os.File
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.room -= n
	if _, err := d.File.Write(p[:n]); err != nil || n == len(p) {
		return n, err
	}
	return n, errors.New("no space left on device")
}

func TestOutputIsWholeOrGone(t *testing.T) {
	run := jsonl.NewRun(time.Now(), "/")
	rec := jsonl.FromReport(run, &scanner.SkillReport{Skill: "s", Findings: []scanner.Finding{}}, scanner.Selection{})
	for _, lines := range []int{0, 1} {
		name := filepath.Join(t.TempDir(), "out.jsonl")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		disk := &fullDisk{f, 1 << 20}
		o := &outputFile{name: name, path: name, file: f, w: disk, regular: true}
		w := jsonl.NewWriter(o)
		for range lines {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		disk.room = 100
		if err := w.Write(rec); err == nil || !strings.HasSuffix(err.Error(), "no space left on device") {
			t.Errorf("after %d lines: got error %v, want no space", lines, err)
		}
		o.close()
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after %d lines: the part of a report is still there (error %v)", lines, err)
		}
	}
}
