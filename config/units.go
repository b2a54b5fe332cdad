package config

import (
	"math"
	"regexp"
	"strconv"
	"time"
)

// units are the names of units, each with its size.
type units map[string]int64

var (
	sizeUnits = units{
		"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	}
	ageUnits = units{"m": int64(time.Minute), "h": int64(time.Hour), "d": 24 * int64(time.Hour)}
)

var quantity = regexp.MustCompile(`^([0-9]{1,9}) ?([A-Za-z]+)$`)

// parse returns a whole number of a unit; 0 if s is not one, or too large.
func (u units) parse(s string) int64 {
	m := quantity.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(m[1], 10, 64) // the digits fit
	if unit := u[m[2]]; unit > 0 && n <= math.MaxInt64/unit {
		return n * unit
	}
	return 0
}

// CacheLimits returns the largest size of the cache, in bytes, and how long an answer
// that is not used is kept.
func (s *Settings) CacheLimits() (maxSize int64, maxAge time.Duration) {
	return sizeUnits.parse(s.Cache.MaxSize), time.Duration(ageUnits.parse(s.Cache.MaxAge))
}
