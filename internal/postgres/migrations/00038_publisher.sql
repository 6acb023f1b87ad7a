-- compatible: 1
-- +goose Up

-- Queues the job that tells endpoints of an edition, as River's client would, in the transaction that publishes it. A role
-- that publishes may run it, and so needs no right on the jobs. It takes nothing but the edition that is being published.
-- +goose StatementBegin
CREATE FUNCTION queue_fan_out(published bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF published IS DISTINCT FROM (SELECT e.number FROM editions e ORDER BY e.number DESC LIMIT 1)
       OR EXISTS (SELECT FROM current_edition c WHERE c.number >= published) THEN
        RAISE EXCEPTION 'edition % is not being published', published USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- One job is enough: it tells every endpoint that is behind.
    IF EXISTS (SELECT FROM river_job j WHERE j.kind = 'webhook_fan_out' AND j.finalized_at IS NULL
                 AND j.args = pg_catalog.jsonb_build_object('edition', published)) THEN
        RETURN;
    END IF;
    INSERT INTO river_job (args, created_at, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags)
    VALUES (pg_catalog.jsonb_build_object('edition', published), pg_catalog.now(), 'webhook_fan_out', 25, '{}', 1, 'default',
            pg_catalog.now(), 'available', '{}');
    PERFORM pg_catalog.pg_notify(pg_catalog.current_schema()::text || '.river_insert', '{"queue": "default"}');
END $$;
-- +goose StatementEnd

-- Gives what readers reported of renamed tools their new slugs. A role that publishes may run it, and so needs no right on the
-- reports. It takes nothing: the published items say what they were called.
-- +goose StatementBegin
CREATE FUNCTION move_reports() RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    UPDATE reports r SET slug = n.slug
    FROM (SELECT t.slug, pg_catalog.unnest(t.formerly) AS old FROM tools t
          UNION ALL SELECT x.slug, pg_catalog.unnest(x.formerly) FROM retired x) AS n
    WHERE r.slug = n.old
$$;
-- +goose StatementEnd

-- They find the tables of this schema, whoever calls them, and never temporary ones of the caller.
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION queue_fan_out(bigint) SET search_path = %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION move_reports() SET search_path = %I, pg_temp', current_schema());
END $$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION queue_fan_out(bigint), move_reports() FROM PUBLIC;

-- +goose Down

DROP FUNCTION move_reports();
DROP FUNCTION queue_fan_out(bigint);
