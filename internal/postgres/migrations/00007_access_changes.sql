-- compatible: 1
-- +goose Up

-- Every change of access, one row per account that it concerns. Nodes hold all live
-- keys in memory and ask for what followed the last row that they know, by number and
-- id: after a restore from an older backup the same number has another id, and a node
-- whose row is not there reads everything anew. account_id is NULL for a row that
-- concerns every account.
CREATE TABLE access_changes (
    number     bigint PRIMARY KEY,
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    account_id uuid
);

-- There is always a row, so that even two databases without a change differ.
INSERT INTO access_changes (number) SELECT number FROM current_access;

-- Nodes hold key ids in 16 bytes.
ALTER TABLE keys ADD CONSTRAINT keys_id_length CHECK (octet_length(id) BETWEEN 1 AND 16);

-- The rows are written by triggers, so that no program, not the one from before this
-- migration nor psql, can change who has access without the nodes hearing of it. The
-- update of current_access holds back other changes until the commit: numbers are in
-- commit order.
--
-- +goose StatementBegin
CREATE FUNCTION note_access_changes(changed uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    n    bigint := coalesce(cardinality(changed), 0);
    last bigint;
BEGIN
    IF n = 0 THEN
        RETURN;
    END IF;
    UPDATE current_access SET number = number + n RETURNING number INTO last;
    INSERT INTO access_changes (number, account_id)
        SELECT last - n + c.place, c.account_id FROM unnest(changed) WITH ORDINALITY AS c (account_id, place);
    -- Nodes from before this migration go by this column.
    UPDATE accounts SET change = last FROM unnest(changed) AS c (account_id) WHERE accounts.id = c.account_id;
    -- Whoever is further behind than this reads everything anew.
    DELETE FROM access_changes WHERE number <= last - 100000;
    PERFORM pg_notify('palmares_access', last::text);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION note_changed_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid[];
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM new_keys WHERE revoked_at IS NULL;
    WHEN 'DELETE' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM old_keys WHERE revoked_at IS NULL;
    ELSE -- noting the use of a key changes nothing about access
        SELECT array_agg(DISTINCT account_id) INTO changed FROM (
            (SELECT id, account_id, hash FROM old_keys WHERE revoked_at IS NULL
             EXCEPT SELECT id, account_id, hash FROM new_keys WHERE revoked_at IS NULL)
            UNION ALL
            (SELECT id, account_id, hash FROM new_keys WHERE revoked_at IS NULL
             EXCEPT SELECT id, account_id, hash FROM old_keys WHERE revoked_at IS NULL)) AS difference;
    END CASE;
    PERFORM note_access_changes(changed);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION note_changed_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid[];
BEGIN
    SELECT array_agg(n.id) INTO changed FROM new_accounts n JOIN old_accounts o USING (id)
    WHERE n.plan <> o.plan OR (n.deleted_at IS NULL) <> (o.deleted_at IS NULL);
    PERFORM note_access_changes(changed);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- For each statement and not for each row: a statement that changes a million keys
-- takes its numbers at once.
CREATE TRIGGER keys_made AFTER INSERT ON keys
    REFERENCING NEW TABLE AS new_keys FOR EACH STATEMENT EXECUTE FUNCTION note_changed_keys();
CREATE TRIGGER keys_changed AFTER UPDATE ON keys
    REFERENCING OLD TABLE AS old_keys NEW TABLE AS new_keys FOR EACH STATEMENT EXECUTE FUNCTION note_changed_keys();
CREATE TRIGGER keys_deleted AFTER DELETE ON keys
    REFERENCING OLD TABLE AS old_keys FOR EACH STATEMENT EXECUTE FUNCTION note_changed_keys();
CREATE TRIGGER accounts_changed AFTER UPDATE ON accounts
    REFERENCING OLD TABLE AS old_accounts NEW TABLE AS new_accounts FOR EACH STATEMENT EXECUTE FUNCTION note_changed_accounts();

-- +goose Down

DROP TRIGGER accounts_changed ON accounts;
DROP TRIGGER keys_made ON keys;
DROP TRIGGER keys_changed ON keys;
DROP TRIGGER keys_deleted ON keys;
DROP FUNCTION note_changed_accounts, note_changed_keys, note_access_changes;
ALTER TABLE keys DROP CONSTRAINT keys_id_length;
DROP TABLE access_changes;
