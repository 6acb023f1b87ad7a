-- compatible: 1
-- +goose Up

-- The licence of the data, by its name at SPDX; '' for none.
ALTER TABLE service ADD COLUMN license text NOT NULL DEFAULT '';

-- +goose Down

ALTER TABLE service DROP COLUMN license;
