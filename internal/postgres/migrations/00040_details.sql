-- compatible: 1
-- +goose Up

-- To whom and where the invoices of an order are made out. An older program asks for less.
ALTER TABLE billing_orders
    ADD COLUMN line1     text NOT NULL DEFAULT '',
    ADD COLUMN line2     text NOT NULL DEFAULT '',
    ADD COLUMN postcode  text NOT NULL DEFAULT '',
    ADD COLUMN city      text NOT NULL DEFAULT '',
    ADD COLUMN region    text NOT NULL DEFAULT '',
    ADD COLUMN email     text NOT NULL DEFAULT '', -- for invoices; '' for that of the account, and once that is deleted
    ADD COLUMN reference text NOT NULL DEFAULT ''; -- of the buyer's purchase order

-- The same as it is now: an order stays as it was placed. The row goes with the account.
CREATE TABLE billing_details (
    account_id uuid PRIMARY KEY REFERENCES accounts (id),
    name       text NOT NULL CHECK (name <> ''),
    number     text NOT NULL, -- SIREN, VAT number, or that of a register elsewhere; '' for none
    country    text NOT NULL,
    line1      text NOT NULL,
    line2      text NOT NULL,
    postcode   text NOT NULL,
    city       text NOT NULL,
    region     text NOT NULL,
    email      text NOT NULL, -- for invoices; '' for that of the account
    reference  text NOT NULL
);

-- +goose Down

DROP TABLE billing_details;
ALTER TABLE billing_orders
    DROP COLUMN line1, DROP COLUMN line2, DROP COLUMN postcode, DROP COLUMN city, DROP COLUMN region, DROP COLUMN email, DROP COLUMN reference;
