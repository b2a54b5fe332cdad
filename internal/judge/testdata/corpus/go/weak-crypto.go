// Package account keeps passwords and sealed notes.
package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/md5"
	"crypto/rand"
	"crypto/rc4"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"

	"golang.org/x/crypto/bcrypt"
)

func HashPassword(password string) string {
	// ruleid: weak-crypto
	sum := md5.Sum([]byte(password))
	return hex.EncodeToString(sum[:])
}

func HashPasswordNew(password string) ([]byte, error) {
	// ok: weak-crypto
	return bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
}

func CheckPassword(stored, password, salt string) bool {
	// ruleid: weak-crypto
	return stored == fmt.Sprintf("%x", sha1.Sum([]byte(salt+password)))
}

// ETag names a version of a page. It is no defense against anybody.
func ETag(body []byte) string {
	// ok: weak-crypto
	return fmt.Sprintf(`"%x"`, md5.Sum(body))
}

// GitBlob computes the name that git gives to a blob.
func GitBlob(body []byte) string {
	// ok: weak-crypto
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(body))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

func SealDES(key, plain []byte) ([]byte, error) {
	// ruleid: weak-crypto
	block, err := des.NewCipher(key)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(plain))
	cipher.NewCBCEncrypter(block, make([]byte, block.BlockSize())).CryptBlocks(out, plain)
	return out, nil
}

func SealRC4(key, plain []byte) ([]byte, error) {
	// ruleid: weak-crypto
	c, err := rc4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(plain))
	c.XORKeyStream(out, plain)
	return out, nil
}

func Seal(key, plain []byte) ([]byte, error) {
	// ok: weak-crypto
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	if _, err := io.ReadFull(rand.Reader, nonce); err != nil {
		return nil, err
	}
	return gcm.Seal(nonce, nonce, plain, nil), nil
}

func oldServer(cert tls.Certificate) *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{cert},
		// ruleid: weak-crypto
		MinVersion: tls.VersionTLS10,
	}
}

func server(cert tls.Certificate) *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{cert},
		// ok: weak-crypto
		MinVersion: tls.VersionTLS12,
	}
}

func versionName(v uint16) string {
	switch v {
	// ok: weak-crypto
	case tls.VersionTLS10:
		return "TLS 1.0"
	case tls.VersionTLS13:
		return "TLS 1.3"
	}
	return "other"
}

func newKey() (*rsa.PrivateKey, error) {
	// ruleid: weak-crypto
	return rsa.GenerateKey(rand.Reader, 1024)
}

func fingerprint(der []byte) [32]byte {
	// ok: weak-crypto
	return sha256.Sum256(der)
}
