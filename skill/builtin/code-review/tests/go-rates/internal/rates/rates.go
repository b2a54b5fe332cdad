package rates

import (
	"database/sql"
	"math"
)

type Rate struct {
	Currency string
	Value    float64
}

// Latest returns the rates that are valid, without those that cannot be computed.
func Latest(db *sql.DB) ([]Rate, error) {
	rows, err := db.Query("SELECT currency, value FROM rates WHERE valid_until = NULL") // want high "never true"
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var rates []Rate
	for rows.Next() {
		var r Rate
		if err := rows.Scan(&r.Currency, &r.Value); err != nil {
			return nil, err
		}
		if r.Value == math.NaN() { // want medium "nan"
			continue
		}
		rates = append(rates, r)
	}
	if len(rates) < 0 { // want medium "never below zero"
		return nil, sql.ErrNoRows
	}
	return rates, rows.Err()
}
