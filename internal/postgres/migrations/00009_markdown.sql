-- compatible: 1
-- +goose Up

-- The Markdown of reviews, each compressed by itself. The frame names its dictionary, if it has one.
--
-- markdown_source is the digest of the file that the Markdown was read from. An older program that
-- changes a tool leaves these columns as they are: the Markdown then belongs to another file than
-- source does, and counts as missing until a program that knows it publishes again.
ALTER TABLE tools
    ADD COLUMN markdown        bytea CHECK (octet_length(markdown) <= 1049600),
    ADD COLUMN markdown_hash   text NOT NULL DEFAULT '', -- of the text; '' without
    ADD COLUMN markdown_source text NOT NULL DEFAULT '';

ALTER TABLE tools ALTER COLUMN markdown SET STORAGE EXTERNAL; -- it is compressed already

-- Reviews of every dictionary are about, so none is ever removed. They are few.
CREATE TABLE review_dictionaries (
    number  integer PRIMARY KEY,
    reviews integer NOT NULL, -- how many the catalog had when it was trained
    content bytea NOT NULL CHECK (octet_length(content) <= 131072),
    edition bigint NOT NULL REFERENCES editions (number)
);

-- +goose Down

DROP TABLE review_dictionaries;
ALTER TABLE tools DROP COLUMN markdown, DROP COLUMN markdown_hash, DROP COLUMN markdown_source;
