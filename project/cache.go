package project

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/cache"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/format"
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

// String returns what the cache holds: "2 answers, 1.5 KiB".
func (u CacheUsage) String() string {
	return format.Count(u.Entries, "answer", "answers") + ", " + format.Size(u.Size)
}

// Cache returns what the user's cache holds. With clean it is emptied afterwards, and so
// is what is known of providers.
func (p *Project) Cache(ctx context.Context, clean bool) (u CacheUsage, err error) {
	dir := p.env.cacheDir()
	if dir == "" {
		return u, WithHint(errors.New("there is no cache directory"), "set HOME or XDG_CACHE_HOME")
	}
	user, err := readUser(p.env.configDir())
	if err != nil {
		return u, err
	}
	s, err := p.resolve(nil, user, nil, config.Flags{})
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
	if r.provider == nil || dir == "" || r.opts.Replay != "" {
		return func() {}
	}
	if r.p.Contains(dir) {
		env.warn(Detail, "answers are not cached: the directory is inside of the repository")
		return func() {}
	}
	if _, err := os.Stat(filepath.Join(dir, answersDir)); err != nil && r.dry {
		return func() {} // Open would create it
	}
	var opened []*cache.Dir
	open := func(name string) (*cache.Dir, error) {
		d, err := cache.Open(filepath.Join(dir, name), r.provider.namespace)
		if err == nil {
			d.MaxSize, d.MaxAge = r.Settings.CacheLimits()
			d.ReadOnly = r.dry
			opened = append(opened, d)
		}
		return d, err
	}
	var shared *cache.Shared
	answers, err := open(answersDir)
	switch {
	case err != nil:
		env.warn(Normal, "answers are not cached: "+err.Error())
	case r.Settings.Cache.URL == "" || r.foreign:
		r.scanOptions.Cache = r.cacheOf(answers)
	default:
		if shared, err = r.openShared(answers); err == nil { // as it was when it was checked
			r.scanOptions.Cache = r.cacheOf(shared)
		}
	}
	if !r.dry {
		if features, err := open(featuresDir); err == nil && !r.provider.agent {
			r.scanOptions.Features = r.cacheOf(features) // without it, the run finds out
		}
	}
	return func() {
		if shared != nil {
			shared.Close()
		}
		for _, d := range opened {
			_, _ = d.Prune(ctx, r.p.started) // a larger cache works as well
			d.Close()
		}
	}
}

// checkSharedCache returns an error if the cache of the team cannot be used as it is
// set up.
func (pl *Plan) checkSharedCache() error {
	if pl.Settings.Cache.URL == "" || pl.foreign || pl.opts.Replay != "" {
		return nil
	}
	s, err := pl.openShared(nil)
	if err != nil {
		return WithHint(usagef("%s: %w", pl.Settings.Origin("cache.url"), err), "SCANNER_CACHE_KEY is the secret that seals the entries, for instance from openssl rand -hex 32")
	}
	return s.Close()
}

// openShared returns the cache of the team behind a local one.
func (pl *Plan) openShared(local scanner.Cache) (*cache.Shared, error) {
	c, env := &pl.Settings.Cache, &pl.p.env
	return cache.NewShared(local, cache.SharedConfig{
		URL: c.URL, Key: c.Key.Reveal(), Token: c.Token.Reveal(), Namespace: pl.provider.namespace, Proxy: env.Proxy,
		Warn: func(reason string) { env.warn(Normal, reason) },
	})
}

// cacheOf returns how a run uses a cache.
func (r *runner) cacheOf(c scanner.Cache) scanner.Cache {
	if r.opts.NoCache || r.opts.Record != "" { // every answer is recorded
		return writeOnly{c}
	}
	return c
}

// writeOnly is a cache that only learns.
type writeOnly struct{ scanner.Cache }

func (writeOnly) Get(context.Context, string) ([]byte, bool) { return nil, false }
