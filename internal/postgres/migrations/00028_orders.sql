-- compatible: 1
-- +goose Up

-- Texts that somebody accepted, by their SHA-256 in hex. One goes with the last order that names it.
CREATE TABLE billing_texts (
    hash text PRIMARY KEY CHECK (hash ~ '^[0-9a-f]{64}$'),
    body text NOT NULL
);

-- Orders of Pro. They outlive their account, whose row then has no e-mail address. An order without both
-- boxes is none.
CREATE TABLE billing_orders (
    account_id   uuid NOT NULL REFERENCES accounts (id),
    id           text NOT NULL,                    -- of the form: it is taken once
    ordered_at   timestamptz NOT NULL,
    business     boolean NOT NULL CHECK (business), -- for the needs of a trade or profession
    accepted     boolean NOT NULL CHECK (accepted), -- the terms
    name         text NOT NULL CHECK (name <> ''),
    number       text NOT NULL,                     -- SIREN or VAT number; '' for none
    country      text NOT NULL,
    net          bigint NOT NULL,                   -- cents a month, as the page said
    tax          bigint NOT NULL,
    terms        text NOT NULL REFERENCES billing_texts (hash),
    legal        text NOT NULL REFERENCES billing_texts (hash),
    language     text NOT NULL,                     -- of the terms
    legal_language text NOT NULL,
    subscription text NOT NULL DEFAULT '',          -- that it led to
    PRIMARY KEY (account_id, id)
);
CREATE INDEX billing_orders_at ON billing_orders (ordered_at);
CREATE INDEX billing_orders_subscription ON billing_orders (subscription) WHERE subscription <> '';
CREATE INDEX billing_orders_terms ON billing_orders (terms);
CREATE INDEX billing_orders_legal ON billing_orders (legal);

-- +goose Down

DROP TABLE billing_orders, billing_texts;
