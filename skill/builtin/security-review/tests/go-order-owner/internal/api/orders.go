package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

type Order struct {
	ID      int64  `json:"id"`
	Owner   int64  `json:"owner"`
	Address string `json:"address"`
}

type Store interface {
	Order(id int64) (Order, error)
	Cancel(id, owner int64) error
}

var errNotFound = errors.New("not found")

type API struct {
	store Store
	user  func(*http.Request) (int64, bool)
}

func (a *API) order(w http.ResponseWriter, r *http.Request) {
	if _, ok := a.user(r); !ok {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	order, err := a.store.Order(id) // want high "owner"
	if errors.Is(err, errNotFound) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	json.NewEncoder(w).Encode(order)
}
