-- compatible: 1
-- +goose Up

-- Why nothing is delivered to an endpoint, why a delivery ended and why an attempt failed, as a code
-- with its detail. The text beside it stays: a program that knows no codes reads and writes it alone. So
-- a code counts only while it is the one of the text.
ALTER TABLE endpoints ADD COLUMN reason_code text, ADD COLUMN reason_detail text;
ALTER TABLE deliveries
    ADD COLUMN error_code text, ADD COLUMN error_detail text,
    ADD COLUMN ended_code text, ADD COLUMN ended_detail text;
ALTER TABLE attempts ADD COLUMN error_code text, ADD COLUMN error_detail text;

-- Endpoints keep their reason for years. Deliveries are gone in a month: their texts are parsed when
-- they are read. What is none of our texts is an operator's.
WITH codes (code, begin, follows) AS (VALUES
    ('not_verified', 'it has not answered its challenge yet', ''),
    ('not_pro', 'the account is no longer on the Pro plan: webhooks are paused', ''),
    ('disabled_by_owner', 'disabled by its owner', ''),
    ('all_failed', 'every attempt has failed since ', '\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ'),
    ('answered_gone', 'the receiver answered 410 Gone at ', '\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ'),
    ('secret_unreadable', 'its secret cannot be opened: set the PALMARES_SECRET_PREVIOUS that sealed it, '
        'or palmares webhook rotate; what is published meanwhile waits', ''))
UPDATE endpoints e SET
    reason_code = coalesce(found.code, 'in_words'),
    reason_detail = CASE WHEN found.code IS NULL THEN e.reason ELSE nullif(found.detail, '') END
FROM endpoints o LEFT JOIN LATERAL (
    SELECT c.code, substr(o.reason, length(c.begin) + 1) AS detail FROM codes c
    WHERE starts_with(o.reason, c.begin) AND substr(o.reason, length(c.begin) + 1) ~ ('^(' || c.follows || ')$')
) found ON true
WHERE e.id = o.id AND o.reason <> '';

-- +goose Down

ALTER TABLE attempts DROP COLUMN error_code, DROP COLUMN error_detail;
ALTER TABLE deliveries
    DROP COLUMN error_code, DROP COLUMN error_detail, DROP COLUMN ended_code, DROP COLUMN ended_detail;
ALTER TABLE endpoints DROP COLUMN reason_code, DROP COLUMN reason_detail;
