-- compatible: 1
-- +goose Up

-- When a plan allows fewer keys than an account has, some of them sleep: they are not revoked, and
-- do not work until the owner chooses them or the plan allows them. kept_at is when the owner chose
-- a key to stay awake on a smaller plan; null: not chosen. Keys that sleep do not count among those
-- that the plan allows, but they keep their slots: so the index keys_slot goes on holding that an
-- account never has more than ten keys that are not revoked, against races and older programs.
--
-- An older program knows nothing of sleep. What it does is safe enough for the time of a deployment:
--  - Its nodes let keys that sleep in, as they did before, on the quota of the account's plan.
--  - Its downgrade puts no key to sleep, its upgrade wakes none. The next plan that this program sets
--    puts that right, also when it is the same plan again.
--  - It counts keys that sleep among those that the plan allows, and so creates fewer.
--  - A key that it puts in the place of one that sleeps is awake: one too many, until a plan is set
--    or the owner chooses. A key that it revokes stays marked, which means nothing for such a key.
ALTER TABLE keys
    ADD COLUMN asleep  boolean NOT NULL DEFAULT false,
    ADD COLUMN kept_at timestamptz;

-- Nodes hear of keys that fall asleep or wake, too.
--
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_changed_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid[];
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM new_keys WHERE revoked_at IS NULL OR grace;
    WHEN 'DELETE' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM old_keys WHERE revoked_at IS NULL OR grace;
    ELSE -- noting the use of a key changes nothing about access
        SELECT array_agg(DISTINCT account_id) INTO changed FROM (
            (SELECT id, account_id, hash, revoked_at, asleep FROM old_keys WHERE revoked_at IS NULL OR grace
             EXCEPT SELECT id, account_id, hash, revoked_at, asleep FROM new_keys WHERE revoked_at IS NULL OR grace)
            UNION ALL
            (SELECT id, account_id, hash, revoked_at, asleep FROM new_keys WHERE revoked_at IS NULL OR grace
             EXCEPT SELECT id, account_id, hash, revoked_at, asleep FROM old_keys WHERE revoked_at IS NULL OR grace)) AS difference;
    END CASE;
    PERFORM note_access_changes(changed);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_changed_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid[];
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM new_keys WHERE revoked_at IS NULL OR grace;
    WHEN 'DELETE' THEN
        SELECT array_agg(DISTINCT account_id) INTO changed FROM old_keys WHERE revoked_at IS NULL OR grace;
    ELSE -- noting the use of a key changes nothing about access
        SELECT array_agg(DISTINCT account_id) INTO changed FROM (
            (SELECT id, account_id, hash, revoked_at FROM old_keys WHERE revoked_at IS NULL OR grace
             EXCEPT SELECT id, account_id, hash, revoked_at FROM new_keys WHERE revoked_at IS NULL OR grace)
            UNION ALL
            (SELECT id, account_id, hash, revoked_at FROM new_keys WHERE revoked_at IS NULL OR grace
             EXCEPT SELECT id, account_id, hash, revoked_at FROM old_keys WHERE revoked_at IS NULL OR grace)) AS difference;
    END CASE;
    PERFORM note_access_changes(changed);
    RETURN NULL;
END $$;
-- +goose StatementEnd

ALTER TABLE keys DROP COLUMN asleep, DROP COLUMN kept_at;
