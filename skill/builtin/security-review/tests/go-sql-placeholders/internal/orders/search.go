package orders

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
)

const table = "orders"

type Handler struct {
	db *sql.DB
}

// find lists the orders of customers, at most limit of them.
func (h *Handler) find(r *http.Request, customers []string, limit int) (*sql.Rows, error) {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(customers)), ", ")
	args := make([]any, 0, len(customers)+1)
	for _, c := range customers {
		args = append(args, c)
	}
	args = append(args, r.FormValue("state"))
	query := fmt.Sprintf("SELECT id, customer FROM %s WHERE customer IN (%s) AND state = ? LIMIT %d", table, marks, limit)
	return h.db.QueryContext(r.Context(), query, args...)
}

func (h *Handler) byID(r *http.Request) *sql.Row {
	return h.db.QueryRowContext(r.Context(), "SELECT id, customer FROM orders WHERE id = ?", r.FormValue("id"))
}
