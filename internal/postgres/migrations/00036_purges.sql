-- compatible: 1
-- +goose Up

-- Which edition each cache was last told of, in each pass. An older program tells nobody.
CREATE TABLE purges (
    cache   text NOT NULL,             -- a digest of where it is asked
    pass    integer NOT NULL,          -- from 0
    edition bigint NOT NULL DEFAULT 0, -- 0 is none
    id      uuid,                      -- of that edition; another one has its number after a restore
    service text NOT NULL DEFAULT '',  -- a digest of what has no edition of its own
    next    bigint,                    -- the edition that it is to be told of; null for none
    due     timestamptz,               -- and when
    PRIMARY KEY (cache, pass),
    CHECK ((next IS NULL) = (due IS NULL))
);

-- +goose Down

DROP TABLE purges;
