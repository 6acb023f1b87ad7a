-- compatible: 1
-- +goose Up

-- What owners choose for themselves.
ALTER TABLE accounts
    ADD COLUMN language       text NOT NULL DEFAULT 'fr' CHECK (language IN ('fr', 'en')), -- of pages and mail
    ADD COLUMN mail_usage     boolean NOT NULL DEFAULT true,  -- mail at 80 % and 100 % of the quota
    ADD COLUMN mail_endpoints boolean NOT NULL DEFAULT true;  -- mail when an endpoint is disabled

-- A request for a sign-in mail, or a link that the operator made. Neither the token nor the code is
-- here: both are derived from the id and PALMARES_SECRET, and only their hashes are stored. Rows are
-- deleted after a day.
CREATE TABLE sign_ins (
    id           uuid PRIMARY KEY,
    email        text NOT NULL,
    language     text NOT NULL,
    token_hash   bytea NOT NULL UNIQUE,
    code_hash    bytea,                  -- null for a link of the operator, which has no code
    browser_hash bytea,                  -- of the cookie of the browser that asked; null for a link of the operator
    limited      boolean NOT NULL,       -- too many mails to this address: none is sent
    tries        smallint NOT NULL DEFAULT 0, -- wrong codes
    created_at   timestamptz NOT NULL,
    sent_at      timestamptz,            -- null: there is no mail, and the token and the code are worth nothing
    spent_at     timestamptz
);
CREATE INDEX sign_ins_browser ON sign_ins (browser_hash) WHERE browser_hash IS NOT NULL;
CREATE INDEX sign_ins_created ON sign_ins (created_at);

-- Sessions of signed-in browsers. token_hash is the hash of the cookie. The row of a session that
-- was ended stays for an hour, so that a request under way meanwhile cannot store it again.
CREATE TABLE sessions (
    id         text PRIMARY KEY,         -- by which its owner refers to it
    token_hash text NOT NULL UNIQUE,
    account_id uuid NOT NULL REFERENCES accounts (id),
    data       bytea NOT NULL,
    browser    text NOT NULL DEFAULT '', -- such as "Firefox, Linux"
    created_at timestamptz NOT NULL,
    seen_on    date NOT NULL,
    expires_at timestamptz NOT NULL,
    ended_at   timestamptz
);
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- What was done with an account, for its owner to see. Rows are deleted after 90 days, and with
-- their account.
CREATE TABLE activity (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts (id),
    at          timestamptz NOT NULL,
    action      text NOT NULL,             -- such as key.created
    subject     text NOT NULL DEFAULT '',  -- such as the name of the key
    by_operator boolean NOT NULL DEFAULT false
);
CREATE INDEX activity_account ON activity (account_id, id);
CREATE INDEX activity_at ON activity (at);

-- A change of address, which both mailboxes confirm. Tokens are derived as those of sign-ins are.
CREATE TABLE email_changes (
    id               uuid PRIMARY KEY,
    account_id       uuid NOT NULL UNIQUE REFERENCES accounts (id), -- the latest request counts
    email            text NOT NULL, -- the new one
    old_token_hash   bytea NOT NULL UNIQUE,
    new_token_hash   bytea NOT NULL UNIQUE,
    old_confirmed_at timestamptz,
    new_confirmed_at timestamptz,
    created_at       timestamptz NOT NULL
);
CREATE INDEX email_changes_created ON email_changes (created_at);

-- The address of a deleted account, sealed, until its owner was told: a day at most.
CREATE TABLE farewells (
    account_id uuid PRIMARY KEY REFERENCES accounts (id),
    sealed     bytea NOT NULL,
    language   text NOT NULL,
    created_at timestamptz NOT NULL
);

-- Which mails about the quota an account was sent on a day.
CREATE TABLE usage_notices (
    account_id uuid NOT NULL REFERENCES accounts (id),
    day        date NOT NULL,
    percent    smallint NOT NULL CHECK (percent IN (80, 100)),
    PRIMARY KEY (account_id, day, percent)
);
CREATE INDEX usage_notices_day ON usage_notices (day);

-- When all accounts were last looked at for such mails: one row.
CREATE TABLE usage_looks (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    ended_at timestamptz NOT NULL
);

-- The keys that were used on a day: only their accounts can have reached a limit on it. Rotated
-- keys too: they may be the ones that are used.
CREATE INDEX keys_used ON keys (last_used_on, account_id);

-- A key that was rotated works until revoked_at. It has left its slot to its successor. The column
-- tells it from a revoked key without a clock: a revocation counts at once, even on a node whose
-- clock is behind that of whoever revoked it.
ALTER TABLE keys
    ADD COLUMN grace boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT keys_grace CHECK (NOT grace OR revoked_at IS NOT NULL);

-- Nodes hear of changes of a grace, too.
--
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_changed_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid[];
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM new_keys WHERE revoked_at IS NULL OR grace;
    WHEN 'DELETE' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM old_keys WHERE revoked_at IS NULL OR grace;
    ELSE -- noting the use of a key changes nothing about access
        SELECT array_agg(DISTINCT account_id) INTO changed FROM (
            (SELECT id, account_id, hash, revoked_at FROM old_keys WHERE revoked_at IS NULL OR grace
             EXCEPT SELECT id, account_id, hash, revoked_at FROM new_keys WHERE revoked_at IS NULL OR grace)
            UNION ALL
            (SELECT id, account_id, hash, revoked_at FROM new_keys WHERE revoked_at IS NULL OR grace
             EXCEPT SELECT id, account_id, hash, revoked_at FROM old_keys WHERE revoked_at IS NULL OR grace)) AS difference;
    END CASE;
    PERFORM note_access_changes(changed);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_changed_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid[];
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM new_keys WHERE revoked_at IS NULL;
    WHEN 'DELETE' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM old_keys WHERE revoked_at IS NULL;
    ELSE -- noting the use of a key changes nothing about access
        SELECT array_agg(DISTINCT account_id) INTO changed FROM (
            (SELECT id, account_id, hash FROM old_keys WHERE revoked_at IS NULL
             EXCEPT SELECT id, account_id, hash FROM new_keys WHERE revoked_at IS NULL)
            UNION ALL
            (SELECT id, account_id, hash FROM new_keys WHERE revoked_at IS NULL
             EXCEPT SELECT id, account_id, hash FROM old_keys WHERE revoked_at IS NULL)) AS difference;
    END CASE;
    PERFORM note_access_changes(changed);
    RETURN NULL;
END $$;
-- +goose StatementEnd

ALTER TABLE keys DROP COLUMN grace;
DROP INDEX keys_used;
DROP TABLE usage_looks, usage_notices, farewells, email_changes, activity, sessions, sign_ins;
ALTER TABLE accounts DROP COLUMN language, DROP COLUMN mail_usage, DROP COLUMN mail_endpoints;
