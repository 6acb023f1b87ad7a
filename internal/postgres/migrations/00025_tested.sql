-- compatible: 1
-- +goose Up

-- Who tested a tool and when, and what the operator promises with Pro; '' and false promise what most do.
ALTER TABLE tools
    ADD COLUMN tested_by text NOT NULL DEFAULT '',
    ADD COLUMN tested_on date;

ALTER TABLE service
    ADD COLUMN pro_availability text    NOT NULL DEFAULT '',
    ADD COLUMN pro_no_support   boolean NOT NULL DEFAULT false;

-- +goose Down

ALTER TABLE service DROP COLUMN pro_availability, DROP COLUMN pro_no_support;
ALTER TABLE tools DROP COLUMN tested_by, DROP COLUMN tested_on;
