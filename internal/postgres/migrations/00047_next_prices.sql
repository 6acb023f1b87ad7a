-- compatible: 1
-- +goose Up

-- The day on which the present price began, where the editors state it, and the price that is announced (next_from is NULL
-- for none). An older program leaves them as they are.
ALTER TABLE tools
    ADD COLUMN price_since  date,
    ADD COLUMN next_pricing text NOT NULL DEFAULT '',
    ADD COLUMN next_price   text NOT NULL DEFAULT '',
    ADD COLUMN next_from    date,
    ADD COLUMN next_source  text NOT NULL DEFAULT '';

-- +goose Down

ALTER TABLE tools
    DROP COLUMN price_since, DROP COLUMN next_pricing, DROP COLUMN next_price, DROP COLUMN next_from, DROP COLUMN next_source;
