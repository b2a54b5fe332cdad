-- Archives the orders of last year.
CREATE TABLE archived_orders (LIKE orders INCLUDING ALL);

INSERT INTO archived_orders
SELECT * FROM orders WHERE closed_at < '2025-01-01' AND refunded_at = NULL; -- want high "never true"

UPDATE customers SET archived = true, archived_at = now(); -- want high "every row"

DELETE FROM order_events; -- want high "deletes every row"
