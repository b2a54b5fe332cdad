// Package invite makes the codes of invitations.
package invite

import (
	crand "crypto/rand"
	"encoding/base64"
	"fmt"
	"math/big"
	"math/rand"
	"time"
)

const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

func SessionToken() string {
	// ruleid: predictable-random
	return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
}

func SessionTokenStrong() (string, error) {
	b := make([]byte, 32)
	// ok: predictable-random
	if _, err := crand.Read(b); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

func ResetCode() string {
	// ruleid: predictable-random
	resetCode := fmt.Sprintf("%06d", rand.Intn(1000000))
	return resetCode
}

func ResetCodeStrong() (string, error) {
	// ok: predictable-random
	n, err := crand.Int(crand.Reader, big.NewInt(1000000))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%06d", n), nil
}

func Password(n int) string {
	password := make([]byte, n)
	for i := range password {
		// ruleid: predictable-random
		password[i] = alphabet[rand.Intn(len(alphabet))]
	}
	return string(password)
}

func seededKey() []byte {
	key := make([]byte, 32)
	// ruleid: predictable-random
	rand.New(rand.NewSource(time.Now().UnixNano())).Read(key)
	return key
}

func backoff(attempt int) time.Duration {
	// ok: predictable-random
	jitter := time.Duration(rand.Int63n(int64(time.Second)))
	return time.Duration(1<<attempt)*time.Second + jitter
}

func pick(greetings []string) string {
	// ok: predictable-random
	return greetings[rand.Intn(len(greetings))]
}

func shuffle(deck []string) {
	// ok: predictable-random
	rand.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
}

func csrfToken() string {
	// ruleid: predictable-random
	csrf := base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(rand.Int63())))
	return csrf
}
