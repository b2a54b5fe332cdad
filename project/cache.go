package project

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/cache"
	"github.com/codescan-dev/scanner/config"
)

// The directories of the cache.
const (
	answersDir  = "answers"
	featuresDir = "features"
)

// CacheUsage describes the cache of answers.
type CacheUsage struct {
	cache.Usage
	Dir     string
	MaxSize int64 // in bytes
	MaxAge  time.Duration
}

// Cache returns what the user's cache holds. With clean it is emptied afterwards, and so
// is what is known of providers.
func (p *Project) Cache(ctx context.Context, clean bool) (u CacheUsage, err error) {
	dir := p.env.cacheDir()
	if dir == "" {
		return u, WithHint(errors.New("there is no cache directory"), "set HOME or XDG_CACHE_HOME")
	}
	s, err := p.resolve(nil, p.env.configDir(), nil, config.Flags{})
	if err != nil {
		return u, err
	}
	u.Dir = filepath.Join(dir, answersDir)
	u.MaxSize, u.MaxAge = s.CacheLimits()
	for _, name := range []string{answersDir, featuresDir} {
		d, err := cache.Open(filepath.Join(dir, name), "")
		if err != nil {
			return u, err
		}
		defer d.Close()
		if name == answersDir {
			if u.Usage, err = d.Usage(ctx); err != nil {
				return u, err
			}
		}
		if clean {
			if err := d.Clean(ctx); err != nil {
				return u, err
			}
		}
	}
	return u, nil
}

// openCache opens the cache of answers and what is known of the provider, and returns
// what closes them. A cache inside of the repository is not used: the author of a
// change could have written the answers.
func (r *runner) openCache(ctx context.Context) (closeCache func()) {
	env := &r.p.env
	dir := env.cacheDir()
	if r.provider == nil || dir == "" {
		return func() {}
	}
	if r.p.contains(dir) {
		env.warn(Detail, "answers are not cached: the directory is inside of the repository")
		return func() {}
	}
	var opened []*cache.Dir
	open := func(name string) (*cache.Dir, error) {
		d, err := cache.Open(filepath.Join(dir, name), r.provider.namespace)
		if err == nil {
			d.MaxSize, d.MaxAge = r.Settings.CacheLimits()
			opened = append(opened, d)
		}
		return d, err
	}
	answers, err := open(answersDir)
	if err == nil {
		r.scanOptions.Cache = r.cacheOf(answers)
	} else {
		env.warn(Normal, "answers are not cached: "+err.Error())
	}
	if features, err := open(featuresDir); err == nil && !r.provider.agent {
		r.scanOptions.Features = r.cacheOf(features) // without it, the run finds out
	}
	return func() {
		for _, d := range opened {
			_, _ = d.Prune(ctx, r.p.started) // a larger cache works as well
			d.Close()
		}
	}
}

// cacheOf returns how a run uses a cache.
func (r *runner) cacheOf(c scanner.Cache) scanner.Cache {
	if r.opts.NoCache {
		return writeOnly{c}
	}
	return c
}

// writeOnly is a cache that only learns.
type writeOnly struct{ scanner.Cache }

func (writeOnly) Get(context.Context, string) ([]byte, bool) { return nil, false }
