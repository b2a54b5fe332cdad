package cache

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func open(t testing.TB, path, namespace string) *Dir {
	t.Helper()
	d, err := Open(path, namespace)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func get(d *Dir, key string) string {
	v, ok := d.Get(context.Background(), key)
	if !ok {
		return "miss"
	}
	return string(v)
}

func TestDir(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "not", "there", "yet")
	d := open(t, path, "https://one.example")
	if got := get(d, "k"); got != "miss" {
		t.Errorf("an empty cache has %q", got)
	}
	d.Put(ctx, "k", []byte("value"))
	d.Put(ctx, "empty", nil)
	d.Put(ctx, "../../etc/passwd", []byte("a key is no path"))
	d.Put(ctx, "k2", []byte("old"))
	d.Put(ctx, "k2", []byte("new"))

	again := open(t, path, "https://one.example")
	for key, want := range map[string]string{"k": "value", "empty": "", "../../etc/passwd": "a key is no path", "k2": "new", "K": "miss"} {
		if got := get(again, key); got != want {
			t.Errorf("Get(%q) = %q, want %q", key, got, want)
		}
	}
	if got := get(open(t, path, "https://two.example"), "k"); got != "miss" {
		t.Errorf("another namespace has %q", got)
	}
	err := filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v, %v", path, info.Mode(), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestLargeEntry(t *testing.T) {
	d := open(t, t.TempDir(), "")
	d.Put(t.Context(), "most", bytes.Repeat([]byte("x"), maxEntry))
	d.Put(t.Context(), "more", bytes.Repeat([]byte("x"), maxEntry+1))
	if got := get(d, "most"); len(got) != maxEntry {
		t.Errorf("the largest entry came back with %d bytes", len(got))
	}
	if got := get(d, "more"); got != "miss" {
		t.Errorf("a larger entry was kept")
	}
}

func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "cache"), ""); err == nil {
		t.Error("Open in a file: no error")
	}

	// A file where an entry's folder should be: nothing is kept, nothing breaks.
	path := t.TempDir()
	d := open(t, path, "")
	dir, _ := d.name("k")
	if err := os.WriteFile(filepath.Join(path, dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.Put(t.Context(), "k", []byte("v"))
	if got := get(d, "k"); got != "miss" {
		t.Errorf("Get = %q, want a miss", got)
	}
}

// TestLinks shows that the cache cannot be led out of its folder.
func TestLinks(t *testing.T) {
	path, outside := t.TempDir(), t.TempDir()
	d := open(t, path, "")
	dir, name := d.name("k")
	if err := os.Symlink(outside, filepath.Join(path, dir)); err != nil {
		t.Skip(err)
	}
	d.Put(t.Context(), "k", []byte("v"))
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("written outside: %v, %v", entries, err)
	}
	if err := os.WriteFile(filepath.Join(outside, filepath.Base(name)), []byte("planted"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := get(d, "k"); got != "miss" {
		t.Errorf("read from outside: %q", got)
	}
}

func TestPrune(t *testing.T) {
	now := time.Now()
	path := t.TempDir()
	d := open(t, path, "")
	age := func(key string, age time.Duration) {
		d.Put(t.Context(), key, []byte(key))
		_, name := d.name(key)
		if err := os.Chtimes(filepath.Join(path, name), now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	prune := func(at time.Time, want int) {
		t.Helper()
		if n, err := d.Prune(t.Context(), at); n != want || err != nil {
			t.Errorf("Prune = %d, %v; want %d", n, err, want)
		}
	}
	age("old", MaxAge+time.Hour)
	age("used", MaxAge+time.Hour)
	age("young", MaxAge-time.Hour)
	if got := get(d, "used"); got != "used" {
		t.Fatalf("Get = %q", got)
	}
	prune(now, 1)
	for key, want := range map[string]string{"old": "miss", "used": "used", "young": "young"} {
		if got := get(d, key); got != want {
			t.Errorf("after pruning, Get(%q) = %q, want %q", key, got, want)
		}
	}
	age("old", MaxAge+time.Hour)
	prune(now.Add(time.Hour), 0) // once a day
	prune(now.Add(pruneInterval), 1)
}

func TestConcurrent(t *testing.T) {
	path := t.TempDir()
	a, b := open(t, path, ""), open(t, path, "")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			d := a
			if i%2 == 1 {
				d = b
			}
			for k := range 50 {
				key := fmt.Sprint(k)
				d.Put(t.Context(), key, bytes.Repeat([]byte{byte('0' + i)}, 5000))
				v, ok := d.Get(t.Context(), key)
				if ok && (len(v) != 5000 || !bytes.Equal(v, bytes.Repeat(v[:1], 5000))) {
					t.Errorf("entry %s is torn: %d bytes", key, len(v))
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkGet(b *testing.B) {
	d := open(b, b.TempDir(), "")
	d.Put(b.Context(), "k", bytes.Repeat([]byte("x"), 2000))
	for b.Loop() {
		if _, ok := d.Get(b.Context(), "k"); !ok {
			b.Fatal("miss")
		}
	}
}

// TestReadOnly: what only looks up leaves no trace.
func TestReadOnly(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, "n")
	d.Put(t.Context(), "k", []byte("value"))
	old := time.Now().Add(-40 * 24 * time.Hour)
	_, name := d.name("k")
	if err := os.Chtimes(filepath.Join(path, name), old, old); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, path)
	d = open(t, path, "n")
	d.ReadOnly = true
	if got := get(d, "k"); got != "value" {
		t.Errorf("got %q", got)
	}
	d.Put(t.Context(), "k2", []byte("value"))
	if n, err := d.Prune(t.Context(), time.Now()); n != 0 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
	if after := snapshot(t, path); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// snapshot lists the files of a directory with their times.
func snapshot(t *testing.T, dir string) (list string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		list += fmt.Sprintln(path, info.Size(), info.ModTime())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
