package cache

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPruneBySize(t *testing.T) {
	now := time.Now()
	path := t.TempDir()
	d := open(t, path, "")
	d.MaxSize = 10_000
	put := func(key string, age time.Duration) {
		d.Put(t.Context(), key, bytes.Repeat([]byte("x"), 1000-32))
		_, name := d.name(key)
		if err := os.Chtimes(filepath.Join(path, name), now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		put(fmt.Sprint(i), time.Duration(20-i)*time.Hour)
	}
	prune := func(at time.Time, want int) {
		t.Helper()
		if n, err := d.Prune(t.Context(), at); n != want || err != nil {
			t.Errorf("Prune = %d, %v; want %d", n, err, want)
		}
	}
	prune(now, 0) // exactly the largest size
	get(d, "0")   // used now
	prune(now, 0) // nothing was written
	put("10", time.Minute)
	prune(now.Add(time.Minute), 2)
	for key, want := range map[string]bool{"0": true, "1": false, "2": false, "3": true, "10": true} {
		if got := get(d, key) != "miss"; got != want {
			t.Errorf("entry %s is there: %v, want %v", key, got, want)
		}
	}

	// What another process writes counts.
	other := open(t, path, "other")
	other.MaxSize = 10_000
	other.Put(t.Context(), "a", bytes.Repeat([]byte("x"), 600))
	if n, err := other.Prune(t.Context(), now.Add(time.Hour)); n != 0 || err != nil {
		t.Errorf("Prune = %d, %v; want none, since there is room", n, err)
	}
	d.Put(t.Context(), "b", bytes.Repeat([]byte("x"), 600))
	prune(now.Add(time.Hour), 1)
	u, err := d.Usage(t.Context())
	if err != nil || u.Entries != 10 || u.Size > d.MaxSize {
		t.Errorf("Usage = %+v, %v", u, err)
	}
	if err := d.Clean(t.Context()); err != nil {
		t.Error(err)
	}
	if u, err := d.Usage(t.Context()); err != nil || u != (Usage{}) {
		t.Errorf("after Clean, Usage = %+v, %v", u, err)
	}
}

// TestGarbage fills the directory with what is not a cache. Nothing breaks, and
// nothing is deleted that is not an entry.
func TestGarbage(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, "")
	d.MaxSize = 100
	d.Put(t.Context(), "k", []byte("v"))
	dir, name := d.name("k")
	for file, text := range map[string]string{
		"notes.txt": "mine", dir + "/notes.txt": "mine", "zz/" + name[3:]: "mine", dir + "/sub/" + name[3:]: "mine",
		stateFile: "garbage\n", "ab/" + strings.Repeat("0", 62): string(make([]byte, 200)),
	} {
		file = filepath.Join(path, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, old := range []string{"0a/" + name[3:], "0b"} {
		if err := os.MkdirAll(filepath.Join(path, old), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(path, "ab", strings.Repeat("0", 62)), time.Now(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Prune(t.Context(), time.Now()); n != 1 || err != nil {
		t.Errorf("Prune = %d, %v; want 1: the entry that is damaged and old", n, err)
	}
	if got := get(d, "k"); got != "v" {
		t.Errorf("Get = %q", got)
	}
	if err := d.Clean(t.Context()); err != nil {
		t.Error(err)
	}
	for _, file := range []string{"notes.txt", dir + "/notes.txt", "zz/" + name[3:], dir + "/sub/" + name[3:]} {
		if data, err := os.ReadFile(filepath.Join(path, file)); string(data) != "mine" {
			t.Errorf("%s holds %q, %v", file, data, err)
		}
	}

	// A directory in the place of the state.
	if err := os.Remove(filepath.Join(path, stateFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, stateFile, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Prune(t.Context(), time.Now()); err == nil {
		t.Error("no error although the state cannot be written")
	}
}

func TestDamaged(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, "")
	d.Put(t.Context(), "a", []byte("answer a"))
	d.Put(t.Context(), "b", []byte("answer b"))
	file := func(key string) string {
		_, name := d.name(key)
		return filepath.Join(path, name)
	}
	whole, err := os.ReadFile(file("a"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		if err := os.WriteFile(file("a"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n := range whole {
		flipped := bytes.Clone(whole)
		flipped[n] ^= 1
		for _, data := range [][]byte{whole[:n], flipped} {
			if write(data); get(d, "a") != "miss" {
				t.Errorf("a damaged entry is returned: %q", data)
			}
		}
	}
	write(append(bytes.Clone(whole), '\n'))
	if get(d, "a") != "miss" {
		t.Error("an entry with more text is returned")
	}
	if err := os.Rename(file("b"), file("a")); err != nil {
		t.Fatal(err)
	}
	if got := get(d, "a"); got != "miss" {
		t.Errorf("the entry for another key is returned: %q", got)
	}
	d.Put(t.Context(), "a", []byte("again"))
	if got := get(d, "a"); got != "again" {
		t.Errorf("Get = %q, want what was put in place of a damaged entry", got)
	}
}

func FuzzEntry(f *testing.F) {
	d := open(f, f.TempDir(), "")
	_, name := d.name("k")
	d.Put(f.Context(), "k", []byte("value"))
	path := filepath.Join(d.root.Name(), name)
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, []byte("1700000000\n100\n"))
	f.Add(whole[:31], []byte("9223372036854775807\n-1\n"))
	f.Add([]byte{}, []byte("99999999999999\n99999999999999\n99999999999999\n"))
	f.Fuzz(func(t *testing.T, data, state []byte) {
		for name, data := range map[string][]byte{path: data, filepath.Join(d.root.Name(), stateFile): state} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, ok := d.Get(t.Context(), "k"); ok && !bytes.Equal(append(seal(name, got), got...), data) {
			t.Errorf("Get = %q from %q", got, data)
		}
		if n, err := d.Prune(t.Context(), time.Now()); n != 0 || err != nil {
			t.Errorf("Prune = %d, %v", n, err)
		}
	})
}

// TestKill kills processes that write the same entries, and shows that no entry is
// torn, and that what they left behind is deleted.
func TestKill(t *testing.T) {
	if dir := os.Getenv("CACHE_TEST_DIR"); dir != "" {
		d := open(t, dir, "")
		for i := 0; ; i++ {
			d.Put(t.Context(), fmt.Sprint(i%20), bytes.Repeat([]byte{byte('0' + i%10)}, 1<<20))
			if i == 0 {
				fmt.Println("ready")
			}
		}
	}
	path := t.TempDir()
	for range 4 {
		var children []*exec.Cmd
		for range 2 {
			cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
			cmd.Env = append(os.Environ(), "CACHE_TEST_DIR="+path)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			children = append(children, cmd)
		}
		for _, cmd := range children {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		d := open(t, path, "")
		for i := range 20 {
			if v, ok := d.Get(t.Context(), fmt.Sprint(i)); ok && !bytes.Equal(v, bytes.Repeat(v[:1], 1<<20)) {
				t.Errorf("entry %d is torn: %d bytes", i, len(v))
			}
		}
	}
	d := open(t, path, "")
	d.MaxAge = time.Nanosecond
	if _, err := d.Prune(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if temps, err := filepath.Glob(filepath.Join(path, "*", "*")); err != nil || len(temps) > 0 {
		t.Errorf("left behind: %q, %v", temps, err)
	}
}
