// Package cache keeps what a model said of chunks in a folder, so that a second
// run over the same code costs nothing.
//
// The folder belongs outside of the code under review: who can write to it can
// decide what a review says. Every entry is a file of its own, named by a hash,
// and is written whole or not at all. Entries can be deleted at any time.
package cache

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/private"
)

// MaxAge is how long an entry that is not used is kept.
const MaxAge = 30 * 24 * time.Hour

// maxEntry is the size of the largest entry that is read or written, in bytes.
const maxEntry = 4 << 20

// pruneInterval is how often [Dir.Prune] looks at all entries.
const pruneInterval = 24 * time.Hour

// pruned is the file whose time tells when that was done last.
const pruned = "pruned"

// Dir is a cache in a folder. It is safe for concurrent use, also by several
// processes.
type Dir struct {
	root  *os.Root
	space string
}

var _ scanner.Cache = (*Dir)(nil)

// Open returns the cache in the folder at path, which is created when it does
// not exist. A folder of another user, or that others can write to, is an error.
// Entries of one namespace are not seen in another; it names whatever
// the answers depend on beside the request, such as the address of the provider.
// Close the cache when it is no longer needed.
func Open(path, namespace string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	info, err := root.Stat(".")
	if err == nil {
		err = private.Check(info)
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("open cache: %q: %w", path, err)
	}
	return &Dir{root: root, space: namespace}, nil
}

// Close releases the folder. The cache must not be used afterwards.
func (d *Dir) Close() error { return d.root.Close() }

// name returns the folder and the file of an entry.
func (d *Dir) name(key string) (dir, file string) {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%d %s%s", len(d.space), d.space, key)))
	name := hex.EncodeToString(sum[:])
	return name[:2], name[:2] + "/" + name[2:]
}

// Get returns the entry for key. It marks the entry as used.
func (d *Dir) Get(_ context.Context, key string) ([]byte, bool) {
	_, name := d.name(key)
	f, err := d.root.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	value, err := io.ReadAll(io.LimitReader(f, maxEntry+1))
	if err != nil || len(value) > maxEntry {
		return nil, false
	}
	now := time.Now()
	_ = d.root.Chtimes(name, now, now) // a miss some day, at worst
	return value, true
}

// Put keeps value for key. An entry that cannot be written is not kept.
func (d *Dir) Put(_ context.Context, key string, value []byte) {
	if len(value) > maxEntry {
		return
	}
	dir, name := d.name(key)
	if err := d.root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return
	}
	// Written beside and renamed, so that nobody reads half of it.
	temp := dir + "/" + rand.Text() + ".tmp"
	if err := d.root.WriteFile(temp, value, 0o600); err != nil {
		_ = d.root.Remove(temp)
		return
	}
	if err := d.root.Rename(temp, name); err != nil {
		_ = d.root.Remove(temp)
	}
}

// Prune deletes the entries that have not been used for [MaxAge], as of now. It
// looks at them at most once a day, and returns how many it deleted. Entries
// that vanish meanwhile are no error.
func (d *Dir) Prune(ctx context.Context, now time.Time) (deleted int, err error) {
	if info, err := d.root.Stat(pruned); err == nil && now.Sub(info.ModTime()) < pruneInterval && !info.ModTime().After(now) {
		return 0, nil
	}
	if err := d.root.WriteFile(pruned, nil, 0o600); err != nil {
		return 0, fmt.Errorf("prune cache: %w", err)
	}
	if err := d.root.Chtimes(pruned, now, now); err != nil {
		return 0, fmt.Errorf("prune cache: %w", err)
	}
	err = fs.WalkDir(d.root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !e.Type().IsRegular() || path == pruned:
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil // vanished
		}
		if now.Sub(info.ModTime()) > MaxAge && d.root.Remove(path) == nil {
			deleted++
		}
		return nil
	})
	if err != nil {
		return deleted, fmt.Errorf("prune cache: %w", err)
	}
	return deleted, nil
}
