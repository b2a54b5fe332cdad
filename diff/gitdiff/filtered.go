package gitdiff

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
)

// touched says whether git found nothing but a changed stat of a file, so that
// its contents may still be those of before.
func (s *scan) touched(r *record) bool {
	return !s.objects && r.status == 'M' && r.oldMode == r.newMode && isRegular(r.newMode) && r.newOID == ""
}

// hashes says whether a file of the working tree is the given object. It reads
// the file in pieces; what cannot be read is not the object.
func (r *Repo) hashes(ctx context.Context, p, oid string) bool {
	return r.digest(ctx, p, newHash(oid), func(size int64) string { return fmt.Sprintf("blob %d\x00", size) }) == oid
}

func newHash(oid string) hash.Hash {
	if len(oid) == 2*sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}

// digest returns the hash of a file's contents behind a prefix, "" if it cannot
// be read.
func (r *Repo) digest(ctx context.Context, p string, h hash.Hash, prefix func(size int64) string) string {
	info, err := r.lstat(p)
	if err != nil {
		return ""
	}
	f, err := r.open(p, info)
	if err != nil {
		return ""
	}
	defer f.Close()
	io.WriteString(h, prefix(info.Size()))
	if _, err := io.Copy(h, &contextReader{ctx, f}); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// maxPointer is the largest size of a Git LFS pointer.
const maxPointer = 1024

// pointers returns the paths whose old side is a Git LFS pointer to just what is
// on disk. Git would find that out by running the filter; without it, a file
// that was only touched would count as changed.
func (s *scan) pointers(ctx context.Context, records []record, found []finding, sizes map[string]int64) (map[string]bool, error) {
	var paths []string
	var candidates []record
	for i, r := range records {
		if size := sizes[r.oldOID]; s.r.lfs && found[i].skip == "" && s.touched(&r) && size > 0 && size < maxPointer && size != found[i].size {
			paths = append(paths, r.path)
			candidates = append(candidates, r)
		}
	}
	filters, err := s.r.git.attribute(ctx, "filter", paths, false)
	if err != nil {
		return nil, err
	}
	same := map[string]bool{}
	blobs := s.r.git.blobs(ctx)
	defer blobs.close()
	for _, r := range candidates {
		if filters[r.path] != "lfs" {
			continue
		}
		data, err := blobs.read(r.oldOID)
		if err != nil {
			return nil, err
		}
		oid, size, ok := parsePointer(string(data))
		if !ok {
			continue
		}
		info, err := s.r.lstat(r.path)
		if err != nil || info.Size() != size {
			continue
		}
		if s.r.digest(ctx, r.path, sha256.New(), func(int64) string { return "" }) == oid {
			same[r.path] = true
		}
	}
	return same, nil
}

// parsePointer parses the pointer that Git LFS stores in place of a file.
func parsePointer(s string) (oid string, size int64, ok bool) {
	if !strings.HasPrefix(s, "version https://git-lfs.github.com/spec/") {
		return "", 0, false
	}
	size = -1
	for line := range strings.Lines(s) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "oid":
			oid, ok = strings.CutPrefix(value, "sha256:")
		case "size":
			var err error
			if size, err = strconv.ParseInt(value, 10, 64); err != nil {
				return "", 0, false
			}
		}
	}
	return oid, size, ok && len(oid) == 2*sha256.Size && size >= 0
}
