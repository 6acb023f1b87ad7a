-- compatible: 1
-- +goose Up

-- The oldest level that a program must have to work on this schema. The level of a
-- program is the number of the newest migration that it knows. Each migration says its
-- part in its first line, and palmares migrate writes down the highest.
CREATE TABLE schema_compatibility (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    oldest   bigint NOT NULL
);

-- +goose Down

DROP TABLE schema_compatibility;
