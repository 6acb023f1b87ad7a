-- compatible: 1
-- +goose Up

-- Cancellations that the payment provider was not told of yet: they count from when their owners clicked. No row of a
-- customer is locked to store one, for whoever asks the provider holds it. An older program stores none.
CREATE TABLE billing_cancellations (
    account_id uuid PRIMARY KEY REFERENCES accounts (id),
    at         timestamptz NOT NULL,
    failing    boolean NOT NULL -- the page said that it ends at once, because a payment was failing
);

-- +goose Down

DROP TABLE billing_cancellations;
