package billing

import (
	"context"
	"database/sql"
	"errors"
)

var errBalance = errors.New("the balance is too low")

type Ledger struct {
	db *sql.DB
}

// Pay books a payment, or nothing.
func (l *Ledger) Pay(ctx context.Context, account, amount int64) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit

	if _, err := tx.ExecContext(ctx, "INSERT INTO payments (account, amount) VALUES (?, ?)", account, amount); err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - ? WHERE id = ? AND balance >= ?", amount, account, amount)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return errBalance
	}
	return tx.Commit()
}
