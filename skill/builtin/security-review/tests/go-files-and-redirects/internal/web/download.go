package web

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

type Server struct {
	uploads string
}

// Download sends a file that a user uploaded.
func (s *Server) Download(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	if name == "" {
		http.Redirect(w, r, r.URL.Query().Get("back"), http.StatusFound) // want medium "where the user is sent"
		return
	}
	data, err := os.ReadFile(filepath.Join(s.uploads, name)) // want high "chooses the file"
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, "<p>There is no file %s.</p>", name) // want high "without escaping"
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(data)
}
