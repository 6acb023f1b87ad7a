-- compatible: 1
-- +goose Up

-- An endpoint takes one of its account's slots, as a key does. Jobs write to the
-- claim all the time: its columns are in no index, and pages have room, so that
-- such updates stay on their page and touch no index.
--
-- due_at is derived: the first of its pending deliveries. Whoever changes deliveries
-- holds the endpoint's lock and sets it. The look for something to do, every second,
-- then reads endpoints alone, however many deliveries there are.
CREATE TABLE endpoints (
    id               text COLLATE "C" PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts (id),
    slot             integer NOT NULL CHECK (slot BETWEEN 1 AND 10),
    url              text NOT NULL,
    description      text NOT NULL,
    types            text[] NOT NULL, -- none is all
    categories       text[] NOT NULL, -- none is all
    state            text NOT NULL CHECK (state IN ('unverified', 'active', 'paused', 'disabled')),
    reason           text NOT NULL,   -- why it is not active
    secret           bytea NOT NULL,
    old_secret       bytea,
    old_secret_until timestamptz,
    cursor           bigint NOT NULL, -- the last event that deliveries were made of
    due_at           timestamptz,     -- when a delivery is due next; NULL when none is pending
    saturated        boolean NOT NULL DEFAULT false, -- the log waits until deliveries are over
    failing_since    timestamptz,
    slow             boolean NOT NULL DEFAULT false,
    claim            bigint NOT NULL DEFAULT 0,
    claimed_until    timestamptz,
    created_at       timestamptz NOT NULL,
    UNIQUE (account_id, slot)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- Who is behind the log, and who has a delivery due: nearly always nobody.
CREATE INDEX endpoints_cursor ON endpoints (cursor) WHERE state = 'active';
CREATE INDEX endpoints_due ON endpoints (due_at) WHERE state = 'active';

-- A publication of 100 events makes a million rows at 10,000 endpoints. Columns are in
-- the order that pads least, and what is not known yet takes no room.
--
-- Every update moves a row within or out of the index of what is pending, so none can
-- be a heap-only one, and room left on the pages would be wasted. What an update
-- leaves behind is vacuumed after two in a hundred rows instead of twenty.
CREATE TABLE deliveries (
    seq         bigint NOT NULL,
    next_at     timestamptz NOT NULL,
    made_at     timestamptz NOT NULL,
    done_at     timestamptz,
    took_ms     integer,
    attempts    smallint NOT NULL DEFAULT 0,
    status      smallint,
    id          text COLLATE "C" PRIMARY KEY,
    endpoint_id text COLLATE "C" NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
    type        text NOT NULL,
    state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'exhausted')),
    error       text,
    response    text,
    UNIQUE (endpoint_id, seq)
) WITH (fillfactor = 100, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX deliveries_due ON deliveries (endpoint_id, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_made ON deliveries (made_at);

-- +goose Down

DROP TABLE deliveries, endpoints;
