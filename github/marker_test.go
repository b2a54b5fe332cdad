package github

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
)

// What package review writes into markers, for tests that forge it.
type (
	findingMarker struct {
		Skill string `json:"skill"`
		Path  string `json:"path"`
		Line  string `json:"line"`
		Title string `json:"title"`
	}
	summaryMarker struct {
		Head      string `json:"head"`
		Done      []done `json:"done,omitempty"`
		Untrusted bool   `json:"untrusted,omitempty"`
	}
	done struct {
		Policy string `json:"policy"`
	}
)

func marker(kind string, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "<!-- scanner:" + kind + " " + base64.StdEncoding.EncodeToString(data) + " -->"
}

func hash(n int, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))[:n]
}
