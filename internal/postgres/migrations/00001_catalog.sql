-- compatible: 1
-- +goose Up

-- Every published row carries the edition that last changed it, and what is
-- removed leaves a tombstone: a node at edition N asks for what came after N.
-- Slugs are ASCII and sorted by byte everywhere, so their indexes are too.

CREATE TABLE editions (
    number       bigint PRIMARY KEY,
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    published_at timestamptz NOT NULL,
    last_seq     bigint NOT NULL
);

-- The current edition is one row that each publication updates: a sequence would
-- show its number before the commit.
CREATE TABLE current_edition (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    number   bigint NOT NULL REFERENCES editions (number)
);

CREATE TABLE service (
    only_row         boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    name             text NOT NULL,
    url              text NOT NULL,
    tool_url         text NOT NULL,
    review_url       text NOT NULL,
    alternatives_url text NOT NULL,
    comparison_url   text NOT NULL
);

CREATE TABLE categories (
    slug     text COLLATE "C" PRIMARY KEY,
    label    text NOT NULL,
    position integer NOT NULL
);

CREATE TABLE tools (
    slug          text COLLATE "C" PRIMARY KEY,
    name          text NOT NULL,
    domain        text NOT NULL,
    category      text NOT NULL,
    icp           text NOT NULL CHECK (icp IN ('vibe-coder', 'agentic-engineer', 'mixte')),
    pricing       text NOT NULL CHECK (pricing IN ('gratuit', 'freemium', 'payant')),
    price         text NOT NULL,
    score         numeric(4, 2) CHECK (score > 0 AND score <= 10),
    verifiability numeric(4, 2) CHECK (verifiability BETWEEN 0 AND 10),
    obsolescence  numeric(4, 2) CHECK (obsolescence BETWEEN 0 AND 10),
    tagline       text NOT NULL,
    tier          integer NOT NULL CHECK (tier >= 1),
    mainstream    boolean NOT NULL,
    review_hash   text NOT NULL, -- '' without a review
    review        json,          -- [{"id", "heading", "text"}]
    embedded      boolean NOT NULL,
    source        text NOT NULL, -- digest of the file it was read from
    updated_at    date NOT NULL,
    edition       bigint NOT NULL
);

CREATE INDEX tools_edition ON tools (edition);

CREATE TABLE comparisons (
    slug       text COLLATE "C" PRIMARY KEY,
    title      text NOT NULL,
    tool_a     text NOT NULL,
    tool_b     text NOT NULL,
    winner     text NOT NULL,
    note       text NOT NULL,
    source     text NOT NULL,
    updated_at date NOT NULL,
    edition    bigint NOT NULL,
    CHECK (tool_a <> tool_b),
    CHECK (winner IN (tool_a, tool_b))
);

CREATE INDEX comparisons_edition ON comparisons (edition);

CREATE TABLE retired (
    slug       text COLLATE "C" PRIMARY KEY,
    name       text NOT NULL,
    category   text NOT NULL,
    reason     text NOT NULL CHECK (reason IN ('mort', 'acquis', 'deprecie', 'pivot', 'absorbe')),
    retired_at date NOT NULL,
    note       text NOT NULL,
    source     text NOT NULL,
    edition    bigint NOT NULL
);

CREATE INDEX retired_edition ON retired (edition);

CREATE TABLE tombstones (
    kind    text NOT NULL CHECK (kind IN ('tool', 'comparison', 'retired')),
    slug    text COLLATE "C" NOT NULL,
    edition bigint NOT NULL,
    PRIMARY KEY (kind, slug)
);

CREATE INDEX tombstones_edition ON tombstones (edition);

-- Kept when its tool is retired: a tool that comes back has its history.
CREATE TABLE price_history (
    slug        text COLLATE "C" NOT NULL,
    edition     bigint NOT NULL REFERENCES editions (number),
    changed_at  date NOT NULL,
    old_pricing text NOT NULL,
    old_price   text NOT NULL,
    new_pricing text NOT NULL,
    new_price   text NOT NULL,
    PRIMARY KEY (slug, edition)
);

-- The log of what was published. seq is given under the publication lock, so it
-- is in commit order and has no holes; it never starts again.
CREATE TABLE events (
    seq        bigint PRIMARY KEY,
    edition    bigint NOT NULL REFERENCES editions (number),
    type       text NOT NULL,
    slug       text COLLATE "C" NOT NULL,
    categories text[] NOT NULL,
    object     json, -- as the API shows it, now
    previous   json  -- and before
);

CREATE INDEX events_edition ON events (edition);

-- +goose Down

DROP TABLE events, price_history, tombstones, retired, comparisons, tools, categories, service, current_edition, editions;
