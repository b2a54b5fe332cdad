package billing

import (
	"context"
	"database/sql"
)

type Ledger struct {
	db *sql.DB
}

// Pay books a payment, or nothing.
func (l *Ledger) Pay(ctx context.Context, account, amount int64) (err error) {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tx.Rollback()
			return
		}
		err = tx.Commit()
	}()

	if _, err := tx.ExecContext(ctx, "INSERT INTO payments (account, amount) VALUES (?, ?)", account, amount); err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - ? WHERE id = ? AND balance >= ?", amount, account, amount)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return nil // want high "committed"
	}
	return nil
}
