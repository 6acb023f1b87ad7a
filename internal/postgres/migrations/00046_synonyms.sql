-- compatible: 1
-- +goose Up

-- What search knows besides: what else people call a category or a tool, by language (NULL for nothing), and the text
-- before the first heading of a review, cut to 500 characters. An older program writes none of it. The French openings
-- come from the stored reviews; the English ones are stored compressed, and come with the next publication, which reads
-- all files again.
ALTER TABLE categories ADD COLUMN synonyms_fr text[], ADD COLUMN synonyms_en text[];

ALTER TABLE tools
    ADD COLUMN keywords_fr text[],
    ADD COLUMN keywords_en text[],
    ADD COLUMN opening     text NOT NULL DEFAULT '',
    ADD COLUMN opening_en  text NOT NULL DEFAULT '';

UPDATE tools SET opening = left(review -> 0 ->> 'text', 500) WHERE review -> 0 ->> 'id' = 'resume';

-- +goose Down

ALTER TABLE tools DROP COLUMN keywords_fr, DROP COLUMN keywords_en, DROP COLUMN opening, DROP COLUMN opening_en;
ALTER TABLE categories DROP COLUMN synonyms_fr, DROP COLUMN synonyms_en;
