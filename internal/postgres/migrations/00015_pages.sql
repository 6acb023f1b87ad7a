-- compatible: 1
-- +goose Up

-- What the operator says of himself in catalog.yaml. An older program that publishes leaves it as it is.
ALTER TABLE service
    ADD COLUMN promise_fr  text NOT NULL DEFAULT '',
    ADD COLUMN promise_en  text NOT NULL DEFAULT '',
    ADD COLUMN colophon_fr text NOT NULL DEFAULT '',
    ADD COLUMN colophon_en text NOT NULL DEFAULT '',
    ADD COLUMN contact_fr  text NOT NULL DEFAULT '',
    ADD COLUMN contact_en  text NOT NULL DEFAULT '',
    ADD COLUMN unsigned    boolean NOT NULL DEFAULT false; -- the foot of pages does not name the software

-- The operator's own files: pages, the logo, the icon, the theme. An older program that publishes
-- leaves them as they are.
CREATE TABLE pages (
    slug    text COLLATE "C" PRIMARY KEY, -- the file's name in pages/: conditions.en.md
    hash    text NOT NULL,                -- of the text
    text    text NOT NULL CHECK (octet_length(text) <= 262144),
    edition bigint NOT NULL
);

ALTER TABLE tombstones DROP CONSTRAINT tombstones_kind_check;
ALTER TABLE tombstones ADD CONSTRAINT tombstones_kind_check CHECK (kind IN ('tool', 'comparison', 'retired', 'page'));

-- The incidents of pages/incidents.yaml, written anew when one changes.
CREATE TABLE incidents (
    position    integer PRIMARY KEY, -- the newest is 0
    at          timestamptz NOT NULL,
    resolved_at timestamptz,         -- null while it lasts
    title_fr    text NOT NULL,
    title_en    text NOT NULL,
    text_fr     text NOT NULL,
    text_en     text NOT NULL
);

-- +goose Down

DROP TABLE incidents, pages;
DELETE FROM tombstones WHERE kind = 'page';
ALTER TABLE tombstones DROP CONSTRAINT tombstones_kind_check;
ALTER TABLE tombstones ADD CONSTRAINT tombstones_kind_check CHECK (kind IN ('tool', 'comparison', 'retired'));
ALTER TABLE service
    DROP COLUMN promise_fr, DROP COLUMN promise_en, DROP COLUMN colophon_fr, DROP COLUMN colophon_en,
    DROP COLUMN contact_fr, DROP COLUMN contact_en, DROP COLUMN unsigned;
