-- compatible: 1
-- +goose Up

-- Whether somebody has read mail at the address of an account. An address that the operator typed is not confirmed until
-- then. Of accounts from before it is not known: nearly all of them signed in by mail. An older program writes the default.
ALTER TABLE accounts ADD COLUMN confirmed boolean NOT NULL DEFAULT true;

-- The list of tools that an account follows, and the digest of what happens to them. An older program sends none, and
-- leaves the list of an account that it deletes: it is deleted within the hour.
CREATE TABLE watchlists (
    account_id   uuid PRIMARY KEY REFERENCES accounts (id),
    every        text NOT NULL CHECK (every IN ('daily', 'weekly', 'never')),
    cursor       bigint NOT NULL,                -- the entry of the log up to which digests have gone, or will never go
    pending      boolean NOT NULL DEFAULT false, -- the log has entries after the cursor about a tool of the list
    next_at      timestamptz NOT NULL,           -- no digest goes before
    claim        bigint,                         -- the turn of the worker that sends a digest; null for none
    claimed_at   timestamptz,
    claimed_from bigint,                         -- the cursor before
    sent_at      timestamptz,                    -- when the last digest went
    refusals     smallint NOT NULL DEFAULT 0,    -- of the mail server, for good, since the last digest that it took
    stopped_at   timestamptz,                    -- when they were too many
    lost         integer NOT NULL DEFAULT 0,     -- digests whose worker ended while it sent them: nobody knows whether they went
    CHECK ((claim IS NULL) = (claimed_at IS NULL) AND (claim IS NULL) = (claimed_from IS NULL))
);
CREATE INDEX watchlists_due ON watchlists (next_at) WHERE pending;
CREATE INDEX watchlists_claimed ON watchlists (claimed_at) WHERE claim IS NOT NULL;

CREATE TABLE watched (
    account_id uuid NOT NULL REFERENCES watchlists (account_id) ON DELETE CASCADE,
    slug       text COLLATE "C" NOT NULL, -- the present one
    added_at   timestamptz NOT NULL,
    after      bigint NOT NULL,           -- the end of the log at that time: what was before is not told
    PRIMARY KEY (account_id, slug)
);
CREATE INDEX watched_slug ON watched (slug, account_id);

-- How far the log has been read for digests, and how many of them go: one row, which workers lock in turns. A worker that
-- knows a turn which is not here knows a later state of the database than this one.
CREATE TABLE digests (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    read_to     bigint NOT NULL,
    turn        bigint NOT NULL DEFAULT 0,
    turn_id     uuid NOT NULL DEFAULT gen_random_uuid(),
    restored_at timestamptz,           -- as lineage had it when cursors were last moved to the end of the log
    minute      timestamptz,           -- the minute in which digests were last claimed
    claimed     integer NOT NULL DEFAULT 0 -- and how many in it
);
INSERT INTO digests (read_to, restored_at)
SELECT coalesce((SELECT last_seq FROM editions ORDER BY number DESC LIMIT 1), 0), (SELECT restored_at FROM lineage);

-- +goose Down

DROP TABLE digests, watched, watchlists;
ALTER TABLE accounts DROP COLUMN confirmed;
