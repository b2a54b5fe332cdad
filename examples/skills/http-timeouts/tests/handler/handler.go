package handler

import (
	"context"
	"net/http"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

type server struct{ store store }

func (s *server) item(w http.ResponseWriter, r *http.Request) {
	text, err := s.store.Load(context.Background(), r.PathValue("id")) // want high "deadline"
	if err != nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	_, _ = w.Write([]byte(text)) // want nothing
}
