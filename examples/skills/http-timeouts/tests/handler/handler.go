package handler

import (
	"context"
	"net/http"
)

type Store interface {
	Load(ctx context.Context, id string) (string, error)
}

type Server struct{ Store Store }

func (s *Server) Item(w http.ResponseWriter, r *http.Request) {
	text, err := s.Store.Load(context.Background(), r.PathValue("id")) // want high "deadline"
	if err != nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	_, _ = w.Write([]byte(text)) // want nothing
}
