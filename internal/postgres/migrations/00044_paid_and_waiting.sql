-- compatible: 1
-- +goose Up

-- When the open checkout of a customer was opened: it is looked at some minutes after. NULL for one of an older program.
ALTER TABLE billing_customers ADD COLUMN checkout_opened_at timestamptz;

-- How many events came that the payment provider had not signed, by the hour: where the signing secret is wrong they are
-- its own. Nodes add to it every minute.
CREATE TABLE billing_forged (
    hour    timestamptz PRIMARY KEY,
    events  bigint NOT NULL,
    last_at timestamptz NOT NULL
);

-- +goose Down

DROP TABLE billing_forged;
ALTER TABLE billing_customers DROP COLUMN checkout_opened_at;
