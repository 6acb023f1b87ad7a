-- compatible: 1
-- +goose Up

CREATE TABLE accounts (
    id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    email      text UNIQUE, -- lower case; erased with the account
    plan       text NOT NULL CHECK (plan IN ('developer', 'pro')),
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    change     bigint NOT NULL DEFAULT 0, -- the change of access that last concerned it
    CHECK ((email IS NULL) = (deleted_at IS NOT NULL))
);

CREATE INDEX accounts_change ON accounts (change) WHERE change > 0;

-- A live key takes one of its account's slots, so that no race and no mistake in
-- the program can give an account more keys than there are slots.
CREATE TABLE keys (
    id           text COLLATE "C" PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts (id),
    slot         integer NOT NULL CHECK (slot BETWEEN 1 AND 10),
    name         text NOT NULL,
    preview      text NOT NULL,
    hash         bytea NOT NULL CHECK (octet_length(hash) = 32),
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_on date,
    revoked_at   timestamptz
);

CREATE INDEX keys_account ON keys (account_id);
-- Live keys only: looking for a revoked key touches no more than looking for one
-- that never was.
CREATE UNIQUE INDEX keys_hash ON keys (hash) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX keys_slot ON keys (account_id, slot) WHERE revoked_at IS NULL;

-- Counts the changes that nodes must hear of: a revocation, another plan, a deletion.
-- One row, updated by each, so that the numbers are in commit order.
CREATE TABLE current_access (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    number   bigint NOT NULL
);

INSERT INTO current_access (number) VALUES (0);

-- +goose Down

DROP TABLE current_access, keys, accounts;
