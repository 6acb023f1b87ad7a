-- compatible: 1
-- +goose Up

-- The slugs that items had before; NULL for none.
ALTER TABLE tools ADD COLUMN formerly text[];
ALTER TABLE comparisons ADD COLUMN formerly text[];
ALTER TABLE retired ADD COLUMN formerly text[];

-- Of an item that was renamed: the slug that it had, and the one that it has.
ALTER TABLE events
    ADD COLUMN renamed_from text,
    ADD COLUMN renamed_to   text;

-- +goose Down

ALTER TABLE events DROP COLUMN renamed_from, DROP COLUMN renamed_to;
ALTER TABLE retired DROP COLUMN formerly;
ALTER TABLE comparisons DROP COLUMN formerly;
ALTER TABLE tools DROP COLUMN formerly;
