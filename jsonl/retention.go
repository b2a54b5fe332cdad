package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/dotdir"
)

const (
	shortIDLen = 8
	// nameTime is jsonTime as file names hold it, but for the '.', which must be
	// a '.' for package time to see milliseconds.
	nameTime = "2006-01-02T15-04-05.000Z"
	logExt   = ".jsonl"

	maxDays = 366 * 10_000
)

// Expired returns the names of the logs that are older than the given number of
// days, each of 24 hours, in order. Only regular files whose name has the exact
// form of [Run.FileName] are logs. Their age is that of the time in the name,
// not the file's own, which copies and checkouts change. A number of days below
// 1 is an error.
func (d *Dir) Expired(now time.Time, days int) ([]string, error) {
	if days < 1 {
		return nil, fmt.Errorf("log folder: retention of %d days is not above 0", days)
	}
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("log folder: %q: %w", logsPath, dotdir.Cause(err))
	}
	// In UTC every day has 24 hours. No name can be older than the limit, beyond
	// which dates overflow.
	oldest := now.UTC().AddDate(0, 0, -min(days, maxDays))
	var names []string
	for _, e := range entries {
		t, ok := parseName(e.Name())
		if ok && e.Type().IsRegular() && t.Before(oldest) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Delete deletes logs that [Expired] found and returns how many it deleted. It
// looks again at each: what is not a regular file, does not have the form of
// [Run.FileName] or was created through d is an error and stays. A log that is
// gone, because another run was faster, is no error and is not counted. An
// error does not keep the others from being deleted.
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
	if _, ok := parseName(name); !ok {
		return errors.New("does not have the name of a log")
	}
	d.mu.Lock()
	own := d.own[name]
	d.mu.Unlock()
	if own {
		return errors.New("belongs to this run")
	}
	info, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	return d.root.Remove(name)
}

// parseName returns the time in the name of a log, and whether name has exactly
// the form of one.
func parseName(name string) (time.Time, bool) {
	rest, ok := strings.CutSuffix(name, logExt)
	if !ok || len(rest) < shortIDLen+1 || !isHex(rest[:shortIDLen]) || rest[shortIDLen] != '-' {
		return time.Time{}, false
	}
	rest = rest[shortIDLen+1:]
	if len(rest) != len(nameTime) {
		return time.Time{}, false
	}
	t, err := time.Parse(nameTime, dotted(rest))
	// Parse takes more than one spelling of a time; a name has only one.
	if err != nil || dashed(t) != rest {
		return time.Time{}, false
	}
	return t, true
}

// dashed returns the form that a time has in a name.
func dashed(t time.Time) string {
	return strings.ReplaceAll(t.UTC().Format(nameTime), ".", "-")
}

// dotted undoes the '-' for '.' in the form that a time has in a name.
func dotted(s string) string {
	i := strings.LastIndexByte(s, '-')
	return s[:max(i, 0)] + "." + s[i+1:]
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
