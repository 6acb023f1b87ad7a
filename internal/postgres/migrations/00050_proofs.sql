-- compatible: 1
-- +goose Up

-- What the front page says for the operator: of each proof its label and its value, each in French and in English. An older
-- program leaves them as they are.
ALTER TABLE service ADD COLUMN proofs text[] NOT NULL DEFAULT '{}';

-- +goose Down

ALTER TABLE service DROP COLUMN proofs;
