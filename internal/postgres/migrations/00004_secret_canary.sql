-- compatible: 1
-- +goose Up

-- What shows whether a process has the secret that the endpoints' secrets are sealed
-- with: a known text, sealed with it.
CREATE TABLE secret_canary (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    sealed     bytea NOT NULL,
    written_at timestamptz NOT NULL
);

-- Both hold nearly nothing, and are counted all the time: endpoints whose log waits until
-- deliveries are over, and active ones that have a reason to deliver nothing.
CREATE INDEX endpoints_saturated ON endpoints (id) WHERE state = 'active' AND saturated;
CREATE INDEX endpoints_troubled ON endpoints (id) WHERE state = 'active' AND reason <> '';

-- +goose Down

DROP INDEX endpoints_troubled, endpoints_saturated;
DROP TABLE secret_canary;
