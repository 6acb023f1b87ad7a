-- compatible: 1
-- +goose Up

-- Where an edition comes from and how much it changed. An older program writes nothing of it.
ALTER TABLE editions
    ADD COLUMN commit      text,    -- of the checkout; null without git
    ADD COLUMN author      text,    -- of the commit: a name, never an address
    ADD COLUMN modified    boolean, -- files were not as the commit has them
    ADD COLUMN tools       integer, -- how many items of each kind the edition changed
    ADD COLUMN comparisons integer,
    ADD COLUMN retired     integer,
    ADD COLUMN pages       integer;

-- What editions changed of files, by the digests of their bytes. The last changes of each file are kept.
CREATE TABLE file_changes (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    path     text COLLATE "C" NOT NULL,
    edition  bigint REFERENCES editions (number), -- null: the file says the same in other bytes
    before   text NOT NULL, -- '' when it was not there, or nobody knows
    after    text NOT NULL, -- '' when it is gone
    modified boolean NOT NULL -- the file was not as the commit has it
);

CREATE INDEX file_changes_path ON file_changes (path, id);

-- +goose Down

DROP TABLE file_changes;
ALTER TABLE editions
    DROP COLUMN commit, DROP COLUMN author, DROP COLUMN modified,
    DROP COLUMN tools, DROP COLUMN comparisons, DROP COLUMN retired, DROP COLUMN pages;
