-- compatible: 1
-- +goose Up

-- What publications said of each tool, living or retired, for as long as the tool is published or in the cemetery: the log
-- says it only for PALMARES_EVENTS_KEEP. A row is a value and the day of its publication (NULL where the log no longer says),
-- or a life of the tool. Rows are in the order of seq, the entry of the log; 0 is before all that the log has.
CREATE TABLE history (
    slug      text COLLATE "C" NOT NULL,
    seq       bigint NOT NULL,
    field     text COLLATE "C" NOT NULL CHECK (field IN ('life', 'price', 'score')),
    day       date,
    until     date,  -- of a life: its end; NULL while it lasts
    since     date,  -- of a price: when it began, if the editors say so
    pricing   text,
    price     text,
    score     numeric(4, 2), -- NULL from the day on which the tool lost its score
    corrected boolean NOT NULL DEFAULT false,
    PRIMARY KEY (slug, seq, field)
);

-- Adds what an edition says to the history. It takes it from the log alone, so it knows no difference between an edition of
-- this program and one of an earlier program. catalog.Histories.Record does the same for a preview, which has no database.
-- +goose StatementBegin
CREATE FUNCTION record_history(published bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    today date := (SELECT (n.published_at AT TIME ZONE 'UTC')::date FROM editions n WHERE n.number = published);
    v record;
    last record;
    earlier record;
BEGIN
    -- A renamed tool keeps its history.
    DELETE FROM history h USING events e
    WHERE e.edition = published AND e.type IN ('tool.renamed', 'cimetiere.renamed') AND h.slug = e.slug;
    UPDATE history h SET slug = e.slug FROM events e
    WHERE e.edition = published AND e.type IN ('tool.renamed', 'cimetiere.renamed') AND h.slug = e.renamed_from;

    -- One that is removed leaves nothing. An entry of the cemetery that is removed may be a tool that returns.
    DELETE FROM history h USING events e
    WHERE e.edition = published AND h.slug = e.slug AND e.renamed_to IS NULL
      AND (e.type = 'tool.removed' OR e.type = 'cimetiere.removed' AND NOT EXISTS (
          SELECT FROM events c WHERE c.edition = published AND c.type = 'tool.created' AND c.slug = e.slug));

    -- What the log lost: a tool that is not known has been there, as this edition found it, for an unknown time.
    INSERT INTO history (slug, seq, field, until, pricing, price, score)
    SELECT DISTINCT ON (e.slug, f.field) e.slug, 0, f.field,
           CASE WHEN f.field = 'life' THEN (e.previous ->> 'retired_at')::date END,
           CASE WHEN f.field = 'price' THEN e.previous ->> 'pricing' END, CASE WHEN f.field = 'price' THEN e.previous ->> 'price' END,
           CASE WHEN f.field = 'score' THEN (e.previous ->> 'score')::numeric END
    FROM events e CROSS JOIN (VALUES ('life'), ('price'), ('score')) AS f (field)
    WHERE e.edition = published AND e.previous IS NOT NULL AND e.renamed_to IS NULL AND e.renamed_from IS NULL
      AND e.type IN ('tool.updated', 'tool.retired', 'price.changed', 'cimetiere.updated', 'cimetiere.removed')
      AND (f.field = 'life' OR e.type = 'price.changed' AND f.field = 'price'
           OR e.type IN ('tool.updated', 'tool.retired') AND e.previous ->> f.field IS NOT NULL)
      AND (e.type <> 'cimetiere.removed' OR EXISTS (
          SELECT FROM events c WHERE c.edition = published AND c.type = 'tool.created' AND c.slug = e.slug))
      AND NOT EXISTS (SELECT FROM history h WHERE h.slug = e.slug AND h.field = f.field)
    ORDER BY e.slug, f.field, e.seq;

    -- Before new lives begin: of a tool that is renamed in the cemetery and returns, the end of the last one is told.
    UPDATE history h SET until = (e.object ->> 'retired_at')::date FROM events e
    WHERE e.edition = published AND e.type IN ('tool.retired', 'cimetiere.updated', 'cimetiere.renamed')
      AND h.slug = e.slug AND h.field = 'life'
      AND h.seq = (SELECT max(x.seq) FROM history x WHERE x.slug = e.slug AND x.field = 'life');
    INSERT INTO history (slug, seq, field, day, pricing, price, score)
    SELECT e.slug, e.seq, f.field, today, CASE WHEN f.field = 'price' THEN e.object ->> 'pricing' END,
           CASE WHEN f.field = 'price' THEN e.object ->> 'price' END, CASE WHEN f.field = 'score' THEN (e.object ->> 'score')::numeric END
    FROM events e CROSS JOIN (VALUES ('life'), ('price'), ('score')) AS f (field)
    WHERE e.edition = published AND e.type = 'tool.created' AND e.renamed_from IS NULL
      AND (f.field <> 'score' OR e.object ->> 'score' IS NOT NULL);
    INSERT INTO history (slug, seq, field, until)
    SELECT e.slug, e.seq, 'life', (e.object ->> 'retired_at')::date FROM events e
    WHERE e.edition = published AND e.type = 'cimetiere.added' AND e.renamed_from IS NULL;

    INSERT INTO history (slug, seq, field, day, pricing, price)
    SELECT e.slug, e.seq, 'price', today, e.object ->> 'pricing', e.object ->> 'price' FROM events e
    WHERE e.edition = published AND e.type = 'price.changed' AND e.correction IS NULL;
    INSERT INTO history (slug, seq, field, day, score)
    SELECT e.slug, e.seq, 'score', today, (e.object ->> 'score')::numeric FROM events e
    WHERE e.edition = published AND e.type IN ('tool.updated', 'tool.renamed') AND e.correction IS NULL
      AND e.object ->> 'score' IS DISTINCT FROM e.previous ->> 'score';

    -- A correction replaces the last value of this life. Where it goes back to the value before, the last one never was.
    FOR v IN
        SELECT e.slug, e.seq, CASE e.type WHEN 'price.changed' THEN 'price' ELSE 'score' END AS field,
               CASE e.type WHEN 'price.changed' THEN e.object ->> 'pricing' END AS pricing,
               CASE e.type WHEN 'price.changed' THEN e.object ->> 'price' END AS price,
               CASE e.type WHEN 'price.changed' THEN NULL ELSE (e.object ->> 'score')::numeric END AS score
        FROM events e
        WHERE e.edition = published AND e.correction IS NOT NULL
          AND (e.type = 'price.changed' OR e.type IN ('tool.updated', 'tool.renamed') AND e.object ->> 'score' IS DISTINCT FROM e.previous ->> 'score')
        ORDER BY e.seq
    LOOP
        SELECT h.seq INTO last FROM history h
        WHERE h.slug = v.slug AND h.field = v.field
          AND h.seq >= (SELECT max(x.seq) FROM history x WHERE x.slug = v.slug AND x.field = 'life') ORDER BY h.seq DESC LIMIT 1;
        IF NOT FOUND THEN
            INSERT INTO history (slug, seq, field, day, pricing, price, score)
            VALUES (v.slug, v.seq, v.field, today, v.pricing, v.price, v.score);
            CONTINUE;
        END IF;
        SELECT h.seq, h.pricing, h.price, h.score INTO earlier FROM history h
        WHERE h.slug = v.slug AND h.field = v.field AND h.seq < last.seq
          AND h.seq >= (SELECT max(x.seq) FROM history x WHERE x.slug = v.slug AND x.field = 'life') ORDER BY h.seq DESC LIMIT 1;
        IF FOUND AND (earlier.pricing, earlier.price, earlier.score) IS NOT DISTINCT FROM (v.pricing, v.price, v.score) THEN
            DELETE FROM history h WHERE h.slug = v.slug AND h.seq = last.seq AND h.field = v.field;
            UPDATE history h SET corrected = true WHERE h.slug = v.slug AND h.seq = earlier.seq AND h.field = v.field;
        ELSE
            UPDATE history h SET pricing = v.pricing, price = v.price, score = v.score, corrected = true
            WHERE h.slug = v.slug AND h.seq = last.seq AND h.field = v.field;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

-- Records what the statement published, whoever published it, and takes the price history of removed tools away: the next
-- tool with such a slug is another one.
-- +goose StatementBegin
CREATE FUNCTION note_history() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM record_history(e.edition) FROM (SELECT DISTINCT a.edition FROM added a ORDER BY a.edition) AS e;
    DELETE FROM price_history p USING added a
    WHERE p.slug = a.slug AND a.type IN ('tool.removed', 'cimetiere.removed') AND a.renamed_to IS NULL
      AND NOT EXISTS (SELECT FROM history h WHERE h.slug = a.slug);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION record_history(bigint) SET search_path = %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION note_history() SET search_path = %I, pg_temp', current_schema());
END $$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION record_history(bigint), note_history() FROM PUBLIC;

-- Publications wait for what follows, which reads the whole log, and no table is locked meanwhile.
SELECT pg_advisory_xact_lock(1885432941);

SELECT record_history(e.edition) FROM (SELECT DISTINCT edition FROM events ORDER BY edition) AS e;

-- Of price_history, what belongs to tools that are gone: their slugs' next tools inherited it.
DELETE FROM price_history p
WHERE NOT EXISTS (SELECT FROM tools t WHERE t.slug = p.slug) AND NOT EXISTS (SELECT FROM retired r WHERE r.slug = p.slug)
   OR p.edition < (SELECT e.edition FROM events e
                   WHERE e.seq = (SELECT min(h.seq) FROM history h WHERE h.slug = p.slug AND h.field = 'life'));

-- Where the log was pruned: items of which it says nothing, then the prices from before it, with the one before the oldest
-- of them, then what has not changed since.
INSERT INTO history (slug, seq, field, until)
SELECT i.slug, 0, 'life', i.retired_at
FROM (SELECT slug, NULL::date AS retired_at FROM tools UNION ALL SELECT slug, retired_at FROM retired) AS i
WHERE NOT EXISTS (SELECT FROM history h WHERE h.slug = i.slug);

INSERT INTO history (slug, seq, field, day, pricing, price, corrected)
SELECT p.slug, coalesce(p.seq, n.last_seq), 'price', p.changed_at, p.new_pricing, p.new_price,
       coalesce(p.seq > n.last_seq, false)
FROM price_history p JOIN editions n ON n.number = p.edition
WHERE p.edition <= coalesce((SELECT min(edition) FROM events), p.edition)
  AND EXISTS (SELECT FROM history h WHERE h.slug = p.slug AND h.seq = 0)
ON CONFLICT DO NOTHING;

INSERT INTO history (slug, seq, field, pricing, price)
SELECT DISTINCT ON (p.slug) p.slug, 0, 'price', p.old_pricing, p.old_price
FROM price_history p WHERE EXISTS (SELECT FROM history h WHERE h.slug = p.slug AND h.seq = 0)
ORDER BY p.slug, p.edition
ON CONFLICT (slug, seq, field) DO UPDATE SET pricing = excluded.pricing, price = excluded.price, corrected = false;

INSERT INTO history (slug, seq, field, pricing, price)
SELECT t.slug, 0, 'price', t.pricing, t.price FROM tools t
WHERE NOT EXISTS (SELECT FROM history h WHERE h.slug = t.slug AND h.field = 'price');

INSERT INTO history (slug, seq, field, score)
SELECT t.slug, 0, 'score', t.score FROM tools t
WHERE t.score IS NOT NULL AND NOT EXISTS (SELECT FROM history h WHERE h.slug = t.slug AND h.field = 'score');

-- +goose StatementBegin
DO $$
DECLARE
    living bigint; retired bigint; pruned boolean;
BEGIN
    SELECT count(*) FILTER (WHERE h.until IS NULL), count(*) FILTER (WHERE h.until IS NOT NULL) INTO living, retired
    FROM history h WHERE h.field = 'life' AND h.day IS NULL;
    SELECT coalesce(min(seq), 1) > 1 INTO pruned FROM events;
    IF living + retired > 0 THEN
        RAISE NOTICE 'history: it is unknown since when % living and % retired tools are in the catalogue%; they are in no answer about a day',
            living, retired, CASE WHEN pruned THEN ', because the log no longer says' ELSE '' END
            USING ERRCODE = 'PLM00'; -- which tells it from notices of the server
    END IF;
END $$;
-- +goose StatementEnd

-- Last, because it locks the log against publications; those that waited go through it.
CREATE TRIGGER events_recorded AFTER INSERT ON events
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_history();

-- +goose Down

DROP TRIGGER events_recorded ON events;
DROP FUNCTION note_history();
DROP FUNCTION record_history(bigint);
DROP TABLE history;
