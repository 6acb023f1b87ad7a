-- compatible: 1
-- +goose Up

-- When the owner of an endpoint showed that it is theirs, by a challenge or because
-- whoever runs the service vouched for it. Nothing is delivered without it, whatever
-- way led to the state.
--
-- Endpoints that are delivered to, or ever were, count as verified. Deliveries are
-- pruned; failing_since is the trace that they leave.
--
-- Nodes of the version before work on this schema as they did. Its commands "webhook
-- verify" and "webhook create --vouch" cannot set the column, and the constraint refuses
-- what they write: use those of this version. Filling the column in by a trigger
-- instead would let pass exactly what the constraint is for.
ALTER TABLE endpoints ADD COLUMN verified_at timestamptz;

UPDATE endpoints e SET verified_at = created_at
WHERE state IN ('active', 'paused')
   OR state = 'disabled' AND (failing_since IS NOT NULL OR EXISTS (SELECT FROM deliveries d WHERE d.endpoint_id = e.id));

ALTER TABLE endpoints ADD CONSTRAINT endpoints_verified
    CHECK (state NOT IN ('active', 'paused') OR verified_at IS NOT NULL);

-- +goose Down

ALTER TABLE endpoints DROP COLUMN verified_at;
