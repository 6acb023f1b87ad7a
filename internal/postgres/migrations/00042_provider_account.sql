-- compatible: 1
-- +goose Up

-- The account at the payment provider that our customers are of, stored with the first: one row. Nodes and commands with
-- the key of another ask nothing. An older program does not look.
CREATE TABLE billing_provider (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    account  text NOT NULL,    -- its id there; '' where no key could read it yet
    live     boolean NOT NULL, -- real money moves
    since    timestamptz NOT NULL
);

-- +goose Down

DROP TABLE billing_provider;
