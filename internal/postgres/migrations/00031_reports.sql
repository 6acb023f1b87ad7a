-- compatible: 1
-- +goose Up

-- Mails to the operator about new reports. There is one an hour at most.
CREATE TABLE report_digests (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created_at timestamptz NOT NULL
);

-- What readers say is wrong in the catalog.
CREATE TABLE reports (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug        text NOT NULL CHECK (slug <> ''),
    field       text NOT NULL CHECK (field ~ '^[a-z_]+$'),
    value       text NOT NULL,                        -- what the catalog said; '' for nothing
    said        text NOT NULL CHECK (said <> ''),     -- what is right
    source      text NOT NULL,                        -- '' for none
    email       text,                                 -- NULL for none, and once it is of no more use
    wanted      boolean NOT NULL,                     -- an answer
    language    text NOT NULL,
    net48       bytea,                                -- stand for the networks, while they are counted
    net56       bytea,
    net64       bytea,
    digest      bytea NOT NULL,                       -- of what was typed
    created_at  timestamptz NOT NULL,
    told        bigint REFERENCES report_digests (id), -- NULL until a mail tells of it
    closed_at   timestamptz,
    answer      text NOT NULL DEFAULT '',
    answered_at timestamptz,
    CHECK (closed_at IS NOT NULL OR answer = ''),
    CHECK (answered_at IS NULL OR email IS NULL)
);
-- A form that is sent twice is one report, until that is closed.
CREATE UNIQUE INDEX reports_digest ON reports (digest) WHERE closed_at IS NULL;
CREATE INDEX reports_created_at ON reports (created_at);
CREATE INDEX reports_open ON reports (id) WHERE closed_at IS NULL;
CREATE INDEX reports_untold ON reports (id) WHERE told IS NULL;
CREATE INDEX reports_told ON reports (told);
CREATE INDEX reports_closed_at ON reports (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX reports_counted ON reports (created_at) WHERE net48 IS NOT NULL;

-- +goose Down

DROP TABLE reports;
DROP TABLE report_digests;
