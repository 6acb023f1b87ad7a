-- compatible: 1
-- +goose Up

-- The dumps that palmares-backup made, or tried to: it writes a row when it begins, and the rest when the dump has been read again.
-- A row without an end is of one that failed, that runs, or that is the dump itself, after a restore.
CREATE TABLE backups (
    id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    begun timestamptz NOT NULL DEFAULT now(),
    ended timestamptz CHECK (ended >= begun),
    bytes bigint CHECK (bytes > 0),
    CHECK ((ended IS NULL) = (bytes IS NULL))
);

-- +goose Down

DROP TABLE backups;
