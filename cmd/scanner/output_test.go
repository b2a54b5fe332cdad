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
	"github.com/codescan-dev/scanner/project"
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

// openTestOutput opens an output as a command does.
func openTestOutput(t *testing.T, name string) *outputFile {
	t.Helper()
	pr, err := project.Open(t.Context(), project.Env{Dir: filepath.Dir(name), Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pr.Close)
	o, err := (&process{}).openOutput(t.Context(), pr, name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOutputIsWholeOrGone(t *testing.T) {
	run := jsonl.NewRun(time.Now(), "/")
	report := &scanner.SkillReport{Skill: "s", Findings: []scanner.Finding{}}
	for _, lines := range []int{0, 1} {
		name := filepath.Join(t.TempDir(), "out.jsonl")
		o := openTestOutput(t, name)
		disk := &fullDisk{o.file, 1 << 20}
		o.w = disk
		sink := fileSink{jsonl.NewSink(jsonl.NewWriter(o), run, jsonl.SinkOptions{}), o}
		for range lines {
			if err := sink.Skill(report, scanner.Selection{}); err != nil {
				t.Fatal(err)
			}
		}
		disk.room = 100
		if err := sink.Skill(report, scanner.Selection{}); err == nil || !strings.HasSuffix(err.Error(), "no space left on device") {
			t.Errorf("after %d lines: got error %v, want no space", lines, err)
		}
		disk.room = 1 << 20 // the rest would not make it whole
		sink.Finish(&scanner.RunReport{})
		o.close()
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after %d lines: the part of a report is still there (error %v)", lines, err)
		}
	}
}

// TestOutputOfTwo: a run removes only what it made itself.
func TestOutputOfTwo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	read := func() string {
		data, err := os.ReadFile(name)
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	first, second := openTestOutput(t, name), openTestOutput(t, name)
	if _, err := second.Write([]byte("report")); err != nil {
		t.Fatal(err)
	}
	if err := second.finish(); err != nil {
		t.Fatal(err)
	}
	first.close()
	second.close()
	if got := read(); got != "report" {
		t.Errorf("the report of the second run is %q", got)
	}

	// It is removed, and there may be another one by then.
	for _, other := range []string{"", "other"} {
		o := openTestOutput(t, name)
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if other != "" {
			if err := os.WriteFile(name, []byte(other), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := o.Write([]byte("report")); !errors.Is(err, errRemoved) {
			t.Errorf("got error %v, want that the file was removed", err)
		}
		o.close()
		if got := read(); other != "" && got != other {
			t.Errorf("the file in its place is %q", got)
		}
		os.WriteFile(name, nil, 0o644)
	}
}
