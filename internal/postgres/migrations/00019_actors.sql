-- compatible: 1
-- +goose Up

-- Who did what is in the log. An older program writes by_operator alone, also of what the service did by
-- itself: a row without an actor is the operator's unless the service does that, too.
ALTER TABLE activity ADD COLUMN actor text CHECK (actor IN ('owner', 'operator', 'service'));

-- Plans that the service changed with what the payment provider said: in the same transaction it stored a
-- mail about it, or worked off an event. Where there never was a customer it was the operator.
UPDATE activity a SET actor = 'service' WHERE a.by_operator AND a.action = 'plan.changed' AND (
    EXISTS (SELECT FROM billing_notices n WHERE n.account_id = a.account_id AND n.created_at = a.at)
    OR EXISTS (SELECT FROM billing_events e WHERE e.account_id = a.account_id AND e.processed_at = a.at));
UPDATE activity a SET actor = 'operator' WHERE a.by_operator AND a.action = 'plan.changed' AND a.actor IS NULL
    AND NOT EXISTS (SELECT FROM billing_customers c WHERE c.account_id = a.account_id);

-- Endpoints say why they are disabled, of the last time that they were. Of two on one host nobody knows
-- which one it was.
UPDATE activity a SET actor = CASE WHEN e.reason LIKE 'every attempt has failed since %' OR e.reason LIKE 'the receiver answered 410 Gone at %'
    THEN 'service' ELSE 'operator' END
FROM (SELECT account_id, substring(url from '^[a-z]+://(\[[^]]*\]|[^/:?#]*)') AS host, min(reason) AS reason, min(state) AS state
      FROM endpoints GROUP BY 1, 2 HAVING count(*) = 1) e
WHERE a.by_operator AND a.action = 'endpoint.disabled' AND e.account_id = a.account_id AND e.host = a.subject AND e.state = 'disabled'
    AND NOT EXISTS (
        SELECT FROM activity later WHERE later.account_id = a.account_id AND later.subject = a.subject AND later.id > a.id
        AND later.action IN ('endpoint.disabled', 'endpoint.enabled', 'endpoint.created', 'endpoint.deleted'));

-- +goose Down

ALTER TABLE activity DROP COLUMN actor;
