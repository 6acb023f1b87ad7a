-- compatible: 1
-- +goose Up

-- Whether a subscription was ever paid, and what became of its newest invoice: its status alone does not
-- say so. What was known until now was read off the status; the next look asks the provider.
ALTER TABLE billing_customers
    ADD COLUMN ever_paid     boolean NOT NULL DEFAULT false,
    ADD COLUMN invoice       text NOT NULL DEFAULT '',       -- the newest
    ADD COLUMN invoice_state text NOT NULL DEFAULT '',
    ADD COLUMN invoice_date  timestamptz,
    ADD COLUMN not_final     text NOT NULL DEFAULT '',       -- why it stays a draft
    ADD COLUMN offer         text NOT NULL DEFAULT '';       -- price and terms of the checkout
UPDATE billing_customers SET ever_paid = gives = 'pro', look_at = least(look_at, now()) WHERE subscription IS NOT NULL;

-- Checkouts of a former offer are ended: the sweep looks for them.
CREATE INDEX billing_customers_offer ON billing_customers (offer) WHERE checkout IS NOT NULL AND NOT checkout_completed;

-- +goose Down

DROP INDEX billing_customers_offer;
ALTER TABLE billing_customers
    DROP COLUMN ever_paid, DROP COLUMN invoice, DROP COLUMN invoice_state, DROP COLUMN invoice_date, DROP COLUMN not_final,
    DROP COLUMN offer;
