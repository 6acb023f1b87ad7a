-- compatible: 1
-- +goose Up

-- The entry of the log that told what this one corrects. An older program writes none, and a log that it
-- reads has no corrections: it shows both moves, as it always did.
ALTER TABLE events ADD COLUMN correction bigint;

-- The event that told of the row, also once the log has lost it. Rows of an older program have none.
ALTER TABLE price_history ADD COLUMN seq bigint;

UPDATE price_history h SET seq = v.seq
FROM events v WHERE v.type = 'price.changed' AND v.slug = h.slug AND v.edition = h.edition;

-- +goose Down

ALTER TABLE price_history DROP COLUMN seq;
ALTER TABLE events DROP COLUMN correction;
