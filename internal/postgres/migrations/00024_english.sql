-- compatible: 1
-- +goose Up

-- Texts in English. Beside each stands the digest of the French that it was published with: it stays while
-- only the French changes, whoever publishes that. An older program writes none of these columns; what it
-- publishes anew has no English until a program that knows it publishes again.
ALTER TABLE categories
    ADD COLUMN label_en    text NOT NULL DEFAULT '',
    ADD COLUMN label_en_of text NOT NULL DEFAULT '';

ALTER TABLE tools
    ADD COLUMN tagline_en    text NOT NULL DEFAULT '',
    ADD COLUMN tagline_en_of text NOT NULL DEFAULT '',
    ADD COLUMN review_en      bytea CHECK (octet_length(review_en) <= 1049600), -- compressed, as markdown is
    ADD COLUMN review_en_hash text NOT NULL DEFAULT '', -- of the text; '' without
    ADD COLUMN review_en_of   text NOT NULL DEFAULT '',
    ADD COLUMN source_en      text NOT NULL DEFAULT '';

ALTER TABLE tools ALTER COLUMN review_en SET STORAGE EXTERNAL; -- it is compressed already

ALTER TABLE comparisons
    ADD COLUMN title_en    text NOT NULL DEFAULT '',
    ADD COLUMN title_en_of text NOT NULL DEFAULT '',
    ADD COLUMN note_en     text NOT NULL DEFAULT '',
    ADD COLUMN note_en_of  text NOT NULL DEFAULT '',
    ADD COLUMN source_en   text NOT NULL DEFAULT '';

ALTER TABLE retired
    ADD COLUMN note_en    text NOT NULL DEFAULT '',
    ADD COLUMN note_en_of text NOT NULL DEFAULT '',
    ADD COLUMN source_en  text NOT NULL DEFAULT '';

-- +goose Down

ALTER TABLE retired DROP COLUMN note_en, DROP COLUMN note_en_of, DROP COLUMN source_en;
ALTER TABLE comparisons
    DROP COLUMN title_en, DROP COLUMN title_en_of, DROP COLUMN note_en, DROP COLUMN note_en_of, DROP COLUMN source_en;
ALTER TABLE tools
    DROP COLUMN tagline_en, DROP COLUMN tagline_en_of, DROP COLUMN review_en, DROP COLUMN review_en_hash,
    DROP COLUMN review_en_of, DROP COLUMN source_en;
ALTER TABLE categories DROP COLUMN label_en, DROP COLUMN label_en_of;
