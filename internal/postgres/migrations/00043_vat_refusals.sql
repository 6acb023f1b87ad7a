-- compatible: 1
-- +goose Up

-- How many VAT numbers of a customer were seen that the register did not know: only the first gets time to be corrected.
ALTER TABLE billing_customers ADD COLUMN vat_refusals integer NOT NULL DEFAULT 0;
UPDATE billing_customers SET vat_refusals = 1 WHERE vat_number <> '';

-- +goose Down

ALTER TABLE billing_customers DROP COLUMN vat_refusals;
