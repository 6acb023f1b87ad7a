-- compatible: 1
-- +goose Up

-- Who pays, and what the payment provider last said. A row is made by the first checkout. It is locked
-- while the provider is asked, so that an older answer never overwrites a newer one. Whoever holds
-- current_access never waits for it.
CREATE TABLE billing_customers (
    account_id          uuid PRIMARY KEY REFERENCES accounts (id),
    customer            text UNIQUE,                    -- at the provider; null: none yet, or deleted there
    generation          integer NOT NULL DEFAULT 0,     -- of the keys of idempotency
    checkout            text,                           -- open, or completed and not seen as a subscription
    checkout_url        text,
    checkout_expires_at timestamptz,
    checkout_completed  boolean NOT NULL DEFAULT false,
    checkout_after      text NOT NULL DEFAULT '',       -- the newest subscription when it was opened
    subscription        text,                           -- the one that counts; null: none
    status              text NOT NULL DEFAULT '',
    subscribed_at       timestamptz,
    period_end          timestamptz,
    cancel_at           timestamptz,
    ended_at            timestamptz,
    unpaid_since        timestamptz,
    unpaid              text NOT NULL DEFAULT '',       -- the invoice
    net                 bigint NOT NULL DEFAULT 0,      -- cents
    tax                 bigint NOT NULL DEFAULT 0,      -- cents
    reverse_charge      boolean NOT NULL DEFAULT false,
    not_collecting      boolean NOT NULL DEFAULT false,
    gives               text NOT NULL DEFAULT 'developer', -- the plan, when it was looked at
    cancellations       integer NOT NULL DEFAULT 0,
    endings             integer NOT NULL DEFAULT 0,
    looked_at           timestamptz,                    -- when the last look began that ended
    look_at             timestamptz,                    -- when to look without an event
    CHECK ((checkout IS NULL) = (checkout_url IS NULL) AND (checkout IS NULL) = (checkout_expires_at IS NULL)),
    CHECK ((subscription IS NULL) = (status = ''))
);
CREATE INDEX billing_customers_look ON billing_customers (look_at) WHERE look_at IS NOT NULL;

-- Events of the provider, by their ids: each is worked off once. What they say is not kept: it is asked
-- of the provider. Rows are deleted after 90 days.
CREATE TABLE billing_events (
    id           text PRIMARY KEY,
    type         text NOT NULL,
    account_id   uuid REFERENCES accounts (id), -- null: about no customer of ours
    received_at  timestamptz NOT NULL,
    processed_at timestamptz
);
CREATE INDEX billing_events_waiting ON billing_events (account_id) WHERE processed_at IS NULL;
CREATE INDEX billing_events_account ON billing_events (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX billing_events_received ON billing_events (received_at);

-- Mails about subscriptions: one for each occasion.
CREATE TABLE billing_notices (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts (id),
    subscription text NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('welcome', 'cancelled', 'unpaid', 'ended')),
    occasion     text NOT NULL,
    created_at   timestamptz NOT NULL,
    sent_at      timestamptz,
    UNIQUE (subscription, kind, occasion)
);
CREATE INDEX billing_notices_account ON billing_notices (account_id);

-- +goose Down

DROP TABLE billing_notices, billing_events, billing_customers;
