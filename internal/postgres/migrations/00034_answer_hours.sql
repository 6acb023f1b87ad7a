-- compatible: 1
-- +goose Up

-- What the API answered and how much of it failed, by hour and by process: each writes its own rows, again and again
-- while their hour lasts, so that what is written twice counts once.
CREATE TABLE answer_hours (
    hour     timestamptz NOT NULL,
    node     text NOT NULL CHECK (node <> ''),
    answered bigint NOT NULL CHECK (answered >= 0),
    failed   bigint NOT NULL CHECK (failed BETWEEN 0 AND answered),
    PRIMARY KEY (hour, node)
);

-- +goose Down

DROP TABLE answer_hours;
