// Package orders reads and writes the orders of a shop.
package orders

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

const orderColumns = "id, customer_id, total_cents, state"

type Store struct {
	db *sql.DB
}

type Order struct {
	ID, CustomerID int64
	TotalCents     int64
	State          string
}

func (s *Store) ByCustomer(ctx context.Context, name string) (*sql.Rows, error) {
	// ruleid: sql-injection
	return s.db.QueryContext(ctx, "SELECT * FROM orders WHERE customer_name = '"+name+"'")
}

func (s *Store) ByState(ctx context.Context, state string) (*sql.Rows, error) {
	// ok: sql-injection
	return s.db.QueryContext(ctx, "SELECT "+orderColumns+" FROM orders WHERE state = $1", state)
}

func (s *Store) Delete(ctx context.Context, id string) error {
	// ruleid: sql-injection
	_, err := s.db.ExecContext(ctx, fmt.Sprintf("DELETE FROM orders WHERE id = %s", id))
	return err
}

func (s *Store) Archive(ctx context.Context) error {
	// ok: sql-injection
	_, err := s.db.ExecContext(ctx, "INSERT INTO archive ("+orderColumns+") "+
		"SELECT "+orderColumns+" FROM orders WHERE note LIKE '%archived%'")
	return err
}

// search answers GET /orders?q=….
func (s *Store) search(w http.ResponseWriter, r *http.Request) {
	q := r.FormValue("q")
	if len(q) > 64 {
		http.Error(w, "query too long", http.StatusBadRequest)
		return
	}
	// ruleid: sql-injection
	rows, err := s.db.Query("SELECT id, state FROM orders WHERE note LIKE '%" + q + "%'")
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	defer rows.Close()
	// ok: sql-injection
	log.Printf("SELECT over orders took long for query %q from %s", q, r.RemoteAddr)
}

func (s *Store) show(c *gin.Context) {
	var o Order
	// ruleid: sql-injection
	row := s.db.QueryRow(fmt.Sprintf(
		"SELECT id, customer_id, total_cents, state FROM orders WHERE id = '%s'",
		c.Param("id"),
	))
	if err := row.Scan(&o.ID, &o.CustomerID, &o.TotalCents, &o.State); err != nil {
		c.AbortWithStatus(http.StatusNotFound)
		return
	}
	c.JSON(http.StatusOK, o)
}

func (s *Store) list(c *gin.Context) {
	customer := c.Query("customer")
	// ok: sql-injection
	rows, err := s.db.Query(
		"SELECT id, state FROM orders WHERE customer_name = ?",
		customer,
	)
	if err != nil {
		c.AbortWithStatus(http.StatusInternalServerError)
		return
	}
	defer rows.Close()
}

func (s *Store) sorted(c *gin.Context) {
	order := c.DefaultQuery("sort", "id")
	// ruleid: sql-injection
	rows, err := s.db.Query("SELECT id, state FROM orders ORDER BY " + order)
	if err != nil {
		c.AbortWithStatus(http.StatusInternalServerError)
		return
	}
	defer rows.Close()
}

// ByIDs builds one placeholder for each id.
func (s *Store) ByIDs(ctx context.Context, ids []any) (*sql.Rows, error) {
	marks := strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",")
	// ok: sql-injection
	return s.db.QueryContext(ctx, "SELECT id, state FROM orders WHERE id IN ("+marks+")", ids...)
}

func (s *Store) Rename(ctx context.Context, tx *sql.Tx, id int64, name string) error {
	// Never write tx.Exec("UPDATE orders SET name = '" + name + "'") here.
	// ok: sql-injection
	_, err := tx.ExecContext(ctx, "UPDATE orders SET customer_name = $1 WHERE id = $2", name, id)
	return err
}

func (s *Store) Touch(ctx context.Context, state string) error {
	// ruleid: sql-injection
	stmt, err := s.db.PrepareContext(ctx, "UPDATE orders SET touched = now() WHERE state = '"+state+"'")
	if err != nil {
		return err
	}
	defer stmt.Close()
	_, err = stmt.ExecContext(ctx)
	return err
}

func (s *Store) export(w http.ResponseWriter, r *http.Request) {
	since := r.URL.Query().Get("since")
	format := r.URL.Query().Get("format")
	if format == "" {
		format = "csv"
	}
	w.Header().Set("Content-Type", "text/"+format)
	where := "created > '" + since + "'"
	// ruleid: sql-injection
	rows, err := s.db.Query("SELECT id, state FROM orders WHERE " + where)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	defer rows.Close()
}

func (s *Store) page(w http.ResponseWriter, r *http.Request) {
	column := "id"
	switch r.FormValue("sort") {
	case "total":
		column = "total_cents"
	case "state":
		column = "state"
	}
	// ok: sql-injection
	rows, err := s.db.Query("SELECT id, state FROM orders ORDER BY " + column)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	defer rows.Close()
}
