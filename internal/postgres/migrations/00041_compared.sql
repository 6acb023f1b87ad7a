-- compatible: 1
-- +goose Up

-- When the first invoice of an order was compared with it; NULL: not yet. Orders of an older program are not compared: its
-- page did not ask for all that an invoice depends on.
ALTER TABLE billing_orders ADD COLUMN compared_at timestamptz DEFAULT now();

-- +goose Down

ALTER TABLE billing_orders DROP COLUMN compared_at;
