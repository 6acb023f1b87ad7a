-- compatible: 1
-- +goose Up

-- The edition of an entry of the log, also of one that was deleted: a cursor of the log names both.
CREATE INDEX editions_last_seq ON editions (last_seq, number);

-- +goose Down

DROP INDEX editions_last_seq;
