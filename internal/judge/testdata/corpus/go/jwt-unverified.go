// Package session reads the tokens of users.
package session

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/jwx/v2/jwa"
	jwxt "github.com/lestrrat-go/jwx/v2/jwt"
)

type Claims struct {
	Admin bool `json:"admin"`
	jwt.RegisteredClaims
}

func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func User(r *http.Request) (string, error) {
	var claims Claims
	// ruleid: jwt-unverified
	if _, _, err := jwt.NewParser().ParseUnverified(bearer(r), &claims); err != nil {
		return "", err
	}
	return claims.Subject, nil
}

func UserVerified(r *http.Request, key []byte) (string, error) {
	var claims Claims
	// ok: jwt-unverified
	_, err := jwt.ParseWithClaims(bearer(r), &claims, func(*jwt.Token) (any, error) {
		return key, nil
	}, jwt.WithValidMethods([]string{"HS256"}))
	return claims.Subject, err
}

func IsAdmin(token string) bool {
	p := jwt.Parser{}
	// ruleid: jwt-unverified
	t, _, err := p.ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		return false
	}
	admin, _ := t.Claims.(jwt.MapClaims)["admin"].(bool)
	return admin
}

// UserByKeyID reads the name of the key first, then verifies with that key.
func UserByKeyID(token string, keys map[string][]byte) (string, error) {
	// ok: jwt-unverified
	head, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		return "", err
	}
	id, _ := head.Header["kid"].(string)
	key, ok := keys[id]
	if !ok {
		return "", fmt.Errorf("unknown key %q", id)
	}
	// ok: jwt-unverified
	t, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return key, nil }, jwt.WithValidMethods([]string{"HS256"}))
	if err != nil {
		return "", err
	}
	return t.Claims.GetSubject()
}

func acceptNone(token string) (*jwt.Token, error) {
	return jwt.Parse(token, func(*jwt.Token) (any, error) {
		// ruleid: jwt-unverified
		return jwt.UnsafeAllowNoneSignatureType, nil
	})
}

func issue(claims Claims) (string, error) {
	// ruleid: jwt-unverified
	return jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
}

func issueSigned(claims Claims, key []byte) (string, error) {
	// ok: jwt-unverified
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(key)
}

func parseJWX(raw []byte) (jwxt.Token, error) {
	// ruleid: jwt-unverified
	return jwxt.Parse(raw, jwxt.WithVerify(false), jwxt.WithValidate(true))
}

func parseJWXVerified(raw, key []byte) (jwxt.Token, error) {
	// ok: jwt-unverified
	return jwxt.Parse(raw, jwxt.WithKey(jwa.HS256, key))
}

func parseInsecure(raw []byte) (jwxt.Token, error) {
	if len(raw) == 0 {
		return nil, errors.New("empty token")
	}
	// ruleid: jwt-unverified
	return jwxt.ParseInsecure(raw)
}

// ok: jwt-unverified
var errUnverified = errors.New("token of version 1: ParseUnverified is not allowed for it")
