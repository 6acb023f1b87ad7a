-- compatible: 1
-- +goose Up

-- What accounts did of which there may be only so much in an hour or a day. A row is written in the
-- transaction that counts. Rows are deleted after a day. An older program counts nothing.
CREATE TABLE limited_acts (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id uuid REFERENCES accounts (id), -- null for what is counted over all accounts
    act        text NOT NULL,                 -- key, send, challenge
    host       text NOT NULL DEFAULT '',      -- that was sent to
    at         timestamptz NOT NULL
);
CREATE INDEX limited_acts_account ON limited_acts (account_id, act, at) WHERE account_id IS NOT NULL;
CREATE INDEX limited_acts_host ON limited_acts (act, host, at) WHERE account_id IS NULL;
CREATE INDEX limited_acts_at ON limited_acts (at);

-- The last keys that an account revoked.
CREATE INDEX keys_revoked ON keys (account_id, revoked_at) WHERE revoked_at IS NOT NULL;

-- Whether anybody has verified an endpoint on a host. The expression is that of the statements.
CREATE INDEX endpoints_verified_host ON endpoints (substring(url from '^[a-z]+://(\[[^]]*\]|[^/:?#]*)')) WHERE verified_at IS NOT NULL;

-- Where this database is: one row, which the first node writes. A backup that is restored has the row of
-- where it was made, unless it is a copy of all files. Nodes that see it end the sessions, which may
-- have been ended since the backup; restored_at is when they last did.
CREATE TABLE lineage (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    cluster     bigint,          -- null where nodes may not read it
    database    bigint NOT NULL, -- its oid
    relation    bigint NOT NULL, -- the oid of sessions
    restored_at timestamptz
);

-- +goose Down

DROP TABLE lineage;
DROP INDEX endpoints_verified_host, keys_revoked;
DROP TABLE limited_acts;
