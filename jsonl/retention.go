package jsonl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/dotdir"
)

// maxDays is more than the age of any log. Dates overflow beyond it.
const maxDays = 366 * 10_000

// Expired returns the names of the logs that are older than the given number of
// days, each of 24 hours, in order. Only regular files whose name has the exact
// form of [Run.FileName] are logs. Their age is that of the time in the name,
// not the file's own, which copies and checkouts change. A number of days below
// 1 is an error.
func (d *Dir) Expired(now time.Time, days int) ([]string, error) {
	if days < 1 {
		return nil, fmt.Errorf("log directory: retention of %d days is not above 0", days)
	}
	names, err := d.List()
	// In UTC every day has 24 hours.
	oldest := now.UTC().AddDate(0, 0, -min(days, maxDays))
	names = slices.DeleteFunc(names, func(name string) bool {
		t, _ := parseName(name)
		return !t.Before(oldest)
	})
	slices.Sort(names)
	return names, err
}

// keptName is the file with the time of the last decision to keep expired logs.
const keptName = "kept"

// Keep notes that somebody decided to keep the expired logs.
func (d *Dir) Keep(now time.Time) error {
	if err := d.root.WriteFile(keptName, []byte(newTime(now).String()+"\n"), 0o600); err != nil {
		return fmt.Errorf("log directory: %q: %w", logsPath+"/"+keptName, dotdir.Cause(err))
	}
	return nil
}

// Kept returns when Keep was called last; zero if it never was.
func (d *Dir) Kept() time.Time {
	data, err := d.root.ReadFile(keptName)
	var t Time
	if err != nil || t.parse(strings.TrimSpace(string(data))) != nil {
		return time.Time{}
	}
	return t.Time
}

// List returns the names of all logs, by the times in them: the latest is the last.
func (d *Dir) List() ([]string, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("log directory: %q: %w", logsPath, dotdir.Cause(err))
	}
	var names []string
	for _, e := range entries {
		if _, ok := parseName(e.Name()); ok && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		s, _ := parseName(a)
		t, _ := parseName(b)
		return s.Compare(t)
	})
	return names, nil
}

// Open opens a log that List found, for [Read] or [ReadAll]. The caller must close it.
func (d *Dir) Open(name string) (io.ReadCloser, error) {
	err := d.check(name)
	if err == nil {
		var f *os.File
		if f, err = d.root.Open(name); err == nil {
			return f, nil
		}
	}
	return nil, fmt.Errorf("log file %q: %w", logsPath+"/"+name, dotdir.Cause(err))
}

// Latest returns the path from the repository's root and the contents of the latest log.
// The path is empty if there is none.
func (d *Dir) Latest() (path string, data []byte, err error) {
	names, err := d.List()
	if err != nil || len(names) == 0 {
		return "", nil, err
	}
	name := names[len(names)-1]
	f, err := d.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	data, err = io.ReadAll(f)
	return logsPath + "/" + name, data, err
}

// Delete deletes logs that Expired found and returns how many it deleted. It
// checks each again: what is not a regular file or does not have the
// form of [Run.FileName] is an error and is not deleted. A log
// that is gone, because another run was faster, is not an error and is not
// counted. After an error it goes on with the others.
func (d *Dir) Delete(names []string) (int, error) {
	var errs []error
	deleted := 0
	for _, name := range names {
		err := d.delete(name)
		switch {
		case err == nil:
			deleted++
		case !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, fmt.Errorf("log file %q: %w", logsPath+"/"+name, dotdir.Cause(err)))
		}
	}
	return deleted, errors.Join(errs...)
}

func (d *Dir) delete(name string) error {
	if err := d.check(name); err != nil {
		return err
	}
	return d.root.Remove(name)
}

// check returns an error unless name is that of a log.
func (d *Dir) check(name string) error {
	if _, ok := parseName(name); !ok {
		return errors.New("does not have the name of a log")
	}
	info, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	return nil
}

// logName matches the names that [Run.FileName] returns.
var logName = regexp.MustCompile(`^[0-9a-f]{8}-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)-(\d{3}Z)\.jsonl$`)

// parseName returns the time in the name of a log, and whether name is one.
func parseName(name string) (time.Time, bool) {
	m := logName.FindStringSubmatch(name)
	if m == nil {
		return time.Time{}, false
	}
	t, err := time.Parse("2006-01-02T15-04-05.000Z", m[1]+"."+m[2])
	return t, err == nil
}
