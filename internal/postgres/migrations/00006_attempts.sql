-- compatible: 1
-- +goose Up

-- Attempts before the last one, which the row of the delivery holds. So a delivery that
-- succeeds at once has none here, and costs what it did. They go with their delivery.
CREATE TABLE attempts (
    id          bigint GENERATED ALWAYS AS IDENTITY,
    made_at     timestamptz NOT NULL,
    took_ms     integer,
    status      smallint,
    delivery_id text COLLATE "C" NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    error       text,
    response    text,
    PRIMARY KEY (delivery_id, id)
);

-- Why and when a delivery ended although it had attempts left: its endpoint ceased to be
-- active. It used to stand in error, in the place of what the last attempt met, and the
-- version before still writes it there.
ALTER TABLE deliveries ADD COLUMN ended_at timestamptz, ADD COLUMN ended text;

-- +goose Down

ALTER TABLE deliveries DROP COLUMN ended_at, DROP COLUMN ended;
DROP TABLE attempts;
