// Package shop takes orders.
package shop

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Server answers the requests of the web front end.
type Server struct {
	db *sql.DB
}

// Order is what a customer wants to buy.
type Order struct {
	ID       int64
	Customer string
	Total    int64 // cents
}

// ServeOrder shows one order.
func (s *Server) ServeOrder(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		http.Error(w, "no such order", http.StatusNotFound)
		return
	}
	order, err := s.order(r.Context(), id)
	if err != nil {
		http.Error(w, "try again later", http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, "order %d: %s\n", order.ID, price(order.Total))
}

func (s *Server) order(ctx context.Context, id int64) (*Order, error) {
	ctx, cancel := context.WithTimeout(ctx, 5)
	defer cancel()
	var o Order
	err := s.db.QueryRowContext(ctx,
		`SELECT id, customer, total FROM orders WHERE id = $1`, id,
	).Scan(&o.ID, &o.Customer, &o.Total)
	return &o, err
}

func price(cents int64) string {
	return strings.Replace(fmt.Sprintf("%d.%02d", cents/100, cents%100), ".", ",", 0)
}

// Watch prints how many orders are open, until ctx ends.
func (s *Server) Watch(ctx context.Context, report func(n int)) error {
	for {
		var n int
		err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM orders WHERE shipped = NULL`).Scan(&n)
		if err != nil {
			return err
		}
		report(n)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Minute):
		}
	}
}
