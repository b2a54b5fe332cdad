// Package cache keeps the answers of models in a directory, so that nothing is sent
// twice.
//
// The directory belongs outside of the code under review: who can write to it can
// decide what a review reports. Every entry is a file, named by a hash. An entry that was
// damaged, or not written to its end, is not returned. Entries can be deleted at any
// time.
package cache

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/private"
)

// The defaults of [Dir].
const (
	MaxSize = 1 << 30
	MaxAge  = 30 * 24 * time.Hour
)

// maxEntry is the size of the largest value that is read or written, in bytes.
const maxEntry = 4 << 20

// Dir is a cache in a directory. It is safe for concurrent use, also by several
// processes. Its fields must not be changed while it is used.
type Dir struct {
	// MaxSize is the size of all entries that [Dir.Prune] leaves, in bytes, and MaxAge
	// how long it leaves an entry that is not used. 0 means the default.
	MaxSize int64
	MaxAge  time.Duration
	// ReadOnly leaves the directory as it is: no entry is written, deleted, or marked as
	// used.
	ReadOnly bool

	root    *os.Root
	space   string       // what is hashed before a key
	written atomic.Int64 // bytes since the last Prune
}

var _ scanner.Cache = (*Dir)(nil)

// Open returns the cache in the directory at path, which is created when it does
// not exist. A directory of another user, or that others can write to, is an error.
// Entries of one namespace are not seen in another; it names what the answers depend
// on in addition to the request, such as the address of the provider. The caller must
// close the cache.
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
	return &Dir{root: root, space: fmt.Sprintf("%d %s", len(namespace), namespace)}, nil
}

// Close releases the directory. The cache must not be used afterwards.
func (d *Dir) Close() error { return d.root.Close() }

// name returns the directory and the file of an entry.
func (d *Dir) name(key string) (dir, file string) {
	sum := sha256.Sum256([]byte(d.space + key))
	name := hex.EncodeToString(sum[:])
	return name[:2], name[:2] + "/" + name[2:]
}

// seal returns what the file of an entry begins with. It holds for no other name and
// no other value.
func seal(name string, value []byte) []byte {
	h := sha256.New()
	h.Write([]byte(name))
	h.Write(value)
	return h.Sum(nil)
}

// Get returns the entry for key. It marks the entry as used.
func (d *Dir) Get(_ context.Context, key string) ([]byte, bool) {
	_, name := d.name(key)
	info, err := d.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > sha256.Size+maxEntry {
		return nil, false
	}
	data, err := d.root.ReadFile(name)
	if err != nil || len(data) < sha256.Size {
		return nil, false
	}
	value := data[sha256.Size:]
	if string(seal(name, value)) != string(data[:sha256.Size]) {
		return nil, false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > time.Minute && !d.ReadOnly {
		_ = d.root.Chtimes(name, now, now) // a miss some day, at worst
	}
	return value, true
}

// Put keeps value for key. An entry that cannot be written is not kept.
func (d *Dir) Put(_ context.Context, key string, value []byte) {
	if len(value) > maxEntry || d.ReadOnly {
		return
	}
	dir, name := d.name(key)
	data := append(seal(name, value), value...)
	err := d.create(name, data)
	if errors.Is(err, fs.ErrNotExist) {
		_ = d.root.Mkdir(dir, 0o700)
		err = d.create(name, data)
	}
	if errors.Is(err, fs.ErrExist) {
		temp := dir + "/" + rand.Text() + tempSuffix
		if err = d.create(temp, data); err == nil {
			err = d.root.Rename(temp, name)
		}
		if err != nil {
			_ = d.root.Remove(temp)
		}
	}
	if err == nil {
		d.written.Add(int64(len(data)))
	}
}

// create writes a new file. It has its name from the beginning, which is half the work:
// the seal reveals an entry that was not written to its end. One that is there is only
// replaced as a whole.
func (d *Dir) create(name string, data []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
