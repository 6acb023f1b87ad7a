-- compatible: 1
-- +goose Up

-- A VAT number that the register does not know, by the provider's id, and since when: it is removed there
-- after a while. The number itself stays with the provider.
ALTER TABLE billing_customers
    ADD COLUMN vat_number     text NOT NULL DEFAULT '',
    ADD COLUMN vat_refused_at timestamptz,
    ADD CONSTRAINT billing_customers_vat CHECK ((vat_number = '') = (vat_refused_at IS NULL));

-- How many subscriptions have no tax outside the seller's tax union, by country: {"US": 2}. And how many
-- invoices have a tax that is not what it should be.
ALTER TABLE billing_reconciliations
    ADD COLUMN untaxed     jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN vat_numbers integer NOT NULL DEFAULT 0 CHECK (vat_numbers >= 0);

-- Kinds of notices are those of the program, which writes them.
ALTER TABLE billing_notices
    DROP CONSTRAINT IF EXISTS billing_notices_kind_check,
    ADD CONSTRAINT billing_notices_kind_word CHECK (kind ~ '^[a-z_]+$');

-- +goose Down

DELETE FROM billing_notices WHERE kind IN ('vat_refused', 'vat_removed');
ALTER TABLE billing_notices DROP CONSTRAINT billing_notices_kind_word;
ALTER TABLE billing_reconciliations DROP COLUMN untaxed, DROP COLUMN vat_numbers;
ALTER TABLE billing_customers DROP COLUMN vat_number, DROP COLUMN vat_refused_at;
