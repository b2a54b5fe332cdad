package tools

import (
	"crypto/aes"
	"crypto/rand"
	"crypto/rsa"
	"html/template"
	"io"
	"net/http"
	"os"
	"os/exec"

	"github.com/golang-jwt/jwt/v5"
)

var targets = map[string]string{"news": "https://news.example.com/feed"}

func Disk(w http.ResponseWriter, r *http.Request) {
	out, err := exec.CommandContext(r.Context(), "sh", "-c", "du -sh /srv/* | sort -h").Output()
	if err != nil {
		http.Error(w, "cannot measure", http.StatusInternalServerError)
		return
	}
	w.Write(out)
}

func Proxy(w http.ResponseWriter, r *http.Request) {
	target, ok := targets[r.URL.Query().Get("target")]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	resp, err := http.Get(target)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

// subject does not use ParseUnverified, which accepts any token.
func subject(token string, key jwt.Keyfunc) (string, error) {
	t, err := jwt.Parse(token, key, jwt.WithValidMethods([]string{"ES256"}))
	if err != nil {
		return "", err
	}
	return t.Claims.GetSubject()
}

func badge(name string) template.HTML {
	return template.HTML("<b>" + template.HTMLEscapeString(name) + "</b>")
}

func newKey(file string, seed []byte) (*rsa.PrivateKey, error) {
	if _, err := aes.NewCipher(seed); err != nil {
		return nil, err
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return nil, err
	}
	return rsa.GenerateKey(rand.Reader, 3072)
}
