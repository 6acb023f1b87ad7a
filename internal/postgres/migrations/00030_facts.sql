-- compatible: 1
-- +goose Up

-- Where values come from, when somebody last looked, and announced ends. '' and NULL say nothing.
ALTER TABLE tools
    ADD COLUMN price_source   text NOT NULL DEFAULT '',
    ADD COLUMN price_checked  date,
    ADD COLUMN price_text     text NOT NULL DEFAULT '',
    ADD COLUMN price_note     text NOT NULL DEFAULT '',
    ADD COLUMN score_source   text NOT NULL DEFAULT '',
    ADD COLUMN score_checked  date,
    ADD COLUMN score_text     text NOT NULL DEFAULT '',
    ADD COLUMN score_note     text NOT NULL DEFAULT '',
    ADD COLUMN domain_source  text NOT NULL DEFAULT '',
    ADD COLUMN domain_checked date,
    ADD COLUMN domain_text    text NOT NULL DEFAULT '',
    ADD COLUMN domain_note    text NOT NULL DEFAULT '',
    ADD COLUMN ends_at        date,
    ADD COLUMN ends_source    text NOT NULL DEFAULT '',
    ADD COLUMN successor      text NOT NULL DEFAULT '';

ALTER TABLE retired
    ADD COLUMN successor          text NOT NULL DEFAULT '',
    ADD COLUMN retired_at_source  text NOT NULL DEFAULT '',
    ADD COLUMN retired_at_checked date,
    ADD COLUMN retired_at_text    text NOT NULL DEFAULT '',
    ADD COLUMN retired_at_note    text NOT NULL DEFAULT '';

-- +goose Down

ALTER TABLE retired
    DROP COLUMN successor, DROP COLUMN retired_at_source, DROP COLUMN retired_at_checked,
    DROP COLUMN retired_at_text, DROP COLUMN retired_at_note;
ALTER TABLE tools
    DROP COLUMN price_source, DROP COLUMN price_checked, DROP COLUMN price_text, DROP COLUMN price_note,
    DROP COLUMN score_source, DROP COLUMN score_checked, DROP COLUMN score_text, DROP COLUMN score_note,
    DROP COLUMN domain_source, DROP COLUMN domain_checked, DROP COLUMN domain_text, DROP COLUMN domain_note,
    DROP COLUMN ends_at, DROP COLUMN ends_source, DROP COLUMN successor;
