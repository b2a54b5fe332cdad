package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/dotdir"
)

// pruneInterval is how often [Dir.Prune] looks at all entries.
const pruneInterval = 24 * time.Hour

// stateFile holds the time at which that was done last, in seconds, and a number of
// bytes in each line: of all entries then, and of those that processes have written
// since. It may lack some, which the next day corrects.
const stateFile = "pruned"

const tempSuffix = ".tmp"

// entryName matches the names of entries, and of those that were never completed.
var entryName = regexp.MustCompile(`^[0-9a-f]{2}/([0-9a-f]{62}|[A-Z2-7]+\.tmp)$`)

// entry is the file of an entry.
type entry struct {
	name string
	size int64
	used time.Time
}

// entries returns all entries, the least recently used first.
func (d *Dir) entries(ctx context.Context) ([]entry, error) {
	var all []entry
	err := fs.WalkDir(d.root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && path == ".":
			return err
		case err != nil, !e.Type().IsRegular(), !entryName.MatchString(path):
			return nil // vanished, or not ours
		}
		if info, err := e.Info(); err == nil {
			all = append(all, entry{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	return all, err
}

// Prune deletes the entries that have not been used for MaxAge, as of now, and the least
// recently used ones while all of them are larger than MaxSize. It looks at them once a
// day, and when what was written since may be too much. It returns how many it deleted.
// Entries that vanish meanwhile are not errors.
func (d *Dir) Prune(ctx context.Context, now time.Time) (deleted int, err error) {
	if d.ReadOnly {
		return 0, nil
	}
	most, written := cmp.Or(d.MaxSize, MaxSize), d.written.Swap(0)
	at, size, ok := d.state()
	if ok && !at.After(now) && now.Sub(at) < pruneInterval && size+written <= most {
		return 0, d.addState(written)
	}
	all, err := d.entries(ctx)
	if err != nil {
		return 0, fmt.Errorf("prune cache: %w", err)
	}
	size = 0
	for _, e := range all {
		size += e.size
	}
	if size > most {
		most -= most / 16 // room for some runs
	}
	for _, e := range all {
		if (now.Sub(e.used) > cmp.Or(d.MaxAge, MaxAge) || size > most) && d.root.Remove(e.name) == nil {
			size -= e.size
			deleted++
		}
	}
	state := fmt.Sprintf("%d\n%d\n", now.Unix(), size)
	if err := d.root.WriteFile(stateFile, []byte(state), 0o600); err != nil {
		return deleted, fmt.Errorf("prune cache: %w", err)
	}
	return deleted, nil
}

// state returns when all entries were looked at last, and how large they may be now.
func (d *Dir) state() (at time.Time, size int64, ok bool) {
	data, err := dotdir.ReadRegular(d.root.FS(), stateFile, 1<<20)
	if err != nil {
		return at, 0, false
	}
	for i, line := range strings.Fields(string(data)) {
		n, err := strconv.ParseInt(line, 10, 48)
		switch {
		case err != nil || n < 0:
			return at, 0, false
		case i == 0:
			at = time.Unix(n, 0)
		default:
			size += n
			ok = true
		}
	}
	return at, size, ok
}

// addState adds what was written to the state. Lines of several processes do not mix.
func (d *Dir) addState(written int64) error {
	if written == 0 {
		return nil
	}
	f, err := d.root.OpenFile(stateFile, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("prune cache: %w", err)
	}
	_, err = fmt.Fprintf(f, "%d\n", written)
	return errors.Join(err, f.Close())
}

// Usage is what a cache holds, of all namespaces.
type Usage struct {
	Entries int
	Size    int64 // in bytes
	// Oldest is when the entry that was not used for longest was used; zero without
	// entries.
	Oldest time.Time
}

// Usage returns what the cache holds.
func (d *Dir) Usage(ctx context.Context) (Usage, error) {
	all, err := d.entries(ctx)
	u := Usage{Entries: len(all)}
	for _, e := range all {
		u.Size += e.size
	}
	if len(all) > 0 {
		u.Oldest = all[0].used
	}
	return u, err
}

// Clean deletes all entries, of all namespaces.
func (d *Dir) Clean(ctx context.Context) error {
	all, err := d.entries(ctx)
	errs := []error{err}
	for _, e := range all {
		if err := d.root.Remove(e.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
