-- compatible: 1
-- +goose Up

-- When all subscriptions were last compared with what the payment provider says, and what was found:
-- one row. Any worker may do that, and all of them show it.
CREATE TABLE billing_reconciliations (
    only_row       boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    began_at       timestamptz NOT NULL,
    drift          integer NOT NULL CHECK (drift >= 0),
    not_collecting integer NOT NULL CHECK (not_collecting >= 0)
);

-- +goose Down

DROP TABLE billing_reconciliations;
