-- compatible: 1
-- +goose NO TRANSACTION
-- +goose Up

-- The latest attempts of an endpoint, which its page sums up. Deliveries that were never attempted are
-- not in it. It is built while deliveries go on. A build that was interrupted leaves an index that is
-- not valid, which IF NOT EXISTS would take for the real one: it goes first.
DROP INDEX CONCURRENTLY IF EXISTS deliveries_attempted;
CREATE INDEX CONCURRENTLY deliveries_attempted ON deliveries (endpoint_id, done_at) WHERE done_at IS NOT NULL;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS deliveries_attempted;
