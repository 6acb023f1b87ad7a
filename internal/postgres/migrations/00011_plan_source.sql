-- compatible: 1
-- +goose Up

-- Who decides the plan of an account. A Pro plan that the operator gave is never touched by what the
-- payment provider says, and never billed. All other plans follow the provider: without a
-- subscription that is Developer.
--
-- An older program sets plans without it. Accounts that never were the provider's customers are never
-- compared with what the provider says, so that a Pro plan of such a program stays too.
ALTER TABLE accounts ADD COLUMN plan_source text NOT NULL DEFAULT 'provider' CHECK (plan_source IN ('operator', 'provider'));
UPDATE accounts SET plan_source = 'operator' WHERE plan = 'pro';

-- +goose Down

ALTER TABLE accounts DROP COLUMN plan_source;
