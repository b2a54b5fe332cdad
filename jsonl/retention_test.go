package jsonl_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/jsonl"
)

func TestExpired(t *testing.T) {
	const id = "0f8fad5b-"
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.FixedZone("east", 5*60*60+1800))
	for _, tt := range []struct {
		name    string
		expired bool
	}{
		// 30 days before now is 2026-03-01T06:30:00.000Z.
		{id + "2026-03-01T06-29-59-999Z.jsonl", true},
		{id + "2026-03-01T06-30-00-000Z.jsonl", false},
		{id + "2026-03-01T06-30-00-001Z.jsonl", false},
		{id + "2026-03-31T06-30-00-000Z.jsonl", false},
		{id + "2999-01-01T00-00-00-000Z.jsonl", false},
		{id + "0000-01-01T00-00-00-000Z.jsonl", true},
		{id + "1999-12-31T23-59-59-999Z.jsonl", true},
		{"00000000-2020-02-29T00-00-00-000Z.jsonl", true},
		// What follows is old, but not one of our names.
		{"0F8FAD5B-2020-01-01T00-00-00-000Z.jsonl", false},
		{"0f8fad5-2020-01-01T00-00-00-000Z.jsonl", false},
		{"0f8fad5b0-2020-01-01T00-00-00-000Z.jsonl", false},
		{"0f8fad5x-2020-01-01T00-00-00-000Z.jsonl", false},
		{"0f8fad5b_2020-01-01T00-00-00-000Z.jsonl", false},
		{id + "2020-01-01T00-00-00-000Z.json", false},
		{id + "2020-01-01T00-00-00-000Z.jsonl.new", false},
		{id + "2020-01-01T00-00-00-000Z.jsonl~", false},
		{id + "2020-01-01T00-00-00-000Z.JSONL", false},
		{id + "2020-01-01T00-00-00-000z.jsonl", false},
		{id + "2020-01-01T00-00-00-000.jsonl", false},
		{id + "2020-01-01T00-00-00Z.jsonl", false},
		{id + "2020-01-01T00-00-00-00Z.jsonl", false},
		{id + "2020-01-01T00-00-00-0000Z.jsonl", false},
		{id + "2020-01-01T00-00-00.000Z.jsonl", false},
		{id + "2020-01-01T00-00-00,000Z.jsonl", false},
		{id + "2020-01-01 00-00-00-000Z.jsonl", false},
		{id + "2020-13-01T00-00-00-000Z.jsonl", false},
		{id + "2021-02-29T00-00-00-000Z.jsonl", false},
		{id + "2020-01-01T24-00-00-000Z.jsonl", false},
		{id + "2020-01-01T00-00-60-000Z.jsonl", false},
		{id + "2020-1-01T00-00-00-0000Z.jsonl", false},
		{id + "+020-01-01T00-00-00-000Z.jsonl", false},
		{"x" + id + "2020-01-01T00-00-00-000Z.jsonl", false},
		{"notes.jsonl", false},
		{".jsonl", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			repo := t.TempDir()
			d := mustOpenDir(t, repo)
			write(t, filepath.Join(repo, ".scanner", "logs", tt.name), "")
			got, err := d.Expired(now, 30)
			if err != nil {
				t.Fatal(err)
			}
			if expired := slices.Equal(got, []string{tt.name}); expired != tt.expired || !expired && len(got) > 0 {
				t.Errorf("got %q, want expired %t", got, tt.expired)
			}
		})
	}
}

// TestExpiredIgnoresFileTime: a copy of an old log is as old as the log, and a
// file with an old date of its own is not.
func TestExpiredIgnoresFileTime(t *testing.T) {
	repo := t.TempDir()
	d := mustOpenDir(t, repo)
	const recent = "00000001-2026-02-18T14-32-15-123Z.jsonl"
	name := filepath.Join(repo, ".scanner", "logs", recent)
	write(t, name, "")
	old := testStart.AddDate(-5, 0, 0)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Expired(testStart.AddDate(0, 0, 1), 30); err != nil || len(got) > 0 {
		t.Errorf("got %q, %v, want none", got, err)
	}
}

func TestExpiredDays(t *testing.T) {
	repo := t.TempDir()
	d := mustOpenDir(t, repo)
	write(t, filepath.Join(repo, ".scanner", "logs", "00000001-2020-01-01T00-00-00-000Z.jsonl"), "")
	for _, tt := range []struct {
		days, want int
	}{
		{1, 1}, {2000, 1}, {3000, 0}, {200_000, 0}, {math.MaxInt, 0},
	} {
		if got, err := d.Expired(testStart, tt.days); err != nil || len(got) != tt.want {
			t.Errorf("%d days: got %q, %v, want %d", tt.days, got, err, tt.want)
		}
	}
	for _, days := range []int{0, -1, math.MinInt} {
		if _, err := d.Expired(testStart, days); err == nil || !strings.Contains(err.Error(), "is not above 0") {
			t.Errorf("%d days: got error %v, want one", days, err)
		}
	}
}

const (
	oldName   = "00000001-2020-01-01T00-00-00-000Z.jsonl"
	otherName = "00000002-2020-01-01T00-00-00-000Z.jsonl"
)

func TestDelete(t *testing.T) {
	repo, outside := t.TempDir(), t.TempDir()
	d := mustOpenDir(t, repo)
	logs := filepath.Join(repo, ".scanner", "logs")
	const link, folder, gone = "00000003-2020-01-01T00-00-00-000Z.jsonl", "00000004-2020-01-01T00-00-00-000Z.jsonl", "00000005-2020-01-01T00-00-00-000Z.jsonl"
	write(t, filepath.Join(logs, oldName), "")
	write(t, filepath.Join(logs, otherName), "")
	write(t, filepath.Join(logs, "notes.txt"), "")
	write(t, filepath.Join(outside, "x"), "mine")
	symlink(t, filepath.Join(outside, "x"), filepath.Join(logs, link))
	if err := os.Mkdir(filepath.Join(logs, folder), 0o755); err != nil {
		t.Fatal(err)
	}

	expired, err := d.Expired(testStart.AddDate(1, 0, 0), 30)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expired, []string{oldName, otherName}); diff != "" {
		t.Errorf("expired (-got +want):\n%s", diff)
	}

	n, err := d.Delete([]string{oldName, link, folder, gone, "notes.txt", "../.gitignore", "", otherName})
	if n != 2 {
		t.Errorf("got %d deleted, want 2", n)
	}
	want := strings.Join([]string{
		`log file ".scanner/logs/` + link + `": is not a regular file`,
		`log file ".scanner/logs/` + folder + `": is not a regular file`,
		`log file ".scanner/logs/notes.txt": does not have the name of a log`,
		`log file ".scanner/logs/../.gitignore": does not have the name of a log`,
		`log file ".scanner/logs/": does not have the name of a log`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("got error\n%v\nwant\n%s", err, want)
	}
	var left []string
	entries, err := os.ReadDir(logs)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff(left, []string{link, folder, "notes.txt"}); diff != "" {
		t.Errorf("left (-got +want):\n%s", diff)
	}
	if got := read(t, filepath.Join(outside, "x")); got != "mine" {
		t.Errorf("got %q behind the link", got)
	}
}

func TestOpen(t *testing.T) {
	repo, outside := t.TempDir(), t.TempDir()
	d := mustOpenDir(t, repo)
	logs := filepath.Join(repo, ".scanner", "logs")
	const later, earlier, link = "00000001-2020-01-02T00-00-00-000Z.jsonl", "f0000000-2020-01-01T00-00-00-000Z.jsonl", "00000003-2020-01-01T00-00-00-000Z.jsonl"
	write(t, filepath.Join(logs, later), "")
	write(t, filepath.Join(logs, earlier), "")
	write(t, filepath.Join(logs, "notes.txt"), "")
	write(t, filepath.Join(outside, "x"), "mine")
	symlink(t, filepath.Join(outside, "x"), filepath.Join(logs, link))

	got, err := d.List()
	if diff := cmp.Diff(got, []string{earlier, later}); diff != "" || err != nil {
		t.Errorf("list (-got +want), error %v:\n%s", err, diff)
	}
	f, err := d.Open(later)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for name, want := range map[string]string{
		link:        "is not a regular file",
		"notes.txt": "does not have the name of a log",
		"../.git":   "does not have the name of a log",
		later[1:]:   "does not have the name of a log",
		"00000009-2020-01-01T00-00-00-000Z.jsonl": "no such file or directory",
	} {
		if _, err := d.Open(name); err == nil || !strings.Contains(err.Error(), `log file ".scanner/logs/`+name+`": `+want) {
			t.Errorf("open %q: error %v, want %q", name, err, want)
		}
	}
}

// TestDeleteTwice: two runs that find the same expired logs delete each once.
func TestDeleteTwice(t *testing.T) {
	repo := t.TempDir()
	var names []string
	for i := range 50 {
		run := jsonl.NewRun(testStart.Add(time.Duration(i)*time.Second), repo)
		name, err := run.FileName()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		write(t, filepath.Join(repo, ".scanner", "logs", name), "")
	}
	deleted := make([]int, 4)
	var wg sync.WaitGroup
	for i := range deleted {
		d := mustOpenDir(t, repo)
		wg.Go(func() {
			n, err := d.Delete(names)
			if err != nil {
				t.Error(err)
			}
			deleted[i] = n
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range deleted {
		sum += n
	}
	if sum != len(names) {
		t.Errorf("got %v deleted, want %d in all", deleted, len(names))
	}
}

// FuzzParseName: a name that is taken for a log's is the one that its time and
// id give.
func FuzzParseName(f *testing.F) {
	f.Add(oldName)
	f.Add("0f8fad5b-2026-02-18T14-32-15-123Z.jsonl")
	f.Add("0f8fad5b-2026-02-30T14-32-15-123Z.jsonl")
	f.Add("0f8fad5b-.jsonl")
	f.Fuzz(func(t *testing.T, name string) {
		at, ok := jsonl.ParseName(name)
		if !ok {
			return
		}
		got, err := jsonl.Run{RunID: name[:8], Timestamp: jsonl.NewRun(at, "/").Timestamp}.FileName()
		if err != nil || got != name {
			t.Errorf("%q is taken for a log; its time and id give %q, %v", name, got, err)
		}
	})
}
