package tools

import (
	"crypto/des"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"os"
	"os/exec"

	"github.com/golang-jwt/jwt/v5"
)

func Disk(w http.ResponseWriter, r *http.Request) {
	dir := r.FormValue("dir")
	out, err := exec.CommandContext(r.Context(), "sh", "-c", "du -sh "+dir).Output() // want high "shell"
	if err != nil {
		http.Error(w, "cannot measure", http.StatusInternalServerError)
		return
	}
	w.Write(out)
}

func Proxy(w http.ResponseWriter, r *http.Request) {
	target := r.URL.Query().Get("target")
	resp, err := http.Get(target) // want high "address that the server calls"
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

func subject(token string) (string, error) {
	claims := jwt.MapClaims{}
	_, _, err := jwt.NewParser().ParseUnverified(token, claims) // want high "without a signature"
	return fmt.Sprint(claims["sub"]), err
}

func badge(name string) template.HTML {
	return template.HTML("<b>" + name + "</b>") // want medium "without escaping"
}

func newKey(file string, seed []byte) (*rsa.PrivateKey, error) {
	if _, err := des.NewCipher(seed); err != nil { // want medium "cipher or mode"
		return nil, err
	}
	if err := os.Chmod(file, 0o666); err != nil { // want medium "everyone may change"
		return nil, err
	}
	return rsa.GenerateKey(rand.Reader, 1024) // want medium "too short"
}
