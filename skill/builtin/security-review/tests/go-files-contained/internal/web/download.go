package web

import (
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
)

type Server struct {
	root *os.Root
}

// Download sends a file that a user uploaded. The root keeps names inside of it.
func (s *Server) Download(w http.ResponseWriter, r *http.Request) {
	name := filepath.Base(r.URL.Query().Get("name"))
	if name == "." {
		http.Redirect(w, r, "/files", http.StatusFound)
		return
	}
	f, err := s.root.Open(name)
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, "<p>There is no file %s.</p>", html.EscapeString(name))
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		http.Error(w, "cannot read the file", http.StatusInternalServerError)
		return
	}
	http.ServeContent(w, r, name, info.ModTime(), f)
}
