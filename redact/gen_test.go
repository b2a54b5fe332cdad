package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

// The secrets of these tests are made when they run, so that nobody takes this
// file for a leak.

const (
	base62   = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	base64s  = base62 + "+/"
	base32   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	base36   = "0123456789abcdefghijklmnopqrstuvwxyz"
	upper36  = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hexes16  = "0123456789abcdef"
	digits10 = "0123456789"
	urlSafe  = base62 + "-_"
)

// gen makes texts that look random, the same in each run.
type gen struct{ r *rand.Rand }

func newGen(seed uint64) gen { return gen{rand.New(rand.NewPCG(seed, 1))} }

func (g gen) of(alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[g.r.IntN(len(alphabet))])
	}
	return b.String()
}

// b62 ends in a letter and a digit, so that no rule misses its digit.
func (g gen) b62(n int) string { return g.of(base62, n-2) + "q7" }

func (g gen) jwt() string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(`{"sub":"1234567890","name":"A"}`)) + "." + g.of(urlSafe, 43)
}

// pem makes a private key of n full lines.
func (g gen) pem(label string, n int) []string {
	lines := []string{"-----BEGIN " + label + "-----"}
	for range n {
		lines = append(lines, g.of(base64s, 60)+"aZ9x")
	}
	return append(lines, g.of(base64s, 20)+"==", "-----END "+label+"-----")
}
