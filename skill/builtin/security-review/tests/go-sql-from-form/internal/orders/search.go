package orders

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
)

type Handler struct {
	db *sql.DB
}

type order struct {
	ID       int64  `json:"id"`
	Customer string `json:"customer"`
}

// Search lists the orders of a customer.
func (h *Handler) Search(w http.ResponseWriter, r *http.Request) {
	customer := r.FormValue("customer")
	// want high "put together"
	query := fmt.Sprintf("SELECT id, customer FROM orders WHERE customer = '%s' ORDER BY id", customer)
	rows, err := h.db.QueryContext(r.Context(), query) // want high "outside data"
	if err != nil {
		http.Error(w, "search failed", http.StatusInternalServerError)
		return
	}
	defer rows.Close()

	var found []order
	for rows.Next() {
		var o order
		if err := rows.Scan(&o.ID, &o.Customer); err != nil {
			http.Error(w, "search failed", http.StatusInternalServerError)
			return
		}
		found = append(found, o)
	}
	json.NewEncoder(w).Encode(found)
}
