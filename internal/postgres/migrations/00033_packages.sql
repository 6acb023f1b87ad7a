-- compatible: 1
-- +goose Up

-- The packages that a tool is published as, by their package URLs; NULL for none that is known.
ALTER TABLE tools ADD COLUMN packages text[];

ALTER TABLE retired
    ADD COLUMN domain   text NOT NULL DEFAULT '',
    ADD COLUMN packages text[];

-- +goose Down

ALTER TABLE retired DROP COLUMN domain, DROP COLUMN packages;
ALTER TABLE tools DROP COLUMN packages;
